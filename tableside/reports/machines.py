"""What journals tell of machines by serial number: where each one was, and all that happened to it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from drivers import card_events, events
from drivers.fact import Ready
from drivers.firmware_events import FirmwareTold, FirmwareUntold
from tableside import happenings, session_happenings
from tableside.inputs import DaemonStarted
from tableside.machine_happenings import MachineRecorded
from tableside.machine_requests import Standing
from tableside.reports.lines import LINES, Sentence
from tableside.reports.story import Story, Told


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened to a machine; `standing` where it changed with it."""

    story: Story
    told: Told
    text: str
    standing: Standing | None = None


@dataclass(slots=True)
class Machine:
    """One machine, over all journals that were read."""

    serial: str
    moments: list[Moment] = field(default_factory=list)
    jams: Counter[str] = field(default_factory=Counter)
    faults: Counter[int] = field(default_factory=Counter)
    parts: list[tuple[Moment, str]] = field(default_factory=list)

    @property
    def standings(self) -> list[Moment]:
        """The moments at which it came to stand elsewhere, in order."""
        found: list[Moment] = []
        for moment in self.moments:
            if moment.standing is not None and (not found or _stands(found[-1]) != _stands(moment)):
                found.append(moment)
        return found


def _stands(moment: Moment) -> tuple[str, Standing | None]:
    return moment.story.house.table, moment.standing


def machines(stories: Iterable[Story]) -> dict[str, Machine]:
    """Every machine by its serial number; its moments in the order of the hosts' clocks."""
    found: dict[str, Machine] = {}
    for story in stories:
        reader = _Reader(story, found)
        for told in story.told:
            reader.read(told)
    for machine in found.values():
        machine.moments.sort(key=lambda moment: (moment.told.wall_ns, moment.story.house.table, moment.told.seq))
        machine.parts.sort(key=lambda part: part[0].told.wall_ns)
    return found


# What belongs to the device that tells it, or that it names, in words of this history.
OF_DEVICE: Mapping[type, Sentence] = {
    events.DeviceFaulted: lambda _s, w: f"Fault {w.fault} at the {w.place}",
    events.DeviceFaultGone: lambda _s, w: f"Fault {w.fault} at the {w.place} is gone",
    events.CardJammed: lambda _s, w: f"Jam at the {w.place}",
    events.JamGone: lambda _s, w: f"The path at the {w.place} is free again",
    events.Tampered: lambda _s, w: f"Opened by somebody: {w.what}",
    events.CardSuspected: lambda _s, w: f"Suspects a card at the {w.place}: {w.why}",
    events.DeviceBooted: lambda _s, w: f"Started: {w.cause}",
    events.LampTroubled: lambda _s, w: f"Trouble with the lamp: {w.why}",
    card_events.ShoeErrorBegan: lambda _s, w: f"Error {w.code}{', it draws nothing' if w.is_stopped else ''}",
    card_events.ShoeErrorEnded: lambda _s, w: f"Error {w.code} is over",
    card_events.CardReaderTroubled: lambda _s, w: f"Trouble with what it tells: {w.why}",
    happenings.JamFound: LINES[happenings.JamFound],
    happenings.JamFoundGone: LINES[happenings.JamFoundGone],
    happenings.FaultFound: LINES[happenings.FaultFound],
    happenings.MachineHandCounted: LINES[happenings.MachineHandCounted],
    happenings.CountEnded: LINES[happenings.CountEnded],
    session_happenings.EmptyDisproved: LINES[session_happenings.EmptyDisproved],
}
# What happens to the machine in use, without naming it.
IN_USE: Mapping[type, Sentence] = {
    kind: LINES[kind]
    for kind in (
        happenings.JamCleared,
        happenings.TechnicianCalled,
        happenings.TechnicianWorked,
        happenings.SwapAdvised,
    )
}
_JAMS = (events.CardJammed, happenings.JamFound)
# What counts as a fault, and under which number.
_FAULTS: Mapping[type, Callable[[Any], int]] = {
    events.DeviceFaulted: lambda w: w.fault,
    happenings.FaultFound: lambda w: w.fault,
    card_events.ShoeErrorBegan: lambda w: w.code,
}


class _Reader:
    """Follows one table: which serial number answers under which name, and which name is in use."""

    def __init__(self, story: Story, found: dict[str, Machine]) -> None:
        self._story = story
        self._found = found
        self._serials: dict[str, str] = {}
        self._firmware: dict[str, str] = {}
        self._machines: tuple[str, ...] = ()
        self._in_use = ""
        self._next = ""

    def read(self, told: Told) -> None:
        what: Any = told.what
        kind = type(what)
        if kind in _READ:
            _READ[kind](self, told, what)
        elif isinstance(what, events.DeviceReady | events.ReaderReady | Ready):
            self._came(told, what)
        elif kind in OF_DEVICE:
            self._happened(told, what)
        elif kind in IN_USE:
            self._add(self._serials.get(self._in_use, ""), told, IN_USE[kind](self._story, what))

    def _add(self, serial: str, told: Told, text: str, standing: Standing | None = None) -> Moment:
        moment = Moment(self._story, told, text, standing)
        if serial:
            self._found.setdefault(serial, Machine(serial)).moments.append(moment)
        return moment

    def _started(self, _told: Told, what: DaemonStarted) -> None:
        house = what.house
        self._in_use = self._in_use or house.shuffler or house.shoe
        self._machines = tuple(filter(None, (house.shuffler, *house.spare_shufflers, house.shoe)))

    def _came(self, told: Told, what: events.DeviceReady | events.ReaderReady | Ready) -> None:
        before = self._serials.get(what.device, "")
        if before and before != what.serial:
            standing = Standing.OUT if what.device in self._machines else None
            self._add(before, told, f"Another device, {what.serial or 'unnamed'}, answers as {what.device}", standing)
        self._serials[what.device] = what.serial
        if before != what.serial:
            firmware = f", firmware {what.firmware}" if what.firmware else ""
            self._add(what.serial, told, f"Answers as {what.device}: {what.model}{firmware}", self._place(what.device))
        elif what.firmware != self._firmware.get(what.serial, what.firmware):
            self._add(what.serial, told, f"Other firmware: {self._firmware[what.serial]} before, {what.firmware} now")
        self._firmware[what.serial] = what.firmware

    def _place(self, device: str) -> Standing | None:
        if device == self._in_use:
            return Standing.IN_SERVICE
        return Standing.READY if device in self._machines else None

    def _happened(self, told: Told, what: Any) -> None:
        serial = self._serials.get(what.device, "")
        self._add(serial, told, OF_DEVICE[type(what)](self._story, what))
        if serial and isinstance(what, _JAMS):
            self._found[serial].jams[what.place] += 1
        elif serial and type(what) in _FAULTS:
            self._found[serial].faults[_FAULTS[type(what)](what)] += 1

    def _rejected(self, told: Told, what: events.DeviceRejected) -> None:
        self._add(what.serial, told, f"Turned away as {what.device}: {what.why}")

    def _proved(self, told: Told, what: FirmwareTold) -> None:
        listed = f"{what.version}, on the list" if what.is_listed else f"NOT on the list: {'; '.join(what.differences)}"
        self._add(self._serials.get(what.of, ""), told, f"Firmware, as it tells itself: {listed}")

    def _not_proved(self, told: Told, what: FirmwareUntold) -> None:
        self._add(self._serials.get(what.of, ""), told, f"Told nothing of its firmware: {what.why}")

    def _exchange(self, told: Told, what: happenings.SwapStarted) -> None:
        self._next = what.new
        text = f"Is to be exchanged for {what.new} ({self._serials.get(what.new, 'unknown')}), incident {what.incident}"
        self._add(self._serials.get(what.old, ""), told, text)

    def _counted_out(self, told: Told, what: session_happenings.MachineCountedOut) -> None:
        text = f"Counted out: {what.cards}, {what.left_behind} left in it"
        self._add(what.serial, told, text, Standing.OUT)
        self._in_use = self._next or self._in_use
        new = self._serials.get(self._in_use, "")
        self._add(new, told, f"Takes the place of {what.serial} as {self._in_use}", Standing.IN_SERVICE)

    def _recorded(self, told: Told, what: MachineRecorded) -> None:
        note = f": {what.note}" if what.note else ""
        text = f"Recorded as {what.standing}{note}, by {self._story.person(what.by)}"
        moment = self._add(what.serial, told, text, what.standing)
        for part in what.parts:
            self._found[what.serial].parts.append((moment, part))
            self._add(what.serial, told, f"Part exchanged: {part}")


_READ: Mapping[type, Callable[..., None]] = {
    DaemonStarted: _Reader._started,
    events.DeviceRejected: _Reader._rejected,
    FirmwareTold: _Reader._proved,
    FirmwareUntold: _Reader._not_proved,
    happenings.SwapStarted: _Reader._exchange,
    session_happenings.MachineCountedOut: _Reader._counted_out,
    MachineRecorded: _Reader._recorded,
}
