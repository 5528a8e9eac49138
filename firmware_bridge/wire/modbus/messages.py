"""What a Modbus message says, without its frame: questions and answers, both ways. Never raises on bytes.

Addresses count from 0, as on the wire; many manuals count from 1 and put a digit for the table before it (10001 is
input 0). Bits go into bytes lowest first.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firmware_bridge.wire.modbus.codes import (
    ADDRESSES,
    BIT_READS,
    COIL_OFF,
    COIL_ON,
    ECHO_QUESTION,
    MAX_BITS_READ,
    MAX_BITS_WRITTEN,
    MAX_WORDS_READ,
    REFUSED_BIT,
    WORD_READS,
    ExceptionCode,
    Function,
)

_BITS = 8


class CannotBeAsked(ValueError):
    """A question that Modbus has no room for: says which bound it breaks."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read `count` bits (functions 1, 2) or words (3, 4) from `address` on. Raises CannotBeAsked."""

    function: Function
    address: int
    count: int

    def __post_init__(self) -> None:
        most = MAX_BITS_READ if self.function in BIT_READS else MAX_WORDS_READ
        if self.function not in BIT_READS | WORD_READS:
            raise CannotBeAsked(f"function {self.function} reads nothing: 1 to 4 do")
        _check_range(self.address, self.count, most)


@dataclass(frozen=True, slots=True)
class WriteCoil:
    """Switch one coil (function 5)."""

    address: int
    is_on: bool

    def __post_init__(self) -> None:
        _check_range(self.address, 1, 1)


@dataclass(frozen=True, slots=True)
class WriteCoils:
    """Switch coils that stand side by side (function 15)."""

    address: int
    values: tuple[bool, ...]

    def __post_init__(self) -> None:
        _check_range(self.address, len(self.values), MAX_BITS_WRITTEN)


@dataclass(frozen=True, slots=True)
class Echo:
    """Send back these two bytes (function 8, sub-function 0): the one question whose answer carries a number."""

    number: int


Question = Read | WriteCoil | WriteCoils | Echo


@dataclass(frozen=True, slots=True)
class Bits:
    """The answer to a read of bits: whole bytes, so up to seven more than were asked for."""

    function: Function
    values: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The answer to a read of words."""

    function: Function
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CoilsWritten:
    """The answer to WriteCoils: from where, and how many."""

    address: int
    count: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An exception. `code` may be one that the standard does not name."""

    function: int
    code: int

    @property
    def words(self) -> str:
        """For the technician."""
        name = ExceptionCode(self.code).name.lower().replace("_", " ") if self.code in _CODES else "not in the standard"
        return f"exception {self.code} ({name}) to function {self.function}"


# A board answers WriteCoil and Echo with the question itself.
Answer = Bits | Words | WriteCoil | CoilsWritten | Echo | Refused
_CODES = frozenset(int(code) for code in ExceptionCode)


def encode_question(question: Question) -> bytes:
    """The bytes from the function on."""
    match question:
        case Read(function, address, count):
            return struct.pack(">BHH", function, address, count)
        case WriteCoil(address, is_on):
            return struct.pack(">BHH", Function.WRITE_COIL, address, COIL_ON if is_on else COIL_OFF)
        case WriteCoils(address, values):
            data = pack_bits(values)
            return struct.pack(">BHHB", Function.WRITE_COILS, address, len(values), len(data)) + data
        case Echo(number):
            return struct.pack(">BHH", Function.DIAGNOSTICS, ECHO_QUESTION, number)


def encode_answer(answer: Answer) -> bytes:
    """The bytes from the function on."""
    match answer:
        case Bits(function, values):
            data = pack_bits(values)
            return bytes((function, len(data))) + data
        case Words(function, values):
            return struct.pack(f">BB{len(values)}H", function, 2 * len(values), *values)
        case CoilsWritten(address, count):
            return struct.pack(">BHH", Function.WRITE_COILS, address, count)
        case Refused(function, code):
            return bytes((function | REFUSED_BIT, code))
        case _:
            return encode_question(answer)


def decode_question(data: bytes) -> Question | Refused:
    """What is asked; a `Refused` says with which exception a board turns it away (standard, section 7)."""
    reader = _QUESTIONS.get(data[0]) if data else None
    if reader is None:
        return Refused(data[0] & ~REFUSED_BIT if data else 0, ExceptionCode.ILLEGAL_FUNCTION)
    try:
        return reader(data)
    except (struct.error, CannotBeAsked, ValueError):
        return Refused(data[0], ExceptionCode.ILLEGAL_VALUE)


def decode_answer(data: bytes) -> Answer | None:
    """What is answered; None: no answer that is known here has this form."""
    if not data:
        return None
    if data[0] & REFUSED_BIT:
        return Refused(data[0] & ~REFUSED_BIT, data[1]) if len(data) == 2 else None
    reader = _ANSWERS.get(data[0])
    try:
        return None if reader is None else reader(data)
    except (struct.error, CannotBeAsked, ValueError):
        return None


def is_answer_to(answer: Answer, question: Question) -> bool:
    """Whether an answer has the form that this question asks for: function, address, and how much of it."""
    if isinstance(answer, Refused):
        return answer.function == function_of(question)
    match question:
        case Read(function, _, count):
            if isinstance(answer, Bits):
                return answer.function == function and len(answer.values) == -(-count // _BITS) * _BITS
            return isinstance(answer, Words) and answer.function == function and len(answer.values) == count
        case WriteCoils(address, values):
            return answer == CoilsWritten(address, len(values))
        case _:
            return answer == question


def function_of(question: Question) -> Function:
    """The function that a question is asked by."""
    match question:
        case Read(function, _, _):
            return function
        case WriteCoil():
            return Function.WRITE_COIL
        case WriteCoils():
            return Function.WRITE_COILS
        case Echo():
            return Function.DIAGNOSTICS


def pack_bits(values: Sequence[bool]) -> bytes:
    """Lowest bit first, the last byte filled with zeros."""
    packed = bytearray(-(-len(values) // _BITS))
    for place, value in enumerate(values):
        packed[place // _BITS] |= value << place % _BITS
    return bytes(packed)


def unpack_bits(data: bytes) -> tuple[bool, ...]:
    """All bits of whole bytes."""
    return tuple(bool(byte >> bit & 1) for byte in data for bit in range(_BITS))


def _check_range(address: int, count: int, most: int) -> None:
    if not 1 <= count <= most:
        raise CannotBeAsked(f"{count} at once: 1 to {most} can be asked for")
    if not 0 <= address <= ADDRESSES - count:
        raise CannotBeAsked(f"address {address} with {count} behind it: addresses end at {ADDRESSES - 1}")


def _read(data: bytes) -> Question:
    function, address, count = struct.unpack(">BHH", data)
    return Read(Function(function), address, count)


def _coil(data: bytes) -> WriteCoil:
    _, address, value = struct.unpack(">BHH", data)
    if value not in (COIL_ON, COIL_OFF):
        raise ValueError(f"{value:04X} is neither on nor off")
    return WriteCoil(address, value == COIL_ON)


def _coils(data: bytes) -> Question:
    _, address, count, size = struct.unpack(">BHHB", data[:6])
    if size != len(data) - 6 or size != -(-count // _BITS):
        raise ValueError("the size is not that of the coils")
    return WriteCoils(address, unpack_bits(data[6:])[:count])


def _echo(data: bytes) -> Echo:
    _, what, number = struct.unpack(">BHH", data)
    if what != ECHO_QUESTION:
        raise ValueError(f"sub-function {what}")
    return Echo(number)


def _bits(data: bytes) -> Bits | None:
    return Bits(Function(data[0]), unpack_bits(data[2:])) if _is_whole(data) else None


def _words(data: bytes) -> Words | None:
    if not _is_whole(data) or data[1] % 2:
        return None
    return Words(Function(data[0]), struct.unpack(f">{data[1] // 2}H", data[2:]))


def _is_whole(data: bytes) -> bool:
    return len(data) > 2 and data[1] == len(data) - 2


def _written(data: bytes) -> CoilsWritten:
    _, address, count = struct.unpack(">BHH", data)
    return CoilsWritten(address, count)


_QUESTIONS: Mapping[int, Callable[[bytes], Question]] = {
    **dict.fromkeys(BIT_READS | WORD_READS, _read),
    Function.WRITE_COIL: _coil,
    Function.WRITE_COILS: _coils,
    Function.DIAGNOSTICS: _echo,
}
_ANSWERS: Mapping[int, Callable[[bytes], Answer | None]] = {
    **dict.fromkeys(BIT_READS, _bits),
    **dict.fromkeys(WORD_READS, _words),
    Function.WRITE_COIL: _coil,
    Function.WRITE_COILS: _written,
    Function.DIAGNOSTICS: _echo,
}
