"""Which decision becomes which call on a driver. Drivers return at once and never raise (drivers/device.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from drivers.device import BadgeReader, Device, Display, Lamp, TdlDevice
from drivers.events import Notice
from firmware_bridge.clock import NS_PER_MS
from tableside.decisions import (
    CommandIntended,
    Decision,
    DisplaySet,
    FaultCleared,
    LampSet,
    LevelsAsked,
    NoticesResumed,
    OutcomeAsked,
    PermitGranted,
    PermitRevoked,
    ReaderPrompted,
)


def carry_out(devices: Mapping[str, Device], decision: Decision, now_ns: int) -> None:
    """Hand a decision to its device, where it is one for a device that the table has."""
    act = ACTS.get(type(decision))
    if act is not None:
        device = devices.get(cast(Any, decision).device)
        if device is not None:
            act(device, decision, now_ns)


def acknowledge(devices: Mapping[str, Device], notice: Notice) -> None:
    """The notice's row is durable: the device may forget it (TDL 8.3)."""
    device = devices.get(notice.device)
    if device is not None:
        cast(TdlDevice, device).acknowledge(notice.boot, notice.number)


def _permit(device: TdlDevice, grant: PermitGranted, now_ns: int) -> None:
    """Never beyond the end of presence: what is left of it caps the time (semantics §2.1.4)."""
    duration_ms = grant.duration_ms
    if grant.not_after_ns is not None:
        duration_ms = min(duration_ms, (grant.not_after_ns - now_ns) // NS_PER_MS)
    if grant.is_fresh:
        device.revoke(grant.what)
    if duration_ms > 0:
        device.permit(grant.what, duration_ms, grant.limit_cards)


def _command(device: TdlDevice, intended: CommandIntended, _now_ns: int) -> None:
    device.command(intended.verb, intended.epoch, intended.number, intended.argument)


def _revoke(device: TdlDevice, revoked: PermitRevoked, _now_ns: int) -> None:
    device.revoke(revoked.what)


def _lamp(device: Lamp, lamp: LampSet, _now_ns: int) -> None:
    device.set_lamp(lamp.colour, lamp.pattern)


def _ask(device: TdlDevice, asked: OutcomeAsked, _now_ns: int) -> None:
    device.ask_outcome(asked.epoch, asked.number)


def _resume(device: TdlDevice, resumed: NoticesResumed, _now_ns: int) -> None:
    device.resume_notices(resumed.boot, resumed.number)


def _levels(device: TdlDevice, _asked: LevelsAsked, _now_ns: int) -> None:
    device.read_levels()


def _clear(device: TdlDevice, cleared: FaultCleared, _now_ns: int) -> None:
    device.clear_fault(cleared.fault)


def _show(device: Display, shown: DisplaySet, _now_ns: int) -> None:
    device.show(shown.showing)


def _prompt(device: BadgeReader, prompted: ReaderPrompted, _now_ns: int) -> None:
    device.prompt(is_amber=prompted.is_amber, beeps=prompted.beeps)


ACTS: Mapping[type[Decision], Callable[..., None]] = {
    PermitGranted: _permit,
    PermitRevoked: _revoke,
    LampSet: _lamp,
    CommandIntended: _command,
    OutcomeAsked: _ask,
    NoticesResumed: _resume,
    LevelsAsked: _levels,
    FaultCleared: _clear,
    ReaderPrompted: _prompt,
    DisplaySet: _show,
}
