"""What kinds of USB devices there are: their descriptors, and what they answer to requests of their class."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.links.usb_descriptors import (
    BULK,
    CDC_CLASS,
    CDC_DATA_CLASS,
    GET_DESCRIPTOR,
    HID,
    HID_REPORT,
    INTERRUPT,
    VENDOR_CLASS,
    DeviceDescription,
    Endpoint,
    Interface,
    Setup,
    Texts,
)
from firmware_bridge.links.usb_hid import (
    BOOT_REPORT_BYTES,
    GET_REPORT,
    KEYBOARD,
    SET_IDLE,
    SET_PROTOCOL,
    SET_REPORT,
    ReportKind,
)

BULK_OUT, BULK_IN = 0x01, 0x82
INTERRUPT_IN = 0x81
PACKET_BYTES = 64  # bulk at full speed
# CDC PSTN 1.2 §6.3: a port's speed has no meaning for a simulated one, and is kept as it was set.
SET_LINE_CODING, GET_LINE_CODING, SET_CONTROL_LINE_STATE = 0x20, 0x21, 0x22
LINE_CODING = struct.pack("<IBBB", 115_200, 0, 0, 8)
CDC_EXTRA = bytes.fromhex("0524001001 0524010001 042402 02 0524060001")
FEATURE_BYTES = 8


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """What a device tells of itself before anybody speaks its protocol."""

    serial: str
    vendor: int = 0x1209  # pid.codes; product numbers 0001 to 0010 are kept for tests
    product: int = 0x0001
    maker: str = "Tableside simulator"
    name: str = "Table device"


# The device's memory beside its pipes, a request and what came with it; None: stall. Bytes under OUTPUT go to its face.
Answer = Callable[[dict[str, bytes], Setup, bytes], bytes | None]
OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of device. `incoming` and `outgoing` are the endpoints of its pipes, from the host's point of view."""

    interfaces: tuple[Interface, ...]
    incoming: int
    outgoing: int | None
    answer: Answer
    is_message_based: bool = False
    kind: tuple[int, int, int] = (0, 0, 0)

    def description(self, identity: UsbIdentity) -> DeviceDescription:
        """A device of this kind."""
        texts = Texts(identity.maker, identity.name, identity.serial)
        return DeviceDescription(identity.vendor, identity.product, texts, self.interfaces, self.kind)


def _knows_nothing(memory: dict[str, bytes], setup: Setup, data: bytes) -> bytes | None:
    return None


def _answer_port(memory: dict[str, bytes], setup: Setup, data: bytes) -> bytes | None:
    """A serial port's requests."""
    if setup.request == SET_LINE_CODING:
        memory["line coding"] = data
        return b""
    if setup.request == GET_LINE_CODING:
        return memory.get("line coding", LINE_CODING)
    return b"" if setup.request == SET_CONTROL_LINE_STATE else None


# The boot keyboard of HID 1.11 appendix E.6, without its comments, and eight bytes of settings as a feature report.
KEYBOARD_REPORTS = bytes.fromhex(
    "05010906a101050719e029e71500250175019508810295017508810195057501050819012905910295017503910195067508"
    "150025650507190029658100"
    "06a0ff0901150026ff0075089508b102c0"
)


def _answer_keyboard(memory: dict[str, bytes], setup: Setup, data: bytes) -> bytes | None:
    """A keyboard's requests. Its settings are a feature report, kept as they were set."""
    if (setup.request_type, setup.request, setup.value >> 8) == (0x81, GET_DESCRIPTOR, HID_REPORT):
        return KEYBOARD_REPORTS
    if setup.request in (SET_IDLE, SET_PROTOCOL):
        memory["asked"] = memory.get("asked", b"") + bytes([setup.request])
        return b""
    kind = setup.value >> 8
    if setup.request == SET_REPORT and kind in (ReportKind.OUTPUT, ReportKind.FEATURE):
        memory[OUTPUT if kind == ReportKind.OUTPUT else "settings"] = data
        return b""
    if setup.request == GET_REPORT and kind == ReportKind.FEATURE:
        return memory.get("settings", bytes(FEATURE_BYTES))
    if setup.request == GET_REPORT and kind == ReportKind.INPUT:
        return bytes(BOOT_REPORT_BYTES)
    return None


_BULK_PAIR = (Endpoint(BULK_OUT, BULK, PACKET_BYTES), Endpoint(BULK_IN, BULK, PACKET_BYTES))

# A table device as TDL 2 has it: one interface of class FF, a bulk pair, a byte stream.
VENDOR_STREAM = Shape((Interface(0, (VENDOR_CLASS, 0, 0), _BULK_PAIR),), BULK_IN, BULK_OUT, _knows_nothing)

# The same stream as a serial port: the kernel's cdc-acm makes a /dev/ttyACM of it.
SERIAL_PORT = Shape(
    (
        Interface(0, (CDC_CLASS, 2, 1), (Endpoint(0x83, INTERRUPT, 8, 10),), CDC_EXTRA),
        Interface(1, (CDC_DATA_CLASS, 0, 0), _BULK_PAIR),
    ),
    BULK_IN,
    BULK_OUT,
    _answer_port,
    kind=(CDC_CLASS, 0, 0),
)

# A reader that types: a boot keyboard, one report a message.
KEYBOARD_READER = Shape(
    (
        Interface(
            0,
            KEYBOARD,
            (Endpoint(INTERRUPT_IN, INTERRUPT, BOOT_REPORT_BYTES, 10),),
            bytes([9, HID, 0x11, 0x01, 0, 1, HID_REPORT]) + len(KEYBOARD_REPORTS).to_bytes(2, "little"),
        ),
    ),
    INTERRUPT_IN,
    None,
    _answer_keyboard,
    is_message_based=True,
)
