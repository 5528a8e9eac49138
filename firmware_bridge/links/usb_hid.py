"""USB HID: the requests of its class, and how large a device's reports are (HID 1.11)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum

from firmware_bridge.links.usb_descriptors import HID, HID_CLASS, HID_REPORT, walk

# Class requests (§7.2).
GET_REPORT, SET_REPORT, SET_IDLE, SET_PROTOCOL = 0x01, 0x09, 0x0A, 0x0B
TO_HOST_REQUEST, TO_DEVICE_REQUEST, DESCRIPTOR_REQUEST = 0xA1, 0x21, 0x81
BOOT_PROTOCOL = 0
BOOT_SUBCLASS = 1
KEYBOARD = (HID_CLASS, BOOT_SUBCLASS, 1)  # a boot keyboard's interface (§4.2, §4.3)
BOOT_REPORT_BYTES = 8  # appendix B.1


class ReportKind(IntEnum):
    """As the high byte of wValue names it (§7.2.1)."""

    INPUT = 1
    OUTPUT = 2
    FEATURE = 3


class BadReports(ValueError):
    """A report descriptor that is cut off, or nonsense."""


# Item prefixes without their size bits (§6.2.2.4, §6.2.2.7).
_MAIN = {0x80: ReportKind.INPUT, 0x90: ReportKind.OUTPUT, 0xB0: ReportKind.FEATURE}
_REPORT_SIZE, _REPORT_ID, _REPORT_COUNT, _PUSH, _POP = 0x74, 0x84, 0x94, 0xA4, 0xB4
_LONG_ITEM = 0xFE
# 4,096 bytes a report is far above any table device; more is a broken descriptor.
_BITS_MAX = 4096 * 8


@dataclass
class _Globals:
    size: int = 0
    count: int = 0
    report: int = 0


@dataclass
class ReportSizes:
    """Bytes of each report, its id included where the device numbers its reports (else id 0, and none is sent)."""

    is_numbered: bool = False
    bits: Counter[tuple[ReportKind, int]] = field(default_factory=Counter)

    def of(self, kind: ReportKind, report: int) -> int | None:
        """Bytes of one report; None: there is none."""
        bits = self.bits.get((kind, report))
        return None if bits is None else (bits + 7) // 8 + self.is_numbered

    def largest(self, kind: ReportKind) -> int:
        """Bytes of the largest report of a kind; 0: there is none."""
        return max((self.of(kind, report) or 0 for which, report in self.bits if which is kind), default=0)


def report_sizes(descriptor: bytes) -> ReportSizes:
    """The sizes that a report descriptor tells. Raises `BadReports`."""
    sizes, now, kept, at = ReportSizes(), _Globals(), [], 0
    while at < len(descriptor):
        prefix = descriptor[at]
        if prefix == _LONG_ITEM:
            at += 3 + (descriptor[at + 1] if at + 1 < len(descriptor) else 0)
            continue
        length = (0, 1, 2, 4)[prefix & 3]
        value = int.from_bytes(descriptor[at + 1 : at + 1 + length], "little")
        at += 1 + length
        if at > len(descriptor):
            raise BadReports("the report descriptor is cut off in an item")
        item = prefix & 0xFC
        if item in _MAIN:
            sizes.bits[_MAIN[item], now.report] += now.size * now.count
            if sizes.bits[_MAIN[item], now.report] > _BITS_MAX:
                raise BadReports("the report descriptor tells of a report above 4,096 bytes")
        elif item == _REPORT_SIZE:
            now.size = value
        elif item == _REPORT_COUNT:
            now.count = value
        elif item == _REPORT_ID:
            now.report, sizes.is_numbered = value, True
        elif item == _PUSH:
            kept.append(_Globals(now.size, now.count, now.report))
        elif item == _POP:
            if not kept:
                raise BadReports("the report descriptor takes back what it never put aside")
            now = kept.pop()
    return sizes


def report_descriptor_bytes(extra: bytes) -> int | None:
    """How long the report descriptor is, from the HID descriptor among an interface's own; None: there is none."""
    for kind, data in walk(extra):
        if kind == HID and len(data) >= 9 and data[6] == HID_REPORT:
            return int.from_bytes(data[7:9], "little")
    return None
