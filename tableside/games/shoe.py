"""A shoe that is shuffled by hand: the cut, the warning card, the burn, the last round, the interruption (SHOE-4 to 8).

Pure. What the dealer does is told; what the rules say then comes back as advice, and what they do not allow raises
`Against`.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from tableside.games.advice import Advice, Against
from tableside.house import Role

FROM_THE_END = 50  # SHOE-5: the warning card is as near as possible to this card from the end
# How far from its place a warning card placed by hand may come out before it is asked about: ours, by a finger's width
# of cards.
TOLERANCE = 10
INSPECTOR = 0  # who cuts where no seat wants to (SHOE-4)


class CutTurn(msgspec.Struct, frozen=True):
    """Whose right to cut is next. `after`: the seat that had it last; 0: the lowest occupied seat begins."""

    after: int = 0


class Shoe(msgspec.Struct, frozen=True):
    """One shoe. `out`: cards that left it, the burnt one too. `warning_at`: how many were out when the warning came."""

    cards: int
    players: int
    is_burnt: bool = False
    out: int = 0
    warning_at: int | None = None
    is_in_round: bool = False
    rounds_after_warning: int = 0


def in_turn(turn: CutTurn, occupied: Iterable[int]) -> tuple[int, ...]:
    """The seats in the order in which they are asked to cut; the table inspector where none wants to (SHOE-4)."""
    seats = sorted(set(occupied))
    return (*(seat for seat in seats if seat > turn.after), *(seat for seat in seats if seat <= turn.after))


def has_cut(turn: CutTurn, seat: int, occupied: Iterable[int]) -> CutTurn:
    """`seat` has cut (0: the table inspector, after whom the next shoe counts as a start of play).

    The turn goes on from the seat that had the right; a player in whose place another has cut has had it (our reading).
    Raises `Against` for a seat where nobody sits.
    """
    order = in_turn(turn, occupied)
    if seat == INSPECTOR:
        return CutTurn()
    if seat not in order:
        asked = ", ".join(map(str, order)) or "nobody; the table inspector cuts"
        raise Against(Advice("SHOE-4", f"seat {seat} cuts", "nobody sits there", f"ask in this order: {asked}"))
    return CutTurn(after=seat)


def interrupted() -> CutTurn:
    """Play stopped for want of players or bets; when it starts again the lowest seat has the right (SHOE-4, SHOE-8)."""
    return CutTurn()


def warning_place(cards: int, players: int) -> int:
    """How many cards lie before the warning card: 50 behind it, or the middle with a single player (SHOE-5)."""
    return cards // 2 if players == 1 else max(0, cards - FROM_THE_END)


def burn(shoe: Shoe) -> Shoe:
    """One card goes to the discard tray, once a shoe (SHOE-6, our reading). Raises `Against` for a second."""
    if shoe.is_burnt:
        raise Against(Advice("SHOE-6", "a second card is burnt", "one card, once a shoe", "put it to the next deal"))
    return replace(shoe, is_burnt=True, out=shoe.out + 1)


def begin_round(shoe: Shoe) -> Shoe:
    """A round begins. Raises `Against` before the burn (SHOE-6), or after the last round of the shoe (SHOE-7)."""
    if not shoe.is_burnt:
        raise Against(Advice("SHOE-6", "a round begins", "one card is burnt first", "burn a card, then deal"))
    if shoe.rounds_after_warning:
        ruling = "no further round until the cards are shuffled and cut again"
        raise Against(Advice("SHOE-7", "a round begins after the last of the shoe", ruling, "shuffle, cut, burn"))
    return replace(shoe, is_in_round=True)


def card_out(shoe: Shoe) -> Shoe:
    """One card was dealt."""
    return replace(shoe, out=shoe.out + 1)


def warning_out(shoe: Shoe) -> tuple[Shoe, tuple[Advice, ...]]:
    """The warning card has come: this round, or one that is about to begin, is the last (SHOE-7)."""
    seen = replace(shoe, warning_at=shoe.out)
    when = "in a round" if shoe.is_in_round else "just before a round"
    ruling = "the round in progress is the last" if shoe.is_in_round else "the round that begins now is still played"
    last = Advice("SHOE-7", f"the warning card came out {when}", ruling, "announce the last round aloud")
    told = misplaced(shoe, shoe.out, shoe.out)
    return seen, (last,) if told is None else (last, told)


def misplaced(shoe: Shoe, fewest: int, most: int) -> Advice | None:
    """The warning card came after `fewest` to `most` cards; None: that may have been near its place (SHOE-5)."""
    place = warning_place(shoe.cards, shoe.players)
    nearest = min(max(place, fewest), most)
    if abs(nearest - place) <= TOLERANCE:
        return None
    cards = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    text = f"the warning card came after {cards} cards; its place is after {place}"
    return Advice("SHOE-5", text, "as near to that as possible", "tell the floor supervisor", Role.FLOOR_SUPERVISOR)


def end_round(shoe: Shoe) -> Shoe:
    """The round is over; after the warning card it was the last."""
    after = shoe.rounds_after_warning + (shoe.warning_at is not None)
    return replace(shoe, is_in_round=False, rounds_after_warning=after)


def spread(shoe: Shoe) -> None:
    """All cards are spread face up for want of players or bets (SHOE-8). Raises `Against` during a round."""
    if shoe.is_in_round:
        ruling = "only while play is interrupted"
        raise Against(Advice("SHOE-8", "the shoe is spread in a round", ruling, "finish the round first"))
