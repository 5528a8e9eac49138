"""Identities of cards are text of a fixed width, and every fact that has one is known to be secret (BR-032)."""

from __future__ import annotations

import typing

import pytest

from drivers import card_events
from drivers.card_events import CARD_TOLD, CUT_CARD, FACE_WIDTH, JOKER, RANKS, SUITS, UNREAD, face


def test_every_card_of_a_deck_has_a_text_of_its_own_of_the_same_width() -> None:
    faces = {face(rank, suit) for rank in range(1, 14) for suit in SUITS}
    assert len(faces) == len(RANKS) * len(SUITS)
    assert {len(text) for text in (*faces, JOKER, CUT_CARD, UNREAD)} == {FACE_WIDTH}
    assert (face(10, "♠"), face(1, "♥"), face(13, "♣")) == ("T♠", "A♥", "K♣")


@pytest.mark.parametrize(("rank", "suit"), [(0, "♠"), (14, "♠"), (1, "S"), (1, ""), (1, "♣♦")])
def test_what_is_no_card_is_refused(rank: int, suit: str) -> None:
    with pytest.raises(ValueError, match="is no card"):
        face(rank, suit)


def test_every_fact_with_an_identity_is_listed_as_secret() -> None:
    kinds = typing.get_args(card_events.AnyCardFact)
    assert {kind for kind in kinds if "card" in kind.__struct_fields__} == set(CARD_TOLD)
    assert set(typing.get_args(card_events.CardTold)) == set(CARD_TOLD)
