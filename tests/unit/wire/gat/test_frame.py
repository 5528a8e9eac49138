"""Frames and messages of GAT: golden bytes, any chunks, and what is no frame."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.gat.codes import FROM_DEVICE, FROM_HOST, GET_FUNCTIONS, Calculation, Command, Format, Level
from firmware_bridge.wire.gat.frame import MAX_FRAME_BYTES, Frame, FrameDecoder, encode_frame
from firmware_bridge.wire.gat.messages import (
    BadBody,
    Initiate,
    InitiateAck,
    LastStatus,
    LastStatusQuery,
    Message,
    Results,
    ResultsQuery,
    Status,
    StatusQuery,
    decode_message,
    encode_message,
    special_fields,
    special_function,
)

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "gat.json").read_text("utf-8"))["frames"]
MESSAGES: tuple[Message, ...] = (
    StatusQuery(),
    LastStatusQuery(),
    ResultsQuery(Format.XML, 1),
    Initiate(Level.TEXT_REPORT),
    special_function(GET_FUNCTIONS),
    Status("3.50", Calculation.IDLE, has_results=False, formats=Format.XML),
    Status("3.50", Calculation.REQUESTED, has_results=False, formats=Format.XML),
    Status("3.50", Calculation.CALCULATING, has_results=False, formats=Format.XML),
    Status("3.50", Calculation.IDLE, has_results=True, formats=Format.XML),
    LastStatus(Level.TEXT_REPORT, 12),
    Results(is_failed=False, is_last=True, number=1, data=b"OK"),
    InitiateAck(is_accepted=True, is_started=True, is_level_unknown=False),
)
ALL = FROM_HOST | FROM_DEVICE


def stream_of(*messages: Message) -> bytes:
    return b"".join(encode_frame(encode_message(message)) for message in messages)


@pytest.mark.parametrize(("vector", "message"), zip(VECTORS, MESSAGES, strict=True), ids=lambda each: str(each)[:40])
def test_golden_frames(vector: dict[str, str], message: Message) -> None:
    data = bytes.fromhex(vector["bytes"])
    assert stream_of(message) == data
    (frame,) = FrameDecoder(ALL).feed(data)
    assert isinstance(frame, Frame)
    assert decode_message(frame) == message


def test_a_crc_with_its_low_byte_first_is_refused() -> None:
    """The byte order is GAT's own; a device that sends Modbus's order says nothing that we believe."""
    data = stream_of(StatusQuery())
    swapped = data[:-2] + data[:-3:-1]
    decoder = FrameDecoder(FROM_HOST)
    pieces = [*decoder.feed(swapped), *decoder.abandon()]
    assert pieces == [Garbage(GarbageReason.BAD_CHECK, len(swapped))]


def test_any_chunking_gives_the_same() -> None:
    """BR-001: a read is not a message."""
    stream = stream_of(*MESSAGES)
    whole = list(FrameDecoder(ALL).feed(stream))
    assert len(whole) == len(MESSAGES)
    for seed in range(50):
        rng, decoder, found, at = random.Random(seed), FrameDecoder(ALL), [], 0
        while at < len(stream):
            size = rng.randrange(1, 40)
            found += decoder.feed(stream[at : at + size])
            at += size
        assert found == whole


@pytest.mark.parametrize(
    "noise", [b"\x00", b"\xff" * 300, b"\x81", b"\x83\xff", b"U-Boot 2012.10\r\n", b"\x04\x05\x01"]
)
def test_a_frame_behind_noise_is_found(noise: bytes) -> None:
    """The decoder slides by one byte, so what looked like a frame hides no true one for ever (BR-006)."""
    decoder = FrameDecoder(FROM_DEVICE)
    good = stream_of(*MESSAGES[5:])
    pieces = [*decoder.feed(noise + good), *decoder.abandon()]
    assert [piece for piece in pieces if isinstance(piece, Frame)] == [encode_message(one) for one in MESSAGES[5:]]
    assert sum(piece.size for piece in pieces if isinstance(piece, Garbage)) == len(noise)


@pytest.mark.parametrize("bit", range(len(stream_of(MESSAGES[10])) * 8))
def test_no_flipped_bit_gets_through(bit: int) -> None:
    data = bytearray(stream_of(MESSAGES[10]))
    data[bit // 8] ^= 1 << bit % 8
    decoder = FrameDecoder(FROM_DEVICE)
    pieces = [*decoder.feed(bytes(data)), *decoder.abandon()]
    assert encode_message(MESSAGES[10]) not in pieces
    assert not [piece for piece in pieces if isinstance(piece, Frame)]


@given(st.binary(max_size=600))
def test_any_bytes_are_frames_or_counted(data: bytes) -> None:
    decoder = FrameDecoder(ALL)
    pieces = [*decoder.feed(data), *decoder.abandon()]
    sizes = (len(encode_frame(piece)) if isinstance(piece, Frame) else piece.size for piece in pieces)
    assert sum(sizes) == len(data)
    assert not decoder.is_within
    for piece in pieces:
        if isinstance(piece, Frame):
            try:
                decode_message(piece)
            except BadBody as bad:
                assert str(bad)  # noqa: PT017 - either it says something or it says why not


def test_a_frame_that_cannot_be_is_not_made() -> None:
    with pytest.raises(ValueError, match="RESULTS of 256 bytes: 7 to 255"):
        encode_frame(Frame(Command.RESULTS, bytes(252)))
    assert len(encode_frame(Frame(Command.RESULTS, bytes(251)))) == MAX_FRAME_BYTES
    with pytest.raises(ValueError, match="frame number 0"):
        encode_message(ResultsQuery(Format.XML, 0))


def test_bodies_without_sense_are_refused() -> None:
    for frame in (
        Frame(Command.STATUS, bytes((0x0A, 0x50, 4, 2))),
        Frame(Command.RESULTS, bytes((2, 0, 0))),
        Frame(Command.RESULTS_QUERY, bytes((9, 0, 1))),
    ):
        with pytest.raises(BadBody):
            decode_message(frame)


def test_special_functions_are_fields_apart_by_tabs() -> None:
    asked = special_function("Get File", "AuthenticationResponse.xml", "00112233")
    assert special_fields(asked) == ("Get File", "AuthenticationResponse.xml", "00112233")
    assert special_fields(Initiate(Level.TEXT_REPORT)) is None
