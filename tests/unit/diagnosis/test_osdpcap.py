"""Our OSDPCAP read back by a second small reader, written from the format's published description alone.

No independent reader could be had: neither the Python index nor npm has one. The description is `osdpcap-format.md` of
the Security Industry Association's libosdp-conformance, version "1": one JSON object a line; *data* is hex with blanks
between, bytes right off the wire, marking bytes (ff) before the start of a message allowed; *io* is input, output or
trace; *timeSec* and *timeNano* are those of a timespec; all values are texts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.recording import Direction
from firmware_bridge.wire.osdp.frame import encode_frame
from firmware_bridge.wire.osdp.stream import StreamDecoder
from tableside.diagnosis.captures import Passed, osdpcap

FIELDS = {"timeSec", "timeNano", "io", "data", "osdpTraceVersion", "osdpSource"}
# The description's own example (libosdp-conformance, osdpcap-format.md).
EXAMPLE = (
    '{ "timeSec" : "1580342115", "timeNano" : "984691851", "io" : "trace", "data" : " ff ff 53 80 08 00 01 4b 01 d8", '
    '"osdpTraceVersion":"1", "osdpSource":"libosdp-conformance 0.91-5" }'
)
START_OF_MESSAGE, MARK = 0x53, 0xFF
ACK = bytes.fromhex("53 80 07 00 04 40 E2")  # any seven bytes that begin as OSDP does


@dataclass(frozen=True)
class Line:
    at_ns: int
    io: str
    data: bytes
    source: str


class NotOsdpcap(ValueError):
    """What the description does not allow."""


def read_line(text: str) -> Line:
    """One line of the format; nothing of ours is used."""
    fields = json.loads(text)
    if set(fields) != FIELDS or not all(isinstance(value, str) for value in fields.values()):
        raise NotOsdpcap(f"six texts: {', '.join(sorted(FIELDS))}; found {fields}")
    if fields["osdpTraceVersion"] != "1" or fields["io"] not in ("input", "output", "trace"):
        raise NotOsdpcap(f"version or source of the trace: {fields}")
    if not 0 <= int(fields["timeNano"]) < NS_PER_S:
        raise NotOsdpcap(f"no timespec: {fields}")
    pieces = fields["data"].split()
    if any(len(piece) != 2 for piece in pieces):
        raise NotOsdpcap(f"hex with blanks between the bytes: {fields['data']}")
    data = bytes(int(piece, 16) for piece in pieces)
    return Line(int(fields["timeSec"]) * NS_PER_S + int(fields["timeNano"]), fields["io"], data, fields["osdpSource"])


def message_in(data: bytes) -> bytes:
    """Behind marking bytes: start, address, length of the whole in two bytes, low one first."""
    message = data.lstrip(bytes([MARK]))
    if message[:1] != bytes([START_OF_MESSAGE]) or int.from_bytes(message[2:4], "little") != len(message):
        raise NotOsdpcap(f"no whole message: {data.hex(' ')}")
    return message


def test_the_reader_reads_the_example_of_the_description() -> None:
    line = read_line(EXAMPLE)
    assert (line.at_ns, line.io, line.source) == (1_580_342_115_984_691_851, "trace", "libosdp-conformance 0.91-5")
    assert message_in(line.data) == bytes.fromhex("538008 00014b01d8")


@pytest.mark.parametrize("nano", [0, 1, 999_999_999])
def test_what_we_write_is_read_to_the_nanosecond_and_the_byte(nano: int) -> None:
    at_ns = 1_800_000_000 * NS_PER_S + nano
    passed = [
        Passed("badges", "osdp", at_ns, Direction.OUT, ACK, "station 0 POLL"),
        Passed("shuffler", "tdl", at_ns, Direction.IN, b"\x00\x01", "not OSDP: not in it"),
        Passed("badges", "osdp", at_ns + 1, Direction.IN, ACK, "station 0 ACK"),
        Passed("badges", "osdp", at_ns + 2, Direction.END, b"", "no bytes: not in it"),
    ]
    lines = [read_line(line.decode("ascii")) for line in osdpcap(passed)]
    assert [(line.at_ns - at_ns, line.io, message_in(line.data)) for line in lines] == [
        (0, "output", ACK),
        (1, "input", ACK),
    ]


def test_every_line_ends_where_a_text_file_of_lines_ends_it() -> None:
    passed = [Passed("badges", "osdp", 1, Direction.OUT, ACK, 'a "text"\nwith a line\'s end')] * 2
    assert b"".join(osdpcap(passed)).count(b"\n") == len(b"".join(osdpcap(passed)).splitlines()) == 2


def test_the_messages_of_the_example_are_messages_for_us_too() -> None:
    """Both ways: what the description shows is a frame to our codec, and written again it is the same bytes."""
    message = message_in(read_line(EXAMPLE).data)
    (frame,) = StreamDecoder().feed(message)
    assert encode_frame(frame) == message  # type: ignore[arg-type]  # garbage would not be encoded


@pytest.mark.parametrize(
    ("field", "value"),
    [("io", "in"), ("osdpTraceVersion", "2"), ("timeNano", "1000000000"), ("data", "5380"), ("timeSec", 1)],
)
def test_what_the_description_does_not_allow_is_found(field: str, value: object) -> None:
    changed = {**json.loads(EXAMPLE), field: value}
    with pytest.raises(NotOsdpcap):
        read_line(json.dumps(changed))
