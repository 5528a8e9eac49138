"""Packets of a batch shuffler and its stub: dealt to the card, stopped, asked after, mixed again; decks not whole."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Outcome, PermitEnding, PermitKind, Place, Reason, Verb
from tableside.batch_happenings import PacketDealt, PacketStopped
from tableside.batch_requests import (
    CollectDeck,
    CountDeck,
    DealPacket,
    LoadDeck,
    PutBackCards,
    ShuffleDeck,
    TakeOutDeck,
)
from tableside.card_account import MACHINE, RESERVE, TABLE, UNEXPLAINED
from tableside.decisions import AlertRaised, CommandIntended, IncidentOpened, PermitGranted
from tableside.inputs import DaemonStarted
from tableside.procedures.batch_slice import BatchState, place_of
from tableside.requests import CardsTakenOut, HandCount, OpenLid, SettleUnknown, StopPlay
from tableside.state import TableState, decode_state, encode_state, reduce
from tests.unit.test_batch import DECK, HOUSE_OF_TWO, Bench


class Packets(Bench):
    """The red deck is mixed and waits in the machine."""

    def __init__(self) -> None:
        super().__init__()
        self.mixed("red")

    def begins(self, cards: int) -> int:
        """A packet is asked for and its command goes out; returns the command's number."""
        assert self.ask(DealPacket, by="D1", cards=cards).is_accepted
        return self.command(Verb.DEAL).number

    def comes(self, cards: int) -> None:
        self.cards_out += cards
        self.notice(events.CardsOut, meter=self.cards_out)

    def packet(self, cards: int) -> None:
        self.begins(cards)
        self.comes(cards)
        self.end(Verb.DEAL, Outcome.DONE, moved=cards)

    def stopped(self, cards: int, given: int, reason: Reason = Reason.PERMIT) -> None:
        self.begins(cards)
        if given:
            self.comes(given)
        self.end(Verb.DEAL, Outcome.FAILED, reason, moved=given)

    def back(self, cards: int, said: int = 0) -> None:
        """Cards go back to the stub under a supervisor's presence, all of them where none are said."""
        self.wait(20)
        self.tap("S1")
        assert self.ask(PutBackCards, by="D1", cards=said).is_accepted
        self.goes_in(cards)
        self.notice(events.PacketEnded, cards=cards)

    @property
    def accounted(self) -> dict[str, int]:
        return {place: cards for place, cards in self.state.account.balances.items() if cards and place != RESERVE}

    def standing(self) -> list[str]:
        return [alert.text for alert in self.state.alerts.standing.values()]


@pytest.fixture
def table() -> Packets:
    return Packets()


def deals(table: Packets) -> list[CommandIntended]:
    return [command for command in table.all_of(CommandIntended) if command.verb is Verb.DEAL]


def test_a_packet_is_dealt_under_a_permit_for_as_many_cards(table: Packets) -> None:
    table.packet(5)
    permit = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.DEAL][-1]
    assert (permit.limit_cards, permit.is_fresh) == (5, True)
    assert table.command(Verb.DEAL).argument == 5
    assert table.where is BatchState.READY
    assert table.all_of(PacketDealt) == [PacketDealt(back="red", packet=1, cards=5, left=47)]
    assert table.accounted == {MACHINE: 47, TABLE: 5, place_of("blue"): DECK}
    assert f"shuffler:{PermitKind.DEAL}" not in table.state.permits.granted, "nothing may be drawn between packets"


def test_packets_until_the_deck_is_out_are_a_deck_in_play(table: Packets) -> None:
    for cards in (20, 20, 12):
        table.packet(cards)
    assert [dealt.packet for dealt in table.all_of(PacketDealt)] == [1, 2, 3]
    assert (table.where, table.state.procedures.batch.in_play) == (BatchState.EMPTY, "red")
    assert table.ask(CollectDeck, by="D1").is_accepted
    assert table.accounted == {place_of("red"): DECK, place_of("blue"): DECK}
    table.mixed("red")
    assert not table.all_of(AlertRaised)


@pytest.mark.parametrize(
    ("by", "cards", "rule", "words"),
    [
        ("", 5, "CSM-5", "nobody may not do this"),
        ("T1", 5, "CSM-5", "T1 may not do this"),
        ("D1", 0, "CSM-5", "52 cards are in the machine"),
        ("D1", 53, "CSM-5", "a packet of 53"),
    ],
)
def test_what_is_refused_says_why(table: Packets, by: str, cards: int, rule: str, words: str) -> None:
    said = table.ask(DealPacket, by=by, cards=cards)
    assert (said.is_accepted, said.rule) == (False, rule)
    assert words in said.text
    assert said.next_step
    assert deals(table) == []


def test_no_packet_before_the_deck_is_mixed_while_another_is_in_play_or_while_play_is_stopped() -> None:
    table = Bench()
    assert not table.ask(DealPacket, by="D1", cards=5).is_accepted, "no deck is in"
    table.load()
    assert not table.ask(DealPacket, by="D1", cards=5).is_accepted, "it is not mixed"
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    table.comes_out()
    table.mixed("blue")
    assert table.ask(DealPacket, by="D1", cards=5).text == "the red deck is in play"
    assert table.ask(CollectDeck, by="D1").is_accepted
    assert table.ask(StopPlay, by="").is_accepted
    assert "deal is locked" in table.ask(DealPacket, by="D1", cards=5).text


def test_a_deck_that_had_another_number_is_not_dealt_in_packets_either() -> None:
    table = Bench()
    table.load()
    table.end(Verb.SHUFFLE, Outcome.FAILED, Reason.NO_CARDS, moved=51)
    assert not table.ask(DealPacket, by="D1", cards=5).is_accepted
    assert table.ask(ShuffleDeck, by="D1").is_accepted
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    assert "did not have its number" in table.ask(DealPacket, by="D1", cards=5).text


# --- stopped ------------------------------------------------------------------------------------------------


def test_a_stopped_packet_is_made_whole_by_a_new_command_for_its_rest(table: Packets) -> None:
    table.stopped(10, 4)
    assert table.where is BatchState.SHORT
    assert table.all_of(PacketStopped) == [
        PacketStopped(back="red", packet=1, given=4, wanted=10, why="failed: permit")
    ]
    refused = table.ask(DealPacket, by="D1", cards=10)
    assert (refused.is_accepted, refused.text) == (False, "packet 1 lacks 6 cards")
    table.begins(6)
    first, second = deals(table)
    assert (first.argument, second.argument) == (10, 6)
    assert second.number > first.number, "never the same number again"
    permit = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.DEAL][-1]
    assert permit.limit_cards == 6
    table.comes(6)
    table.end(Verb.DEAL, Outcome.DONE, moved=6)
    assert table.all_of(PacketDealt) == [PacketDealt(back="red", packet=1, cards=10, left=42)]


def test_a_packet_of_which_no_card_came_was_none(table: Packets) -> None:
    table.stopped(10, 0)
    assert table.where is BatchState.READY
    assert (table.state.procedures.batch.packet, table.state.procedures.batch.in_play) == (0, "")
    table.packet(7)
    assert table.all_of(PacketDealt)[-1].packet == 1


def test_a_jam_stops_the_packet_and_nothing_is_dealt_while_it_stands(table: Packets) -> None:
    """CSM-2."""
    table.begins(10)
    table.comes(3)
    table.notice(events.CardJammed, place=Place.EXIT)
    table.end(Verb.DEAL, Outcome.FAILED, Reason.FAULT, moved=3)
    assert table.where is BatchState.SHORT
    assert "JAM-EXIT" in table.standing()
    assert not table.ask(DealPacket, by="D1", cards=7).is_accepted
    assert not table.ask(ShuffleDeck, by="S1").is_accepted


def test_a_jam_before_the_first_card_came_leaves_a_packet_that_lacks_them_all(table: Packets) -> None:
    """The first one hangs half out."""
    table.stopped(6, 0, Reason.FAULT)
    assert table.where is BatchState.SHORT


@pytest.mark.parametrize(("wanted", "where"), [(10, BatchState.SHORT), (4, BatchState.READY)])
def test_the_card_that_stuck_and_was_taken_out_at_the_lid_belongs_to_the_packet(
    table: Packets, wanted: int, where: BatchState
) -> None:
    """CSM-2: it lies on the table with the others; what the packet lacks is one card less."""
    table.begins(wanted)
    table.comes(3)
    table.notice(events.CardJammed, place=Place.EXIT)
    table.end(Verb.DEAL, Outcome.FAILED, Reason.FAULT, moved=3)
    table.wait(20)
    table.tap("S1")
    assert table.ask(OpenLid, by="S1").is_accepted
    table.notice(events.LidOpened)
    assert table.ask(CardsTakenOut, by="S1", cards=1, now="table").is_accepted
    table.notice(events.JamGone, place=Place.EXIT)
    table.notice(events.LidClosed)
    assert table.where is where
    assert (table.at(TABLE), table.at(MACHINE)) == (4, 48)
    if where is BatchState.SHORT:
        assert "lacks 6 cards" in table.ask(DealPacket, by="D1", cards=7).text


def test_what_a_stopped_packet_had_given_may_be_told_late_but_no_card_more(table: Packets) -> None:
    table.stopped(5, 3)
    table.comes(2)
    assert table.where is BatchState.READY
    assert table.all_of(PacketDealt)[-1].cards == 5
    table.comes(1)
    assert table.all_of(IncidentOpened), "CSM-8: a card that nobody asked for"


def test_fewer_cards_than_the_account_has_are_counted_by_hand_and_call_somebody(table: Packets) -> None:
    """CSM-6: the machine gave all it had."""
    table.packet(40)
    table.begins(12)
    table.comes(11)
    table.end(Verb.DEAL, Outcome.FAILED, Reason.NO_CARDS, moved=11)
    assert table.where is BatchState.EMPTY
    assert table.at(UNEXPLAINED) == 1
    assert "DECK-COUNT" in table.standing()
    assert table.ask(CollectDeck, by="D1").is_accepted
    table.tap("S1")
    assert not table.ask(LoadDeck, by="D1", back="red").is_accepted
    assert table.ask(CountDeck, by="S1", back="red", cards=DECK).is_accepted
    assert table.at(UNEXPLAINED) == 0, "the machine's meter was wrong"
    assert table.standing() == []


# --- unknown, killed ----------------------------------------------------------------------------------------


def test_an_unknown_outcome_locks_asks_and_is_never_repeated(table: Packets) -> None:
    """Design rule 1: nobody knows what the machine did; a count or a person settles it."""
    number = table.begins(10)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.STARTED))
    table.comes(4)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.INTERRUPTED, is_found=True))
    assert table.where is BatchState.SHORT
    assert table.all_of(PacketStopped)[-1].why == "outcome unknown"
    assert "OUTCOME-UNKNOWN" in table.standing()
    assert not table.ask(DealPacket, by="D1", cards=6).is_accepted
    assert not table.ask(ShuffleDeck, by="S1").is_accepted
    assert len(deals(table)) == 1
    assert table.command(Verb.COUNT_ALL), "the machine counts by itself"
    count = table.command(Verb.COUNT_ALL).number
    table.give(events.CommandAnswered(device="shuffler", command=count, outcome=Outcome.STARTED))
    table.notice(events.CommandEnded, command=count, outcome=Outcome.DONE, moved=48)
    table.give(
        events.LevelsRead(
            device="shuffler", boot=1, content=48, areas=(0, 0, 48), is_path_clear=True, meter_out=table.cards_out
        )
    )
    assert "OUTCOME-UNKNOWN" not in table.standing()
    table.begins(6)
    assert deals(table)[-1].number > number


def test_a_person_may_settle_it_and_the_rest_is_what_the_meter_has_not_seen(table: Packets) -> None:
    number = table.begins(10)
    table.comes(4)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.OLD, is_found=True))
    assert table.ask(SettleUnknown, by="S1", device="shuffler", command=number, moved=4).is_accepted
    assert table.where is BatchState.SHORT
    assert "lacks 6 cards" in table.ask(DealPacket, by="D1", cards=10).text


@pytest.mark.parametrize("is_told_first", [True, False])
def test_killed_in_the_middle_of_a_packet_the_daemon_asks_and_repeats_nothing(
    table: Packets, is_told_first: bool
) -> None:
    """semantics §1.3: the device is asked; done meanwhile, the meter tells what came out."""
    number = table.begins(10)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.STARTED))
    table.state = decode_state(encode_state(table.state))
    table.give(DaemonStarted(version="test", clock_boot="boot-1", house=HOUSE_OF_TWO))
    table.ready(meter_in=DECK, content=42, areas=(0, 0, 42), highest_number=number)
    done = events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.DONE, moved=10, is_found=True)
    if is_told_first:
        table.comes(10)
        table.give(done)
    else:
        table.give(done)
        assert table.where is BatchState.DEALING, "the meter is behind"
        assert not table.all_of(PacketDealt)
        table.comes(10)
    assert table.where is BatchState.READY
    assert table.all_of(PacketDealt) == [PacketDealt(back="red", packet=1, cards=10, left=42)]
    assert len(deals(table)) == 1
    assert table.at(TABLE) == 10


def test_the_last_packets_meter_may_be_behind_too(table: Packets) -> None:
    number = table.begins(DECK)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.DONE, moved=DECK))
    table.comes(DECK)
    assert (table.where, table.state.procedures.batch.in_play) == (BatchState.EMPTY, "red")
    assert table.all_of(PacketDealt)[-1].left == 0


@pytest.mark.parametrize("found", [51, 52])
def test_a_deck_that_is_out_before_the_meter_has_told_it_is_not_short(table: Packets, found: int) -> None:
    """Only what the meter never tells is missing."""
    assert table.ask(TakeOutDeck, by="D1").is_accepted
    number = table.command(Verb.EJECT_ALL).number
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.DONE, moved=found))
    table.comes(20)
    assert table.where is BatchState.COMING_OUT
    table.comes(found - 20)
    assert table.where is BatchState.EMPTY
    assert ("DECK-COUNT" in table.standing()) is (found != DECK)


def test_a_machine_that_ran_dry_before_the_meter_has_told_it(table: Packets) -> None:
    table.packet(40)
    number = table.begins(12)
    dry = events.CommandAnswered(
        device="shuffler", command=number, outcome=Outcome.FAILED, reason=Reason.NO_CARDS, moved=11
    )
    table.give(dry)
    table.comes(11)
    assert (table.where, table.at(UNEXPLAINED)) == (BatchState.EMPTY, 1)
    assert "DECK-COUNT" in table.standing()


def test_a_meter_that_never_tells_is_found_and_a_count_is_the_way_on(table: Packets) -> None:
    number = table.begins(10)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.DONE, moved=10))
    for _ in range(6):
        told = events.LevelsRead(
            device="shuffler", boot=1, content=42, areas=(0, 0, 42), is_path_clear=True, meter_out=10
        )
        table.give(told)
        table.wait(2)
    assert table.all_of(IncidentOpened)
    assert not table.ask(DealPacket, by="D1", cards=5).is_accepted
    assert table.ask(HandCount, by="S1", place="machine", cards=42).is_accepted
    assert table.where is BatchState.SHORT
    assert table.all_of(PacketStopped)[-1].why == "the meter never told all of it"


def test_an_intended_packet_that_never_arrived_is_asked_of_a_person_again(table: Packets) -> None:
    number = table.begins(10)
    table.state = decode_state(encode_state(table.state))
    table.give(DaemonStarted(version="test", clock_boot="boot-1", house=HOUSE_OF_TWO))
    table.ready(meter_in=DECK, content=DECK, areas=(0, 0, DECK), highest_number=number)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.NEVER, is_found=True))
    assert table.where is BatchState.READY
    assert len(deals(table)) == 1


def test_every_input_replayed_gives_the_same_state(table: Packets) -> None:
    table.packet(10)
    table.stopped(10, 4)
    table.back(14)
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    state = TableState(house=HOUSE_OF_TWO)
    for given in table.given:
        state, _ = reduce(state, given)
    assert encode_state(state) == encode_state(table.state)


def test_a_permit_that_runs_out_is_given_anew_only_for_what_is_still_to_come(table: Packets) -> None:
    """A slow machine: the minute is over, the packet is not (TDL 9.3)."""
    table.begins(10)
    table.comes(4)
    table.notice(events.PermitEnded, what=PermitKind.DEAL, why=PermitEnding.TIME, counted=4)
    permit = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.DEAL][-1]
    assert permit.limit_cards == 6
    assert len(deals(table)) == 1, "one is under way: its end is waited for"
    table.end(Verb.DEAL, Outcome.FAILED, Reason.PERMIT, moved=4)
    assert table.where is BatchState.SHORT
