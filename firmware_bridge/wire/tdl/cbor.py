"""The narrow CBOR of TDL bodies (docs/protocols/tdl.md section 3.3): one flat map in shortest forms.

Written by hand because the profile is smaller than any library's, and because a general decoder accepts
what the profile forbids. Independent witnesses are cbor2 and the CDDL, both in the tests only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = int | bool | bytes | str | tuple[int, ...]

MAX_KEY = 23  # keys fit into the initial byte
MAX_ARRAY = 23  # array lengths fit into the initial byte
MAX_UINT = 0xFFFF_FFFF
MIN_INT = -0x8000_0000
MAX_STRING = 1000  # no body is longer (frame.MAX_RX_MAX)

_UINT, _NEGATIVE, _OCTETS, _TEXT, _ARRAY, _MAP = range(6)  # CBOR major types
_FALSE, _TRUE = 0xF4, 0xF5
_ONE_BYTE, _TWO_BYTES, _FOUR_BYTES = 24, 25, 26  # additional information: where the argument lies
_FORMS = ((1, _ONE_BYTE), (2, 0x100), (4, 0x1_0000))  # of these three: bytes of the argument, and its least value


class BadBody(ValueError):
    """The body is outside the profile, or a key is missing or has another type than its message demands."""


def encode_map(body: Mapping[int, Value]) -> bytes:
    """One definite map with rising keys. Raises ValueError for anything outside the profile."""
    for key in body:
        if isinstance(key, bool) or not 0 <= key <= MAX_KEY:
            raise ValueError(f"TDL body key {key!r} refused: keys are 0 to {MAX_KEY} (tdl.md 3.3)")
    pairs = (bytes((key,)) + _encode(body[key]) for key in sorted(body))
    return _head(_MAP, len(body)) + b"".join(pairs)


def _encode(value: Value) -> bytes:
    if isinstance(value, bool):
        return bytes((_TRUE if value else _FALSE,))
    if isinstance(value, int):
        if not MIN_INT <= value <= MAX_UINT:
            raise ValueError(f"TDL integer {value} refused: 32 bits at most (tdl.md 3.3)")
        return _head(_UINT, value) if value >= 0 else _head(_NEGATIVE, -1 - value)
    if isinstance(value, bytes):
        return _head(_OCTETS, _string_size(value)) + value
    if isinstance(value, str):
        octets = value.encode("utf-8")
        return _head(_TEXT, _string_size(octets)) + octets
    return _encode_array(value)


def _string_size(octets: bytes) -> int:
    if len(octets) > MAX_STRING:
        raise ValueError(f"TDL string of {len(octets)} bytes refused: {MAX_STRING} at most (tdl.md 3.3)")
    return len(octets)


def _encode_array(value: tuple[int, ...]) -> bytes:
    if not isinstance(value, tuple) or len(value) > MAX_ARRAY:
        raise ValueError(f"TDL value {value!r} refused: arrays are tuples of at most {MAX_ARRAY} (tdl.md 3.3)")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= MAX_UINT:
            raise ValueError(f"TDL array item {item!r} refused: unsigned, 32 bits at most (tdl.md 3.3)")
    return _head(_ARRAY, len(value)) + b"".join(_head(_UINT, item) for item in value)


def _head(major: int, argument: int) -> bytes:
    if argument < _ONE_BYTE:
        return bytes((major << 5 | argument,))
    if argument <= 0xFF:
        return bytes((major << 5 | _ONE_BYTE, argument))
    if argument <= 0xFFFF:
        return bytes((major << 5 | _TWO_BYTES,)) + argument.to_bytes(2, "big")
    return bytes((major << 5 | _FOUR_BYTES,)) + argument.to_bytes(4, "big")


def decode_map(data: bytes) -> dict[int, Value]:
    """The whole of `data` as one map; unknown keys are kept. Raises BadBody outside the profile."""
    major, count, at = _read_head(data, 0)
    if major != _MAP:
        raise BadBody("a TDL body is one map")
    body: dict[int, Value] = {}
    last = -1
    end = len(data)
    for _ in range(count):
        if at >= end or not last < data[at] <= MAX_KEY:
            raise BadBody(f"a key after {last} is missing, does not rise or is above {MAX_KEY}")
        last = data[at]
        at += 1
        if at < end and data[at] < _ONE_BYTE:  # a small unsigned integer, as most values are: one byte, no call
            body[last] = data[at]
            at += 1
        else:
            body[last], at = _decode(data, at)
    if at != end:
        raise BadBody(f"{end - at} bytes behind the map")
    return body


def _decode(data: bytes, at: int) -> tuple[Value, int]:
    if at < len(data) and data[at] in (_FALSE, _TRUE):
        return data[at] == _TRUE, at + 1
    major, argument, at = _read_head(data, at)
    if major == _UINT:
        return argument, at
    if major == _NEGATIVE and argument <= -1 - MIN_INT:
        return -1 - argument, at
    if major in (_OCTETS, _TEXT):
        return _decode_string(data, major, argument, at)
    if major == _ARRAY and argument <= MAX_ARRAY:
        return _decode_array(data, argument, at)
    raise BadBody(f"a value of major type {major} with argument {argument} is outside the profile")


def _decode_string(data: bytes, major: int, size: int, at: int) -> tuple[Value, int]:
    end = at + size
    if end > len(data):
        raise BadBody(f"a string of {size} bytes runs past the end")
    octets = data[at:end]
    if major == _OCTETS:
        return octets, end
    try:
        return octets.decode("utf-8"), end
    except UnicodeDecodeError as error:
        raise BadBody("a text is not UTF-8") from error


def _decode_array(data: bytes, count: int, at: int) -> tuple[Value, int]:
    items: list[int] = []
    for _ in range(count):
        major, argument, at = _read_head(data, at)
        if major != _UINT:
            raise BadBody("an array holds something else than unsigned integers")
        items.append(argument)
    return tuple(items), at


def _read_head(data: bytes, at: int) -> tuple[int, int, int]:
    """Major type, argument and the offset behind them; only shortest forms of at most 32 bits."""
    if at >= len(data):
        raise BadBody("the body ends where an item should begin")
    first = data[at]
    major, information = first >> 5, first & 0x1F
    at += 1
    if information < _ONE_BYTE and major <= _MAP:
        return major, information, at
    if information > _FOUR_BYTES or major > _MAP:
        raise BadBody(f"initial byte {first:02X} is outside the profile")
    size, least = _FORMS[information - _ONE_BYTE]
    end = at + size
    if end > len(data):
        raise BadBody("an argument runs past the end")
    argument = int.from_bytes(data[at:end], "big")
    if argument < least:
        raise BadBody("an argument is not in its shortest form")
    return major, argument, end
