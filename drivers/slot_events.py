"""Facts that jackpot chip slots tell, one slot a seat (JP-3). `drivers/every_fact.py` has them all.

A chip is told by what has gone in at its seat since the boot, as a meter, never by "one more": told twice it
counts once. What a chip is worth no device tells; it is a setting of the table (JP-10).
"""

from __future__ import annotations

from enum import StrEnum

from drivers.fact import Fact, Notice


class ChipReturn(StrEnum):
    """Why a slot gave a chip back (TDL 14.2 *Why a chip came back*)."""

    LATE = "late"  # the slot was closed (JP-11)
    SECOND = "second"  # one chip a player and round (JP-10)
    VALUE = "value"  # not a chip of the set value (JP-10)
    UNREAD = "unread"  # it could not be told what it was
    UNKNOWN = "unknown"


class ChipsIn(Notice, frozen=True, kw_only=True):
    """Chips taken in at a seat since the boot, as a meter."""

    seat: int
    meter: int


class ChipReturned(Notice, frozen=True, kw_only=True):
    """A chip was given back at a seat: it is no bet."""

    seat: int
    why: ChipReturn


class SlotTroubled(Notice, frozen=True, kw_only=True):
    """Something at a slot after which nobody can be certain of its chips. `why` is for people."""

    why: str


class SlotEvents(Fact, frozen=True, kw_only=True):
    """The slot's own counter of events, after what was told before: at the next start it tells what was missed."""

    counter: int


AnySlotFact = ChipsIn | ChipReturned | SlotEvents | SlotTroubled
