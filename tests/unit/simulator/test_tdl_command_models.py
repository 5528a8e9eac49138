"""Exhaustive little models of moving commands: power cut at every write, every short history of copies and resets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.tdl.codes import Operation, Status
from simulator.faces.memory import CommandRecord, Memory, Outcome, PowerLost
from simulator.faces.outcomes import Outcomes

from .bench import EPOCH, Bench, Watched, small, status


def commands_script(bench: Bench) -> list[int]:
    """Count, refused unload, a question, count again; returns the numbers that were answered *started*."""
    started = []
    for number, operation in ((1, Operation.COUNT_ALL), (2, Operation.EJECT_ALL), (4, Operation.COUNT_ALL)):
        if status(bench.command(operation, number=number)) is Status.STARTED:
            started.append(number)
        bench.run(10)
        if number == 2:
            bench.ask(Operation.OUTCOME, {0: EPOCH, 1: 3})
    return started


def writes_of_the_script() -> int:
    bench = small()
    before = bench.memory.writes
    commands_script(bench)
    return bench.memory.writes - before


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("cut", range(1, writes_of_the_script() + 1))
def test_d15_power_cut_at_every_write(cut: int, is_before: bool) -> None:
    """Whatever the moment: what moved is stored, nothing moves twice, no *started* survives a boot."""
    bench = small()
    watched = Watched(bench)
    if is_before:
        bench.memory.cut_before = cut
    else:
        bench.memory.cut_after = cut
    with pytest.raises(PowerLost):
        commands_script(bench)
    bench.face.power_off()
    bench.face.boot(bench.now_ns)
    moved = list(watched.begun)
    bench.open()
    for number in (1, 2, 3, 4):
        outcome = status(bench.ask(Operation.OUTCOME, {0: EPOCH, 1: number}))
        assert outcome is not Status.STARTED
        if number in moved:
            assert outcome in (Status.INTERRUPTED, Status.DONE)
        if outcome is Status.NEVER:
            assert number not in moved
        assert status(bench.command(Operation.COUNT_ALL, number=number)) is outcome
    assert watched.begun == moved


EVENTS = ("command 1", "command 2", "ask 1", "ask 2", "reset", "time")


def check_history(events: tuple[str, ...]) -> None:
    """Any order of copies, questions, resets: each number moves at most once, and *never* holds for ever."""
    bench = small()
    watched = Watched(bench)
    said_never: set[int] = set()
    for event in events:
        what, _, digit = event.partition(" ")
        if what == "command":
            answer = status(bench.command(Operation.COUNT_ALL, number=int(digit)))
            assert (answer is Status.STARTED) <= (int(digit) in watched.begun)
        elif what == "ask":
            answer = status(bench.ask(Operation.OUTCOME, {0: EPOCH, 1: int(digit)}))
            if answer is Status.NEVER:
                assert int(digit) not in watched.begun
                said_never.add(int(digit))
        elif what == "reset":
            bench.face.reset(bench.now_ns)
            bench.open()
        else:
            bench.run(10)
        assert len(watched.begun) == len(set(watched.begun))
        assert not said_never & set(watched.begun)


@pytest.mark.parametrize("first", EVENTS)
def test_every_history_of_four_events(first: str) -> None:
    for rest in itertools.product(EVENTS, repeat=3):
        check_history((first, *rest))


@given(st.lists(st.sampled_from(EVENTS), min_size=5, max_size=25))
def test_longer_histories(events: list[str]) -> None:
    check_history(tuple(events))


@given(st.lists(st.integers(1, 30), max_size=40))
def test_eight_outcomes_are_kept_by_number(numbers: list[int]) -> None:
    outcomes = Outcomes(Memory(commands=CommandRecord(epoch=EPOCH)))
    stored: list[int] = []
    for number in numbers:
        if outcomes.known(number) is None:
            outcomes.store(Outcome(number, Status.DONE, cards=0))
            stored.append(number)
    kept = stored[-8:]
    for number in range(1, 31):
        known = outcomes.known(number)
        if number in kept:
            assert known is not None
            assert known.status is Status.DONE
        elif stored and number <= stored[-1]:
            assert known == Outcome(number, Status.OLD)
        else:
            assert known is None
