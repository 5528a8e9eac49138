"""Blackjack's cards, sentence by sentence of the source (`002`), each with the ruling that it asks for."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from tableside.games import blackjack
from tableside.games.blackjack import Phase
from tableside.games.blackjack_collect import collectable
from tableside.games.blackjack_hands import BANK, Fate, Spot, total_of
from tests.law.blackjack_story import card, tell

DEALT = "9♣ 10♠ 5♣ (7♦)"
CASES = Path(__file__).with_name("blackjack_cards.toml")


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One sentence of the source; the file says what its keys are."""

    rule: str
    source: str
    says: str
    seats: str
    steps: str
    phase: Phase
    fates: tuple[tuple[Fate, ...], ...]
    advice: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    tray: str = ""
    bank: str = ""
    draws_soft_17: bool = False


def cases() -> list[Case]:
    return msgspec.convert(tomllib.loads(CASES.read_text("utf-8"))["case"], list[Case])


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.rule}-{case.says}")
def test_law_bj_cards(case: Case) -> None:
    story = tell(case.seats, case.steps, draws_soft_17=case.draws_soft_17)
    played = story.played
    assert played.phase is case.phase
    assert tuple(tuple(hand.fate for hand in played.hands[seat]) for seat in played.seats) == case.fates
    assert tuple(story.rules) == case.advice
    assert tuple(advice.rule for advice in story.refused) == case.refused
    assert [str(each) for each in played.tray] == [str(card(text)) for text in case.tray.split()]
    if case.bank:
        assert [str(each) for each in played.bank] == [str(card(text)) for text in case.bank.split()]


def test_bj2_the_order_of_the_first_cards() -> None:
    order = blackjack.first_order((1, 3, 7))
    assert [spot.seat for spot in order] == [1, 3, 7, 0, 1, 3, 7, 0]


def test_bj11_an_ace_kept_at_1_after_doubling_stays_1() -> None:
    story = tell("1", "A♣ 10♠ 8♣ (7♦) 1=double 2♦")
    assert story.played.hand(Spot(1)).total == 11


def test_bj7_the_same_cards_undoubled_are_21() -> None:
    story = tell("1", "A♣ 10♠ 8♣ (7♦) 1=draw 2♦")
    assert story.played.hand(Spot(1)).total == 21


@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ("A 6", 17),
        ("A 6 10", 17),
        ("A A 9", 21),
        ("A A", 12),
        ("K Q", 20),
        ("K Q 5", 25),
        ("A A A A", 14),
        ("9 2 A", 12),
    ],
)
def test_bj7_totals(cards: str, total: int) -> None:
    assert total_of(tuple(card(f"{rank}♣") for rank in cards.split())) == total


def test_jp12_a_lost_hand_that_waits_for_the_jackpot_is_not_collected() -> None:
    played = tell("1 2", "9♣ 8♣ 10♠ 5♣ 6♣ (7♦) 1=draw K♣").played
    assert collectable(played) == (Spot(1),)
    assert collectable(played, frozenset({1})) == ()


def test_bj9_the_banks_cards_are_collected_when_the_round_is_over() -> None:
    played = tell("1", f"{DEALT} 1=draw K♣").played
    assert collectable(played) == (Spot(1), BANK)
