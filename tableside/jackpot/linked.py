"""What a table and the ledger of linked tables say to each other: entries one way, sums and hits back. Pure data.

An entry has an id that its table gave it, the same however often it is sent: the ledger counts it once (JP-2).
"""

from __future__ import annotations

import msgspec

from tableside.jackpot.settings import MAIN, WHOLE, JackpotSettings
from tableside.jackpot.wins import Payout, Win, pay_out


class Share(msgspec.Struct, frozen=True):
    """What chips put into one level, in parts: ten-thousandths of the smallest unit."""

    level: str
    shown: int
    hidden: int


class Contribution(msgspec.Struct, frozen=True, tag="contribution"):
    """Chips that a table collected for one round, under the settings that were in force when they were locked."""

    id: str
    table: str
    chips: int
    shares: tuple[Share, ...]


class Claim(msgspec.Struct, frozen=True, tag="claim"):
    """All wins of one round as they stand now: a later `version` replaces an earlier one, none wins denies the hit.

    `settings`: under which the round was played; another table may have won the jackpot meanwhile.
    """

    hit: str
    table: str
    version: int
    wins: tuple[Win, ...]
    settings: JackpotSettings

    @property
    def id(self) -> str:
        """One entry a version."""
        return f"{self.hit}/{self.version}"


class Payment(msgspec.Struct, frozen=True, tag="payment"):
    """The prizes of a hit were paid as the ledger had said."""

    hit: str
    table: str

    @property
    def id(self) -> str:
        """A hit is settled once."""
        return f"{self.hit}/settled"


Entry = Contribution | Claim | Payment


class Pot(msgspec.Struct, frozen=True):
    """One level: `value` on the displays, in smallest units; all else in parts. `start`: which start it stands on."""

    level: str
    value: int
    shown: int
    hidden: int
    started: int
    contributed: int
    taken: int
    start: int

    @property
    def is_reconciled(self) -> bool:
        """Start + contributions - paid = shown (JP-2); a denied win is as if it had never been taken."""
        return self.started + self.contributed - self.taken == self.shown and self.shown >= 0 and self.hidden >= 0

    @property
    def overflow(self) -> int:
        """What is above the limit waits for the next start, in parts."""
        return self.shown - self.value * WHOLE


class Standing(msgspec.Struct, frozen=True):
    """How a linked jackpot stands: its levels, the main one first, and what it is set to.

    `pending`: hits that are being checked, at whichever table.
    """

    pots: tuple[Pot, ...]
    settings: JackpotSettings
    pending: int

    @property
    def value(self) -> int:
        """What displays show, in smallest units."""
        return self.pots[0].value

    @property
    def is_reconciled(self) -> bool:
        """Every level."""
        return all(pot.is_reconciled for pot in self.pots)


class Stage(msgspec.Struct, frozen=True):
    """Wins of one hit that share one locked value. `starts`: which start each level stood on then."""

    values: dict[str, int]
    starts: dict[str, int]
    wins: tuple[Win, ...]
    payouts: tuple[Payout, ...] = ()
    emptied: tuple[str, ...] = ()

    def taken(self, level: str) -> int:
        """What its prizes take of a level, in smallest units."""
        return sum(payout.amount for payout in self.payouts if payout.level == level)


class Hit(msgspec.Struct, frozen=True):
    """The ledger's word on the wins of one round. `order`: the how manieth hit of this jackpot it is."""

    id: str
    order: int
    version: int
    stages: tuple[Stage, ...] = ()
    is_settled: bool = False

    @property
    def value(self) -> int:
        """What the display showed at the hit."""
        return self.stages[0].values[MAIN] if self.stages else 0

    @property
    def payouts(self) -> tuple[Payout, ...]:
        """What is due, from the lowest prize to the top."""
        return tuple(sorted((one for stage in self.stages for one in stage.payouts), key=lambda one: one.win))


def contribution(id: str, table: str, chips: int, settings: JackpotSettings) -> Contribution:  # noqa: A002 - the entry's word
    """So many chips of the set value. Raises ValueError for a negative number."""
    if chips < 0:
        raise ValueError(f"{chips} chips: a contribution is never negative")
    staked = chips * settings.bet
    growing = [(level, settings.of(level)) for level in settings.pots]
    shares = tuple(Share(level, staked * grows.increment, staked * grows.hidden) for level, grows in growing)
    return Contribution(id, table, chips, shares)


def amended(
    settings: JackpotSettings, stages: tuple[Stage, ...], wins: tuple[Win, ...], pots: tuple[Pot, ...]
) -> tuple[Stage, ...]:
    """The stages of a hit whose wins are now these: what is new joins the last stage while its value is still there.

    Where another hit has taken from it meanwhile, the ledger's order counts: what is new is a stage of its own, on
    what the displays show now.
    """
    kept = [msgspec.structs.replace(stage, wins=tuple(win for win in stage.wins if win in wins)) for stage in stages]
    new = tuple(win for win in wins if all(win not in stage.wins for stage in stages))
    if new and kept and _is_all_there(stages[-1], pots):
        kept[-1] = msgspec.structs.replace(kept[-1], wins=tuple(sorted((*kept[-1].wins, *new))))
    elif new:
        kept.append(Stage({pot.level: pot.value for pot in pots}, {pot.level: pot.start for pot in pots}, new))
    return tuple(_paid_out(settings, stage) for stage in kept if stage.wins)


def _is_all_there(stage: Stage, pots: tuple[Pot, ...]) -> bool:
    return all(
        pot.start == stage.starts.get(pot.level) and stage.taken(pot.level) + pot.value >= stage.values[pot.level]
        for pot in pots
    )


def _paid_out(settings: JackpotSettings, stage: Stage) -> Stage:
    paid = pay_out(settings, stage.values, stage.wins)
    return msgspec.structs.replace(stage, payouts=paid.payouts, emptied=paid.emptied)
