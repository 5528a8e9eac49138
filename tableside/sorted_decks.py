"""What a dealer's sort says against what was loaded, card by card (CSM-6, SHOE-1)."""

from __future__ import annotations

from collections import Counter

import msgspec

from tableside.cards import RANKS, SUITS, Card
from tableside.house import DeckGroup, House
from tableside.requests import SortedDecks


class Finding(msgspec.Struct, frozen=True):
    """What the entry says against what should be there."""

    missing: tuple[Card, ...]
    too_many: tuple[Card, ...]
    foreign: tuple[Card, ...]
    cards: int  # all that lie there, foreign ones too

    @property
    def is_regular(self) -> bool:
        """Every deck is whole and nothing else lies there."""
        return not (self.missing or self.too_many or self.foreign)


def objection(group: SortedDecks, decks: int, backs: set[str]) -> str:
    """Why no set of decks can give this entry; empty where one can."""
    if not 0 <= group.complete <= decks:
        return f"{group.complete} complete decks of {decks}"
    strange = [card for card in (*group.missing, *group.too_many) if card.back != group.back]
    if strange:
        return f"{strange[0]} is not of this colour"
    own = [card for card in group.foreign if card.back in backs]
    if own:
        return f"{own[0]} is not foreign, that colour is in play"
    unknown = [card for card in (*group.missing, *group.too_many, *group.foreign) if not _is_card(card)]
    if unknown:
        return f"{unknown[0]} is no card"
    return _objection_to_missing(group, decks - group.complete)


def _objection_to_missing(group: SortedDecks, incomplete: int) -> str:
    """Each incomplete deck lacks a card, and no deck lacks the same card twice."""
    if incomplete > len(group.missing):
        return f"{incomplete} incomplete decks and {len(group.missing)} cards named as missing"
    alike = max(Counter(group.missing).values(), default=0)
    if alike > incomplete:
        return f"{alike} equal cards missing from {incomplete} incomplete decks"
    return ""


def _is_card(card: Card) -> bool:
    return card.rank in RANKS and card.suit in SUITS and bool(card.back)


def compare(house: House, replaced: tuple[tuple[Card, Card], ...], groups: tuple[SortedDecks, ...]) -> Finding:
    """The entry against the decks as they were loaded, less damaged cards, plus their replacements."""
    expected: Counter[Card] = Counter()
    for known in house.decks:
        expected.update(_decks(known))
    expected.subtract(damaged for damaged, _ in replaced)
    expected.update(replacement for _, replacement in replaced)
    found: Counter[Card] = Counter()
    foreign: list[Card] = []
    for group in groups:
        known = next(known for known in house.decks if known.back == group.back)
        found.update(_decks(known))
        found.subtract(group.missing)
        found.update(group.too_many)
        foreign.extend(group.foreign)
    return Finding(
        tuple(sorted((expected - found).elements())),
        tuple(sorted((found - expected).elements())),
        tuple(sorted(foreign)),
        sum(found.values()) + len(foreign),
    )


def _decks(group: DeckGroup) -> dict[Card, int]:
    return {Card(rank, suit, group.back): group.decks for suit in SUITS for rank in RANKS}


def named(cards: tuple[Card, ...]) -> str:
    """`1 K♠ red, 2 7♦ blue`: what a supervisor looks for."""
    return ", ".join(f"{count} {card}" for card, count in sorted(Counter(cards).items()))
