"""What the control panel sends: one class a command, data both ways.

`encode` gives the bytes behind the code and raises ValueError for what does not fit; `decode_command` reads them
and raises `BadBody`. Times are in tenths of a second, as on the wire.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from firmware_bridge.wire.osdp.body import BadBody, exactly, pack, unpack
from firmware_bridge.wire.osdp.codes import (
    CommandCode,
    LedColour,
    PermanentLed,
    TemporaryLed,
    TextMode,
    Tone,
)

KEY_SIZE = 16
RANDOM_SIZE = 8
CRYPTOGRAM_SIZE = 16
TEXT_MAX = 32  # libosdp 3.2.9 takes no more in one command
_KEY_TYPE_SCBK = 1
_LED = struct.Struct("<BB BBBBBH BBBBB")
_BUZZER = struct.Struct("<BBBBB")
_TEXT_HEAD = struct.Struct("<BBBBBB")
_COMMUNICATION = struct.Struct("<BI")
_STANDARD_REPORT = b"\x00"  # the only kind of report that ID and CAP ask for


@dataclass(frozen=True, slots=True)
class Poll:
    """POLL: anything new?"""

    code: ClassVar[CommandCode] = CommandCode.POLL

    def encode(self) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class ReportIdentity:
    """ID: who are you? Answered by PDID."""

    code: ClassVar[CommandCode] = CommandCode.ID

    def encode(self) -> bytes:
        return _STANDARD_REPORT


@dataclass(frozen=True, slots=True)
class ReportCapabilities:
    """CAP: what can you do? Answered by PDCAP."""

    code: ClassVar[CommandCode] = CommandCode.CAP

    def encode(self) -> bytes:
        return _STANDARD_REPORT


@dataclass(frozen=True, slots=True)
class ReportLocalStatus:
    """LSTAT: tamper and power? Answered by LSTATR."""

    code: ClassVar[CommandCode] = CommandCode.LSTAT

    def encode(self) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class LedPattern:
    """On for so long in one colour, off for so long in the other."""

    on_tenths: int = 0
    off_tenths: int = 0
    on_colour: LedColour = LedColour.BLACK
    off_colour: LedColour = LedColour.BLACK


@dataclass(frozen=True, slots=True)
class LedRecord:
    """One lamp of one reader: a temporary state that ends by its timer, over a permanent one."""

    reader: int = 0
    led: int = 0
    temporary_code: TemporaryLed = TemporaryLed.KEEP
    temporary: LedPattern = LedPattern()
    timer_tenths: int = 0
    permanent_code: PermanentLed = PermanentLed.KEEP
    permanent: LedPattern = LedPattern()


@dataclass(frozen=True, slots=True)
class SetLed:
    """LED: one or more lamps."""

    code: ClassVar[CommandCode] = CommandCode.LED
    records: tuple[LedRecord, ...]

    def encode(self) -> bytes:
        return b"".join(_encode_led(record) for record in self.records)


@dataclass(frozen=True, slots=True)
class SoundBuzzer:
    """BUZ: `repeat` times on and off; 0 is for ever."""

    code: ClassVar[CommandCode] = CommandCode.BUZ
    reader: int
    tone: Tone
    on_tenths: int
    off_tenths: int
    repeat: int

    def encode(self) -> bytes:
        return pack(_BUZZER, self.reader, self.tone, self.on_tenths, self.off_tenths, self.repeat)


@dataclass(frozen=True, slots=True)
class ShowText:
    """TEXT: printable ASCII at a row and column (both from 1); temporary texts end after `time_s`."""

    code: ClassVar[CommandCode] = CommandCode.TEXT
    reader: int
    mode: TextMode
    time_s: int
    row: int
    column: int
    text: str

    def encode(self) -> bytes:
        text = _shown(self.text)
        return pack(_TEXT_HEAD, self.reader, self.mode, self.time_s, self.row, self.column, len(text)) + text


@dataclass(frozen=True, slots=True)
class SetCommunication:
    """COMSET: another address and speed. Answered by COM."""

    code: ClassVar[CommandCode] = CommandCode.COMSET
    address: int
    baud: int

    def encode(self) -> bytes:
        return pack(_COMMUNICATION, self.address, self.baud)


@dataclass(frozen=True, slots=True, repr=False)
class SetKey:
    """KEYSET: a new base key, only ever sent encrypted. Its repr hides the key."""

    code: ClassVar[CommandCode] = CommandCode.KEYSET
    key: bytes

    def encode(self) -> bytes:
        if len(self.key) != KEY_SIZE:
            raise ValueError(f"a base key has {KEY_SIZE} bytes, not {len(self.key)}")
        return bytes((_KEY_TYPE_SCBK, KEY_SIZE)) + self.key

    def __repr__(self) -> str:
        return "SetKey(<key>)"


@dataclass(frozen=True, slots=True)
class Challenge:
    """CHLNG: the panel's random number opens the handshake. Answered by CCRYPT."""

    code: ClassVar[CommandCode] = CommandCode.CHLNG
    random: bytes

    def encode(self) -> bytes:
        return self.random


@dataclass(frozen=True, slots=True)
class ServerCryptogram:
    """SCRYPT: the panel proves that it has the key. Answered by RMAC_I."""

    code: ClassVar[CommandCode] = CommandCode.SCRYPT
    cryptogram: bytes

    def encode(self) -> bytes:
        return self.cryptogram


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """A code that is not listed here, kept raw."""

    code: int
    data: bytes

    def encode(self) -> bytes:
        return self.data


CommandMessage = (
    Poll
    | ReportIdentity
    | ReportCapabilities
    | ReportLocalStatus
    | SetLed
    | SoundBuzzer
    | ShowText
    | SetCommunication
    | SetKey
    | Challenge
    | ServerCryptogram
    | UnknownCommand
)


def decode_command(code: int, data: bytes) -> CommandMessage:
    """The command behind a frame's code. Raises `BadBody` where the data is not what the code demands."""
    decode = _DECODERS.get(code)
    if decode is None:
        return UnknownCommand(code, data)
    try:
        return decode(data)
    except BadBody:
        raise
    except ValueError as error:  # a value that its enumeration does not know
        raise BadBody(f"{CommandCode(code).name}: {error}") from error


def _encode_led(record: LedRecord) -> bytes:
    temporary, permanent = record.temporary, record.permanent
    return pack(
        _LED,
        record.reader,
        record.led,
        record.temporary_code,
        temporary.on_tenths,
        temporary.off_tenths,
        temporary.on_colour,
        temporary.off_colour,
        record.timer_tenths,
        record.permanent_code,
        permanent.on_tenths,
        permanent.off_tenths,
        permanent.on_colour,
        permanent.off_colour,
    )


def _decode_led(data: bytes) -> SetLed:
    if not data or len(data) % _LED.size:
        raise BadBody(f"LED: {len(data)} bytes are no whole number of {_LED.size}-byte records")
    return SetLed(tuple(_led_record(*values) for values in _LED.iter_unpack(data)))


def _led_record(reader: int, led: int, *v: int) -> LedRecord:
    temporary = LedPattern(v[1], v[2], LedColour(v[3]), LedColour(v[4]))
    permanent = LedPattern(v[7], v[8], LedColour(v[9]), LedColour(v[10]))
    return LedRecord(reader, led, TemporaryLed(v[0]), temporary, v[5], PermanentLed(v[6]), permanent)


def _decode_buzzer(data: bytes) -> SoundBuzzer:
    reader, tone, on, off, repeat = unpack(_BUZZER, data, "BUZ")
    return SoundBuzzer(reader, Tone(tone), on, off, repeat)


def _decode_text(data: bytes) -> ShowText:
    reader, mode, time_s, row, column, size = unpack(_TEXT_HEAD, data[: _TEXT_HEAD.size], "TEXT head")
    text = exactly(size, data[_TEXT_HEAD.size :], "TEXT characters").decode("ascii")
    _shown(text)
    return ShowText(reader, TextMode(mode), time_s, row, column, text)


def _shown(text: str) -> bytes:
    """The characters of a text. Raises ValueError for what no reader shows, whoever sends it."""
    if not 1 <= len(text) <= TEXT_MAX or not text.isascii() or not text.isprintable():
        raise ValueError(f"{text!r}: a reader shows 1 to {TEXT_MAX} printable ASCII characters")
    return text.encode("ascii")


def _decode_communication(data: bytes) -> SetCommunication:
    address, baud = unpack(_COMMUNICATION, data, "COMSET")
    return SetCommunication(address, baud)


def _decode_key(data: bytes) -> SetKey:
    if data[:2] != bytes((_KEY_TYPE_SCBK, KEY_SIZE)):
        raise BadBody("KEYSET: only a base key of 16 bytes (type 1) is known")
    return SetKey(exactly(KEY_SIZE, data[2:], "KEYSET"))


def _without_data(data: bytes, command: CommandMessage, expected: bytes) -> CommandMessage:
    if data != expected:
        raise BadBody(f"{type(command).__name__}: data {data.hex()!r} instead of {expected.hex()!r}")
    return command


_DECODERS: dict[int, Callable[[bytes], CommandMessage]] = {
    CommandCode.POLL: lambda data: _without_data(data, Poll(), b""),
    CommandCode.ID: lambda data: _without_data(data, ReportIdentity(), _STANDARD_REPORT),
    CommandCode.CAP: lambda data: _without_data(data, ReportCapabilities(), _STANDARD_REPORT),
    CommandCode.LSTAT: lambda data: _without_data(data, ReportLocalStatus(), b""),
    CommandCode.LED: _decode_led,
    CommandCode.BUZ: _decode_buzzer,
    CommandCode.TEXT: _decode_text,
    CommandCode.COMSET: _decode_communication,
    CommandCode.KEYSET: _decode_key,
    CommandCode.CHLNG: lambda data: Challenge(exactly(RANDOM_SIZE, data, "CHLNG")),
    CommandCode.SCRYPT: lambda data: ServerCryptogram(exactly(CRYPTOGRAM_SIZE, data, "SCRYPT")),
}
