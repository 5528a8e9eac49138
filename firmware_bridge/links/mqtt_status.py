"""What a device says of itself on `<prefix>/<device>/link`: CBOR {0: on-line, 1: boot, 2: connection} (TDL 2.2)."""

from __future__ import annotations

from dataclasses import dataclass

# CBOR (RFC 8949): major types in the upper three bits, the argument in the lower five.
_MAP_OF_3 = 0xA3
_FALSE, _TRUE = 0xF4, 0xF5
_ARGUMENT_SIZES = {24: 1, 25: 2, 26: 4}
_HIGHEST = 0xFFFF_FFFF


class BadStatus(ValueError):
    """Not a link status."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """On-line or not, as of which boot and which MQTT connection since that boot."""

    is_online: bool
    boot: int
    connection: int

    def is_older_than(self, other: LinkStatus) -> bool:
        """True where the other one was made later: a will may arrive after the device is back (BR-040)."""
        return (self.boot, self.connection) < (other.boot, other.connection)

    def encode(self) -> bytes:
        """The CBOR map, shortest forms."""
        online = bytes([0, _TRUE if self.is_online else _FALSE])
        return bytes([_MAP_OF_3]) + online + b"\x01" + _uint(self.boot) + b"\x02" + _uint(self.connection)

    @classmethod
    def decode(cls, data: bytes) -> LinkStatus:
        """Read it strictly. Raises `BadStatus`."""
        if len(data) < 4 or data[0] != _MAP_OF_3 or data[1] != 0 or data[2] not in (_FALSE, _TRUE):
            raise BadStatus(f"{data[:16].hex()} is no link status")
        boot, rest = _take_uint(data[3:], key=1)
        connection, rest = _take_uint(rest, key=2)
        if rest:
            raise BadStatus(f"{len(rest)} bytes follow the link status")
        return cls(data[2] == _TRUE, boot, connection)


def _uint(value: int) -> bytes:
    if not 0 <= value <= _HIGHEST:
        raise ValueError(f"{value} is no unsigned number of 32 bits")
    if value < 24:
        return bytes([value])
    size = 1 if value <= 0xFF else 2 if value <= 0xFFFF else 4
    return bytes([{1: 24, 2: 25, 4: 26}[size]]) + value.to_bytes(size, "big")


def _take_uint(data: bytes, key: int) -> tuple[int, bytes]:
    if len(data) < 2 or data[0] != key:
        raise BadStatus(f"key {key} of the link status is missing")
    size = _ARGUMENT_SIZES.get(data[1], 0)
    if data[1] >= 24 and (size == 0 or len(data) < 2 + size):
        raise BadStatus(f"key {key} of the link status is no number of 32 bits")
    value = int.from_bytes(data[2 : 2 + size], "big") if size else data[1]
    if _uint(value) != data[1 : 2 + size]:
        raise BadStatus(f"key {key} of the link status is not in its shortest form")
    return value, data[2 + size :]
