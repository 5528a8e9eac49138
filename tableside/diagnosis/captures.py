"""Recordings for other people's tools: pcapng (Wireshark and its kin) and OSDPCAP (tools for OSDP). Pure.

pcapng: draft-ietf-opsawg-pcapng; one interface a cable, link type USER0 (147), for there is none for these lines; each
packet says its direction and, as a comment, what it means. OSDPCAP: `osdpcap-format.md` of libosdp-conformance, version
1: one JSON object a line.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.recording import Direction

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_BYTE_ORDER = 0x1A2B3C4D
_LINKTYPE_USER0 = 147
_NO_LENGTH = 0xFFFFFFFFFFFFFFFF
_OPT_COMMENT, _OPT_END = 1, 0
_SHB_APPLICATION = 4
_IF_NAME, _IF_DESCRIPTION, _IF_RESOLUTION = 2, 3, 9
_EPB_FLAGS = 2
_NANOSECONDS = 9
_INBOUND, _OUTBOUND = 1, 2
SOURCE = "Tableside"


@dataclass(frozen=True, slots=True)
class Passed:
    """One message of one cable. `at_ns` is wall time (UTC) where that was noted, else the monotonic clock's."""

    device: str
    profile: str
    at_ns: int
    direction: Direction
    data: bytes
    text: str


def pcapng(messages: Iterable[Passed]) -> Iterator[bytes]:
    """The file, block by block. Ends of links are packets without bytes."""
    yield _block(_SECTION, struct.pack("<IHHQ", _BYTE_ORDER, 1, 0, _NO_LENGTH) + _options({_SHB_APPLICATION: SOURCE}))
    interfaces: dict[str, int] = {}
    for message in messages:
        if message.device not in interfaces:
            interfaces[message.device] = len(interfaces)
            yield _interface(message)
        yield _packet(interfaces[message.device], message)


def osdpcap(messages: Iterable[Passed]) -> Iterator[bytes]:
    """The file, line by line: OSDP only."""
    for message in messages:
        if message.profile == "osdp" and message.data:
            seconds, rest_ns = divmod(message.at_ns, NS_PER_S)
            line = {
                "timeSec": str(seconds),
                "timeNano": f"{rest_ns:09d}",
                "io": "input" if message.direction is Direction.IN else "output",
                "data": message.data.hex(" "),
                "osdpTraceVersion": "1",
                "osdpSource": SOURCE,
            }
            yield json.dumps(line).encode() + b"\n"


def _interface(message: Passed) -> bytes:
    options: dict[int, str | bytes | int] = {
        _IF_NAME: message.device,
        _IF_DESCRIPTION: f"{message.profile} cable of {message.device}",
        _IF_RESOLUTION: bytes([_NANOSECONDS]),
    }
    return _block(_INTERFACE, struct.pack("<HHI", _LINKTYPE_USER0, 0, 0) + _options(options))


def _packet(interface: int, message: Passed) -> bytes:
    size = len(message.data)
    head = struct.pack("<IIIII", interface, message.at_ns >> 32, message.at_ns & 0xFFFFFFFF, size, size)
    flags = {Direction.IN: _INBOUND, Direction.OUT: _OUTBOUND}.get(message.direction, 0)
    return _block(_PACKET, head + _padded(message.data) + _options({_OPT_COMMENT: message.text, _EPB_FLAGS: flags}))


def _options(options: dict[int, str | bytes | int]) -> bytes:
    written = b""
    for code, value in options.items():
        if isinstance(value, int):
            value = struct.pack("<I", value)
        data = value.encode() if isinstance(value, str) else value
        written += struct.pack("<HH", code, len(data)) + _padded(data)
    return written + struct.pack("<HH", _OPT_END, 0)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
