"""Which rows of a journal speak of devices, their faults and who mended them; rows as the daemon sends them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from drivers import events
from drivers.card_events import CardReaderLost, CardReaderReady, CardReaderTroubled
from drivers.firmware_events import FirmwarePortLost, FirmwarePortReady, FirmwareTold, FirmwareUntold
from tableside import decisions, happenings, machine_happenings, service_happenings, session_happenings
from tableside.inputs import DaemonStarted
from tableside.journal.record import FORMAT, NO_PREVIOUS, Record, RecordKind

KINDS: tuple[type, ...] = (
    DaemonStarted,
    events.DeviceReady,
    events.DeviceLost,
    events.DeviceRejected,
    events.DeviceBooted,
    events.ReaderReady,
    events.ReaderLost,
    events.ReaderTroubled,
    events.DisplayReady,
    events.DisplayLost,
    events.DisplayShowed,
    events.DisplayTroubled,
    events.LampReady,
    events.LampLost,
    events.LampShowed,
    events.LampTroubled,
    CardReaderReady,
    CardReaderLost,
    CardReaderTroubled,
    FirmwarePortReady,
    FirmwarePortLost,
    FirmwareTold,
    FirmwareUntold,
    events.CardJammed,
    events.JamGone,
    events.DeviceFaulted,
    events.DeviceFaultGone,
    events.Tampered,
    events.CardSuspected,
    happenings.JamFound,
    happenings.JamFoundGone,
    happenings.JamCleared,
    happenings.FaultFound,
    happenings.CardsLeft,
    happenings.CommandClosed,
    happenings.CommandLost,
    happenings.RoundEnded,
    happenings.CountEnded,
    happenings.DifferenceFound,
    happenings.DifferenceSettled,
    happenings.SessionOpened,
    happenings.SessionClosed,
    happenings.SwapStarted,
    happenings.SwapAdvised,
    happenings.TechnicianCalled,
    happenings.TechnicianWorked,
    session_happenings.LoadCompleted,
    session_happenings.MachineCountedOut,
    machine_happenings.MachineRecorded,
    service_happenings.WorkOrderOpened,
    service_happenings.WorkOrderClosed,
    service_happenings.AlertMuted,
    service_happenings.SelfTestEnded,
    service_happenings.DealTestEnded,
    decisions.AlertRaised,
    decisions.AlertCleared,
    decisions.CommandSettled,
    decisions.FaultCleared,
    decisions.IncidentOpened,
    decisions.IncidentClosed,
    decisions.LockRemoved,
)
TYPES = frozenset(kind.__name__ for kind in KINDS)


def of_service(records: Iterable[Record]) -> Iterator[Record]:
    """The rows that are wanted, the first one of the journal always."""
    return (record for record in records if record.type in TYPES or record.kind is RecordKind.GENESIS)


def record_of_line(entry: Mapping[str, Any]) -> Record:
    """A row of the control socket's *history* as a record: its chain did not travel with it. Raises `KeyError`."""
    kind = RecordKind(entry["kind"])
    body = entry["body"] if kind is RecordKind.GENESIS else {"type": entry["type"], **entry["body"]}
    return Record(
        seq=entry["seq"],
        format=FORMAT,
        kind=kind,
        type=entry["type"],
        body=msgspec.json.encode(body),
        at_ns=0,
        wall_ns=entry["wall_ns"],
        quality="",
        boot="",
        request=None,
        previous=NO_PREVIOUS,
        hash=NO_PREVIOUS,
    )
