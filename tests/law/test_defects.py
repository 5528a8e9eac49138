"""Defective decks: what the sources (`001`, `004`) rule for each finding, by where and when it was found."""

from __future__ import annotations

import pytest

from tableside.cards import Card, parse_card
from tableside.games.defects import JOKER_RANK, Defect, Found, Game, Where, advise, defects_among, ruling

HAND, BOARD, STUB = Where.HAND, Where.BOARD, Where.STUB
RULINGS: list[tuple[str, Found, str, str]] = [
    ("another back in a hand", Found(Defect.FOREIGN_BACK, HAND), "DECK-1", "void"),
    ("another back on the board", Found(Defect.FOREIGN_BACK, BOARD), "DECK-1", "void"),
    ("another back in the stub", Found(Defect.FOREIGN_BACK, STUB), "DECK-1", "stands"),
    ("two equal cards", Found(Defect.DUPLICATE, HAND), "DECK-2", "void"),
    ("one boxed card", Found(Defect.BOXED, STUB), "DECK-3", "scrap"),
    ("two boxed cards", Found(Defect.BOXED, STUB, count=2), "MISDEAL-1", "misdeal"),
    ("two boxed cards, two have acted", Found(Defect.BOXED, STUB, count=2, acted=2), "MISDEAL-2", "cannot be called"),
    ("a joker before its player acts", Found(Defect.JOKER, HAND), "DECK-4", "scrap"),
    ("a joker on which he acted", Found(Defect.JOKER, HAND, has_owner_acted=True), "DECK-4", "dead"),
    ("a missing card", Found(Defect.MISSING, STUB), "DECK-5", "not void"),
    ("one extra card before the first bets", Found(Defect.EXTRA, HAND), "DECK-6", "burn card"),
    ("one extra card later", Found(Defect.EXTRA, HAND, is_bet=True), "DEAL-6", "dead"),
    ("two extra cards", Found(Defect.EXTRA, HAND, count=2), "MISDEAL-1", "misdeal"),
    ("flashed by the dealer, blackjack's bank", Found(Defect.FLASHED, HAND), "BJ-3", "exposed (DECK-9)"),
    ("flashed by the dealer, a player's card at blackjack", Found(Defect.FLASHED, HAND, seat=2), "BJ-2", "plays"),
    ("flashed by the dealer at hold'em", Found(Defect.FLASHED, HAND, game=Game.HOLD_EM), "HOLD-1", "not be kept"),
    ("flashed by the dealer at stud", Found(Defect.FLASHED, HAND, game=Game.STUD), "STUD-5", "dead"),
    ("flashed by the dealer at Chinese poker", Found(Defect.FLASHED, HAND, game=Game.CHINESE), "CHIN-5", "misdeal"),
    ("flashed by a player", Found(Defect.FLASHED_BY_PLAYER, HAND), "DECK-9", "plays"),
    ("dealt off the table", Found(Defect.OFF_TABLE, HAND), "DECK-7", "exposed"),
]


@pytest.mark.parametrize(("says", "found", "rule", "word"), RULINGS, ids=[case[0] for case in RULINGS])
def test_law_deck_rulings(says: str, found: Found, rule: str, word: str) -> None:
    known = ruling(found)
    assert known.rule == rule
    assert word in known.ruling


@pytest.mark.parametrize("defect", list(Defect))
def test_every_defect_has_a_ruling_wherever_it_is_found(defect: Defect) -> None:
    assert all(ruling(Found(defect, where)).next_step for where in Where)


def test_at_blackjack_it_is_custom_and_the_house_decides() -> None:
    found = Found(Defect.DUPLICATE, HAND, parse_card("7♣ red"), seat=3)
    assert advise(found, is_adopted=False).ruling.startswith("poker custom, the house decides")
    assert not advise(found, is_adopted=True).ruling.startswith("poker custom")
    assert advise(found, is_adopted=True).happened == "duplicate: 7♣ red (in a hand, seat 3)"


DECKS = {"red": 3, "blue": 3}


def lying(*cards: str) -> list[tuple[Card, Where, int]]:
    return [(parse_card(card), HAND, seat) for seat, card in enumerate(cards, start=1)]


def test_deck2_equal_cards_of_several_decks_are_normal_and_one_more_than_decks_is_a_duplicate() -> None:
    three = lying("7♣ red", "7♣ red", "7♣ red", "7♣ blue")
    assert defects_among(DECKS, three) == ()
    (found,) = defects_among(DECKS, [*three, (parse_card("7♣ red"), BOARD, 0)])
    assert (found.defect, found.where, str(found.card)) == (Defect.DUPLICATE, BOARD, "7♣ red")


def test_deck1_deck4_a_back_of_no_deck_and_a_joker_are_found_where_they_lie() -> None:
    seen = [*lying("7♣ green"), (Card(JOKER_RANK, "", "red"), STUB, 0)]
    assert [(found.defect, found.where, found.seat) for found in defects_among(DECKS, seen)] == [
        (Defect.FOREIGN_BACK, HAND, 1),
        (Defect.JOKER, STUB, 0),
    ]
