"""The faults of a table's devices out of its rows: when, where, how often, whether cleared, and what clears it. Pure.

A fault that comes again before it was cleared is the same one, counted (semantics §3: a flapping line is one standing
condition with a count). *Gone* is the device's own word, *cleared* the house's: what touched cards or authority stays
until a named act, everything else goes by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from drivers import events
from drivers.card_events import CardReaderTroubled
from drivers.fact import Lost
from firmware_bridge.clock import NS_PER_S
from tableside import decisions, happenings, session_happenings
from tableside.catalogue import alert_text
from tableside.diagnosis.fault_words import fault_text, fault_words
from tableside.diagnosis.in_use import AnyReady, InUse
from tableside.explained import fault_code
from tableside.procedures import device_faults, jams
from tableside.reports.story import Told

AWAY = "away"
JAM = "jam"
TROUBLED = "troubled"
TAMPERED = "opened by somebody"
UNKNOWN = "outcome unknown"
# What comes back within this was a line, no alert (semantics §5).
SHORT_LOSS_NS = 8 * NS_PER_S
TECHNICIAN, EXCHANGE = "technician", "exchange"
_TROUBLES = frozenset({"READER-TROUBLED", "CARD-READER-TROUBLED"})


@dataclass(slots=True, eq=False)
class ToldFault:
    """One fault from its beginning. Times are UTC ns; `seq` is the row of its beginning.

    `number` is that of TDL 10.4; `code` is what `diag explain` takes.
    `needed`: *technician* or *exchange* where the floor could not clear it.
    """

    device: str
    serial: str
    what: str
    place: str
    seq: int
    began_ns: int
    last_ns: int
    is_latched: bool
    clears: str
    code: str
    detail: str = ""
    number: int | None = None
    times: int = 1
    gone_ns: int | None = None
    cleared_ns: int | None = None
    cleared_by: str = ""
    needed: str = ""

    @property
    def stands(self) -> bool:
        """Nobody and nothing has cleared it yet."""
        return self.cleared_ns is None


def faults_told(rows: Iterable[Told]) -> list[ToldFault]:
    """Every fault in the order in which it began."""
    reader = _Reader()
    for told in rows:
        reader.read(told)
    return reader.faults


class _Reader:
    """Follows the rows of one table."""

    def __init__(self) -> None:
        self.faults: list[ToldFault] = []
        self._used = InUse()
        self._standing: dict[tuple[str, str, str], ToldFault] = {}
        self._alerts: dict[int, tuple[str, str, str]] = {}

    def read(self, told: Told) -> None:
        self._used.follow(told.what)
        kind = type(told.what)
        handler = _READ.get(kind)
        if handler is not None:
            handler(self, told, told.what)
        elif isinstance(told.what, Lost | events.DeviceRejected):
            self._away(told, told.what)
        if isinstance(told.what, AnyReady):
            self._came(told, told.what)

    # --- begins -------------------------------------------------------------------------------------------------

    def _begin(self, told: Told, device: str, what: str, place: str, text: str, **more: Any) -> None:
        key = (device, what, place)
        known = self._standing.get(key)
        if known is not None:
            known.times += 1
            known.last_ns, known.gone_ns = told.wall_ns, None
            return
        fault = ToldFault(
            device=device,
            serial=self._used.serial(device),
            what=what,
            place=place,
            seq=told.seq,
            began_ns=told.wall_ns,
            last_ns=told.wall_ns,
            is_latched=alert_text(text).latched,
            clears=alert_text(text).clears,
            code=text,
            **more,
        )
        self._standing[key] = fault
        self.faults.append(fault)

    def _jammed(self, told: Told, what: events.CardJammed | happenings.JamFound) -> None:
        self._begin(told, what.device, JAM, what.place, jams.TEXTS.get(what.place, jams.OTHER_TEXT))

    def _faulted(self, told: Told, what: events.DeviceFaulted | happenings.FaultFound) -> None:
        known, words = fault_text(what.fault), fault_words(what.fault)
        self._begin(
            told, what.device, words, what.place, "DEVICE-FAULT" if known is None else known.alert, number=what.fault
        )
        fault = self._standing[what.device, words, what.place]
        fault.is_latched = what.fault not in device_faults.WARNINGS | device_faults.SELF_CLEARING
        if known is not None:
            fault.clears, fault.code = known.clears, fault_code(what.fault)

    def _tampered(self, told: Told, what: events.Tampered) -> None:
        self._begin(told, what.device, TAMPERED, what.what, "TAMPER")

    def _away(self, told: Told, what: Lost | events.DeviceRejected) -> None:
        self._begin(told, what.device, AWAY, "", "DEVICE-SILENT", detail=what.why)

    def _reader_troubled(self, told: Told, what: events.ReaderTroubled) -> None:
        self._begin(told, what.device, TROUBLED, "", "READER-TROUBLED", detail=what.what)

    def _card_reader_troubled(self, told: Told, what: CardReaderTroubled) -> None:
        self._begin(told, what.device, TROUBLED, "", "CARD-READER-TROUBLED", detail=what.why)

    def _display_troubled(self, told: Told, what: events.DisplayTroubled) -> None:
        self._begin(told, what.device, TROUBLED, "", "DISPLAY-LOST", detail=what.why)

    def _lamp_troubled(self, told: Told, what: events.LampTroubled) -> None:
        self._begin(told, what.device, TROUBLED, "", "LAMP-LOST", detail=what.why)

    def _lost_command(self, told: Told, what: happenings.CommandLost) -> None:
        self._begin(told, what.device, UNKNOWN, str(what.number), "OUTCOME-UNKNOWN", detail=str(what.verb))

    # --- goes ---------------------------------------------------------------------------------------------------

    def _gone(self, told: Told, key: tuple[str, str, str]) -> None:
        known = self._standing.get(key)
        if known is not None:
            known.gone_ns = told.wall_ns
            if not known.is_latched:
                self._clear(told, key, by=known.device)

    def _clear(self, told: Told, key: tuple[str, str, str], *, by: str, needed: str = "") -> None:
        fault = self._standing.pop(key, None)
        if fault is not None:
            fault.cleared_ns, fault.cleared_by = told.wall_ns, by
            fault.needed = needed or fault.needed
            if fault.gone_ns is None:
                fault.gone_ns = told.wall_ns

    def _of_device(self, device: str, *whats: str) -> Iterator[tuple[str, str, str]]:
        yield from [key for key in self._standing if key[0] == device and (not whats or key[1] in whats)]

    def _came(self, told: Told, what: AnyReady) -> None:
        """It answers: it is not away, and what it does not name any more is gone."""
        for key in self._of_device(what.device, AWAY):
            if told.wall_ns - self._standing[key].began_ns < SHORT_LOSS_NS:
                self.faults.remove(self._standing[key])
            self._clear(told, key, by=what.device)
        if isinstance(what, events.DeviceReady):
            named = {(JAM if fault == 0 else fault_words(fault), str(place)) for fault, place in what.faults}
            kept = (TAMPERED, UNKNOWN, TROUBLED)
            for key in self._of_device(what.device):
                if key[1] not in kept and key[1:] not in named:
                    self._gone(told, key)

    def _jam_gone(self, told: Told, what: events.JamGone | happenings.JamFoundGone) -> None:
        self._gone(told, (what.device, JAM, what.place))

    def _fault_gone(self, told: Told, what: events.DeviceFaultGone) -> None:
        self._gone(told, (what.device, fault_words(what.fault), what.place))

    def _showed(self, told: Told, what: events.LampShowed | events.DisplayShowed) -> None:
        for key in self._of_device(what.device, TROUBLED):
            self._clear(told, key, by=what.device)

    def _alert_raised(self, _told: Told, what: decisions.AlertRaised) -> None:
        """A reader's trouble is over when its alert is cleared, which names no more than its number."""
        if what.text in _TROUBLES:
            self._alerts[what.alert] = (what.place.partition(":")[0], TROUBLED, "")

    def _alert_cleared(self, told: Told, what: decisions.AlertCleared) -> None:
        key = self._alerts.pop(what.alert, None)
        if key is not None:
            self._clear(told, key, by=what.by)

    def _unlocked(self, told: Told, what: decisions.LockRemoved) -> None:
        """The lock of a jam, a fault or an opened device goes where it is cleared, and nowhere else."""
        for key, fault in list(self._standing.items()):
            if fault.is_latched and what.reason == self._reason(key, fault):
                self._clear(told, key, by=what.by)

    def _reason(self, key: tuple[str, str, str], fault: ToldFault) -> str:
        device, kind, place = key
        if kind == JAM:
            return jams.lock_reason(place)
        if kind == TAMPERED:
            return f"{device_faults.TAMPERED} {device}"
        return "" if fault.number is None else device_faults.lock_reason(device, fault.number)

    def _settled(self, told: Told, what: decisions.CommandSettled) -> None:
        self._clear(told, (what.device, UNKNOWN, str(what.number)), by=what.by)

    # --- who had to come ----------------------------------------------------------------------------------------

    def _technician(self, _told: Told, _what: object) -> None:
        for key in self._of_device(self._used.machine):
            self._standing[key].needed = TECHNICIAN

    def _exchanged(self, told: Told, what: session_happenings.MachineCountedOut) -> None:
        for key in self._of_device(what.device):
            if key[1] not in (AWAY, UNKNOWN):
                self._clear(told, key, by=f"{what.serial} was exchanged", needed=EXCHANGE)


_READ: Mapping[type, Callable[..., None]] = {
    events.CardJammed: _Reader._jammed,
    happenings.JamFound: _Reader._jammed,
    events.JamGone: _Reader._jam_gone,
    happenings.JamFoundGone: _Reader._jam_gone,
    events.DeviceFaulted: _Reader._faulted,
    happenings.FaultFound: _Reader._faulted,
    events.DeviceFaultGone: _Reader._fault_gone,
    events.Tampered: _Reader._tampered,
    events.ReaderTroubled: _Reader._reader_troubled,
    CardReaderTroubled: _Reader._card_reader_troubled,
    events.DisplayTroubled: _Reader._display_troubled,
    events.LampTroubled: _Reader._lamp_troubled,
    events.LampShowed: _Reader._showed,
    events.DisplayShowed: _Reader._showed,
    happenings.CommandLost: _Reader._lost_command,
    decisions.CommandSettled: _Reader._settled,
    decisions.LockRemoved: _Reader._unlocked,
    decisions.AlertRaised: _Reader._alert_raised,
    decisions.AlertCleared: _Reader._alert_cleared,
    happenings.TechnicianCalled: _Reader._technician,
    happenings.TechnicianWorked: _Reader._technician,
    session_happenings.MachineCountedOut: _Reader._exchanged,
}
