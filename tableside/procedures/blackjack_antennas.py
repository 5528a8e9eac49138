"""What antennas add to a round of blackjack: where chips lie in time, and where a card truly lies (BJ-2, BJ-16).

An antenna is no reader of hands: it sees two tags at most, and no stack. That something lies at a seat it tells well.
Places that count are named `seat 3`, `seat 3 bet` or `seat 3 cards` in the table's file; a jackpot's spot is none.
"""

from __future__ import annotations

import re

from drivers.antenna_events import ChipRead, ChipRemoved
from drivers.card_events import CardRead, CardRemoved
from tableside.games import blackjack
from tableside.games import blackjack_advice as say
from tableside.games.advice import Advice
from tableside.games.blackjack_hands import Spot
from tableside.games.blackjack_seats import bet_on, can_join
from tableside.procedures import advice_slice
from tableside.procedures import blackjack_follow as follow
from tableside.procedures.blackjack_slice import of, put
from tableside.tables import Turn

_SEAT = re.compile(r"seat (\d+)(?: bet| cards)?")


def seat_of(place: str) -> int:
    """The seat that a place belongs to; 0: none."""
    found = _SEAT.fullmatch(place)
    return int(found[1]) if found else 0


def is_at_seat(_turn: Turn, what: CardRead | CardRemoved | ChipRead | ChipRemoved) -> bool:
    """It lies, or lay, where the table has a seat."""
    return bool(seat_of(what.place))


def seats_with_chips(turn: Turn) -> tuple[int, ...]:
    """Where chips lie now."""
    return tuple(sorted(int(seat) for seat, chips in of(turn).chips.items() if chips))


def chip_lies(turn: Turn, what: ChipRead) -> None:
    """A bet, as far as it lies there in time; a late one is advised to be given back (BJ-16)."""
    seat = seat_of(what.place)
    put(turn, chips=_changed(of(turn).chips, seat, 1))
    played = of(turn).played
    if played is None or of(turn).is_ended or of(turn).unsure or not of(turn).placed or seat in played.seats:
        return
    if can_join(played, seat):
        put(turn, played=bet_on(played, seat, draws_soft_17=played.draws_soft_17))
    else:
        ruling = "a bet lies there before its turn for the first card comes"
        advice_slice.advise(turn, Advice("BJ-16", f"a chip at seat {seat} after its turn", ruling, "give it back"))


def chip_is_gone(turn: Turn, what: ChipRemoved) -> None:
    """Taken, or paid and taken away."""
    put(turn, chips=_changed(of(turn).chips, seat_of(what.place), -1))


def card_lies(turn: Turn, what: CardRead) -> None:
    """More cards at a seat than were dealt to it: one lies where none is due (BJ-2). Only a reader knows the order."""
    seat = seat_of(what.place)
    put(turn, lying=_changed(of(turn).lying, seat, 1))
    played = of(turn).played
    if played is None or of(turn).is_ended or of(turn).unsure or not of(turn).placed or not follow.reader(turn):
        return
    dealt = sum(len(hand.cards) for hand in played.hands.get(seat, ()))
    if of(turn).lying[str(seat)] > dealt:
        due = blackjack.due(played)
        advice_slice.advise(turn, say.lies_elsewhere(Spot(seat), due), what.place)


def card_is_gone(turn: Turn, what: CardRemoved) -> None:
    """Moved, or collected."""
    put(turn, lying=_changed(of(turn).lying, seat_of(what.place), -1))


def _changed(counts: dict[str, int], seat: int, by: int) -> dict[str, int]:
    return {**counts, str(seat): max(0, counts.get(str(seat), 0) + by)}
