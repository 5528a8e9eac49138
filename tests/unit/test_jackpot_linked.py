"""A table whose jackpot stands in a ledger: what it sends, believes, and refuses meanwhile (JP-2, JP-13)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.events import Shown
from tableside.house import ChipSlots
from tableside.inputs import DaemonStarted, LedgerLost, LedgerTold, LedgerTook
from tableside.jackpot.linked import Claim, Contribution, Hit, Payment, Pot, Standing, amended
from tableside.jackpot.settings import WHOLE, JackpotSettings
from tableside.jackpot_happenings import JackpotCounted, JackpotOrdered, JackpotPaid, JackpotSent, JackpotStarted
from tableside.locks import Scope, standing
from tableside.procedures.jackpot_ledger import AWAY, UNFIT
from tableside.procedures.jackpot_slice import JackpotState, LedgerState, due
from tableside.requests import ClaimJackpot, DenyJackpot, EndRound, MarkBets, PayJackpot
from tableside.state import decode_state, encode_state
from tests.law.jackpot_table import SETTINGS
from tests.support.table import Table
from tests.unit.test_jackpot import FOUR_ACES, HOUSE_WITH_JACKPOT, TWO_ACES, deal, jackpot_table, shown, won

LINKED = replace(HOUSE_WITH_JACKPOT, jackpot_ledger="grand")


def told(value: int = SETTINGS.start, *, pending: int = 0, start: int = 1, **changes: object) -> Standing:
    """What a ledger says; `value` as if all above the start were contributions."""
    above = value - SETTINGS.start
    pot = Pot("", value, value * WHOLE, 0, SETTINGS.start * WHOLE, above * WHOLE, 0, start)
    return Standing((replace(pot, **changes),), SETTINGS, pending)


def linked() -> Table:
    """A table whose ledger answers."""
    table = jackpot_table(LINKED)
    table.give(LedgerTold(standing=told()))
    return table


def outbox(table: Table) -> list[Contribution | Claim | Payment]:
    return list(table.state.procedures.jackpot_ledger.outbox)


def take(table: Table, value: int = SETTINGS.start, *, pending: int = 0, order: int = 1) -> None:
    """The ledger acknowledges the oldest entry; a claim as the ledger itself works it out."""
    entry = outbox(table)[0]
    hit = None
    if isinstance(entry, Claim):
        before = table.state.procedures.jackpot_ledger.hit
        stages = amended(entry.settings, before.stages if before else (), entry.wins, told(value).pots)
        hit = Hit(entry.hit, order, entry.version, stages, is_settled=not stages)
    table.give(LedgerTook(entry=entry.id, standing=told(value, pending=pending), hit=hit))


def bets_locked(table: Table) -> list[str]:
    return [lock.reason for lock in standing(table.state, Scope.JACKPOT_BETS)]


def claimed(*hands: tuple[int, tuple[str, ...]]) -> Table:
    """These seats have bet, been dealt to and claim; the ledger knows of their bets only."""
    table = linked()
    table.ask(MarkBets, by="D1", seats=tuple(seat for seat, _ in hands))
    take(table, SETTINGS.start + 150)
    deal(table)
    for seat, cards in hands:
        assert table.ask(ClaimJackpot, by="D1", seat=seat, cards=cards).is_accepted
    return table


def test_jp2_before_the_ledger_has_answered_no_bet_is_taken_and_no_amount_is_shown() -> None:
    table = jackpot_table(LINKED)
    assert shown(table)[0] is Shown.WAIT
    assert AWAY in bets_locked(table)
    answer = table.ask(MarkBets, by="D1", seats=(2,))
    assert (answer.is_accepted, answer.rule) == (False, "JP-2")
    assert outbox(table) == []


def test_jp2_what_the_ledger_says_is_shown_and_bets_are_taken() -> None:
    table = linked()
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start)
    assert bets_locked(table) == []
    assert [started.shown for started in table.all_of(JackpotStarted)] == [SETTINGS.start]
    table.give(LedgerTold(standing=told(SETTINGS.start + 75)))
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 75)
    assert len(table.all_of(JackpotStarted)) == 1


def test_jp2_bets_are_sent_and_stand_in_the_outbox_until_the_ledger_has_them() -> None:
    table = linked()
    assert table.ask(MarkBets, by="D1", seats=(2, 5)).is_accepted
    (entry,) = outbox(table)
    assert isinstance(entry, Contribution)
    assert (entry.chips, entry.shares[0].shown) == (2, 150 * WHOLE)
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start), "nothing is shown that the ledger has not counted"
    take(table, SETTINGS.start + 150)
    assert outbox(table) == []
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 150)
    assert [counted.entry for counted in table.all_of(JackpotCounted)] == [entry.id]


def test_jp2_a_second_acknowledgement_of_the_same_entry_changes_nothing() -> None:
    table = linked()
    table.ask(MarkBets, by="D1", seats=(2,))
    entry = outbox(table)[0]
    for _ in range(2):
        table.give(LedgerTook(entry=entry.id, standing=told(SETTINGS.start + 75)))
    assert len(table.all_of(JackpotCounted)) == 1


def test_jp2_ids_never_come_again_and_survive_a_restart() -> None:
    table = linked()
    table.ask(MarkBets, by="D1", seats=(2,))
    table.state = decode_state(encode_state(table.state))
    first = outbox(table)[0]
    table.give(DaemonStarted(house=LINKED, version="2", clock_boot="boot-2"))
    assert outbox(table) == [first], "what was not acknowledged is sent again, as it was"
    take(table)
    deal(table)
    table.ask(EndRound, by="D1")
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted
    assert outbox(table)[0].id != first.id


def test_jp2_after_a_backup_of_the_journal_was_put_back_new_bets_are_not_taken_for_old_ones() -> None:
    table = linked()
    backup = encode_state(table.state)
    table.ask(MarkBets, by="D1", seats=(2,))
    first = outbox(table)[0]
    table.wait(60)
    table.state = decode_state(backup)
    table.ask(MarkBets, by="D1", seats=(2,))
    assert outbox(table)[0].id != first.id


def test_jp2_bets_that_were_locked_when_the_ledger_went_are_kept_and_no_others_are_taken() -> None:
    table = linked()
    table.ask(MarkBets, by="D1", seats=(2,))
    table.give(LedgerLost(why="the server is down"))
    assert len(outbox(table)) == 1
    assert shown(table)[0] is Shown.WAIT
    assert AWAY in bets_locked(table)
    deal(table)
    table.ask(EndRound, by="D1")
    assert not table.ask(MarkBets, by="D1", seats=(3,)).is_accepted
    table.give(LedgerTold(standing=told(SETTINGS.start + 7)))
    assert bets_locked(table) == []
    take(table, SETTINGS.start + 82)
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 82)


def test_a_short_loss_is_no_alert_a_longer_one_is_and_clears_by_itself() -> None:
    table = linked()

    def alerts() -> list[str]:
        return [alert.text for alert in table.state.alerts.standing.values() if alert.text == "LEDGER-LOST"]

    table.give(LedgerLost(why="x"))
    table.wait(3)
    table.give(LedgerTold(standing=told()))
    table.wait(60)
    assert alerts() == []
    table.give(LedgerLost(why="x"))
    table.give(LedgerLost(why="y"))
    table.wait(60)
    assert alerts() == ["LEDGER-LOST"]
    table.give(LedgerTold(standing=told()))
    assert alerts() == []


def test_jp13_a_win_is_due_only_when_the_ledger_has_said_so() -> None:
    table = claimed((2, TWO_ACES))
    answer = table.ask(PayJackpot, seats=(2,), amounts=(5_000,))
    assert (answer.is_accepted, answer.rule) == (False, "JP-13")
    assert "ledger has not said" in table.ask(EndRound, by="D1").text
    take(table, SETTINGS.start + 150, pending=1)
    (ordered,) = table.all_of(JackpotOrdered)
    assert (ordered.order, ordered.value, ordered.amounts) == (1, SETTINGS.start + 150, (5_000,))
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert shown(table)[0] is Shown.WON
    assert [type(entry) for entry in outbox(table)] == [Payment]
    take(table, SETTINGS.start - 4_850)
    assert shown(table)[0] is Shown.WON, "until the round is over"
    table.ask(EndRound, by="D1")
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start - 4_850)


def test_jp13_the_second_of_two_tables_gets_what_the_ledger_says() -> None:
    table = claimed((5, FOUR_ACES))
    take(table, SETTINGS.start, pending=2, order=2)
    assert not table.ask(PayJackpot, seats=(5,), amounts=(SETTINGS.start + 150,)).is_accepted
    assert table.ask(PayJackpot, seats=(5,), amounts=(SETTINGS.start,)).is_accepted
    assert table.all_of(JackpotOrdered)[-1].order == 2


def test_jp13_each_claim_of_a_round_is_a_version_of_one_hit_and_a_denial_is_one_too() -> None:
    table = claimed((2, TWO_ACES), (5, FOUR_ACES))
    first, second = outbox(table)
    assert isinstance(first, Claim)
    assert isinstance(second, Claim)
    assert (first.hit, second.hit, second.version, len(second.wins)) == (first.hit, first.hit, 2, 2)
    take(table, SETTINGS.start + 150, pending=1)
    assert not table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted, "the second claim has no answer yet"
    table.ask(DenyJackpot, seat=5, finding="five of clubs")
    take(table, SETTINGS.start - 4_850, pending=1)
    take(table, SETTINGS.start - 4_850, pending=1)
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert table.all_of(JackpotPaid)[-1].seats == (2,)


def test_a_claim_that_is_denied_whole_is_taken_back_at_the_ledger_and_the_next_hit_is_another() -> None:
    table = claimed((2, TWO_ACES))
    take(table, SETTINGS.start + 150, pending=1)
    table.ask(DenyJackpot, seat=2, finding="no")
    (last,) = outbox(table)
    assert isinstance(last, Claim)
    assert (last.version, last.wins) == (2, ())
    take(table, SETTINGS.start + 150)
    assert table.state.procedures.jackpot.state is JackpotState.RUNNING
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=TWO_ACES).is_accepted
    (again,) = outbox(table)
    assert isinstance(again, Claim)
    assert again.hit != last.hit


def test_jp12_pending_stands_on_every_display_while_a_win_is_checked_at_any_table() -> None:
    table = linked()
    table.give(LedgerTold(standing=told(pending=1)))
    assert shown(table)[0] is Shown.PENDING
    assert bets_locked(table) == [], "the other tables go on"
    table.give(LedgerTold(standing=told()))
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start)


def test_jp2_the_settings_in_force_are_the_ledgers_and_a_round_ends_on_those_it_was_bet_under() -> None:
    table = linked()
    other: JackpotSettings = replace(SETTINGS, increment=5_000)
    table.ask(MarkBets, by="D1", seats=(2,))
    table.give(LedgerTold(standing=replace(told(start=9), settings=other)))
    assert table.state.procedures.jackpot.settings == SETTINGS
    take(table)
    deal(table)
    table.give(LedgerTold(standing=replace(told(start=9), settings=other)))
    table.ask(EndRound, by="D1")
    assert table.state.procedures.jackpot.settings == other


@pytest.mark.parametrize(
    ("standing_", "house"),
    [
        (told(contributed=1), LINKED),
        (told(), replace(LINKED, chip_slots=(ChipSlots("slots", (1, 2)),), chip_value=200, chip_currency="EUR")),
    ],
    ids=["meters that do not reconcile", "another chip"],
)
def test_jp2_jp10_what_does_not_add_up_locks_the_bets_with_an_incident(standing_: Standing, house: object) -> None:
    table = jackpot_table(house)  # type: ignore[arg-type]  # a House by its parameter
    for _ in range(2):
        table.give(LedgerTold(standing=standing_))
    assert UNFIT in bets_locked(table)
    assert [one.kind for one in table.state.incidents.open.values()].count(UNFIT) == 1


def test_a_pot_of_the_tables_own_stays_its_own_when_the_file_names_a_ledger() -> None:
    table = jackpot_table()
    table.give(DaemonStarted(house=LINKED, version="2", clock_boot="boot-1"))
    assert table.state.procedures.jackpot_ledger.state is LedgerState.NONE
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted
    goal = table.state.displays.goal
    assert goal is not None
    assert goal.amount == SETTINGS.start + 75


def test_jp2_from_its_next_jackpot_on_the_table_is_linked_and_what_waited_goes_along_to_the_part() -> None:
    odd = replace(SETTINGS, bet=33, increment=3_333, hidden=777, start=330_000, limit=330_010)
    house = replace(HOUSE_WITH_JACKPOT, jackpot=odd)
    table = won((2, FOUR_ACES), (5, TWO_ACES), house=house)
    own = table.state.procedures.jackpot.meters
    assert own is not None
    table.give(DaemonStarted(house=replace(house, jackpot_ledger="grand"), version="2", clock_boot="boot-1"))
    table.give(LedgerTold(standing=told()))
    assert table.state.procedures.jackpot_ledger.state is LedgerState.NONE, "not before its own is won"
    owed = due(table.state)
    answer = table.ask(PayJackpot, seats=tuple(one.win.seat for one in owed), amounts=tuple(one.amount for one in owed))
    assert answer.is_accepted
    (entry,) = outbox(table)
    assert isinstance(entry, Contribution)
    staked = 2 * 33 * 3_333 + 2 * 33 * 777
    paid_above_start = sum(one.amount for one in owed) - odd.start
    (share,) = entry.shares
    assert (entry.chips, share.shown + share.hidden) == (0, staked - paid_above_start * WHOLE)
    assert table.state.procedures.jackpot_ledger.state is LedgerState.AWAY
    take(table, SETTINGS.start + 1)
    table.ask(EndRound, by="D1")
    goal = table.state.displays.goal
    assert goal is not None
    assert (goal.what, goal.amount) == (Shown.AMOUNT, SETTINGS.start + 1)


def test_a_table_that_is_linked_no_more_has_a_pot_of_its_own_once_all_is_told() -> None:
    table = linked()
    table.ask(MarkBets, by="D1", seats=(2,))
    assert table.all_of(JackpotSent)
    table.give(DaemonStarted(house=HOUSE_WITH_JACKPOT, version="2", clock_boot="boot-1"))
    assert table.state.procedures.jackpot_ledger.state is LedgerState.AWAY, "a bet is still to be told"
    take(table, SETTINGS.start + 75)
    table.give(DaemonStarted(house=HOUSE_WITH_JACKPOT, version="3", clock_boot="boot-1"))
    assert table.state.procedures.jackpot_ledger.state is LedgerState.NONE
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start)
    assert bets_locked(table) == []
