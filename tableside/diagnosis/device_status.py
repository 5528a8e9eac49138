"""What `diag status` tells of one device: who it is, how far that is believed, and since when nothing came. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from firmware_bridge.clock import NS_PER_MS
from tableside.configuration import shape
from tableside.devices import DeviceLevels
from tableside.diagnosis.traces import Cable


class Trust(StrEnum):
    """How far what a device says of itself can be believed; the least first."""

    ANONYMOUS = "anonymous"  # it says nothing of itself: who it is, the table's file says
    SELF_REPORTED = "self-reported"  # it says who it is, and whoever changed it may have changed that
    AUTHENTICATED = "authenticated"  # it has proved that it has the key


# Drivers of devices that tell a serial number by themselves, in their protocol or by USB. Of the others nobody but the
# table's file says who is there: a sign, a board, a shoe and a browser tell a version at most.
TELLS_ITSELF = frozenset(
    {
        "tdl-continuous-shuffler",
        "tdl-batch-shuffler",
        "tdl-switch-box",
        "tdl-display",
        "tdl-slots",
        "tdl-card-reader",
        "osdp-badge-reader",
        "keyboard-badge-reader",
        "cctalk-slot",
        "blink1-lamp",
        "gat-firmware-port",
    }
)


def trust_of(device: shape.Device, levels: DeviceLevels | None) -> Trust:
    """Of a device as it stands now. Without a key of its own no channel proves anything."""
    if device.osdp_key_file is not None and levels is not None and levels.is_connected and levels.is_secure:
        return Trust.AUTHENTICATED
    return Trust.SELF_REPORTED if device.driver in TELLS_ITSELF else Trust.ANONYMOUS


def device_status(
    device: shape.Device, levels: DeviceLevels | None, health: Mapping[str, object], cable: Cable | None, now_ns: int
) -> dict[str, object]:
    """`health` of its link, and beside it what is known of it. `silent_ms`: since the last byte; None: never.

    A station of a bus tells it by itself, in its health: since its own last good answer.
    """
    told = levels or DeviceLevels()
    heard_ns = None if cable is None else cable.heard_ns
    return {
        "model": told.model or device.model,
        "serial": told.serial or device.serial_number,
        "firmware": told.firmware,
        "trust": trust_of(device, levels).value,
        "silent_ms": None if heard_ns is None else (now_ns - heard_ns) // NS_PER_MS,
        **health,
    }
