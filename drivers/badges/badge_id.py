"""The one text form of a badge: `<bits>:<UPPER HEX>`, fixed width (BR-032).

The hex is the number that the bits make, the first bit leftmost, written with two digits for each begun byte:
26 bits `2D 0A 22 80` off the wire are the number 00B4288A, as every Wiegand tool prints it, and the id is
`26:00B4288A`. Leading zeros stay, bits behind the last one are not looked at, and only this text is ever compared.
"""

from __future__ import annotations

_BITS_PER_BYTE = 8
# Longer than any card's number (a FASC-N has 200 bits), and what the configuration can hold.
BITS_MAX = 256


class BadgeUnreadable(ValueError):
    """What the reader sent is no badge's number: says why."""


def badge_id(bits: int, data: bytes, *, is_reversed: bool = False) -> str:
    """The id of `bits` bits in `data`. Raises `BadgeUnreadable`.

    `is_reversed`: the reader sends the last byte first; only whole bytes have such an order, so that any other
    number of bits is read as it comes.
    """
    size = (bits + _BITS_PER_BYTE - 1) // _BITS_PER_BYTE
    if not 0 < bits <= BITS_MAX or len(data) != size:
        raise BadgeUnreadable(f"{bits} bits in {len(data)} bytes: 1 to {BITS_MAX} bits, and as many bytes as they need")
    spare = size * _BITS_PER_BYTE - bits
    number = int.from_bytes(data, "little" if is_reversed and not spare else "big") >> spare
    return f"{bits}:{number:0{2 * size}X}"
