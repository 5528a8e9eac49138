"""Rounds found from sensors alone, held against the truth of a simulated table at the field's rates of faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tableside.games.round_signals import Sign, Signal
from tests.law.sensed_play import HABITS, Returns, Shift
from tests.law.sensed_score import Found, Score, find, score

ROUNDS = 10_000
FEWER = 2_000
LEAST_RIGHT = 0.998

LeavesOut = Callable[[Signal], bool]


def without(*signs: Sign) -> LeavesOut:
    """A table that has no such sensor."""
    return lambda signal: signal.sign in signs


# What a table has: which sensors it lacks of those that the shift has.
TABLES = {"two gates and a counting tray": without(), "two gates and no more": without(Sign.TRAY)}


@pytest.fixture(scope="module")
def hand_gathered() -> Shift:
    return played(ROUNDS)


@pytest.fixture(scope="module")
def swept() -> Shift:
    return played(FEWER, sweeps_to_tray=True)


def played(rounds: int, seed: int = 1, *, sweeps_to_tray: bool = False, returns: Returns = Returns.AT_ONCE) -> Shift:
    shift = Shift(seed, sweeps_to_tray=sweeps_to_tray, returns=returns)
    shift.play(rounds)
    return shift


def check(shift: Shift, leaves_out: LeavesOut) -> Score:
    """At least 99.8 % right, the rest marked unsure, none invented."""
    result = score(shift.rounds, shift.told, find(shift.told, leaves_out=leaves_out))
    assert not result.wrong, "\n".join(result.wrong)
    assert not result.invented, "\n".join(result.invented)
    assert result.right + result.unsure == len(shift.rounds)
    assert result.right >= LEAST_RIGHT * len(shift.rounds), result
    return result


@pytest.mark.timeout(300)
@pytest.mark.parametrize("leaves_out", TABLES.values(), ids=TABLES)
def test_ten_thousand_faulty_rounds_are_found_or_doubted(hand_gathered: Shift, leaves_out: LeavesOut) -> None:
    check(hand_gathered, leaves_out)


@pytest.mark.timeout(300)
def test_every_fault_has_fired_in_them(hand_gathered: Shift) -> None:
    """semantics §7: a rate that makes nothing go wrong proves nothing."""
    shift, carousel = hand_gathered, hand_gathered.world.machine.carousel
    assert set(HABITS) <= set(shift.faults)
    assert carousel.hazards.fired.keys() >= {"jam", "double feed", "bend"}
    assert carousel.in_sensor.missed
    assert carousel.out_sensor.missed


@pytest.mark.parametrize("leaves_out", TABLES.values(), ids=TABLES)
def test_where_each_hand_is_swept_into_the_tray(swept: Shift, leaves_out: LeavesOut) -> None:
    check(swept, leaves_out)


def test_where_cards_go_back_after_the_next_deal() -> None:
    check(played(FEWER, sweeps_to_tray=True, returns=Returns.AFTER_NEXT_DEAL), without())


def test_a_shoe_with_a_reader_and_a_counting_tray() -> None:
    """Cards stay in the tray until the shoe's end; nothing tells when they go in anew."""
    check(played(FEWER, sweeps_to_tray=True, returns=Returns.AT_SHOES_END), without(Sign.CARDS_IN))


def test_a_finder_that_ends_a_round_with_its_first_card_in_is_found_out(hand_gathered: Shift) -> None:
    """The score can fail: the plain rule, *first card in means over*, is wrong wherever cards go in early."""
    assert score(hand_gathered.rounds, hand_gathered.told, plainly(hand_gathered)).wrong


def plainly(shift: Shift) -> Sequence[Found]:
    found, cards = list[Found](), list[int]()
    for told in shift.told:
        cards += told.rounds
        if told.signal.sign is Sign.CARDS_IN and cards:
            found.append(Found(cards, told.signal.at_ns, told.signal.at_ns))
            cards = []
    return found
