"""What the peripheral answers: one class a reply, data both ways. See `commands` for the conventions."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from firmware_bridge.wire.osdp.body import BadBody, exactly, pack, unpack
from firmware_bridge.wire.osdp.codes import NakCode, ReplyCode
from firmware_bridge.wire.osdp.commands import CRYPTOGRAM_SIZE, RANDOM_SIZE

CLIENT_UID_SIZE = 8
KEY_ENTER = 0x0D  # the # key of a keypad
KEY_CLEAR = 0x7F  # the * key
_IDENTITY_TAIL = struct.Struct("<BBIBBB")  # behind the three bytes of the vendor
_COMMUNICATION = struct.Struct("<BI")
_RAW_HEAD = struct.Struct("<BBH")
_FORMATTED_HEAD = struct.Struct("<BBB")
_KEYPAD_HEAD = struct.Struct("<BB")
_CAPABILITY_SIZE = 3
_CLIENT_CRYPTOGRAM_SIZE = CLIENT_UID_SIZE + RANDOM_SIZE + CRYPTOGRAM_SIZE


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """ACK: done, or nothing new."""

    code: ClassVar[ReplyCode] = ReplyCode.ACK

    def encode(self) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class Refused:
    """NAK: `reason` is a `NakCode` or a number that this version does not know; some add details."""

    code: ClassVar[ReplyCode] = ReplyCode.NAK
    reason: int
    details: bytes = b""

    @property
    def words(self) -> str:
        known = self.reason in NakCode._value2member_map_
        return NakCode(self.reason).name.lower().replace("_", " ") if known else f"code {self.reason}"

    def encode(self) -> bytes:
        return bytes((self.reason,)) + self.details


@dataclass(frozen=True, slots=True)
class Identity:
    """PDID: who it is. `vendor` is three bytes (an IEEE OUI), `firmware` major, minor, build."""

    code: ClassVar[ReplyCode] = ReplyCode.PDID
    vendor: bytes
    model: int
    version: int
    serial: int
    firmware: tuple[int, int, int]

    def encode(self) -> bytes:
        return exactly(3, self.vendor, "PDID vendor") + pack(
            _IDENTITY_TAIL, self.model, self.version, self.serial, *self.firmware
        )


@dataclass(frozen=True, slots=True)
class CapabilityRecord:
    """One function: the level to which it is offered, and how many of them."""

    function: int
    level: int
    count: int


@dataclass(frozen=True, slots=True)
class Capabilities:
    """PDCAP: what it can do."""

    code: ClassVar[ReplyCode] = ReplyCode.PDCAP
    records: tuple[CapabilityRecord, ...]

    def encode(self) -> bytes:
        return b"".join(bytes((r.function, r.level, r.count)) for r in self.records)

    def level(self, function: int) -> int:
        """How far a function is offered; 0 where it is not listed."""
        return next((r.level for r in self.records if r.function == function), 0)


@dataclass(frozen=True, slots=True)
class LocalStatus:
    """LSTATR: cover opened, supply failing."""

    code: ClassVar[ReplyCode] = ReplyCode.LSTATR
    is_tampered: bool
    is_power_failing: bool

    def encode(self) -> bytes:
        return bytes((self.is_tampered, self.is_power_failing))


@dataclass(frozen=True, slots=True)
class RawCard:
    """RAW: the bits of a card, first bit leftmost; what lies behind the last bit means nothing."""

    code: ClassVar[ReplyCode] = ReplyCode.RAW
    reader: int
    format: int
    bits: int
    data: bytes

    def encode(self) -> bytes:
        return pack(_RAW_HEAD, self.reader, self.format, self.bits) + exactly((self.bits + 7) // 8, self.data, "RAW")


@dataclass(frozen=True, slots=True)
class FormattedCard:
    """FMT: the characters of a card; given up by version 2.2.2 of the standard, still sent by older readers."""

    code: ClassVar[ReplyCode] = ReplyCode.FMT
    reader: int
    is_backward: bool
    characters: bytes

    def encode(self) -> bytes:
        return pack(_FORMATTED_HEAD, self.reader, self.is_backward, len(self.characters)) + self.characters


@dataclass(frozen=True, slots=True)
class KeysPressed:
    """KEYPAD: digits as ASCII, 7F for *, 0D for #."""

    code: ClassVar[ReplyCode] = ReplyCode.KEYPAD
    reader: int
    keys: bytes

    def encode(self) -> bytes:
        return pack(_KEYPAD_HEAD, self.reader, len(self.keys)) + self.keys


@dataclass(frozen=True, slots=True)
class Communication:
    """COM: the address and speed that hold from now on."""

    code: ClassVar[ReplyCode] = ReplyCode.COM
    address: int
    baud: int

    def encode(self) -> bytes:
        return pack(_COMMUNICATION, self.address, self.baud)


@dataclass(frozen=True, slots=True)
class ClientCryptogram:
    """CCRYPT: the peripheral's own id, its random number, and its proof that it has the key."""

    code: ClassVar[ReplyCode] = ReplyCode.CCRYPT
    client_uid: bytes
    random: bytes
    cryptogram: bytes

    def encode(self) -> bytes:
        return self.client_uid + self.random + self.cryptogram


@dataclass(frozen=True, slots=True)
class InitialMac:
    """RMAC_I: the start of the chain of MACs."""

    code: ClassVar[ReplyCode] = ReplyCode.RMAC_I
    mac: bytes

    def encode(self) -> bytes:
        return self.mac


@dataclass(frozen=True, slots=True)
class Busy:
    """BUSY: ask again. Comes with sequence number 0 and without a security block, whatever was asked."""

    code: ClassVar[ReplyCode] = ReplyCode.BUSY

    def encode(self) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class UnknownReply:
    """A code that is not listed here, kept raw."""

    code: int
    data: bytes

    def encode(self) -> bytes:
        return self.data


ReplyMessage = (
    Acknowledged
    | Refused
    | Identity
    | Capabilities
    | LocalStatus
    | RawCard
    | FormattedCard
    | KeysPressed
    | Communication
    | ClientCryptogram
    | InitialMac
    | Busy
    | UnknownReply
)


def decode_reply(code: int, data: bytes) -> ReplyMessage:
    """The reply behind a frame's code. Raises `BadBody` where the data is not what the code demands."""
    decode = _DECODERS.get(code)
    return UnknownReply(code, data) if decode is None else decode(data)


def _decode_empty(data: bytes, reply: Acknowledged | Busy) -> Acknowledged | Busy:
    exactly(0, data, type(reply).__name__)
    return reply


def _decode_refused(data: bytes) -> Refused:
    if not data:
        raise BadBody("NAK: no reason")
    return Refused(data[0], data[1:])


def _decode_identity(data: bytes) -> Identity:
    exactly(3 + _IDENTITY_TAIL.size, data, "PDID")
    model, version, serial, major, minor, build = _IDENTITY_TAIL.unpack(data[3:])
    return Identity(data[:3], model, version, serial, (major, minor, build))


def _decode_capabilities(data: bytes) -> Capabilities:
    if len(data) % _CAPABILITY_SIZE:
        raise BadBody(f"PDCAP: {len(data)} bytes are no whole number of records")
    starts = range(0, len(data), _CAPABILITY_SIZE)
    return Capabilities(tuple(CapabilityRecord(*data[at : at + _CAPABILITY_SIZE]) for at in starts))


def _decode_local_status(data: bytes) -> LocalStatus:
    tamper, power = exactly(2, data, "LSTATR")
    return LocalStatus(tamper != 0, power != 0)


def _decode_raw(data: bytes) -> RawCard:
    reader, layout, bits = unpack(_RAW_HEAD, data[: _RAW_HEAD.size], "RAW head")
    if bits == 0:
        raise BadBody("RAW: a card without bits")
    return RawCard(reader, layout, bits, exactly((bits + 7) // 8, data[_RAW_HEAD.size :], f"RAW of {bits} bits"))


def _decode_formatted(data: bytes) -> FormattedCard:
    reader, backward, size = unpack(_FORMATTED_HEAD, data[: _FORMATTED_HEAD.size], "FMT head")
    if size == 0:
        raise BadBody("FMT: a card without characters")
    return FormattedCard(reader, backward != 0, exactly(size, data[_FORMATTED_HEAD.size :], "FMT characters"))


def _decode_keys(data: bytes) -> KeysPressed:
    reader, size = unpack(_KEYPAD_HEAD, data[: _KEYPAD_HEAD.size], "KEYPAD head")
    return KeysPressed(reader, exactly(size, data[_KEYPAD_HEAD.size :], "KEYPAD digits"))


def _decode_communication(data: bytes) -> Communication:
    address, baud = unpack(_COMMUNICATION, data, "COM")
    return Communication(address, baud)


def _decode_client_cryptogram(data: bytes) -> ClientCryptogram:
    exactly(_CLIENT_CRYPTOGRAM_SIZE, data, "CCRYPT")
    random_end = CLIENT_UID_SIZE + RANDOM_SIZE
    return ClientCryptogram(data[:CLIENT_UID_SIZE], data[CLIENT_UID_SIZE:random_end], data[random_end:])


_DECODERS: dict[int, Callable[[bytes], ReplyMessage]] = {
    ReplyCode.ACK: lambda data: _decode_empty(data, Acknowledged()),
    ReplyCode.NAK: _decode_refused,
    ReplyCode.PDID: _decode_identity,
    ReplyCode.PDCAP: _decode_capabilities,
    ReplyCode.LSTATR: _decode_local_status,
    ReplyCode.RAW: _decode_raw,
    ReplyCode.FMT: _decode_formatted,
    ReplyCode.KEYPAD: _decode_keys,
    ReplyCode.COM: _decode_communication,
    ReplyCode.CCRYPT: _decode_client_cryptogram,
    ReplyCode.RMAC_I: lambda data: InitialMac(exactly(CRYPTOGRAM_SIZE, data, "RMAC_I")),
    ReplyCode.BUSY: lambda data: _decode_empty(data, Busy()),
}
