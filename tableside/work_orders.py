"""Which alerts a work order keeps quiet, and where it stands: technical ones of its device alone (ADR 44).

Nothing that stops play, keeps a rule of the game or says that somebody has been at a device is ever mute: the list
names what a technician at the open device knows anyway. A test holds each entry to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.service_happenings import AlertMuted

if TYPE_CHECKING:
    from tableside.state import TableState
    from tableside.tables import Turn

MUTED = frozenset({"DEVICE-SILENT", "SPARE-SILENT", "DEVICE-WARNING", "CARD-READER-SILENT", "FIRMWARE-UNTOLD"})


class Muted(msgspec.Struct, frozen=True):
    """An alert that would stand: raised when the work order ends, unless its cause is gone by then."""

    text: str
    place: str
    fields: dict[str, str]


class WorkOrder(msgspec.Struct, frozen=True):
    """One that is open; `muted` keyed `text:place`."""

    number: str
    by: str
    muted: dict[str, Muted] = {}


class WorkOrderSlice(msgspec.Struct, frozen=True):
    """The open ones, by device."""

    open: dict[str, WorkOrder] = {}


def of_alert(state: TableState, text: str, place: str, fields: Mapping[str, str]) -> str:
    """The device whose work order keeps this alert quiet; empty where none does."""
    if text not in MUTED:
        return ""
    named = (fields.get("device", ""), place, place.partition(":")[0])
    return next((device for device in named if device in state.procedures.work_orders.open), "")


def put(turn: Turn, device: str, order: WorkOrder | None) -> None:
    """Change what is open at a device; None takes the order off."""
    procedures = turn.state.procedures
    rest = {name: one for name, one in procedures.work_orders.open.items() if name != device}
    kept = rest if order is None else {**rest, device: order}
    turn.state = replace(turn.state, procedures=replace(procedures, work_orders=WorkOrderSlice(kept)))


def mute(turn: Turn, device: str, text: str, place: str, fields: dict[str, str]) -> None:
    """Keep an alert quiet: a row says so, once."""
    order = turn.state.procedures.work_orders.open[device]
    key = f"{text}:{place}"
    if key not in order.muted:
        turn.decide(AlertMuted(text=text, place=place, device=device, number=order.number))
    put(turn, device, replace(order, muted={**order.muted, key: Muted(text, place, fields)}))


def forget(turn: Turn, key: str) -> None:
    """The cause of a mute alert is gone: nothing is raised for it at the end."""
    for device, order in turn.state.procedures.work_orders.open.items():
        if key in order.muted:
            rest = {name: muted for name, muted in order.muted.items() if name != key}
            put(turn, device, replace(order, muted=rest))
            return
