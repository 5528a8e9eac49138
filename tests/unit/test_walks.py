"""All tables together, walked: every situation with every fact and request; stops add up (semantics §3)."""

from __future__ import annotations

import functools
import random
import typing
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers import events
from tableside.decisions import Decision, LockAdded, LockRemoved, ProcedureMoved, RequestAnswered
from tableside.inputs import AnyInput
from tableside.locks import Scope
from tableside.permits import SCOPE_OF
from tableside.presence import Operation
from tableside.procedures import PROCEDURES, is_round_open
from tableside.requests import Request
from tableside.state import TableState, decode_state, encode_state
from tableside.tables import Procedure, Turn
from tests.support.samples import STOPPING, fact, facts_of, kinds_sampled, requests_of
from tests.support.situations import OF_THEIR_OWN, SITUATIONS
from tests.support.table import Table

PROCEDURES_FOLDER = Path(__file__).parents[2] / "tableside" / "procedures"

Situation = Callable[[], Table]
WALKED = (*SITUATIONS, *OF_THEIR_OWN)
WALKS = 12
STEPS = 60


def fork(table: Table) -> Table:
    """The same situation once more, so that each input meets it fresh."""
    copy = Table.__new__(Table)
    copy.__dict__.update(table.__dict__)
    copy.decided, copy.given, copy._notices = [], [], dict(table._notices)
    return copy


def give(table: Table, what: AnyInput) -> tuple[Decision, ...]:
    """One input, and what must hold after each."""
    before = table.state
    decided = table.give(what)
    check(table.state)
    locks_are_what_the_rows_say(before, table.state, decided)
    procedures_moved_along_their_arrows(decided)
    return decided


def check(state: TableState) -> None:
    """Arithmetic, and no permit against a reason that stands."""
    account = state.account
    assert sum(account.balances.values()) == account.brought
    for key, wish in state.permits.granted.items():
        scope = SCOPE_OF[wish.what]
        reasons = [
            lock.reason
            for lock in state.locks.standing.values()
            if lock.scope is scope and not (lock.is_from_next_round and is_round_open(state))
        ]
        assert not reasons, f"{key} is permitted though {reasons} stand"
        assert state.devices.known[wish.device].is_connected
    for operation, kept in state.presence.kept.items():
        assert kept.is_lapsed or kept.until_ns is None or f"presence:{operation}:end" in state.timers.due


def locks_are_what_the_rows_say(before: TableState, after: TableState, decided: tuple[Decision, ...]) -> None:
    """Reasons come and go by name, each with its row."""
    standing = {f"{lock.scope}:{lock.reason}" for lock in before.locks.standing.values()}
    for decision in decided:
        if isinstance(decision, LockAdded):
            standing.add(f"{decision.scope}:{decision.reason}")
        elif isinstance(decision, LockRemoved):
            standing.remove(f"{decision.scope}:{decision.reason}")
    assert standing == set(after.locks.standing)


def arrows() -> set[tuple[str, str, str]]:
    """Every way from state to state that a table of transitions names: what the diagrams of the documents show."""
    named = set()
    for procedure in PROCEDURES:
        for row in procedure.rows:
            here = row.state if row.to is None else row.to
            ways = [(row.state, here), *((here, target) for target in row.onward)]
            named |= {(procedure.name, str(source.value), str(target.value)) for source, target in ways}
    return named


ARROWS = arrows()


def procedures_moved_along_their_arrows(decided: tuple[Decision, ...]) -> None:
    """An act that goes on by itself says so in its row."""
    moves = [(d.procedure, d.source, d.target) for d in decided if isinstance(d, ProcedureMoved)]
    assert [move for move in moves if move not in ARROWS] == []


def test_every_kind_of_input_has_a_sample() -> None:
    assert set(typing.get_args(AnyInput)) - kinds_sampled() == set()


@pytest.mark.parametrize("situation", WALKED, ids=lambda situation: situation.__name__)
def test_every_request_is_answered_once_with_rule_and_next_step(situation: Situation) -> None:
    table = situation()
    for request in requests_of():
        answers = [d for d in give(fork(table), request) if isinstance(d, RequestAnswered)]
        assert len(answers) == 1, request
        assert answers[0].request == request.id
        assert answers[0].rule, request
        assert answers[0].next_step, request
        assert answers[0].text, request


@pytest.mark.parametrize("situation", WALKED, ids=lambda situation: situation.__name__)
def test_a_refusal_moves_nothing(situation: Situation) -> None:
    """It may ask for somebody's badge at the table; cards, locks, permits and procedures stay as they are."""
    table = situation()
    for request in requests_of():
        copy = fork(table)
        answer = next(d for d in copy.give(request) if isinstance(d, RequestAnswered))
        if not answer.is_accepted:
            for part in ("account", "locks", "permits", "procedures", "commands", "incidents"):
                assert getattr(copy.state, part) == getattr(table.state, part), (request, part)


@pytest.mark.parametrize("situation", WALKED, ids=lambda situation: situation.__name__)
def test_no_fact_is_refused(situation: Situation) -> None:
    table = situation()
    for what in facts_of(table):
        give(fork(table), what)


# Tables without a state of their own: what they read follows from locks, alerts or incidents, so nothing can be put
# there. The search (test_reached.py) meets each of their states as it comes about.
DERIVED = {
    "outcomes": "from the commands whose outcome is unknown",
    "stop": "from the locks",
    "jam help": "from the jams that stand",
    "blackjack": "from the cards of the round that is followed",
    "advice": "from the advice that nobody has decided yet",
    "complaint": "from the complaints that are open",
    "held cards": "from the locks of feed",
    "people": "from who deals",
    "jackpot": "from its settings and the wins that are not paid",
    "jackpot seen": "from the wins that known cards have shown",
    "second way": "from the readers that answer",
    "card identities": "from the cards that were read in the round, and which of them lie open",
    "defects": "from the money that is kept",
    "settling": "from the incidents that wait for a word",
}


def forced(procedure: Procedure, state: object) -> Table:
    """A table whose one procedure is put into a state, wherever the others are."""
    table = SITUATIONS[9]()
    what = events.CardJammed(device="shuffler", boot=1, number=99, place=events.Place.CAROUSEL)
    turn = Turn(table.state, table.given[-1])
    procedure.write(turn, what, state)  # type: ignore[arg-type]  # states are enums
    table.state = turn.state
    assert procedure.read(table.state, what) is state, f"{procedure.name} cannot be put into {state}: see DERIVED"
    return table


@pytest.mark.parametrize(
    "procedure", [one for one in PROCEDURES if one.name not in DERIVED], ids=lambda procedure: procedure.name
)
def test_each_state_of_each_table_takes_every_fact_and_request(procedure: Procedure) -> None:
    """Also states that nothing leads to from here: a table of transitions relies on no other."""
    for state in procedure.states:
        table = forced(procedure, state)
        for what in facts_of(table):
            procedures_moved_along_their_arrows(fork(table).give(what))
        for request in requests_of():
            answers = [d for d in fork(table).give(request) if isinstance(d, RequestAnswered)]
            assert [bool(a.rule and a.next_step) for a in answers] == [True], (state, request)


@pytest.mark.parametrize("situation", WALKED, ids=lambda situation: situation.__name__)
def test_stops_only_ever_add_up(situation: Situation) -> None:
    """Six faults in any order, each at any moment: none takes away what another has locked."""
    table = situation()
    chance = random.Random(situation.__name__)
    for _ in range(20):
        copy = fork(table)
        for kind, fields in chance.sample(STOPPING, 6):
            before = set(copy.state.locks.standing)
            give(copy, fact(copy, kind, "shuffler", fields))
            assert before <= set(copy.state.locks.standing)


@pytest.mark.parametrize("situation", WALKED, ids=lambda situation: situation.__name__)
def test_a_long_walk_keeps_its_balance_and_its_bytes(situation: Situation) -> None:
    """Seeded walks over every input: arithmetic, permits and rows hold, and the state survives its own bytes."""
    start = situation()
    chance = random.Random(f"walk {situation.__name__}")
    asked = list(requests_of())
    for _ in range(WALKS):
        table = fork(start)
        for step in range(STEPS):
            table.now_ns += chance.choice((0, 10**8, 10**9, 30 * 10**9))
            if chance.random() < 0.5:
                request = chance.choice(asked)
                give(table, replace(request, id=f"walk {step}"))  # type: ignore[type-var]  # a request is a struct
            else:
                give(table, chance.choice(list(facts_of(table))))
        assert decode_state(encode_state(table.state)) == table.state


def test_only_a_table_without_a_state_of_its_own_is_left_out() -> None:
    left_out = [procedure for procedure in PROCEDURES if procedure.name in DERIVED]
    assert len(left_out) == len(DERIVED)
    for procedure in left_out:
        with pytest.raises(AssertionError, match="see DERIVED"):
            list(map(functools.partial(forced, procedure), procedure.states))


def test_each_scope_is_asked_for_by_some_permit() -> None:
    """That each wish is permitted or says why is looked at in every state of test_reached.py."""
    assert set(SCOPE_OF.values()) == set(Scope)


def test_each_operation_is_begun_by_some_procedure() -> None:
    written = "".join(path.read_text("utf-8") for path in PROCEDURES_FOLDER.glob("*.py"))
    assert [operation for operation in Operation if f"Operation.{operation.name}" not in written] == []


def test_samples_are_requests_that_the_journal_can_keep() -> None:
    for request in requests_of():
        assert isinstance(request, Request)
