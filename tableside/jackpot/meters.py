"""A jackpot's meters: exact integers with carried remainders, which reconcile at every row (JP-2).

What is shown = started with + contributed - paid. The remainder of a contribution, in parts of 10,000 of the smallest
unit, is carried and never rounded away (design rule 11).
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from tableside.jackpot.settings import WHOLE, JackpotSettings


class Meters(msgspec.Struct, frozen=True):
    """`started`: every start that was put on the display, the first and after each top win. All in smallest units.

    `hidden` and `overflow` wait for the next start. `of_increment` and `of_hidden` are the carried remainders.
    """

    shown: int
    started: int
    contributed: int = 0
    paid: int = 0
    hidden: int = 0
    overflow: int = 0
    of_increment: int = 0
    of_hidden: int = 0
    chips: int = 0

    @property
    def is_reconciled(self) -> bool:
        """Start + contributions - paid = shown; a table whose meters do not reconcile takes no jackpot bets."""
        return self.started + self.contributed - self.paid == self.shown and self.shown >= 0


def first(settings: JackpotSettings) -> Meters:
    """A new jackpot at its starting value (JP-7)."""
    return Meters(shown=settings.start, started=settings.start)


def contribute(meters: Meters, settings: JackpotSettings, chips: int) -> Meters:
    """So many chips of the set value were collected. Raises ValueError for a negative number."""
    if chips < 0:
        raise ValueError(f"{chips} chips: a contribution is never negative")
    staked = chips * settings.bet
    whole, of_increment = divmod(staked * settings.increment + meters.of_increment, WHOLE)
    aside, of_hidden = divmod(staked * settings.hidden + meters.of_hidden, WHOLE)
    room = whole if settings.limit is None else max(0, settings.limit - meters.shown)
    raised = min(whole, room)
    return replace(
        meters,
        shown=meters.shown + raised,
        contributed=meters.contributed + raised,
        overflow=meters.overflow + whole - raised,
        hidden=meters.hidden + aside,
        of_increment=of_increment,
        of_hidden=of_hidden,
        chips=meters.chips + chips,
    )


def pay(meters: Meters, amount: int) -> Meters:
    """A prize was paid. Raises ValueError where it is more than is there."""
    if not 0 <= amount <= meters.shown:
        raise ValueError(f"{amount} of {meters.shown}: a prize is at most what the display shows")
    return replace(meters, shown=meters.shown - amount, paid=meters.paid + amount)


def restart(meters: Meters, settings: JackpotSettings) -> Meters:
    """After a top win (JP-13): at least the starting value again; overflow and hidden pool go on top of it.

    What the house adds is what lacks to the starting value; nothing that players paid in is lost.
    """
    pool = meters.shown + meters.overflow + meters.hidden
    goal = max(settings.start, pool)
    limit = goal if settings.limit is None else min(goal, settings.limit)
    return replace(
        meters,
        shown=limit,
        started=meters.started + limit - meters.shown,
        overflow=0,
        hidden=goal - limit,
    )
