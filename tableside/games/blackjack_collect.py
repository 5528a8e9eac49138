"""Which hands may be collected, and when: a jackpot that waits goes before everything (JP-12, then BJ-8, BJ-9)."""

from __future__ import annotations

from tableside.games.advice import Advice, Against
from tableside.games.blackjack import Phase, Round
from tableside.games.blackjack_advice import place
from tableside.games.blackjack_hands import BANK, OUT, Spot


def collectable(played: Round, held: frozenset[int] = frozenset()) -> tuple[Spot, ...]:
    """Whose cards may be taken now. `held`: seats whose jackpot combination is not paid yet (JP-12)."""
    is_over = played.phase is Phase.OVER
    spots = (Spot(seat, index) for seat in played.seats for index in range(len(played.hands[seat])))
    players = tuple(spot for spot in spots if spot.seat not in held and (is_over or played.hand(spot).fate in OUT))
    return (*players, BANK) if is_over else players


def collect(played: Round, spot: Spot, held: frozenset[int] = frozenset()) -> None:
    """Somebody takes the cards of a spot. Raises `Against` where they have to lie."""
    if spot.seat in held:
        ruling = "they lie face up until the jackpot is paid"
        raise Against(Advice("JP-12", f"cards of {place(spot)} are taken", ruling, "put them back, face up"))
    if spot not in collectable(played, held):
        ruling = "cards lie until the hand is decided"
        raise Against(Advice("BJ-9", f"cards of {place(spot)} are taken", ruling, "put them back"))
