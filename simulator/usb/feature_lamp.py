"""What a blink(1) is on USB: a HID device without anything to say, set and read by feature report 1."""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware_bridge.links.usb_descriptors import (
    GET_DESCRIPTOR,
    HID,
    HID_CLASS,
    HID_REPORT,
    INTERRUPT,
    Endpoint,
    Interface,
    Setup,
)
from firmware_bridge.links.usb_hid import GET_REPORT, SET_IDLE, SET_REPORT, ReportKind
from simulator.faces.blink1 import Blink1Face

from .shapes import INTERRUPT_IN, Shape, UsbIdentity

VENDOR, PRODUCT = 0x27B8, 0x01ED
# Vendor page, one feature report: number 1, eight bytes behind it (assumed: as the maker's library allocates it).
REPORTS = bytes.fromhex("0600ff0901a101150026ff0075088501950809 00b2020 1c0".replace(" ", ""))


def blink1_identity(serial: str) -> UsbIdentity:
    """As a lamp on the host's bus tells of itself."""
    return UsbIdentity(serial, VENDOR, PRODUCT, "Tableside simulator", "blink(1) mk2")


def blink1_shape(face: Blink1Face, now_ns: Callable[[], int] = time.monotonic_ns) -> Shape:
    """The device around this face."""

    def answer(_memory: dict[str, bytes], setup: Setup, data: bytes) -> bytes | None:
        if (setup.request_type, setup.request, setup.value >> 8) == (0x81, GET_DESCRIPTOR, HID_REPORT):
            return REPORTS
        if setup.request == SET_IDLE:
            return b""
        kind, report = setup.value >> 8, setup.value & 0xFF
        if kind != ReportKind.FEATURE:
            return None
        if setup.request == SET_REPORT:
            return b"" if face.set_feature(data, now_ns()) else None
        return face.feature(report, now_ns()) if setup.request == GET_REPORT else None

    extra = bytes([9, HID, 0x11, 0x01, 0, 1, HID_REPORT]) + len(REPORTS).to_bytes(2, "little")
    interface = Interface(0, (HID_CLASS, 0, 0), (Endpoint(INTERRUPT_IN, INTERRUPT, 8, 10),), extra)
    return Shape((interface,), INTERRUPT_IN, None, answer, is_message_based=True)
