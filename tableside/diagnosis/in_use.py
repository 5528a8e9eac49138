"""Who answers under which name, and which machine a table plays with: followed row by row. Pure."""

from __future__ import annotations

from drivers import events
from drivers.fact import Ready
from tableside import happenings, session_happenings
from tableside.inputs import DaemonStarted

AnyReady = events.DeviceReady | events.ReaderReady | Ready


class InUse:
    """Follows one table. `machine` is the name of the machine in use, empty before any is known."""

    def __init__(self) -> None:
        self.machine = ""
        self.serials: dict[str, str] = {}
        self.models: dict[str, str] = {}  # by serial number
        self._next = ""

    def follow(self, what: object) -> None:
        """Take the next row."""
        if isinstance(what, DaemonStarted):
            self.machine = self.machine or what.house.shuffler or what.house.shoe
        elif isinstance(what, AnyReady):
            self.serials[what.device] = what.serial
            self.models[what.serial] = what.model
        elif isinstance(what, happenings.SwapStarted):
            self._next = what.new
        elif isinstance(what, session_happenings.MachineCountedOut):
            self.machine = self._next or self.machine

    def serial(self, device: str) -> str:
        """Its serial number; empty while it has not answered."""
        return self.serials.get(device, "")
