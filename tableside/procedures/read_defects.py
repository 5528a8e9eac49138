"""Equal cards beyond the number of decks among those that readers have read and that may be known (DECK-2, SHOE-1).

Each reader is compared for itself, all antennas together: a card that a reader saw and that lies on an antenna is one
card. A card that was lifted, or of which two antennas spoke, may be read again: so many are forgiven, and none is ever
a duplicate for cross-talk's sake.
"""

from __future__ import annotations

from collections.abc import Iterator

from drivers.card_events import RANKS, SUITS
from tableside.by_hand import is_by_hand
from tableside.cards import TEN, Card
from tableside.inputs import CardsOpened, OpenedCard
from tableside.procedures.defect_slice import of, put
from tableside.tables import Turn

BACK = ", back "
ANTENNAS = "antennas"
SEAT = "seat "


def duplicates(turn: Turn, what: CardsOpened) -> Iterator[tuple[Card, int]]:
    """Each card that is one too many, with its seat (0: not known). What was opened is taken note of."""
    _begin(turn, what.round)
    for opened in what.cards:
        card = _card(opened)
        if card is None or opened.device == turn.state.house.shoe:
            continue
        group = opened.device if opened.device in turn.state.house.card_readers else ANTENNAS
        forgiven = of(turn).lifted if group == ANTENNAS else 0
        key = f"{group}: {card}"
        times = of(turn).seen.get(key, 0) + 1
        put(turn, seen={**of(turn).seen, key: times})
        if times - forgiven > _decks(turn, card.back):
            yield card, _seat(opened.place)


def _begin(turn: Turn, round_number: int) -> None:
    """At a machine the cards of a round lie out at once; of a shoe all that left it do, until it is filled again."""
    if not is_by_hand(turn.state) and of(turn).seen_round != round_number:
        put(turn, seen={}, seen_round=round_number)


def _card(opened: OpenedCard) -> Card | None:
    """A face that was read; None: unread, special, or sealed for ever."""
    rank, suit = opened.card[:1], opened.card[1:]
    if rank not in RANKS or not rank or suit not in tuple(SUITS):
        return None
    back = opened.place.partition(BACK)[2]
    return Card("10" if rank == TEN else rank, suit, back)


def _decks(turn: Turn, back: str) -> int:
    """How many decks have this back; of one that was not told all."""
    groups = turn.state.house.decks
    return sum(group.decks for group in groups if back in ("", group.back))


def _seat(place: str) -> int:
    number = place.removeprefix(SEAT)
    return int(number) if place.startswith(SEAT) and number.isdecimal() else 0
