"""How long to wait for what (TDL 4.2, 5, 12)."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

HELLO_REPEAT_S = 0.5
HELLO_LIMIT_S = 10.0
PING_AFTER_S = 1.0

COPIES = 3  # the request and two repeats under the same seq
ASK_AGAIN_S = 0.1  # after *busy*, and after *not open*
ASK_AGAIN_LIMIT_S = 10.0  # as long as the handshake may take

# The cable may refuse bytes for so long: 16 kB at 115,200 baud take 1.4 s.
WRITE_LIMIT_S = 2.0

_REPLY_S = 0.2
_MARGIN_S = 0.1
_MESSAGE_REPLY_S = 1.0  # through a broker
_REPLY_FRAME_BYTES = 112  # the largest of everyday: a body of 96, header, check, COBS, delimiters
_BITS_PER_BYTE = 10  # start, eight, stop
_DEFAULT_BAUD = 115_200


def reply_limit_s(byte_time_s: float, request_bytes: int, *, is_message_based: bool) -> float:
    """Seconds from the first byte of a request to the moment when its answer is missing."""
    if is_message_based:
        return _MESSAGE_REPLY_S
    return _REPLY_S + _MARGIN_S + (request_bytes + _REPLY_FRAME_BYTES) * byte_time_s


def byte_time_s(address: str) -> float:
    """Seconds that one byte takes on the wire that the address names; 0 where it has no speed of its own."""
    parts = urlsplit(address)
    if parts.scheme != "serial":
        return 0.0
    baud = parse_qs(parts.query).get("baud", [str(_DEFAULT_BAUD)])[0]
    return _BITS_PER_BYTE / (int(baud) if baud.isdigit() and int(baud) else _DEFAULT_BAUD)
