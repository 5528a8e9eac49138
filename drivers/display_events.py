"""Facts that jackpot displays tell. `drivers/every_fact.py` has them all."""

from __future__ import annotations

from enum import StrEnum

from drivers.fact import Fact, Lost, Ready


class Shown(StrEnum):
    """What a jackpot display shows (TDL 14.2 *What is shown*)."""

    NOTHING = "nothing"
    AMOUNT = "amount"
    PENDING = "pending"
    WON = "won"
    WAIT = "one moment"


class DisplayReady(Ready, frozen=True, kw_only=True):
    """A sign or a page answers. It has not shown the present goal yet."""


class DisplayLost(Lost, frozen=True, kw_only=True):
    """Nobody knows what guests read there."""


class DisplayShowed(Fact, frozen=True, kw_only=True):
    """Read back from the display: it shows this version of the goal. Told once when that begins."""

    version: int
    what: Shown


class DisplayTroubled(Fact, frozen=True, kw_only=True):
    """The display refuses what it is told, or shows something else than it was told. `why` is for the technician."""

    why: str


AnyDisplayFact = DisplayReady | DisplayLost | DisplayShowed | DisplayTroubled
