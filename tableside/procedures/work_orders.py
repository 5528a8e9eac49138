"""A work order: a technician works on one device, and is not called to it meanwhile.

It mutes that device's technical alerts and nothing else (`tableside/work_orders.py`), is a row when it begins and when
it ends, and ends by itself. What was mute and still stands is raised at its end.
"""

from __future__ import annotations

from enum import StrEnum

from firmware_bridge.clock import NS_PER_S
from tableside import alerts, presence, timers
from tableside.house import Role
from tableside.inputs import DeadlinePassed
from tableside.refusals import Refusal, refusal
from tableside.service_happenings import WorkOrderClosed, WorkOrderOpened
from tableside.service_requests import CloseWorkOrder, OpenWorkOrder
from tableside.tables import GO_ON, Procedure, Row, Turn
from tableside.work_orders import WorkOrder, mute, of_alert, put

RULE = "CSM-2"
TIMER = "work-order:"
S_PER_HOUR = 3_600
# A shift: whoever works longer says so again.
MOST_HOURS = 12
CLOSED, TIME = "closed", "time"


class WorkOrderState(StrEnum):
    """Each device has its own; the table of them has no states."""

    ANY = "any"


def _is_device(turn: Turn, what: OpenWorkOrder) -> Refusal | None:
    if what.device in turn.state.devices.known:
        return None
    known = ", ".join(sorted(turn.state.devices.known)) or "none yet"
    return refusal("WORK-NO-DEVICE", device=what.device, known=known)


def _is_new(turn: Turn, what: OpenWorkOrder) -> Refusal | None:
    order = turn.state.procedures.work_orders.open.get(what.device)
    if order is None:
        return None
    return refusal("WORK-ORDER-OPEN", order=order.number, device=what.device)


def _is_limited(_turn: Turn, what: OpenWorkOrder) -> Refusal | None:
    if what.order.strip() and 1 <= what.hours <= MOST_HOURS:
        return None
    return refusal("WORK-ORDER-LIMITS", hours=what.hours, most=MOST_HOURS)


def _is_open(turn: Turn, what: CloseWorkOrder) -> Refusal | None:
    if what.device in turn.state.procedures.work_orders.open and what.work.strip():
        return None
    known = ", ".join(turn.state.procedures.work_orders.open) or "none"
    return refusal("WORK-ORDER-NONE", device=what.device, known=known)


def _open(turn: Turn, what: OpenWorkOrder) -> None:
    seconds = what.hours * S_PER_HOUR
    put(turn, what.device, WorkOrder(what.order, turn.by))
    timers.start(turn, f"{TIMER}{what.device}", seconds)
    until_ns = turn.given.wall_ns + seconds * NS_PER_S
    turn.happened(WorkOrderOpened(device=what.device, number=what.order, by=turn.by, until_ns=until_ns))
    for alert in tuple(turn.state.alerts.standing.values()):
        if of_alert(turn.state, alert.text, alert.place, alert.fields) == what.device:
            alerts.clear_alert(turn, alert.text, alert.place, by=turn.by, why=f"work order {what.order}")
            mute(turn, what.device, alert.text, alert.place, alert.fields)


def _close(turn: Turn, what: CloseWorkOrder) -> None:
    timers.cancel(turn, f"{TIMER}{what.device}")
    _end(turn, what.device, what.work, CLOSED)


def _is_over(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name.startswith(TIMER)


def _run_out(turn: Turn, what: DeadlinePassed) -> None:
    _end(turn, what.name.removeprefix(TIMER), "", TIME)


def _end(turn: Turn, device: str, work: str, why: str) -> None:
    order = turn.state.procedures.work_orders.open.get(device)
    if order is None:
        return
    put(turn, device, None)
    turn.happened(WorkOrderClosed(device=device, number=order.number, work=work, why=why, by=turn.by))
    for muted in order.muted.values():
        alerts.raise_alert(turn, muted.text, muted.place, **muted.fields)


A = WorkOrderState.ANY
TECHNICIAN = presence.acts_as(Role.TECHNICIAN, rule=RULE)
PROCEDURE = Procedure(
    name="work order",
    rule=RULE,
    states=WorkOrderState,
    read=lambda _state, _what: WorkOrderState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(
            A,
            OpenWorkOrder,
            None,
            _open,
            guards=(TECHNICIAN, _is_device, _is_new, _is_limited),
            said="its technical alerts are mute; it ends by itself",
            then="work; then close the order",
        ),
        Row(A, CloseWorkOrder, None, _close, guards=(TECHNICIAN, _is_open), said="closed", then=GO_ON),
        Row(A, DeadlinePassed, None, _run_out, _is_over, said="its time is over"),
    ),
    next_step={A: "open a work order at the device that you work on"},
)
