"""What is carried over a claimed USB interface: a byte stream (class FF, bulk) or reports (HID). Everything blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import usb.core
import usb.util

from firmware_bridge.links.base import LinkRefused
from firmware_bridge.links.usb_descriptors import GET_DESCRIPTOR, HID_CLASS, HID_REPORT, VENDOR_CLASS
from firmware_bridge.links.usb_errors import UsbCause, cause_of
from firmware_bridge.links.usb_hid import (
    BOOT_PROTOCOL,
    BOOT_REPORT_BYTES,
    DESCRIPTOR_REQUEST,
    GET_REPORT,
    KEYBOARD,
    SET_IDLE,
    SET_PROTOCOL,
    SET_REPORT,
    TO_DEVICE_REQUEST,
    TO_HOST_REQUEST,
    BadReports,
    ReportKind,
    ReportSizes,
    report_descriptor_bytes,
    report_sizes,
)

WRITE_BYTES = 4096
CONTROL_TIMEOUT_MS = 1000  # USB 2.0 §9.2.6.4 gives a device 500 ms for its data


class UsbPipe(Protocol):
    """Bytes in, bytes out, both with a time limit in ms; raises what pyusb raises."""

    is_message_based: bool

    def read(self, timeout_ms: int) -> bytes:
        """Some bytes, or one report; empty where a report is not whole yet."""

    def write(self, data: bytes, timeout_ms: int) -> int:
        """How many bytes the device took."""

    def revive(self) -> None:
        """Take back the halt of the endpoints, which a stall left behind."""


class BulkStream:
    """Class FF with a bulk pair: packet borders mean nothing."""

    is_message_based = False

    def __init__(self, incoming: Any, outgoing: Any) -> None:  # pyusb has no types
        self._incoming = incoming
        self._outgoing = outgoing

    def read(self, timeout_ms: int) -> bytes:
        """One packet: a longer read would wait for a short packet that a stream need not send."""
        return bytes(self._incoming.read(self._incoming.wMaxPacketSize, timeout_ms))

    def write(self, data: bytes, timeout_ms: int) -> int:
        """At most 4 kB at once, so that a device that takes little holds up little."""
        return int(self._outgoing.write(data[:WRITE_BYTES], timeout_ms))

    def revive(self) -> None:
        for endpoint in (self._incoming, self._outgoing):
            endpoint.clear_halt()


class HidReports:
    """HID: input reports come as messages, one each; a message that is written is an output report.

    A device that numbers its reports begins each with its number, in both directions.
    """

    is_message_based = True

    def __init__(self, device: Any, interface: int, incoming: Any, outgoing: Any, sizes: ReportSizes) -> None:
        self._device = device
        self._interface = interface
        self._incoming = incoming
        self._outgoing = outgoing
        self._sizes = sizes
        self._part = b""

    def read(self, timeout_ms: int) -> bytes:
        """One report; a large one comes in many packets, and may come in two reads."""
        largest = max(self._sizes.largest(ReportKind.INPUT), self._incoming.wMaxPacketSize)
        self._part += bytes(self._incoming.read(largest - len(self._part), timeout_ms))
        number = self._part[0] if self._sizes.is_numbered and self._part else 0
        size = self._sizes.of(ReportKind.INPUT, number) or 0
        if len(self._part) < size:
            return b""
        report, self._part = self._part, b""
        return report

    def write(self, data: bytes, timeout_ms: int) -> int:
        if self._outgoing is not None:
            return int(self._outgoing.write(data, timeout_ms))
        self._set(ReportKind.OUTPUT, data)
        return len(data)

    def revive(self) -> None:
        self._incoming.clear_halt()

    def feature(self, report: int = 0) -> bytes:
        """A feature report of the device, its number included where it numbers them. Raises `USBError`."""
        size = self._sizes.of(ReportKind.FEATURE, report)
        if size is None:
            raise LinkRefused(f"feature report {report} is not offered by this device")
        value = ReportKind.FEATURE << 8 | report
        return bytes(
            self._device.ctrl_transfer(TO_HOST_REQUEST, GET_REPORT, value, self._interface, size, CONTROL_TIMEOUT_MS)
        )

    def set_feature(self, data: bytes) -> None:
        """Set a feature report, its number first where the device numbers them. Raises `USBError`."""
        self._set(ReportKind.FEATURE, data)

    def _set(self, kind: ReportKind, data: bytes) -> None:
        number = data[0] if self._sizes.is_numbered else 0
        value = kind << 8 | number
        self._device.ctrl_transfer(TO_DEVICE_REQUEST, SET_REPORT, value, self._interface, data, CONTROL_TIMEOUT_MS)


def _stream_of(device: Any, interface: Any) -> UsbPipe | None:
    ends = _ends(interface, usb.util.ENDPOINT_TYPE_BULK)
    if not {usb.util.ENDPOINT_IN, usb.util.ENDPOINT_OUT} <= ends.keys():
        return None
    return BulkStream(ends[usb.util.ENDPOINT_IN], ends[usb.util.ENDPOINT_OUT])


def _reports_of(device: Any, interface: Any) -> UsbPipe | None:
    ends = _ends(interface, usb.util.ENDPOINT_TYPE_INTR)
    if usb.util.ENDPOINT_IN not in ends:
        return None
    number = interface.bInterfaceNumber
    incoming, outgoing = ends[usb.util.ENDPOINT_IN], ends.get(usb.util.ENDPOINT_OUT)
    return HidReports(device, number, incoming, outgoing, _sizes(device, interface))


# By class of the interface: what can be carried over it, in the order in which it is chosen.
PIPES: dict[int, Callable[[Any, Any], UsbPipe | None]] = {VENDOR_CLASS: _stream_of, HID_CLASS: _reports_of}


def prepare(device: Any, interface: Any) -> None:
    """After the claim: a keyboard is set to its boot reports, sent on changes only. Raises `USBError`."""
    if _kind(interface) != KEYBOARD:
        return
    number = interface.bInterfaceNumber
    for request, value in ((SET_PROTOCOL, BOOT_PROTOCOL), (SET_IDLE, 0)):
        try:
            device.ctrl_transfer(TO_DEVICE_REQUEST, request, value, number, None, CONTROL_TIMEOUT_MS)
        except usb.core.USBError as error:
            if cause_of(error) not in (UsbCause.STALLED, UsbCause.TIMEOUT):
                raise  # many keyboards know neither request, and keep what they have


def _sizes(device: Any, interface: Any) -> ReportSizes:
    """Of the reports that this interface tells; a keyboard has those of the boot protocol."""
    length = report_descriptor_bytes(bytes(interface.extra_descriptors))
    sizes = ReportSizes()
    if length is not None:
        value = HID_REPORT << 8
        told = device.ctrl_transfer(
            DESCRIPTOR_REQUEST, GET_DESCRIPTOR, value, interface.bInterfaceNumber, length, CONTROL_TIMEOUT_MS
        )
        try:
            sizes = report_sizes(bytes(told))
        except BadReports as bad:
            raise LinkRefused(f"this device cannot be read: {bad}") from bad
    if _kind(interface) == KEYBOARD:
        sizes = ReportSizes(bits=sizes.bits) if not sizes.is_numbered else ReportSizes()
        sizes.bits[ReportKind.INPUT, 0] = BOOT_REPORT_BYTES * 8
    return sizes


def _kind(interface: Any) -> tuple[int, int, int]:
    return interface.bInterfaceClass, interface.bInterfaceSubClass, interface.bInterfaceProtocol


def _ends(interface: Any, kind: int) -> dict[int, Any]:
    return {
        int(usb.util.endpoint_direction(end.bEndpointAddress)): end
        for end in interface
        if usb.util.endpoint_type(end.bmAttributes) == kind
    }
