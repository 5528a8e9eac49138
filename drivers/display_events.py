"""Facts that jackpot displays tell. They stand in a file of their own; `drivers.events` has them all."""

from __future__ import annotations

from enum import StrEnum

from drivers.fact import Fact


class Shown(StrEnum):
    """What a jackpot display shows (TDL 14.2 *What is shown*)."""

    NOTHING = "nothing"
    AMOUNT = "amount"
    PENDING = "pending"
    WON = "won"
    WAIT = "one moment"


class DisplayReady(Fact, frozen=True, kw_only=True):
    """A display answers that has no session of TDL: a sign, a page. It has not shown the present goal yet."""

    model: str
    firmware: str = ""
    serial: str = ""
    is_simulated: bool = False


class DisplayLost(Fact, frozen=True, kw_only=True):
    """The display does not answer: nobody knows what guests read there."""

    why: str


class DisplayShowed(Fact, frozen=True, kw_only=True):
    """Read back from the display: it shows this version of the goal. Told once when that begins."""

    version: int
    what: Shown


class DisplayTroubled(Fact, frozen=True, kw_only=True):
    """The display refuses what it is told, or shows something else than it was told. `why` is for the technician."""

    why: str
