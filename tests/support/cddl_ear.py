"""Listens to TDL cables and holds every message of both ends against docs/protocols/tdl.cddl.

Nothing of ours decodes here: COBS, CRC-32, CBOR and the schema are other people's (cobs, zlib, cbor2, pycddl). What
pycddl does not look at, how many items an array has, is counted beside it.
"""

from __future__ import annotations

import zlib
from collections import Counter
from functools import cache

import cbor2
import pycddl
from cobs import cobs

from firmware_bridge.links.base import Link, Receiver
from tests.support import tdl_numbers as tdl
from tests.support.plain_host import rule_of, schema

OVERHEAD = 12
ITEMS_MAX = 23
# (type, code, key) → how many items: content by area; abilities, of which a slot's machine has one more.
ITEMS: dict[tuple[int, int, int], range] = {
    (tdl.REPLY, tdl.STATE, 3): range(1, 4),
    (tdl.REPLY, tdl.IDENTITY, 6): range(1, 12),
}
FROM_HOST = {tdl.HELLO: "hello", tdl.NOTICE_ACK: "notice-ack"}
REQUESTS = {**tdl.REPLIES, tdl.PING: "ping", tdl.DEAL: "deal", tdl.SHUFFLE: "shuffle", 0x46: "collect"}
# Of the switch box: tray and keys. Of chip slots: chips in and given back.
OF_OTHERS = {
    0x04: "notice-tray",
    0x05: "notice-chips-in",
    0x20: "notice-key",
    0x21: "notice-card-read",
    0x22: "notice-chip-returned",
}
COLLECT_REPLY = (tdl.REPLY, 0x46)
BODY_MAX = {True: 96, False: 1000}  # what a device of ours takes, what we take


class CddlEar:
    """Counts what is valid, by rule; says what is not."""

    def __init__(self) -> None:
        self.valid: Counter[str] = Counter()
        self.findings: list[str] = []
        self.cut = 0  # frames of which only a part passed: a cable that was pulled, a process that was killed

    @property
    def messages(self) -> int:
        """How many were valid."""
        return self.valid.total()

    def on(self, link: Link) -> Link:
        """The link, heard from its first byte; each connection anew."""
        return _EaredLink(link, self)

    def take(self, stuffed: bytes, *, is_from_host: bool) -> None:
        """What stood between two delimiters of a stream."""
        try:
            frame = cobs.decode(stuffed)
        except cobs.DecodeError as wrong:
            self._wrong(stuffed, wrong, is_from_host=is_from_host)
        else:
            self.take_frame(frame, is_from_host=is_from_host)

    def take_frame(self, frame: bytes, *, is_from_host: bool) -> None:
        """A whole frame, as MQTT carries it: without delimiters (TDL 2.2)."""
        try:
            self.valid[_check(frame, is_from_host)] += 1
        except (AssertionError, KeyError, cbor2.CBORDecodeError, pycddl.ValidationError) as wrong:
            self._wrong(frame, wrong, is_from_host=is_from_host)

    def _wrong(self, data: bytes, why: Exception, *, is_from_host: bool) -> None:
        end = "host" if is_from_host else "device"
        self.findings.append(f"{end}: {data.hex()}: {type(why).__name__} {why}")


def _check(frame: bytes, is_from_host: bool) -> str:
    assert len(frame) >= OVERHEAD, "short"
    assert frame[0] == 0xD1, "no TDL"
    kind, code, body = frame[1], frame[2], frame[8:-4]
    assert zlib.crc32(frame[:-4]) == int.from_bytes(frame[-4:], "little"), "check"
    assert int.from_bytes(frame[6:8], "little") == len(body) <= BODY_MAX[is_from_host], "length"
    return _valid(kind, code, body, is_from_host)


@cache
def _valid(kind: int, code: int, body: bytes, is_from_host: bool) -> str:
    """The rule that it follows; polls and their answers are mostly the same, so each is read once."""
    rule = _host_rule(kind, code) if is_from_host else _device_rule(kind, code)
    schema(rule).validate_cbor(body)
    read = cbor2.loads(body)
    assert cbor2.dumps(read) == body, "not the shortest form"
    assert list(read) == sorted(read), "keys do not rise"
    for key, value in read.items():
        if isinstance(value, list):
            assert len(value) in ITEMS.get((kind, code, key), range(ITEMS_MAX + 1)), f"{len(value)} items under {key}"
    if (kind, code) == (tdl.REPLY, tdl.FAULTS):
        assert len(read.get(2, [])) % 2 == 0, "a fault without its place"
    return rule


def _host_rule(kind: int, code: int) -> str:
    return f"request-{REQUESTS[code]}" if kind == tdl.REQUEST else FROM_HOST[kind]


def _device_rule(kind: int, code: int) -> str:
    if (kind, code) == COLLECT_REPLY:
        return "reply-collect"
    is_of_others = kind == tdl.NOTICE and code in OF_OTHERS
    return OF_OTHERS[code] if is_of_others else rule_of(kind, code)


class HalfDuplex:
    """One way of a cable: its bytes cut into frames."""

    def __init__(self, ear: CddlEar, *, is_from_host: bool) -> None:
        self._ear, self._is_from_host, self._buffer = ear, is_from_host, b""

    def note(self, chunk: bytes) -> None:
        """The next bytes."""
        *runs, self._buffer = (self._buffer + chunk).split(b"\0")
        for run in filter(None, runs):
            self._ear.take(run, is_from_host=self._is_from_host)

    def end(self) -> None:
        """The connection is over."""
        self._ear.cut += bool(self._buffer)
        self._buffer = b""


class _EaredLink:
    def __init__(self, link: Link, ear: CddlEar) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self._link = link
        self._out = HalfDuplex(ear, is_from_host=True)
        self._in = HalfDuplex(ear, is_from_host=False)

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        self._in.note(chunk)
        self._receiver.chunk_received(chunk)

    def link_lost(self, reason: Exception) -> None:
        self._in.end()
        self._receiver.link_lost(reason)

    async def write(self, data: bytes) -> None:
        await self._link.write(data)
        self._out.note(data)

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    async def close(self) -> None:
        self._out.end()
        await self._link.close()
