"""Six inputs deep from every situation: each state of each table, a reason for each stop, a way out of each (§3).

What the search is exhaustive over is said in tests/support/reached.py.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import pytest

from drivers import events
from drivers.events import Ability, Holding, Outcome, Reason, Verb
from drivers.shufflers.retrofit_shuffler import ABILITIES
from tableside.batch_requests import DealPacket, LoadDeck, TakeOutDeck
from tableside.cards import parse_card
from tableside.decisions import Decision
from tableside.inputs import Input
from tableside.locks import standing
from tableside.manual_requests import IssueForm, OrderManual
from tableside.permits import SCOPE_OF
from tableside.procedures import PROCEDURES, WISHES, is_round_open
from tableside.procedures.batch_slice import BatchState
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.procedures.session import SessionState
from tableside.requests import CountAll, EnterSort, ProveEmpty, SortedDecks
from tableside.service_requests import RunDealTest, RunSelfTest
from tableside.state import TableState
from tests.support import hand_shoe, jackpot
from tests.support.advised import DEALERS, RULING, advised
from tests.support.blackjack import IN_STATE as BLACKJACK
from tests.support.put_right import clear_alerts, put_right, table_at
from tests.support.reached import Reached, marks_of, search, state_mark
from tests.support.session import connected, feed, levels, load_packet, loading, open_table, prepared, unloaded
from tests.support.situations import read_apart
from tests.support.swaps import loaded_spare
from tests.support.table import ENFORCING, Table
from tests.unit.test_batch import Bench
from tests.unit.test_jackpot import FOUR_ACES, jackpot_table, won
from tests.unit.test_jackpot_linked import LINKED, linked
from tests.unit.test_jackpot_sensed import seen_to_win
from tests.unit.test_rounds_by_sensors import doubted, table_of

# The search takes a minute of a quiet machine; many run it beside other work.
pytestmark = pytest.mark.timeout(900)

# Locks that a step of work frees, not somebody's word: the work is walked by its own tests.
FREED_BY_WORK = {
    "machine swap": "ends with the swap: tests/unit/test_swap.py",
    "shoe is over": "ends when a card of the next shoe is burnt: tests/unit/test_hand_shoe.py",
    "no more bets": "ends with the round: tests/unit/test_stops.py",
}
# Alerts that stand on by the rules when all else is put right: the session is open, and what an unload in the middle
# of it (an incident reload's) lacked stays told until the cards are sorted at its end.
TOLD_UNTIL_SORTED = "COUNT-SHORT:unload count"


def last_look() -> Table:
    """All packets are in, the machine has not told yet."""
    table = loading()
    for cards in (104, 104, 104):
        load_packet(table, cards)
    return table


def recounting() -> Table:
    """The machine restarts with half a load in it."""
    table = loading()
    load_packet(table, 104)
    table.restarted(boot=2, content=104, areas=(0, 0, 104), is_content_unverified=True)
    return table


def irregular() -> Table:
    """A card is missing in the sort."""
    table = unloaded(311)
    missing = SortedDecks("red", 2, missing=(parse_card("7♣ red"),))
    assert table.ask(EnterSort, by="D1", groups=(missing, SortedDecks("blue", 3))).is_accepted
    return table


def to_be_ruled() -> Table:
    """A machine was exchanged in mid-round."""
    return loaded_spare()


def counted_by_hand() -> Table:
    """The machine cannot count."""
    table = open_table()
    told = table.state.devices.known["shuffler"]
    abilities = {**ENFORCING, Ability.COUNT_ALL: Holding.CANNOT}
    table.ready(abilities=abilities, content=312, areas=(0, 0, 312), meter_in=told.meter_in, newest_notice=told.notice)
    assert table.ask(CountAll, by="S1").is_accepted
    return table


def differs_twice() -> Table:
    """Two counts of the machine do not agree with the account."""
    table = open_table()
    assert table.ask(CountAll, by="S1").is_accepted
    for _ in range(2):
        number = next(iter(table.state.commands.open.values())).number
        table.notice(events.CommandEnded, command=number, outcome=events.Outcome.DONE, moved=0)
        levels(table, content=311)
    return table


def by_hand_on_a_form() -> Table:
    """Room management has the table run by hand: a form is issued, and nothing is written on it yet."""
    table = open_table()
    assert table.ask(IssueForm, by="S1").is_accepted
    assert table.ask(OrderManual, by="M1", form=1, why="no power").is_accepted
    return table


def to_be_looked_into() -> Table:
    """Before a load, at a machine that is only watched: it can neither count nor tell what it holds."""
    table = prepared()
    told = table.state.devices.known["shuffler"]
    table.ready(abilities=ABILITIES, content=None, areas=None, is_path_clear=None, newest_notice=told.notice)
    assert table.ask(ProveEmpty, by="D1").is_accepted
    return table


# States that take more than six inputs from every situation: each with one that shows it.
def in_a_self_test() -> Table:
    table = connected()
    assert table.ask(RunSelfTest, by="T1", device="shuffler", is_there=True).is_accepted
    return table


def deal_tested(*steps: Callable[[Table], object]) -> Callable[[], Table]:
    """Test cards on their way: proved empty, in, out, as far as the steps go."""

    def situation() -> Table:
        table = connected()
        assert table.ask(RunDealTest, by="T1", device="shuffler", cards=5, is_there=True).is_accepted
        for step in steps:
            step(table)
        return table

    return situation


def cards_in(table: Table) -> None:
    feed(table, 5)
    table.notice(events.PacketEnded, cards=5)


def all_out(table: Table) -> None:
    command = next(iter(table.state.commands.open.values()))
    table.give(events.CommandAnswered(device="shuffler", command=command.number, outcome=Outcome.DONE, is_found=False))


EMPTY = functools.partial(levels, content=0)
FARTHER: dict[str, Callable[[], Table]] = {
    "self-test is RUNNING": in_a_self_test,
    "test deal is PROVING": deal_tested(),
    "test deal is FEEDING": deal_tested(EMPTY),
    "test deal is DEALING": deal_tested(EMPTY, cards_in),
    "test deal is CHECKING": deal_tested(EMPTY, cards_in, all_out),
    "load is CHECKING": last_look,
    "load is RECOUNTING": recounting,
    "sort is IRREGULAR": irregular,
    "machine swap is RULING": to_be_ruled,
    "count is BY_HAND": counted_by_hand,
    "empty is LOOKING": to_be_looked_into,
    "difference is HAND_COUNT": differs_twice,
    "manual operation is ON": by_hand_on_a_form,
    "card readers is DIFFERING": read_apart,
    "jackpot bets is TAKING": jackpot.taking,
    "jackpot bets is CLOSING": jackpot.closing,
    "jackpot bets is COLLECTING": jackpot.collecting,
    "jackpot bets is LOCKED": jackpot.locked,
}


def batch(state: BatchState) -> Callable[[], Table]:
    """A batch table in this state."""

    def made() -> Table:
        table = Bench()
        BATCH_STEPS[state](table)
        assert table.where is state
        return table

    return made


def _begins(table: Bench) -> None:
    table.tap("S1")
    assert table.ask(LoadDeck, by="D1", back="red").is_accepted


def _pauses(table: Bench) -> None:
    _begins(table)
    table.wait(61)


def _fails(reason: Reason, moved: int) -> Callable[[Bench], None]:
    def fail(table: Bench) -> None:
        table.load()
        table.end(Verb.SHUFFLE, Outcome.FAILED, reason, moved=moved)

    return fail


def _takes_out(table: Bench) -> None:
    table.mixed()
    assert table.ask(TakeOutDeck, by="D1").is_accepted


def _packet(*, is_stopped: bool) -> Callable[[Bench], None]:
    def deals(table: Bench) -> None:
        table.mixed()
        assert table.ask(DealPacket, by="D1", cards=5).is_accepted
        if is_stopped:
            table.notice(events.CardsOut, meter=2)
            table.end(Verb.DEAL, Outcome.FAILED, Reason.PERMIT, moved=2)

    return deals


BATCH_STEPS: dict[BatchState, Callable[[Bench], None]] = {
    BatchState.LOADING: _begins,
    BatchState.PAUSED: _pauses,
    BatchState.MIXING: Bench.load,
    BatchState.WAITING: _fails(Reason.FAULT, 20),
    BatchState.DIFFERS: _fails(Reason.NO_CARDS, 51),
    BatchState.READY: Bench.mixed,
    BatchState.COMING_OUT: _takes_out,
    BatchState.DEALING: _packet(is_stopped=False),
    BatchState.SHORT: _packet(is_stopped=True),
}


def by_hand(state: HandShoeState) -> Callable[[], Table]:
    """A table that deals by hand, or is on its way to or from that."""
    return lambda: hand_shoe.in_state(state)


# States of other kinds of table than the one that is searched, each with a situation that shows it; the ways out of
# them are walked by their own tests.
OF_OTHER_TABLES: dict[str, Callable[[], Table]] = {
    **{f"blackjack is {state.name}": made for state, made in BLACKJACK.items()},
    "round by sensors is DOUBTED": lambda: doubted(table_of(ENFORCING)),
    "advice is DEALER": lambda: advised(DEALERS),
    "advice is RULING": lambda: advised(RULING),
    "jackpot ledger is AWAY": lambda: jackpot_table(LINKED),
    "jackpot ledger is HERE": linked,
    "jackpot is RUNNING": jackpot_table,
    "jackpot seen is SEEN": seen_to_win,
    "jackpot is PENDING": lambda: won((5, FOUR_ACES)),
    **{f"hand shoe is {state.name}": by_hand(state) for state in HandShoeState if state is not HandShoeState.NONE},
    **{f"batch is {state.name}": batch(state) for state in BATCH_STEPS},
}


@pytest.fixture(scope="module")
def reached() -> Reached:
    """One search for all tests here; what must hold at every step is looked at on the way."""
    return search(nothing_stands_still_without_a_reason)


def nothing_stands_still_without_a_reason(
    _before: TableState, given: Input, after: TableState, _decided: tuple[Decision, ...]
) -> None:
    """A permit that a procedure wishes for stands, or a reason that can be named keeps it."""
    wishes = {f"{wish.device}:{wish.what}": wish for source in WISHES for wish in source(after)}
    for key, wish in wishes.items():
        permits = after.permits
        device = after.devices.known.get(wish.device)
        reasons = (
            key in permits.granted,
            key in permits.spent,
            key in permits.held,
            bool(standing(after, SCOPE_OF[wish.what], is_round_open=is_round_open(after))),
            device is None or not device.is_connected or not device.has_told_all,
            wish.not_after_ns is not None and wish.not_after_ns <= given.at_ns,
        )
        assert any(reasons), f"after {given.what}: {key} is wished for, not given, and nothing says why"


def test_every_state_of_every_table_is_reached(reached: Reached, record_property: Callable[..., None]) -> None:
    record_property("states gone on from", len(reached.kept))
    record_property("inputs offered", reached.offered)
    record_property("pairs of marks", len(reached.pairs))
    farther = set()
    for mark, situation in {**FARTHER, **OF_OTHER_TABLES}.items():
        assert mark in marks_of(situation().state), mark
        farther.add(mark)
    names = {re.sub(r" at .*", "", mark) for mark in reached.marks | farther}
    wanted = {state_mark(procedure.name, state.name) for procedure in PROCEDURES for state in procedure.states}
    assert wanted - names == set()


def test_a_state_named_as_farther_is_not_within_six_inputs(reached: Reached) -> None:
    """Else the list of what the search does not reach would be longer than the truth."""
    assert set(FARTHER) & reached.marks == set()


def test_the_search_is_as_wide_as_it_was(reached: Reached) -> None:
    """A sample or situation that falls out silently narrows it: 2,011 states, 10,505 pairs, 877,992 offers in 2026."""
    assert len(reached.kept) > 1_900
    assert len(reached.pairs) > 10_000


def test_no_state_is_a_dead_end(reached: Reached) -> None:
    """From each different set of locks: what devices tell and people do, step after step, frees every scope."""
    starts = [*reached.kept, *((table.state, table.now_ns) for table in (make() for make in FARTHER.values()))]
    walked, stuck = set(), {}
    for state, now_ns in starts:
        locked = frozenset(state.locks.standing)
        if not locked or locked in walked:
            continue
        walked.add(locked)
        table = table_at(state, now_ns)
        put_right(table)
        left = [lock.reason for lock in table.state.locks.standing.values() if lock.reason not in FREED_BY_WORK]
        if left:
            stuck[", ".join(sorted(locked))] = left
    assert stuck == {}
    assert len(walked) > 100


def test_no_alert_stands_for_ever(reached: Reached) -> None:
    """From each different set of alerts: what frees the scopes and what each alert asks for clears them, all of them.

    A count that an open session's unload left short is cleared by the sort, which is not due before the session ends.
    """
    starts = [*reached.kept, *((table.state, table.now_ns) for table in (make() for make in FARTHER.values()))]
    walked, stuck = set(), {}
    for state, now_ns in starts:
        standing_now = frozenset(state.alerts.standing)
        if not standing_now or standing_now in walked:
            continue
        walked.add(standing_now)
        table = table_at(state, now_ns)
        put_right(table)
        clear_alerts(table)
        left = set(table.state.alerts.standing)
        if table.state.procedures.session.state is SessionState.OPEN:
            left.discard(TOLD_UNTIL_SORTED)
        if left:
            stuck[", ".join(sorted(standing_now))] = sorted(left)
    assert stuck == {}
    assert len(walked) > 250
