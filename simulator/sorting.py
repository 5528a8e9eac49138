"""How a dealer builds decks of what lies there, and says by back what is whole and what is not (CSM-6). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from .world.cards import RANK_SIGNS, SUIT_SIGNS

FACES = tuple(rank.replace("T", "10") + suit for suit in SUIT_SIGNS for rank in RANK_SIGNS)


def sorted_groups(cards: Iterable[str], decks: Mapping[str, int]) -> list[dict[str, object]]:
    """One group a back colour in play, as the control socket takes them; a foreign back is told in the first."""
    by_back: dict[str, Counter[str]] = {back: Counter() for back in decks}
    foreign = []
    for card in cards:
        face, _, back = card.partition(" ")
        if back in by_back:
            by_back[back][face] += 1
        else:
            foreign.append(card)
    groups = [_group(back, number, by_back[back]) for back, number in decks.items()]
    groups[0]["foreign"] = foreign
    return groups


def _group(back: str, decks: int, found: Counter[str]) -> dict[str, object]:
    missing = [f"{face} {back}" for face in FACES for _ in range(decks - found[face])]
    too_many = [f"{face} {back}" for face in FACES for _ in range(found[face] - decks)]
    complete = min(decks, min(found[face] for face in FACES))
    return {"back": back, "complete": complete, "missing": missing, "too_many": too_many}
