"""The last eight outcomes and the highest number: why no command ever runs twice (TDL 7.1, 7.5, 7.6)."""

from __future__ import annotations

from dataclasses import replace

from firmware_bridge.wire.tdl.codes import Status

from .memory import OUTCOMES_KEPT, CommandRecord, Memory, Outcome


class Outcomes:
    """Everything here is in the memory, as far as it can be written."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._interrupted: set[int] = set()  # in a boot whose memory cannot be written

    @property
    def epoch(self) -> int:
        """The epoch that the device obeys; 0: nobody yet."""
        return self._memory.commands.epoch

    @property
    def highest(self) -> int:
        return self._memory.commands.highest

    @property
    def running(self) -> int:
        """Number of the command that is stored as *started*, or 0."""
        started = [kept.number for kept in self._memory.commands.outcomes if kept.status is Status.STARTED]
        return started[0] if started else 0

    def known(self, number: int) -> Outcome | None:
        """What is answered for a number that was seen or passed over; None: it is new."""
        for kept in self._memory.commands.outcomes:
            if kept.number == number:
                return replace(kept, status=Status.INTERRUPTED) if number in self._interrupted else kept
        return Outcome(number, Status.OLD) if number <= self.highest else None

    def store(self, outcome: Outcome) -> bool:
        """Keep it and raise the highest number. False: the memory cannot be written."""
        record = self._memory.commands
        others = [kept for kept in record.outcomes if kept.number != outcome.number]
        kept = sorted([*others, outcome], key=lambda each: each.number)[-OUTCOMES_KEPT:]
        highest = max(record.highest, outcome.number)
        return self._memory.store_commands(replace(record, highest=highest, outcomes=tuple(kept)))

    def ask(self, number: int) -> Outcome | None:
        """OUTCOME: an unknown number above the highest becomes *never*, for ever. None: it cannot be stored."""
        known = self.known(number)
        if known is not None:
            return known
        never = Outcome(number, Status.NEVER)
        return never if self.store(never) else None

    def is_writable(self) -> bool:
        """Try a write that changes nothing."""
        return self._memory.store_commands(self._memory.commands)

    def interrupt(self) -> None:
        """At boot: what was started has been interrupted, also where that cannot be stored."""
        for kept in self._memory.commands.outcomes:
            if kept.status is Status.STARTED and not self.store(replace(kept, status=Status.INTERRUPTED)):
                self._interrupted.add(kept.number)

    def adopt(self, epoch: int, highest: int) -> bool:
        """Obey another epoch, forget the eight, in one write."""
        return self._memory.store_commands(CommandRecord(epoch, highest))
