"""ccTalk frames: golden bytes, any pieces, any damage, 50 ms of silence; what an event buffer can tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.cctalk.acceptor import (
    BadReply,
    Credits,
    Event,
    News,
    advanced,
    credit_data,
    news,
    read_acknowledgement,
    read_check,
    read_credit,
    read_serial,
    read_text,
    set_inhibits,
    set_master_inhibit,
    steps,
)
from firmware_bridge.wire.cctalk.frame import FRAME_MAX, Check, Frame, FrameDecoder, encode
from firmware_bridge.wire.garbage import Garbage, GarbageReason

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[3] / "vectors" / "cctalk.json").read_text("utf-8")
)
ALL = [(row, check) for key, check in (("frames", Check.SUM), ("crc_frames", Check.CRC)) for row in VECTORS[key]]
each_vector = pytest.mark.parametrize(("row", "check"), ALL, ids=[row["name"] for row, _ in ALL])
POLL = Frame(2, 1, 254)


def frame_of(row: dict[str, Any]) -> Frame:
    return Frame(row["destination"], row["origin"], row["header"], bytes.fromhex(row["data"]))


@each_vector
def test_golden_bytes_both_ways(row: dict[str, Any], check: Check) -> None:
    raw = bytes.fromhex(row["bytes"])
    assert encode(frame_of(row), check) == raw
    assert list(FrameDecoder(check).feed(raw)) == [frame_of(row)]


@each_vector
def test_byte_by_byte_and_behind_noise(row: dict[str, Any], check: Check) -> None:
    """BR-001: pieces of any size; a frame behind bytes that are none is found."""
    raw = bytes.fromhex(row["bytes"])
    decoder = FrameDecoder(check, row["destination"])
    heard = [piece for byte in raw for piece in decoder.feed(bytes((byte,)))]
    assert heard == [frame_of(row)]
    noise = bytes((row["destination"] + 1,)) * 3
    assert list(decoder.feed(noise + raw + raw)) == [Garbage(GarbageReason.NOISE, 3), frame_of(row), frame_of(row)]


@each_vector
def test_any_flipped_bit_is_no_message(row: dict[str, Any], check: Check) -> None:
    raw = bytes.fromhex(row["bytes"])
    for at in range(len(raw) * 8):
        damaged = bytearray(raw)
        damaged[at // 8] ^= 1 << at % 8
        decoder = FrameDecoder(check, row["destination"])
        pieces = [*decoder.feed(bytes(damaged)), *decoder.silence()]
        assert not [piece for piece in pieces if isinstance(piece, Frame)], at
        assert sum(piece.size for piece in pieces if isinstance(piece, Garbage)) == len(raw)


def test_silence_ends_what_had_begun() -> None:
    """A receiver gives up after 50 ms; the next byte is the first of a message."""
    decoder = FrameDecoder()
    assert list(decoder.feed(b"\x02\x05\x01")) == []
    assert list(decoder.silence()) == [Garbage(GarbageReason.TRUNCATED, 3)]
    assert list(decoder.feed(encode(POLL))) == [POLL]


@given(st.lists(st.binary(max_size=40), max_size=20), st.sampled_from(Check))
def test_any_bytes_are_messages_or_counted(chunks: list[bytes], check: Check) -> None:
    decoder = FrameDecoder(check)
    pieces = [piece for chunk in chunks for piece in decoder.feed(chunk)]
    assert decoder.waiting <= FRAME_MAX
    pieces += decoder.silence()
    sizes = [piece.size if isinstance(piece, Garbage) else len(encode(piece, check)) for piece in pieces]
    assert sum(sizes) == sum(map(len, chunks))


def test_what_a_byte_cannot_hold_is_refused() -> None:
    for wrong in (Frame(256, 1, 254), Frame(2, 1, -1), Frame(2, 1, 254, bytes(253))):
        with pytest.raises(ValueError, match="byte"):
            encode(wrong)


def test_goals_as_the_specification_writes_them() -> None:
    assert encode(set_master_inhibit(2, accepts=True)).hex(" ") == "02 01 01 e4 01 17"
    assert encode(set_inhibits(2, frozenset(range(1, 17)))).hex(" ") == "02 02 01 e7 ff ff 16"
    assert set_inhibits(2, frozenset({1, 9})).data == b"\x01\x01"


def test_the_counter_goes_from_255_to_1_and_never_over_0() -> None:
    """BR-014: a number that wraps is compared modulo its width."""
    assert [advanced(0), advanced(254), advanced(255)] == [1, 255, 1]
    assert [steps(0, 3), steps(255, 1), steps(253, 2), steps(7, 7)] == [3, 1, 4, 0]


COIN = Event(3, 1)
JAM = Event(0, 14)
EMPTY = Event(0, 0)


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (0, Credits(0, (EMPTY,) * 5), News()),
        (0, Credits(1, (COIN, *(EMPTY,) * 4)), News((COIN,))),
        (1, Credits(2, (JAM, COIN, *(EMPTY,) * 3)), News((JAM,))),
        (0, Credits(2, (JAM, COIN, *(EMPTY,) * 3)), News((COIN, JAM))),
        (255, Credits(2, (JAM, COIN, COIN, COIN, COIN)), News((COIN, JAM))),
        (10, Credits(15, (JAM, COIN, COIN, COIN, COIN)), News((COIN, COIN, COIN, COIN, JAM))),
        (10, Credits(17, (COIN,) * 5), News((COIN,) * 5, lost=2)),
        (254, Credits(6, (COIN,) * 5), News((COIN,) * 5, lost=2)),
        (9, Credits(0, (EMPTY,) * 5), News(is_reset=True)),
        (9, Credits(9, (COIN,) * 5), News()),
    ],
)
def test_what_two_readings_tell(before: int, now: Credits, told: News) -> None:
    """Oldest first; what was pushed out is a number and no credit; a counter at 0 is a reset and no credit."""
    assert news(before, now) == told
    assert read_credit(credit_data(now)) == now


def test_replies_without_sense_are_refused() -> None:
    for read, data in (
        (read_credit, bytes(10)),
        (read_serial, bytes(2)),
        (read_check, b""),
        (read_acknowledgement, b"x"),
    ):
        with pytest.raises(BadReply):
            read(data)
    assert read_serial(b"\x01\x02\x00") == 513
    assert read_text(b"Coin\x00\xff ") == "Coin??"
