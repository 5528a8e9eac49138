"""The machine is down: its cards come out with a count, are dealt by hand, and go back; nothing is lost on the way."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import PermitKind, Place
from tableside.card_account import ASIDE, MACHINE, SHOE, TABLE, TRAY, UNEXPLAINED, left_in
from tableside.decisions import CommandIntended, IncidentOpened, PermitGranted, RequestAnswered
from tableside.happenings import RoundEnded, RoundStarted
from tableside.house import SpecialCards
from tableside.locks import Scope, standing
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.procedures.round_slice import RoundState
from tableside.procedures.session import SessionState
from tableside.requests import (
    AnnounceClosing,
    BeginIncidentReload,
    BeginSwap,
    CloseTable,
    ConfirmHandShuffled,
    EndRound,
    EnterSort,
    HandCount,
    LoadPacket,
    RuleRound,
    SortedDecks,
    StopPlay,
)
from tableside.session_happenings import MachineCountedOut
from tableside.shoe_happenings import HandShoeBegun, HandShoeEnded, ShoeCleared
from tableside.shoe_requests import (
    BeginHandShoe,
    BeginRound,
    BurnCard,
    CountBacks,
    CountDealt,
    CutCards,
    EmptyByHand,
    EndHandShoe,
    FillShoe,
    GatherCards,
)
from tableside.state import TableState, encode_state, reduce
from tests.support.hand_shoe import ALL, SEATS, WHOLE
from tests.support.session import end_eject, give_out, levels, load_packet, open_table
from tests.support.table import HOUSE, Table

S = HandShoeState
HOUSE_OF_BOTH = replace(HOUSE, special_cards=SpecialCards("yellow", "green"), spare_shufflers=())


def do(table: Table, kind: type, by: str = "D1", **fields: object) -> None:
    answer = table.ask(kind, by=by, **fields)
    assert answer.is_accepted, answer


def refused(answer: RequestAnswered, rule: str) -> RequestAnswered:
    assert (answer.is_accepted, answer.rule) == (False, rule), answer
    return answer


def failed() -> Table:
    """Between two rounds a fault stands at the machine that nobody can mend now."""
    table = open_table(HOUSE_OF_BOTH)
    table.notice(events.DeviceFaulted, fault=2, place=Place.CAROUSEL)
    return table


def sighted(table: Table, *staff: str) -> None:
    table.wait(3)
    for one in staff:
        table.tap(one)


def begun() -> Table:
    """The floor supervisor has tapped, named the incident, and the machine is to be emptied."""
    table = open_table(HOUSE_OF_BOTH)
    table.give(events.DeviceRejected(device="switches", why="another model"))
    table.ready("switches")
    sighted(table, "S1")
    do(table, BeginHandShoe, by="S1", incident=1)
    return table


def emptied() -> Table:
    """The machine gave out all its cards by itself, and is proved empty."""
    table = begun()
    give_out(table, ALL)
    end_eject(table, moved=ALL)
    levels(table, content=0)
    levels(table, content=0)
    return table


def by_hand(table: Table) -> Table:
    """Counted by back, shuffled, cut, burnt: rounds may be dealt."""
    do(table, CountBacks, counts=WHOLE)
    do(table, ConfirmHandShuffled)
    do(table, CutCards, occupied=SEATS, seat=2)
    do(table, FillShoe)
    do(table, BurnCard)
    return table


def round_of(table: Table, cards: int = 11) -> None:
    do(table, BeginRound)
    do(table, CountDealt, cards=cards)
    do(table, EndRound)


def back(table: Table) -> None:
    """Gathered, counted by back, and two persons let the cards into the machine again."""
    do(table, GatherCards, by="S1", why="the machine is mended")
    do(table, CountBacks, counts=WHOLE)
    sighted(table, "S1", "M1")
    do(table, EndHandShoe, by="S1", packets=3)
    levels(table, content=0)


def loaded(table: Table) -> None:
    back(table)
    for cards in (104, 104, 104):
        load_packet(table, cards)
    levels(table, content=ALL)
    levels(table, content=ALL)


def where(table: Table) -> HandShoeState:
    return table.state.procedures.hand_shoe.state


def test_the_cards_come_out_counted_and_are_dealt_by_hand() -> None:
    table = emptied()
    assert where(table) is S.TO_COUNT
    assert table.all_of(HandShoeBegun)[0].device == "shuffler"
    assert [one.cards for one in table.all_of(MachineCountedOut)] == [ALL]
    assert (table.state.account.at(ASIDE), table.state.account.at(MACHINE)) == (ALL, 0)
    assert table.state.procedures.session.state is SessionState.OPEN
    by_hand(table)
    rounds = table.state.procedures.rounds.number
    round_of(table)
    assert table.all_of(RoundEnded)[-1].round == rounds + 1
    assert (table.state.account.at(SHOE), table.state.account.at(TRAY)) == (ALL - 12, 12)
    permits = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.DEAL]
    do(table, BeginRound)
    assert [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.DEAL] == permits


def test_it_is_the_floor_supervisors_with_a_badge_and_for_an_open_incident() -> None:
    table = failed()
    refused(table.ask(BeginHandShoe, by="D1", incident=1), "CSM-8")
    refused(table.ask(BeginHandShoe, by="S1", incident=99), "CSM-8")
    refused(table.ask(BeginHandShoe, by="S1"), "CSM-8")
    refused(table.ask(BeginHandShoe, by="S1", why="its motor is dead"), "CSM-8")
    sighted(table, "S1")
    do(table, BeginHandShoe, by="S1", why="its motor is dead")
    assert [(one.kind, one.text) for one in table.all_of(IncidentOpened)] == [
        ("machine down", "shuffler: its motor is dead")
    ]


def test_a_spare_that_is_ready_goes_first_unless_somebody_says_why_not() -> None:
    table = open_table(replace(HOUSE_OF_BOTH, spare_shufflers=("spare",)))
    table.give(events.DeviceRejected(device="switches", why="another model"))
    table.ready("switches")
    table.ready("spare")
    sighted(table, "S1")
    refused(table.ask(BeginHandShoe, by="S1", incident=1), "CSM-8")
    do(table, BeginHandShoe, by="S1", incident=1, why="its rollers are worn")


def test_not_in_a_round() -> None:
    table = open_table(HOUSE_OF_BOTH)
    give_out(table, 5)
    table.notice(events.DeviceFaulted, fault=2, place=Place.CAROUSEL)
    sighted(table, "S1")
    refused(table.ask(BeginHandShoe, by="S1", incident=1), "CSM-6")
    do(table, RuleRound, by="S1", ruling="void")


def test_a_machine_that_does_nothing_is_emptied_by_hand_and_all_cards_are_counted() -> None:
    """What stands against it stops the table no more; the fault is the technician's."""
    table = failed()
    sighted(table, "S1")
    do(table, BeginHandShoe, by="S1", why="its motor is dead")
    assert not [one for one in table.all_of(CommandIntended) if one.verb is events.Verb.EJECT_ALL]
    assert standing(table.state, Scope.DEAL)
    refused(table.ask(EmptyByHand, by="S1", cards=ALL + 1), "CSM-8")
    do(table, EmptyByHand, by="S1", cards=ALL)
    assert where(table) is S.TO_COUNT
    assert (table.state.account.at(ASIDE), table.state.account.at(MACHINE)) == (ALL, 0)
    assert not standing(table.state, Scope.DEAL)
    by_hand(table)
    round_of(table)


def test_cards_that_stay_in_the_machine_are_named_by_its_number_and_play_waits_for_a_hand_count() -> None:
    table = failed()
    sighted(table, "S1")
    do(table, BeginHandShoe, by="S1", why="its motor is dead")
    do(table, EmptyByHand, by="S1", cards=ALL - 2)
    place = left_in("000123")
    assert table.state.account.at(place) == 2
    assert standing(table.state, Scope.DEAL)
    do(table, HandCount, by="S1", place=place, cards=2)
    assert not standing(table.state, Scope.DEAL)
    do(table, CountBacks, counts=(replace(WHOLE[0], cards=154), WHOLE[1]))
    assert where(table) is S.TO_COUNT, "no shoe is made of cards that are not whole (SHOE-1)"


def test_what_happens_in_the_machine_meanwhile_touches_no_card_and_stops_nothing() -> None:
    table = by_hand(emptied())
    table.notice(events.CardJammed, place=Place.EXIT)
    table.notice(events.CardsOut, meter=ALL + 40)
    table.notice(events.LidOpened)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.wait(60)
    assert not standing(table.state, Scope.DEAL)
    round_of(table)
    assert sum(table.state.account.balances.values()) == table.state.account.brought
    assert table.state.account.at(SHOE) == ALL - 12


def test_a_stop_still_holds() -> None:
    table = by_hand(emptied())
    do(table, StopPlay, by="")
    refused(table.ask(BeginRound, by="D1"), "CSM-2")


def test_back_into_the_machine_with_two_persons_and_a_count() -> None:
    table = by_hand(emptied())
    round_of(table)
    refused(table.ask(EndHandShoe, by="S1", packets=3), "SHOE-7")
    do(table, GatherCards, by="S1", why="the machine is mended")
    refused(table.ask(EndHandShoe, by="S1", packets=3), "SHOE-1")
    do(table, CountBacks, counts=WHOLE)
    sighted(table, "S1")
    table.wait(60)
    refused(table.ask(EndHandShoe, by="S1", packets=3), "CSM-5")
    refused(table.ask(EndHandShoe, by="S1", packets=1), "CSM-5")
    sighted(table, "S1", "M1")
    do(table, EndHandShoe, by="S1", packets=3)
    assert where(table) is S.RETURNING
    levels(table, content=0)
    for cards in (104, 104, 104):
        do(table, LoadPacket, cards=cards)
        meter = table.state.devices.known["shuffler"].meter_in
        table.notice(events.CardsIn, meter=meter + cards)
        table.notice(events.PacketEnded, cards=cards)
    levels(table, content=ALL)
    levels(table, content=ALL)
    assert (where(table), table.state.account.at(MACHINE)) == (S.NONE, ALL)
    assert table.all_of(HandShoeEnded)[0].cards == ALL
    assert table.state.procedures.rounds.state is RoundState.WAITING
    give_out(table, 5)
    assert table.all_of(RoundStarted)[-1].round == table.state.procedures.rounds.number
    assert (table.state.account.at(MACHINE), table.state.account.at(TABLE)) == (ALL - 5, 5)
    assert table.state.account.at(UNEXPLAINED) == 0


def test_not_back_while_the_machine_is_not_well() -> None:
    table = by_hand(emptied())
    table.notice(events.DeviceFaulted, fault=2, place=Place.CAROUSEL)
    do(table, GatherCards, by="S1", why="try it")
    do(table, CountBacks, counts=WHOLE)
    sighted(table, "S1", "M1")
    refused(table.ask(EndHandShoe, by="S1", packets=3), "CSM-5")
    refused(table.ask(EndHandShoe, by="S1", packets=3, device="toaster"), "CSM-5")


def test_it_fails_again_while_it_is_loaded() -> None:
    table = by_hand(emptied())
    back(table)
    load_packet(table, 104)
    table.notice(events.DeviceFaulted, fault=2, place=Place.CAROUSEL)
    sighted(table, "S1")
    do(table, EmptyByHand, by="S1", cards=ALL)
    assert (where(table), table.state.account.at(ASIDE), table.state.account.at(MACHINE)) == (S.TO_COUNT, ALL, 0)
    by_hand(table)
    round_of(table)


@pytest.mark.parametrize("kind", [BeginSwap, BeginIncidentReload])
def test_nothing_else_exchanges_the_cards_meanwhile(kind: type) -> None:
    table = by_hand(emptied())
    sighted(table, "S1", "M1")
    fields = {"spare": "spare", "incident": 1} if kind is BeginSwap else {"incident": 1, "packets": 3}
    refused(table.ask(kind, by="S1", **fields), "CSM-8")


def test_closing_takes_the_shoes_cards_to_the_sort_and_the_next_session_asks_the_machine() -> None:
    table = by_hand(emptied())
    round_of(table)
    do(table, AnnounceClosing)
    assert table.all_of(ShoeCleared)[0].cards == ALL
    do(table, EnterSort, groups=(SortedDecks("red", 3), SortedDecks("blue", 3)))
    do(table, CloseTable)
    assert not table.state.procedures.hand_shoe.is_in_place_of_machine


def test_closing_while_the_machine_is_emptied_gives_the_change_up() -> None:
    table = begun()
    give_out(table, 100)
    do(table, AnnounceClosing)
    assert (where(table), table.state.procedures.session.state) == (S.NONE, SessionState.CLOSING)


@pytest.mark.parametrize("reached", [begun, emptied, lambda: by_hand(emptied())], ids=["begun", "emptied", "by hand"])
def test_nothing_is_lost_over_a_kill_in_the_middle(reached: type[Table]) -> None:
    """The replay of the journal's inputs gives the same state to the byte, and play goes on from there."""
    table = reached()
    state = TableState(house=HOUSE_OF_BOTH)
    for given in table.given:
        state, _ = reduce(state, given)
    assert encode_state(state) == encode_state(table.state)
    table.give(table.given[0].what)  # a new daemon takes it up
    assert sum(table.state.account.balances.values()) == table.state.account.brought == ALL + 104
    assert where(table) is state.procedures.hand_shoe.state


def test_presence_that_lapses_pauses_the_emptying_and_a_tap_resumes_it() -> None:
    table = begun()
    give_out(table, 100)
    table.wait(70)
    assert "UNLOAD-LAPSED:" in {key.split(":")[0] + ":" for key in table.state.alerts.standing}
    table.tap("S1")
    assert "UNLOAD-LAPSED" not in {key.split(":")[0] for key in table.state.alerts.standing}
