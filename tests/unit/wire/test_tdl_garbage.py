"""What is no TDL frame is garbage, for the first reason of tdl.md section 3.5, and nothing behind it is lost."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from cobs import cobs

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.tdl.codes import CHECK_SIZE, HEADER_SIZE, MAX_RX_MAX, MIN_RX_MAX
from firmware_bridge.wire.tdl.frame import Frame, decode_frame
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder
from tests.vectors import tdl

VECTORS = tdl.load()
INVALID = tdl.load_invalid()
PING = next(vector for vector in VECTORS if vector.name == "ping_request")
OVERHEAD = HEADER_SIZE + CHECK_SIZE


@pytest.mark.parametrize("vector", INVALID, ids=lambda vector: vector.name)
def test_invalid_vector_is_refused_for_its_reason(vector: tdl.InvalidVector) -> None:
    decoder = StreamDecoder(vector.rx_max)
    garbage = Garbage(vector.reason, len(vector.stream) - 2)
    assert decoder.feed(vector.stream + PING.stream) == [garbage, PING.message]
    if vector.frame is not None:
        assert cobs.decode(vector.stream[1:-1]) == vector.frame
        assert decode_frame(vector.frame, vector.rx_max) == Garbage(vector.reason, len(vector.frame))
        assert MessageDecoder(vector.rx_max).feed(vector.frame) == [Garbage(vector.reason, len(vector.frame))]


def test_every_reason_that_this_codec_gives_has_a_vector() -> None:
    # NOISE and ECHO are found by those who know what they sent, not by this codec
    assert {vector.reason for vector in INVALID} == set(GarbageReason) - {GarbageReason.NOISE, GarbageReason.ECHO}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_one_damaged_bit_loses_that_frame_and_no_neighbour(vector: tdl.Vector) -> None:
    for bit in range(len(vector.stream) * 8):
        damaged = _flipped(vector.stream, bit)
        if damaged == vector.stream[:-1] + b"\x01" and _ends_with_full_group(vector):
            continue  # 01 there only closes the group (tdl.md 3.1); the test below looks at it
        decoder = StreamDecoder()
        results = decoder.feed(PING.stream + damaged + PING.stream)
        assert [result for result in results if isinstance(result, Frame)] == [PING.message, PING.message], bit
        assert len(results) > 2, bit
        assert decoder.flush() == []
        alone = StreamDecoder()
        assert all(isinstance(result, Garbage) for result in [*alone.feed(damaged), *alone.flush()]), bit


def _ends_with_full_group(vector: tdl.Vector) -> bool:
    return len(vector.stream) > 256 and vector.stream[-256] == 0xFF and 0 not in vector.frame[-254:]


def test_a_full_last_group_closed_by_01_is_the_same_frame_and_no_other() -> None:
    full = [vector for vector in VECTORS if _ends_with_full_group(vector)]
    assert full
    for vector in full:
        assert StreamDecoder().feed(vector.stream[:-1] + b"\x01\0") == [vector.message]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_one_damaged_bit_of_a_bare_frame_is_garbage(vector: tdl.Vector) -> None:
    for bit in range(len(vector.frame) * 8):
        assert isinstance(decode_frame(_flipped(vector.frame, bit)), Garbage), bit


def _flipped(octets: bytes, bit: int) -> bytes:
    damaged = bytearray(octets)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


@pytest.mark.parametrize("octet", [0x00, 0xFF])
def test_a_line_held_low_or_high_is_never_a_frame(octet: int) -> None:
    """BR-003: all-zero and all-FF buffers of every legal length."""
    for size in range(1, MAX_RX_MAX + OVERHEAD + 1):
        frame = bytes([octet]) * size
        assert isinstance(decode_frame(frame), Garbage)
        assert StreamDecoder().feed(b"\0" + cobs.encode(frame) + b"\0") == [
            Garbage(GarbageReason.NOT_TDL, len(cobs.encode(frame)))
        ]


@pytest.mark.parametrize(("octet", "counted"), [(0x00, 0), (0xFF, 1024)])
def test_a_line_held_low_or_high_then_a_good_frame(octet: int, counted: int) -> None:
    """BR-003: no events, the noise counted (zeros are delimiters, and nothing between them), the good frame taken."""
    results = StreamDecoder().feed(bytes([octet]) * 1024 + PING.stream)
    assert results[-1] == PING.message
    garbage = [result for result in results if isinstance(result, Garbage)]
    assert len(results) == len(garbage) + 1
    assert sum(item.size for item in garbage) == counted


def test_chatter_at_another_speed_half_a_frame_then_a_healthy_device() -> None:
    """BR-006 (a): 300 bytes of chatter and half a frame; no exception, bytes counted, the next frame taken."""
    chatter = bytes(random.Random(6).randrange(1, 256) for _ in range(300))
    decoder = StreamDecoder()
    results = decoder.feed(chatter + PING.stream[: len(PING.stream) // 2] + VECTORS[0].stream)
    assert results[-1] == VECTORS[0].message
    garbage = [result.size for result in results if isinstance(result, Garbage)]
    assert sum(garbage) == 300 + len(PING.stream) // 2 - 1


def test_oversized_run_is_discarded_to_the_next_delimiter_and_counted_once() -> None:
    decoder = StreamDecoder(rx_max=MIN_RX_MAX)
    for _ in range(50):
        assert decoder.feed(b"\x55" * 100) == []
    assert decoder.pending == 5000
    assert decoder.feed(b"\0" + PING.stream) == [Garbage(GarbageReason.OVERSIZED, 5000), PING.message]


def test_endless_bytes_without_delimiter_hold_no_memory() -> None:
    decoder = StreamDecoder()
    chunk = b"\x55" * 4096
    tracemalloc.start()
    try:
        for _ in range(256):
            decoder.feed(chunk)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert decoder.pending == 256 * 4096
    assert peak < 16 * 1024  # one frame and one chunk in flight, not the megabyte that came
    assert decoder.flush() == [Garbage(GarbageReason.OVERSIZED, 256 * 4096)]


def test_a_body_of_exactly_rx_max_is_taken_and_one_more_is_not() -> None:
    for rx_max in (MIN_RX_MAX, 233, 234, 235, MAX_RX_MAX):
        for vector in VECTORS:
            body = len(vector.frame) - OVERHEAD
            results = StreamDecoder(rx_max).feed(vector.stream)
            if body <= rx_max:
                assert results == [vector.message]
            else:
                assert results == [Garbage(GarbageReason.OVERSIZED, len(vector.stream) - 2)]


def test_unfinished_tail_is_counted_once_as_truncated() -> None:
    """BR-001: kept until it is given up, then counted once; the decoder can go on."""
    decoder = StreamDecoder()
    assert decoder.feed(PING.stream[:-1]) == []
    assert decoder.flush() == [Garbage(GarbageReason.TRUNCATED, len(PING.stream) - 2)]
    assert decoder.flush() == []
    assert decoder.feed(PING.stream) == [PING.message]


def test_a_message_is_whole_or_garbage_and_an_empty_one_nothing() -> None:
    decoder = MessageDecoder()
    assert decoder.feed(b"") == []
    assert decoder.feed(PING.frame[:5]) == [Garbage(GarbageReason.TRUNCATED, 5)]
    assert decoder.feed(PING.stream) == [Garbage(GarbageReason.NOT_TDL, len(PING.stream))]
    assert decoder.feed(PING.frame) == [PING.message]
    assert decoder.flush() == []
    assert decoder.pending == 0
