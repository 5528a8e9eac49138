"""Devices that answer what was prepared: they cost next to nothing, so that the host is measured and not they.

A question that was asked before is answered from a table, byte for byte; TDL has 255 numbers for a request, so after
a moment the table holds them all. The handshake of TDL is real, as its session believes nothing less.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.osdp.codes import CommandCode, ReplyCode
from firmware_bridge.wire.osdp.frame import Frame as OsdpFrame
from firmware_bridge.wire.osdp.frame import decode_frame as decode_osdp
from firmware_bridge.wire.osdp.frame import encode_frame as encode_osdp
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MAX_SEQ, VERSION, Holding, MessageType, Operation, Profile, Status
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import (
    FaultsKey,
    HelloKey,
    HelloReplyKey,
    IdentityKey,
    MetersKey,
    ReplyKey,
    StateKey,
)
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream

Answer = Callable[[bytes], bytes]  # what has come in one read, and what goes back

EPOCH = 0xA1B2C3D4
MODEL, SERIAL = "CSM-BENCH", "000001"
CARDS_IN, CARDS_OUT, JAMS = 123_456, 123_144, 7
OSDP_ADDRESS = 1
POLL_BYTES = 8

_Body = Mapping[int, Value]


def from_table(answer: Answer, is_whole: Callable[[bytes], bool]) -> Answer:
    """`answer`, asked only once for the same bytes; `is_whole` tells where a question may end."""
    known: dict[bytes, bytes] = {}
    held = b""

    def reply(chunk: bytes) -> bytes:
        nonlocal held
        asked, held = held + chunk, b""
        if asked in known:
            return known[asked]
        if not is_whole(asked):
            held = asked
            return b""
        known[asked] = answer(asked)
        return known[asked]

    return reply


def tdl_device(profile: Profile = Profile.CONTINUOUS) -> Answer:
    """A TDL device at rest: its handshake, its levels, PING; every other goal is done at once."""

    def answer(asked: bytes) -> bytes:
        frames = [frame for frame in StreamDecoder().feed(asked) if not isinstance(frame, Garbage)]
        return b"".join(encode_stream(reply) for frame in frames if (reply := _reply(frame, profile)) is not None)

    return from_table(answer, lambda asked: len(asked) > 1 and asked.endswith(b"\0"))


def _reply(frame: Frame, profile: Profile) -> Frame | None:
    if frame.type is MessageType.HELLO:
        return Frame(MessageType.HELLO_REPLY, 0, frame.seq, frame.session, _hello_reply(frame.body[HelloKey.NONCE]))
    if frame.type is MessageType.REQUEST:
        body = {ReplyKey.STATUS: int(Status.OK), **_LEVELS.get(frame.code, {})}
        if frame.code == Operation.IDENTITY:
            body[IdentityKey.PROFILES] = (int(profile),)
        return Frame(MessageType.REPLY, frame.code, frame.seq, frame.session, body)
    return None


def _hello_reply(nonce: Value) -> _Body:
    return {
        HelloReplyKey.NONCE: nonce,
        HelloReplyKey.VERSION: VERSION,
        HelloReplyKey.BOOT: 1,
        HelloReplyKey.CAUSE: 1,
        HelloReplyKey.MODEL: MODEL,
        HelloReplyKey.SERIAL: SERIAL,
        HelloReplyKey.RX_MAX: 96,
        HelloReplyKey.SIMULATED: True,
        HelloReplyKey.EPOCH: EPOCH,
        HelloReplyKey.HIGHEST_COMMAND: 0,
        HelloReplyKey.OLDEST_NOTICE: 1,
        HelloReplyKey.NEWEST_NOTICE: 0,
        HelloReplyKey.FLAGS: 0,
    }


_LEVELS: Mapping[int, _Body] = {
    Operation.IDENTITY: {
        IdentityKey.MAKER: "Tableside",
        IdentityKey.FIRMWARE_VERSION: "1.0.0",
        IdentityKey.DIGEST: bytes(32),
        IdentityKey.ABILITIES: (int(Holding.ENFORCES),) * 8,
    },
    Operation.STATE: {
        StateKey.CONTENT: 312,
        StateKey.CONTENT_BY_AREA: (0, 10, 302),
        StateKey.PATH_CLEAR: True,
        StateKey.LID_OPEN: False,
        StateKey.LAMP: 0,
        StateKey.PERMITS: 0,
        StateKey.COMMAND: 0,
        StateKey.FLAGS: 0,
    },
    Operation.FAULTS: {FaultsKey.STANDING: ()},
    Operation.METERS: {MetersKey.CARDS_IN: CARDS_IN, MetersKey.CARDS_OUT: CARDS_OUT, MetersKey.JAMS: JAMS},
}


def tdl_pings(session: int = 1) -> list[bytes]:
    """PING under each of its numbers."""
    return [
        encode_stream(Frame(MessageType.REQUEST, Operation.PING, seq, session, {})) for seq in range(1, MAX_SEQ + 1)
    ]


# --- OSDP ---------------------------------------------------------------------------------------------------


def osdp_polls() -> list[bytes]:
    """POLL under each of its numbers; 0 is for a new beginning only."""
    return [_osdp(CommandCode.POLL, number, is_reply=False) for number in range(1, 4)]


def osdp_reader() -> Answer:
    """A badge reader with nothing new to tell: every command is answered with ACK."""

    def answer(asked: bytes) -> bytes:
        frame = decode_osdp(asked)
        return b"" if isinstance(frame, Garbage) else _osdp(ReplyCode.ACK, frame.sequence, is_reply=True)

    return from_table(answer, lambda asked: len(asked) >= POLL_BYTES)


def _osdp(code: int, sequence: int, *, is_reply: bool) -> bytes:
    return encode_osdp(OsdpFrame(OSDP_ADDRESS, is_reply, sequence, int(code)))


# --- Modbus RTU: read holding registers ---------------------------------------------------------------------

READ_HOLDING_REGISTERS = 3
MODBUS_REQUEST_BYTES = 8
_POLYNOMIAL = 0xA001  # CRC-16/MODBUS, reflected


def modbus_device() -> Answer:
    """A Modbus RTU device: any read of holding registers is answered with the meters above, 32 bits each."""

    def answer(asked: bytes) -> bytes:
        registers = struct.pack(">III", CARDS_IN, CARDS_OUT, JAMS)
        reply = bytes((asked[0], READ_HOLDING_REGISTERS, len(registers))) + registers
        return reply + struct.pack("<H", _crc16(reply))

    return from_table(answer, lambda asked: len(asked) == MODBUS_REQUEST_BYTES)


def _crc16(data: bytes) -> int:
    crc = 0xFFFF
    for octet in data:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
    return crc
