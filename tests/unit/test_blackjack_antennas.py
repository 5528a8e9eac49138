"""Antennas at a table that follows blackjack: chips say who plays, cards say where they lie (BJ-2, BJ-16)."""

from __future__ import annotations

import pytest

from drivers.antenna_events import ChipRead, ChipRemoved
from drivers.card_events import CardRead, CardRemoved
from tableside.advice_happenings import Advised
from tableside.blackjack_happenings import HandsBegun
from tableside.procedures.blackjack_slice import BlackjackState
from tests.support.blackjack import READ, TOLD, Bench
from tests.support.samples import SEALED

S = BlackjackState


def chip(bench: Bench, place: str, kind: type[ChipRead | ChipRemoved] = ChipRead) -> None:
    bench.table.give(kind(device="antenna", value=1_000, place=place))


def card(bench: Bench, place: str, kind: type[CardRead | CardRemoved] = CardRead) -> None:
    bench.table.give(kind(device="antenna", card=SEALED, place=place))


def advised(bench: Bench) -> list[tuple[str, str]]:
    return [(one.rule, one.happened) for one in bench.all_of(Advised)]


def test_bj2_chips_at_the_seats_say_who_plays_where_nobody_has_entered_it() -> None:
    bench = Bench(READ)
    for place in ("seat 3", "seat 1 bet", "seat 6"):
        chip(bench, place)
    chip(bench, "seat 6", ChipRemoved)
    chip(bench, "seat 7 jackpot")
    bench.deal("9♣ 8♦ 10♠ 7♣ 9♦ (7♥)", 1, 3)
    assert bench.state is S.PLAYERS
    assert [one.seats for one in bench.all_of(HandsBegun)] == [(1, 3)]


def test_what_the_dealer_has_entered_goes_before_chips() -> None:
    bench = Bench(READ)
    chip(bench, "seat 5")
    bench.seats(1)
    bench.draw("9♣")
    assert [one.seats for one in bench.all_of(HandsBegun)] == [(1,)]


def test_bj16_a_chip_before_its_turn_joins_and_one_after_it_is_advised_to_be_given_back() -> None:
    bench = Bench(READ)
    chip(bench, "seat 2")
    bench.draw("9♣")
    chip(bench, "seat 4")
    chip(bench, "seat 1")
    assert advised(bench) == [("BJ-16", "a chip at seat 1 after its turn")]
    played = bench.table.state.procedures.blackjack.played
    assert played is not None
    assert played.seats == (2, 4)


@pytest.mark.parametrize("seat", [3, 5])
def test_bj2_a_card_that_lies_where_it_was_not_dealt_is_advised(seat: int) -> None:
    bench = Bench(READ)
    bench.seats(1, 3)
    bench.draw("9♣")
    card(bench, f"seat {seat} cards")
    assert advised(bench) == [
        ("BJ-2", f"a card lies at seat {seat} that was not dealt to it; the next is for seat 3"),
    ]


def test_bj2_cards_where_they_belong_moved_and_laid_back_are_no_advice() -> None:
    bench = Bench(READ)
    bench.seats(1, 3)
    for seat in (1, 3):
        bench.draw("9♣")
        card(bench, f"seat {seat}")
        card(bench, f"seat {seat}", CardRemoved)
        card(bench, f"seat {seat}")
    assert advised(bench) == []


def test_where_no_reader_knows_the_order_an_antenna_proves_nothing() -> None:
    bench = Bench(TOLD)
    bench.seats(1, 3)
    bench.card(1, "9♣")
    card(bench, "seat 3")
    assert advised(bench) == []
