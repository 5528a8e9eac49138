"""What a dealer says of the decks that lie there."""

from __future__ import annotations

from simulator.sorting import FACES, sorted_groups

DECKS = {"red": 3, "blue": 3}
WHOLE = [f"{face} {back}" for back in DECKS for face in FACES for _ in range(3)]


def test_whole_decks_are_whole() -> None:
    assert sorted_groups(WHOLE, DECKS) == [
        {"back": "red", "complete": 3, "missing": [], "too_many": [], "foreign": []},
        {"back": "blue", "complete": 3, "missing": [], "too_many": []},
    ]


def test_what_does_not_fit_is_named_by_rank_suit_and_back() -> None:
    cards = [*WHOLE, "K♠ blue", "Q♥ green"]
    cards.remove("7♣ red")
    cards.remove("10♦ red")
    red, blue = sorted_groups(cards, DECKS)
    assert red == {
        "back": "red",
        "complete": 2,
        "missing": ["7♣ red", "10♦ red"],
        "too_many": [],
        "foreign": ["Q♥ green"],
    }
    assert blue == {"back": "blue", "complete": 3, "missing": [], "too_many": ["K♠ blue"]}


def test_two_equal_cards_missing_leave_one_deck_fewer_whole() -> None:
    cards = list(WHOLE)
    cards.remove("A♠ blue")
    cards.remove("A♠ blue")
    assert sorted_groups(cards, DECKS)[1] == {
        "back": "blue",
        "complete": 1,
        "missing": ["A♠ blue", "A♠ blue"],
        "too_many": [],
    }
