"""Buses on which a host may hear itself, and several devices answer: whose the bytes are that came. Pure.

On ccTalk's one wire the host always hears itself; of OSDP and Modbus RTU some two-wire adapters do it (BR-005). So on
these an echo says nothing, and who answers stands in the answer's own address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from firmware_bridge.wire.cctalk.codes import HOST, REPLY
from firmware_bridge.wire.cctalk.frame import Frame as CctalkFrame
from firmware_bridge.wire.cctalk.frame import FrameDecoder as CctalkDecoder
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.modbus.frame import Frame as ModbusFrame
from firmware_bridge.wire.modbus.rtu import RtuDecoder, Side
from firmware_bridge.wire.modbus.tcp import TcpDecoder
from firmware_bridge.wire.osdp.frame import MARK
from firmware_bridge.wire.osdp.frame import Frame as OsdpFrame
from firmware_bridge.wire.osdp.stream import StreamDecoder as OsdpDecoder
from tableside.diagnosis.speech import CCTALK, MODBUS_RTU, MODBUS_TCP, OSDP

HEARS_ITSELF = frozenset({CCTALK, OSDP, MODBUS_RTU})
# A frame's end whose begin was missed: one byte of it is a byte of anything.
_TAIL_MIN = 2


def without_own(profile: str, said: Iterable[bytes], heard: bytes) -> bytes:
    """What came, without what we said; `said` has one write an entry. Of other cables everything that came.

    The first frame may have been missed in part, and the last be on its way. A board answers a write to a coil with the
    question itself: that goes too, and the reads beside it stay.
    """
    if profile not in HEARS_ITSELF:
        return heard
    own = sorted({_bare(profile, frame) for frame in said} - {b""}, key=len, reverse=True)
    at = _tail(own, heard)
    theirs = bytearray()
    while at < len(heard):
        played = next((frame for frame in own if heard.startswith(frame, at)), None)
        if played is not None:
            at += len(played)
        elif not theirs and any(frame.startswith(heard[at:]) for frame in own):
            break  # the last of ours is on its way; behind an answer such a piece may be that one's end
        else:
            theirs.append(heard[at])
            at += 1
    is_nothing = profile == OSDP and set(theirs) <= {MARK}
    return b"" if is_nothing else bytes(theirs)


def _bare(profile: str, frame: bytes) -> bytes:
    """OSDP's mark before a frame belongs to none, and may come back or not."""
    return frame.lstrip(bytes((MARK,))) if profile == OSDP else frame


def _tail(own: Iterable[bytes], heard: bytes) -> int:
    """How much of the begin of `heard` is the end of a frame of ours."""
    ends = (frame[start:] for frame in own for start in range(1, len(frame) - _TAIL_MIN + 1))
    return max((len(end) for end in ends if heard.startswith(end)), default=0)


def cctalk_replies(data: bytes) -> Iterator[CctalkFrame]:
    """Whole replies to the host. Its check is one byte, so whoever sends is looked at too."""
    for piece in CctalkDecoder(destination=HOST).feed(data):
        if isinstance(piece, CctalkFrame) and piece.header == REPLY and (piece.source or 0) > HOST:
            yield piece


def _osdp_replies(data: bytes) -> Iterator[OsdpFrame]:
    return (piece for piece in OsdpDecoder().feed(data) if isinstance(piece, OsdpFrame) and piece.is_reply)


def _rtu_answers(data: bytes) -> Iterator[ModbusFrame]:
    decoder = RtuDecoder(Side.ANSWERS)
    return (piece for piece in (*decoder.feed(data), *decoder.gap()) if not isinstance(piece, Garbage))


def _tcp_answers(data: bytes) -> Iterator[ModbusFrame]:
    return (piece for piece in TcpDecoder().feed(data) if not isinstance(piece, Garbage))


_ANSWERING: Mapping[str, Callable[[bytes], frozenset[int]]] = {
    CCTALK: lambda data: frozenset(reply.source or 0 for reply in cctalk_replies(data)),
    OSDP: lambda data: frozenset(reply.address for reply in _osdp_replies(data)),
    MODBUS_RTU: lambda data: frozenset(answer.unit for answer in _rtu_answers(data)),
    MODBUS_TCP: lambda data: frozenset(answer.unit for answer in _tcp_answers(data)),
}
# What the table's file calls a station's address.
SETTING: Mapping[str, str] = {
    CCTALK: "cctalk_address",
    OSDP: "osdp_address",
    MODBUS_RTU: "unit",
    MODBUS_TCP: "unit",
}


def answering(profile: str, theirs: bytes) -> frozenset[int]:
    """The stations of which a whole answer is among the bytes; empty where a cable has no stations."""
    read = _ANSWERING.get(profile)
    return frozenset() if read is None else read(theirs)
