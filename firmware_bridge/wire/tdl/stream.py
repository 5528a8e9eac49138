"""TDL frames out of chunks of any size (docs/protocols/tdl.md section 3.1), in bounded memory.

Two decoders with the same two methods: `StreamDecoder` for byte streams (serial, TCP, USB), `MessageDecoder`
where the transport keeps messages apart (MQTT). Neither knows time or ports; each is used for one connection.
"""

from __future__ import annotations

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.tdl.codes import MAX_RX_MAX
from firmware_bridge.wire.tdl.frame import OVERHEAD, Frame, decode_frame, encode_frame

_DELIMITER = b"\0"
_GROUP = 254  # longest run of bytes without a zero in one COBS group
_FULL = 0xFF  # the code of such a group: no zero follows it


class BadCobs(ValueError):
    """A group runs past the end, or a zero stands where none can."""


def encode_cobs(data: bytes) -> bytes:
    """Consistent Overhead Byte Stuffing: no byte of the result is zero."""
    out = bytearray()
    runs = data.split(_DELIMITER)
    for run in runs:
        at = 0
        while len(run) - at >= _GROUP:
            out.append(_FULL)
            out += run[at : at + _GROUP]
            at += _GROUP
        # a full group at the very end needs no empty one behind it; before a zero it does
        if at < len(run) or run is not runs[-1] or at == 0:
            out.append(len(run) - at + 1)
            out += run[at:]
    return bytes(out)


def decode_cobs(data: bytes) -> bytes:
    """The bytes that were stuffed. Raises BadCobs."""
    out = bytearray()
    at, end = 0, len(data)
    while at < end:
        code = data[at]
        following = at + code
        if code == 0 or following > end:
            raise BadCobs(f"group of {code} at offset {at} in {end} bytes")
        out += data[at + 1 : following]
        at = following
        if code != _FULL and at < end:
            out.append(0)
    return bytes(out)


def encode_stream(frame: Frame) -> bytes:
    """`00 COBS(frame) 00`. Raises ValueError like encode_frame."""
    return _DELIMITER + encode_cobs(encode_frame(frame)) + _DELIMITER


class StreamDecoder:
    """Push parser of one stream. `rx_max` is the largest body that this receiver takes, in bytes."""

    def __init__(self, rx_max: int = MAX_RX_MAX) -> None:
        self._rx_max = rx_max
        longest = rx_max + OVERHEAD
        self._limit = longest + longest // _GROUP + 1  # stuffed, at worst
        self._held = bytearray()
        self._dropped = 0  # bytes of an oversized run, already forgotten

    @property
    def pending(self) -> int:
        """Bytes since the last delimiter, kept or dropped: more than a frame means *no delimiters here*."""
        return self._dropped or len(self._held)

    @property
    def held_bytes(self) -> int:
        """Bytes that are kept."""
        return len(self._held)

    def feed(self, chunk: bytes) -> list[Frame | Garbage]:
        """Frames and garbage that this chunk completes, in order. Never raises; holds at most one frame."""
        found: list[Frame | Garbage] = []
        *ended, rest = chunk.split(_DELIMITER)
        for piece in ended:
            self._take(piece)
            if self.pending:
                found.append(self._close())
        self._take(rest)
        return found

    def flush(self) -> list[Garbage]:
        """The unfinished tail as garbage, once, when the stream is given up. The decoder can go on."""
        if not self.pending:
            return []
        reason = GarbageReason.OVERSIZED if self._dropped else GarbageReason.TRUNCATED
        garbage = Garbage(reason, self.pending)
        self._reset()
        return [garbage]

    def _take(self, piece: bytes) -> None:
        if self._dropped:
            self._dropped += len(piece)
        elif len(self._held) + len(piece) > self._limit:
            self._dropped = len(self._held) + len(piece)
            self._held.clear()
        else:
            self._held += piece

    def _close(self) -> Frame | Garbage:
        stuffed, dropped = bytes(self._held), self._dropped
        self._reset()
        if dropped:
            return Garbage(GarbageReason.OVERSIZED, dropped)
        try:
            result = decode_frame(decode_cobs(stuffed), self._rx_max)
        except BadCobs:
            return Garbage(GarbageReason.BAD_COBS, len(stuffed))
        return Garbage(result.reason, len(stuffed)) if isinstance(result, Garbage) else result

    def _reset(self) -> None:
        self._held.clear()
        self._dropped = 0


class MessageDecoder:
    """One chunk is one bare frame. An empty message is nothing, as an empty frame on a stream."""

    def __init__(self, rx_max: int = MAX_RX_MAX) -> None:
        self._rx_max = rx_max

    @property
    def pending(self) -> int:
        """Always 0: a message is whole or garbage."""
        return 0

    def feed(self, chunk: bytes) -> list[Frame | Garbage]:
        """The one frame or garbage of this message. Never raises."""
        return [decode_frame(chunk, self._rx_max)] if chunk else []

    def flush(self) -> list[Garbage]:
        """Nothing: no message is ever half there."""
        return []
