"""What the frames of GAT 3.50 say: made, and read. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firmware_bridge.wire.gat.codes import (
    CALCULATING_BIT,
    FIELD_END,
    HAS_RESULTS_BIT,
    VERSION_3_50,
    Calculation,
    Command,
    Format,
    InitiateBit,
    Level,
    ResultsBit,
)
from firmware_bridge.wire.gat.frame import Frame


class BadBody(ValueError):
    """A checked frame without sense."""


@dataclass(frozen=True, slots=True)
class StatusQuery:
    """How far is it?"""


@dataclass(frozen=True, slots=True)
class LastStatusQuery:
    """What was calculated last?"""


@dataclass(frozen=True, slots=True)
class ResultsQuery:
    """One frame of the result, from 1."""

    format: Format
    number: int


@dataclass(frozen=True, slots=True)
class Initiate:
    """Calculate; it takes the place of whatever is being calculated."""

    level: int
    parameters: bytes = b""


@dataclass(frozen=True, slots=True)
class Status:
    """`version` as it is printed, such as 3.50."""

    version: str
    calculation: Calculation
    has_results: bool
    formats: Format

    @property
    def is_done(self) -> bool:
        """What was asked for can be fetched."""
        return self.calculation is Calculation.IDLE and self.has_results


@dataclass(frozen=True, slots=True)
class LastStatus:
    """Level of the last calculation, and how many seconds it took or has taken."""

    level: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Results:
    """One frame of the result."""

    is_failed: bool
    is_last: bool
    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class InitiateAck:
    """Whether it is being calculated now."""

    is_accepted: bool
    is_started: bool
    is_level_unknown: bool


Question = StatusQuery | LastStatusQuery | ResultsQuery | Initiate
Answer = Status | LastStatus | Results | InitiateAck
Message = Question | Answer


def special_function(*fields: str) -> Initiate:
    """A special function, such as `Get File` with name and key. Raises ValueError for what is no ASCII."""
    return Initiate(Level.SPECIAL_FUNCTION, b"\x00" + FIELD_END.join(fields).encode("ascii"))


def special_fields(asked: Initiate) -> tuple[str, ...] | None:
    """The fields of a special function; None: it is none."""
    if asked.level != Level.SPECIAL_FUNCTION or asked.parameters[:1] != b"\x00":
        return None
    return tuple(asked.parameters[1:].decode("ascii", "replace").split(FIELD_END))


def encode_message(message: Message) -> Frame:
    """The frame of a message. Raises ValueError for numbers that do not fit."""
    match message:
        case StatusQuery():
            return Frame(Command.STATUS_QUERY)
        case LastStatusQuery():
            return Frame(Command.LAST_STATUS_QUERY)
        case ResultsQuery(format, number):
            return Frame(Command.RESULTS_QUERY, bytes((format,)) + _u16(number))
        case Initiate(level, parameters):
            return Frame(Command.INITIATE, bytes((level,)) + parameters)
        case Status():
            return Frame(
                Command.STATUS, _version_bytes(message.version) + bytes((_status_byte(message),)) + _of(message)
            )
        case LastStatus(level, seconds):
            return Frame(Command.LAST_STATUS, bytes((level,)) + seconds.to_bytes(4, "big"))
        case Results(is_failed, is_last, number, data):
            bits = (ResultsBit.FAILED if is_failed else 0) | (ResultsBit.LAST_FRAME if is_last else 0)
            return Frame(Command.RESULTS, bytes((bits,)) + _u16(number) + data)
        case InitiateAck(is_accepted, is_started, is_unknown):
            pairs = zip(InitiateBit, (is_accepted, is_started, is_unknown), strict=True)
            return Frame(Command.INITIATE_ACK, bytes((sum(bit for bit, is_set in pairs if is_set),)))


def decode_message(frame: Frame) -> Message:
    """What a frame says. Raises BadBody."""
    return _READERS[frame.command](frame.payload)


def _u16(number: int) -> bytes:
    if not 1 <= number <= 0xFFFF:
        raise ValueError(f"frame number {number}: 1 to 65535 are allowed")
    return number.to_bytes(2, "big")


def _version_bytes(version: str) -> bytes:
    return bytes.fromhex(version.replace(".", "").rjust(4, "0"))


def _of(status: Status) -> bytes:
    return bytes((status.formats,))


def _status_byte(status: Status) -> int:
    is_busy = status.calculation in (Calculation.REQUESTED, Calculation.CALCULATING)
    bits = (CALCULATING_BIT if is_busy else 0) | (HAS_RESULTS_BIT if status.has_results else 0)
    return status.calculation << 2 | bits


def _status(payload: bytes) -> Status:
    digits, told, formats = payload[: len(VERSION_3_50)].hex(), payload[2], payload[3]
    if not digits.isdecimal():
        raise BadBody(f"protocol version {digits} is no decimal number")
    version = f"{int(digits[:2])}.{digits[2:]}"
    return Status(version, Calculation(told >> 2 & 3), bool(told & HAS_RESULTS_BIT), Format(formats & 3))


def _results(payload: bytes) -> Results:
    bits, number = payload[0], int.from_bytes(payload[1:3], "big")
    if number == 0:
        raise BadBody("a result's frames are numbered from 1")
    return Results(bool(bits & ResultsBit.FAILED), bool(bits & ResultsBit.LAST_FRAME), number, payload[3:])


def _results_query(payload: bytes) -> ResultsQuery:
    number = int.from_bytes(payload[1:3], "big")
    if number == 0 or payload[0] not in (Format.TEXT, Format.XML):
        raise BadBody(f"frame {number} in format {payload[0]}: frames from 1, formats 1 and 2")
    return ResultsQuery(Format(payload[0]), number)


def _initiate_ack(payload: bytes) -> InitiateAck:
    return InitiateAck(*(bool(payload[0] & bit) for bit in InitiateBit))


_READERS: Mapping[Command, Callable[[bytes], Message]] = {
    Command.STATUS_QUERY: lambda _payload: StatusQuery(),
    Command.LAST_STATUS_QUERY: lambda _payload: LastStatusQuery(),
    Command.RESULTS_QUERY: _results_query,
    Command.INITIATE: lambda payload: Initiate(payload[0], payload[1:]),
    Command.STATUS: _status,
    Command.LAST_STATUS: lambda payload: LastStatus(payload[0], int.from_bytes(payload[1:5], "big")),
    Command.RESULTS: _results,
    Command.INITIATE_ACK: _initiate_ack,
}
