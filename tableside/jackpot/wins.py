"""Who has won, and what is paid in which order (JP-5, JP-6, JP-12, JP-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tableside.cards import Card
from tableside.jackpot.settings import MAIN, WHOLE, JackpotSettings, OddUnits, Prize


class Win(msgspec.Struct, frozen=True, order=True):
    """A hand of a seat that took part has a combination; `prize` is its place in the pay table, 0 the lowest.

    `order`: where it stands among wins of linked tables, as the ledger gave it; 0 at one table alone.
    """

    prize: int
    order: int
    seat: int
    hand: int = 0


class Payout(msgspec.Struct, frozen=True):
    """One payment, in the order in which they are made. `level`: which pot it comes from."""

    win: Win
    amount: int
    level: str = MAIN


class Paid(msgspec.Struct, frozen=True):
    """All payments, what stays on the display, and whether the top was among them (then it starts anew).

    `emptied`: every level of which all was won, and which starts anew.
    """

    payouts: tuple[Payout, ...]
    left: int
    is_top: bool
    emptied: tuple[str, ...] = ()

    def of(self, level: str) -> int:
        """What is taken from one level."""
        return sum(payout.amount for payout in self.payouts if payout.level == level)


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


def pay_out(settings: JackpotSettings, value: int | Mapping[str, int], wins: Iterable[Win]) -> Paid:
    """From the values locked at the hit: lowest first, the top takes what is left, equal tops share (JP-13).

    `value`: of the main level alone, or of each by name. A share is a share of that value, not of what lower prizes
    have left (our reading); nobody gets more than is left. Prizes of a level share it as equal tops do.
    """
    values = {MAIN: value} if isinstance(value, int) else value
    left = dict(values)
    known = sorted(wins)
    payouts: dict[Win, Payout] = {}
    emptied: dict[str, list[Win]] = {}
    for win in known:
        level = settings.takes_all(win.prize)
        if level is None:
            amount = min(left[MAIN], _due(settings.prizes[win.prize], values[MAIN]))
            payouts[win] = Payout(win, amount)
            left[MAIN] -= amount
        else:
            emptied.setdefault(level, []).append(win)
    for level, takers in emptied.items():
        each, odd = divmod(left[level], len(takers))
        for place, win in enumerate(takers):
            more = 1 if settings.odd_units is OddUnits.FIRST_SEATS and place < odd else 0
            payouts[win] = Payout(win, each + more, level)
            left[level] -= each + more
    return Paid(tuple(payouts[win] for win in known), left[MAIN], MAIN in emptied, tuple(sorted(emptied)))


def _best(settings: JackpotSettings, cards: tuple[Card, ...]) -> int | None:
    counted = cards[: settings.counted_cards]
    places = (place for place, prize in enumerate(settings.prizes) if prize.combination.is_made_by(counted))
    return max(places, default=None)


def _due(prize: Prize, value: int) -> int:
    """A fixed amount, or the share in whole units; what is cut off stays on the display."""
    return prize.amount if prize.amount is not None else value * (prize.share or 0) // WHOLE
