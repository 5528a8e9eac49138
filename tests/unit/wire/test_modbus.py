"""Modbus codec: golden bytes, any bytes in any pieces, gaps, and what no frame may be made of."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.modbus.codes import ExceptionCode, Function
from firmware_bridge.wire.modbus.frame import Frame
from firmware_bridge.wire.modbus.messages import (
    Bits,
    CannotBeAsked,
    CoilsWritten,
    Echo,
    Question,
    Read,
    Refused,
    WriteCoil,
    WriteCoils,
    decode_answer,
    decode_question,
    encode_answer,
    encode_question,
    function_of,
    is_answer_to,
)
from firmware_bridge.wire.modbus.rtu import MAX_FRAME, RtuDecoder, Side, crc, encode_rtu
from firmware_bridge.wire.modbus.tcp import TcpDecoder, encode_tcp
from tests.vectors.modbus import ANSWERS, QUESTIONS, Vector

Decoder = RtuDecoder | TcpDecoder
DECODERS: dict[str, Callable[[], Decoder]] = {
    "questions on a bus": lambda: RtuDecoder(Side.QUESTIONS),
    "answers on a bus": lambda: RtuDecoder(Side.ANSWERS),
    "tcp": TcpDecoder,
}
INPUTS = Read(Function.READ_INPUTS, 0, 8)


def test_the_check_value_of_the_crc() -> None:
    assert crc(b"123456789") == 0x4B37


@pytest.mark.parametrize("vector", QUESTIONS, ids=lambda one: one.meaning)
def test_questions(vector: Vector) -> None:
    said = vector.says
    assert isinstance(said, Read | WriteCoil | WriteCoils | Echo)
    data = encode_question(said)
    assert decode_question(data) == said
    assert encode_rtu(Frame(vector.rtu[0], data)) == vector.rtu
    transaction = int.from_bytes(vector.tcp[:2])
    assert encode_tcp(Frame(vector.tcp[6], data, transaction)) == vector.tcp
    assert list(RtuDecoder(Side.QUESTIONS).feed(vector.rtu)) == [Frame(vector.rtu[0], data)]
    assert list(TcpDecoder().feed(vector.tcp)) == [Frame(vector.tcp[6], data, transaction)]


@pytest.mark.parametrize("vector", ANSWERS, ids=lambda one: one.meaning)
def test_answers(vector: Vector) -> None:
    said = decode_answer(vector.rtu[1:-2])
    assert said == vector.says
    assert said is not None
    assert encode_rtu(Frame(vector.rtu[0], encode_answer(said))) == vector.rtu
    assert list(RtuDecoder(Side.ANSWERS).feed(vector.rtu)) == [Frame(vector.rtu[0], vector.rtu[1:-2])]
    assert [piece.data for piece in TcpDecoder().feed(vector.tcp) if isinstance(piece, Frame)] == [vector.rtu[1:-2]]


@pytest.mark.parametrize("side", Side)
def test_a_frame_comes_whole_however_it_is_cut(side: Side) -> None:
    """Design rule 3: all vectors behind each other, in pieces of every size."""
    vectors = QUESTIONS if side is Side.QUESTIONS else ANSWERS
    stream = b"".join(vector.rtu for vector in vectors)
    for size in range(1, len(stream) + 1):
        decoder = RtuDecoder(side)
        got = [piece for at in range(0, len(stream), size) for piece in decoder.feed(stream[at : at + size])]
        assert got == [Frame(vector.rtu[0], vector.rtu[1:-2]) for vector in vectors]


@pytest.mark.parametrize("filler", [0x00, 0xFF])
@pytest.mark.parametrize("name", DECODERS)
def test_a_line_held_low_or_high_says_nothing(name: str, filler: int) -> None:
    """BR-003: 64 to 1,024 equal bytes make no frame, and the good frame after them is heard."""
    vector = QUESTIONS[2] if name != "answers on a bus" else ANSWERS[0]
    good = vector.tcp if name == "tcp" else vector.rtu
    for count in (64, 255, 256, 1_024):
        decoder = DECODERS[name]()
        got = [*decoder.feed(bytes((filler,)) * count), *decoder.gap()]
        assert not [piece for piece in got if isinstance(piece, Frame)]
        assert sum(piece.size for piece in got if isinstance(piece, Garbage)) == count
        assert [type(piece) for piece in decoder.feed(good)] == [Frame]


def test_noise_before_an_answer_costs_the_noise_only() -> None:
    """A bus that changes its driver gives a byte of its own; the answer behind it is heard at once."""
    decoder = RtuDecoder(Side.ANSWERS)
    noise, answer = Garbage(GarbageReason.NOISE, 1), Frame(1, bytes.fromhex("020101"))
    assert list(decoder.feed(b"\x00" + ANSWERS[0].rtu)) == [noise, answer]


def test_a_gap_ends_what_is_unfinished_and_finds_what_stood_behind_it() -> None:
    """The beginning of an answer with a length that never comes hides a whole one: the gap gives it back."""
    decoder = RtuDecoder(Side.ANSWERS)
    assert list(decoder.feed(bytes.fromhex("0102F0") + ANSWERS[1].rtu)) == []
    assert decoder.pending
    assert list(decoder.gap()) == [Garbage(GarbageReason.TRUNCATED, 3), Frame(1, bytes.fromhex("020100"))]
    assert not decoder.pending


def test_every_altered_byte_is_noticed() -> None:
    """No single wrong byte makes another frame of the same length."""
    for vector in ANSWERS:
        for place in range(len(vector.rtu)):
            for flip in (0x01, 0x80, 0xFF):
                damaged = bytearray(vector.rtu)
                damaged[place] ^= flip
                decoder = RtuDecoder(Side.ANSWERS)
                got = [*decoder.feed(bytes(damaged)), *decoder.gap()]
                assert not [piece for piece in got if isinstance(piece, Frame)], (vector.meaning, place)


@pytest.mark.parametrize("name", DECODERS)
@given(chunks=st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_give_frames_or_counted_garbage(name: str, chunks: list[bytes]) -> None:
    """Never raises, loses no byte silently, keeps no more than one frame."""
    decoder = DECODERS[name]()
    got = [piece for chunk in chunks for piece in decoder.feed(chunk)]
    got += decoder.gap()
    framing = 6 if name == "tcp" else 3
    kept = sum(len(piece.data) + 1 + framing - 1 if name != "tcp" else len(piece.data) + 7 for piece in got
               if isinstance(piece, Frame))  # fmt: skip
    thrown = sum(piece.size for piece in got if isinstance(piece, Garbage))
    assert kept + thrown == sum(map(len, chunks))
    assert not decoder.pending


@given(st.binary(max_size=MAX_FRAME))
def test_no_message_raises(data: bytes) -> None:
    question, answer = decode_question(data), decode_answer(data)
    if not isinstance(question, Refused):
        assert isinstance(decode_question(encode_question(question)), type(question))
    if answer is not None:
        assert decode_answer(encode_answer(answer)) == answer


def test_noise_is_counted_as_it_comes() -> None:
    """A line that never stops talking nonsense is told of long before it is silent."""
    noise = random.Random(7).randbytes(1 << 16)
    decoder = RtuDecoder(Side.ANSWERS)
    told = sum(_size(piece) for at in range(0, len(noise), 64) for piece in decoder.feed(noise[at : at + 64]))
    assert told > len(noise) - 2 * MAX_FRAME - 64
    assert told + sum(_size(piece) for piece in decoder.gap()) == len(noise)


def _size(piece: Frame | Garbage) -> int:
    return len(piece.data) + 3 if isinstance(piece, Frame) else piece.size


@pytest.mark.parametrize(
    ("bad", "function", "code"),
    [
        (b"", 0, ExceptionCode.ILLEGAL_FUNCTION),
        (b"\x2b\x0e\x01\x00", 0x2B, ExceptionCode.ILLEGAL_FUNCTION),
        (bytes.fromhex("0200000000"), 2, ExceptionCode.ILLEGAL_VALUE),
        (bytes.fromhex("02FFFF0002"), 2, ExceptionCode.ILLEGAL_VALUE),
        (bytes.fromhex("050000FF01"), 5, ExceptionCode.ILLEGAL_VALUE),
        (bytes.fromhex("0F0000000A01CD"), 15, ExceptionCode.ILLEGAL_VALUE),
        (bytes.fromhex("080001A537"), 8, ExceptionCode.ILLEGAL_VALUE),
        (bytes.fromhex("0200"), 2, ExceptionCode.ILLEGAL_VALUE),
    ],
)
def test_what_a_board_refuses(bad: bytes, function: int, code: int) -> None:
    assert decode_question(bad) == Refused(function, code)


@pytest.mark.parametrize(
    ("question", "answer", "is_it"),
    [
        (INPUTS, Bits(Function.READ_INPUTS, (False,) * 8), True),
        (INPUTS, Bits(Function.READ_INPUTS, (False,) * 16), False),
        (INPUTS, Bits(Function.READ_COILS, (False,) * 8), False),
        (INPUTS, Refused(2, 2), True),
        (INPUTS, Refused(1, 2), False),
        (WriteCoil(3, is_on=True), WriteCoil(3, is_on=True), True),
        (WriteCoil(3, is_on=True), WriteCoil(3, is_on=False), False),
        (WriteCoils(3, (True, False)), CoilsWritten(3, 2), True),
        (WriteCoils(3, (True, False)), CoilsWritten(3, 3), False),
        (Echo(7), Echo(7), True),
        (Echo(7), Echo(8), False),
    ],
)
def test_an_answer_must_have_the_form_of_its_question(question: Question, answer: object, *, is_it: bool) -> None:
    """BR-011: what another question asked for is no answer to this one."""
    assert is_answer_to(answer, question) is is_it  # type: ignore[arg-type]  # parameters of one list have many types


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Read(Function.READ_INPUTS, 0, 2_001), "1 to 2000"),
        (lambda: Read(Function.READ_HOLDING, 0, 126), "1 to 125"),
        (lambda: Read(Function.WRITE_COIL, 0, 1), "reads nothing"),
        (lambda: Read(Function.READ_INPUTS, 65_535, 2), "addresses end"),
        (lambda: WriteCoil(-1, is_on=True), "addresses end"),
        (lambda: WriteCoils(0, ()), "1 to 1968"),
    ],
)
def test_what_cannot_be_asked_says_why(make: Callable[[], Question], words: str) -> None:
    with pytest.raises(CannotBeAsked, match=words):
        make()


def test_words_for_the_technician() -> None:
    assert Refused(2, 2).words == "exception 2 (illegal address) to function 2"
    assert "not in the standard" in Refused(2, 99).words
    assert {function_of(one) for one in (INPUTS, WriteCoil(0, is_on=True), WriteCoils(0, (True,)), Echo(1))} == {
        Function.READ_INPUTS,
        Function.WRITE_COIL,
        Function.WRITE_COILS,
        Function.DIAGNOSTICS,
    }
