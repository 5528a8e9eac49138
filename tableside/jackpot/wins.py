"""Who has won, and what is paid in which order (JP-5, JP-6, JP-12, JP-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tableside.cards import Card
from tableside.jackpot.settings import WHOLE, JackpotSettings, OddUnits, Prize


class Win(msgspec.Struct, frozen=True, order=True):
    """A hand of a seat that took part has a combination; `prize` is its place in the pay table, 0 the lowest.

    `order`: where it stands among wins of linked tables, as the ledger gave it; 0 at one table alone.
    """

    prize: int
    order: int
    seat: int
    hand: int = 0


class Payout(msgspec.Struct, frozen=True):
    """One payment, in the order in which they are made."""

    win: Win
    amount: int


class Paid(msgspec.Struct, frozen=True):
    """All payments, what stays on the display, and whether the top was among them (then it starts anew)."""

    payouts: tuple[Payout, ...]
    left: int
    is_top: bool


def evaluate(
    settings: JackpotSettings, bettors: Iterable[int], hands: Mapping[int, tuple[tuple[Card, ...], ...]]
) -> tuple[Win, ...]:
    """The best combination of each hand of each bettor, lowest first. What became of the main bet does not matter.

    One chip is one bet (JP-10), so of a split pair only the better hand is paid: our reading, JP-5 counts the cards
    of both.
    """
    wins: list[Win] = []
    for seat in sorted(set(bettors)):
        made = [
            Win(best, 0, seat, place)
            for place, cards in enumerate(hands.get(seat, ()))
            if (best := _best(settings, cards)) is not None
        ]
        if made:
            wins.append(max(made, key=lambda win: (win.prize, -win.hand)))
    return tuple(sorted(wins))


def pay_out(settings: JackpotSettings, value: int, wins: Iterable[Win]) -> Paid:
    """From the value locked at the hit: lowest first, the top takes what is left, equal tops share (JP-13).

    A share is a share of that value, not of what lower prizes have left (our reading); nobody gets more than is left.
    """
    top_place = len(settings.prizes) - 1
    known = sorted(wins)
    tops = [win for win in known if win.prize == top_place]
    left, payouts = value, []
    for win in known:
        if win.prize != top_place:
            amount = min(left, _due(settings.prizes[win.prize], value))
            payouts.append(Payout(win, amount))
            left -= amount
    if tops:
        each, odd = divmod(left, len(tops))
        for place, win in enumerate(tops):
            more = 1 if settings.odd_units is OddUnits.FIRST_SEATS and place < odd else 0
            payouts.append(Payout(win, each + more))
            left -= each + more
    return Paid(tuple(payouts), left, bool(tops))


def _best(settings: JackpotSettings, cards: tuple[Card, ...]) -> int | None:
    counted = cards[: settings.counted_cards]
    places = (place for place, prize in enumerate(settings.prizes) if prize.combination.is_made_by(counted))
    return max(places, default=None)


def _due(prize: Prize, value: int) -> int:
    """A fixed amount, or the share in whole units; what is cut off stays on the display."""
    return prize.amount if prize.amount is not None else value * (prize.share or 0) // WHOLE
