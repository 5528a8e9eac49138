"""What a TDL device keeps over loss of power (TDL 7.1). Each write is atomic; a test may cut the power at one."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.wire.tdl.codes import Reason, Status
from simulator.world.book import SlotMap

OUTCOMES_KEPT = 8


class PowerLost(Exception):
    """The supply failed at this write: nothing after it happened."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one command number. `cards` moved, where known."""

    number: int
    status: Status
    reason: Reason | None = None
    cards: int | None = None


@dataclass(frozen=True, slots=True)
class CommandRecord:
    """Epoch obeyed (0: nobody), highest number seen, the last eight outcomes by number."""

    epoch: int = 0
    highest: int = 0
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class CountRecord:
    """Meters of the running boot and the machine's own book."""

    cards_in: int = 0
    cards_out: int = 0
    slot_map: SlotMap | None = None


@dataclass(slots=True)
class Memory:
    """Three records, each written as a whole. A new one is a new board; `wipe` is a board that forgot."""

    boot: int = 0
    commands: CommandRecord = field(default_factory=CommandRecord)
    counts: CountRecord | None = None
    # Power fails at the so-many-th write from now: before it is done, or right after.
    cut_before: int | None = None
    cut_after: int | None = None
    # Cannot be written; could not be read at the last boot.
    is_broken: bool = False
    is_forgotten: bool = False
    writes: int = 0

    def next_boot(self) -> bool:
        """Count one boot more. False: the memory is broken, its number will be given again."""
        if self.is_broken:
            return False
        self._write()
        self.boot += 1
        self._written()
        return True

    def store_commands(self, record: CommandRecord) -> bool:
        """Replace the command record. False: the memory is broken, nothing was written."""
        if self.is_broken:
            return False
        self._write()
        self.commands = record
        self._written()
        return True

    def store_counts(self, record: CountRecord) -> None:
        """Replace meters and book; not counted among the writes that a test can cut."""
        self.counts = record

    def wipe(self) -> None:
        """Forget everything, as a board does whose memory cell failed."""
        self.boot, self.commands, self.counts = 0, CommandRecord(), None
        self.is_forgotten = True

    def _write(self) -> None:
        self.writes += 1
        if self.cut_before is not None:
            self.cut_before -= 1
            if self.cut_before == 0:
                self.cut_before = None
                raise PowerLost("before the write")

    def _written(self) -> None:
        if self.cut_after is not None:
            self.cut_after -= 1
            if self.cut_after == 0:
                self.cut_after = None
                raise PowerLost("after the write")
