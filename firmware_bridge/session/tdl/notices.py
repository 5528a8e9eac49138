"""Which notice goes up and which is answered at once (TDL 8). Pure.

Three numbers: *durable*, the last that the journal holds and the only one ever acknowledged; *delivered*, the
last that was handed up; and the number that comes in.
"""

from __future__ import annotations

from enum import Enum, auto


class Arrival(Enum):
    """What to do with a notice."""

    EARLY = auto()  # before step 4: a device that does not keep to the handshake; it will send it again
    NEW = auto()  # hand it up
    AWAITING = auto()  # a copy of one that is on its way to the journal: its commit will acknowledge it
    DURABLE = auto()  # a copy of one that the journal holds: acknowledge again
    AHEAD = auto()  # one before it is missing: answer with the last number that the journal holds


class NoticeOrder:
    """The notices of one boot, exactly once and in order."""

    def __init__(self) -> None:
        self.boot: int | None = None
        self.durable = 0
        self._oldest = 0
        self._newest = 0
        self._delivered: int | None = None  # None until the journal has said what it holds

    @property
    def is_flowing(self) -> bool:
        """True once the journal has said what it holds."""
        return self._delivered is not None

    def begin(self, boot: int, *, oldest: int, newest: int) -> None:
        """The device has told its boot and which notices it keeps."""
        self.boot, self._oldest, self._newest = boot, oldest, newest

    def resume(self, boot: int, number: int) -> bool:
        """The journal holds all of `boot` up to `number`; True if that lets notices flow.

        What the device no longer keeps cannot be waited for, and what it never had cannot be acknowledged: both
        show in `Ready`, and the table judges them.
        """
        if boot != self.boot or self.is_flowing:
            return False
        self.durable = min(number, self._newest)
        self._delivered = max(self.durable, self._oldest - 1)
        return True

    def acknowledge(self, boot: int, number: int) -> bool:
        """The journal holds all of `boot` up to `number`; True if that is news. Never beyond what went up."""
        if boot != self.boot or self._delivered is None or number <= self.durable:
            return False
        self.durable = min(number, self._delivered)
        return True

    def take(self, number: int) -> Arrival:
        """Judge a notice of this boot that has just come in."""
        if self._delivered is None:
            return Arrival.EARLY
        if number > self._delivered + 1:
            return Arrival.AHEAD
        if number == self._delivered + 1:
            self._delivered = number
            return Arrival.NEW
        return Arrival.DURABLE if number <= self.durable else Arrival.AWAITING
