"""The push decoder: a read is not a message (BR-001), and the bus is never held up by noise (BR-003)."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.osdp.frame import FRAME_MAX, Check, Frame, decode_frame, encode_frame
from firmware_bridge.wire.osdp.stream import StreamDecoder
from tests.vectors.osdp import ALL_BYTES

MARK = b"\xff"
POLL = bytes.fromhex("536508000660 02F6")
ACK = bytes.fromhex("53E508000740 81C3")


def frames_in(found: list[Frame | Garbage]) -> list[Frame]:
    return [item for item in found if isinstance(item, Frame)]


def thrown_in(found: list[Frame | Garbage]) -> int:
    return sum(item.size for item in found if isinstance(item, Garbage))


def decoded(raw: bytes) -> Frame:
    frame = decode_frame(raw)
    assert isinstance(frame, Frame)
    return frame


@pytest.mark.parametrize("mark", [b"", MARK], ids=["bare", "marked"])
def test_every_cut_of_every_neighbouring_pair_br_001(mark: bytes) -> None:
    for left, right in pairwise(ALL_BYTES):
        line = mark + left + mark + right
        for cut in range(len(line) + 1):
            decoder = StreamDecoder()
            found = decoder.feed(line[:cut]) + decoder.feed(line[cut:]) + decoder.flush()
            assert found == [decoded(left), decoded(right)]


def test_any_chunking_gives_the_same_frames_br_001() -> None:
    seeded = random.Random(1)
    line = b"".join(seeded.choice([b"", MARK]) + seeded.choice(ALL_BYTES) for _ in range(200))
    expected = frames_in(StreamDecoder().feed(line))
    assert len(expected) == 200
    for _ in range(100):
        decoder, at, found = StreamDecoder(), 0, []
        while at < len(line):
            size = seeded.randint(1, 40)
            found += decoder.feed(line[at : at + size])
            at += size
        assert found == expected


def test_an_unfinished_tail_waits_and_is_counted_once_br_001() -> None:
    decoder = StreamDecoder()
    assert decoder.feed(MARK + POLL[:5]) == []
    assert decoder.pending == 6
    assert decoder.missing == 3
    assert decoder.flush() == [Garbage(GarbageReason.TRUNCATED, 6)]
    assert decoder.flush() == []
    assert decoder.missing == 0
    assert decoder.feed(POLL) == [decoded(POLL)]


@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x53])
def test_a_stuck_line_and_then_a_good_frame_br_003(byte: int) -> None:
    for size in (64, 1024):
        decoder = StreamDecoder()
        found = decoder.feed(bytes([byte]) * size + MARK + POLL) + decoder.flush()
        assert frames_in(found) == [decoded(POLL)]
        assert thrown_in(found) == size


def test_one_damaged_bit_costs_one_frame() -> None:
    for raw in (raw for raw in ALL_BYTES if decoded(raw).check is Check.CRC):
        for bit in range(len(raw) * 8):
            damaged = bytearray(raw)
            damaged[bit // 8] ^= 1 << (bit % 8)
            decoder = StreamDecoder()
            found = decoder.feed(MARK + damaged + MARK + ACK) + decoder.flush()
            frames = frames_in(found)
            assert frames[-1:] == [decoded(ACK)], (raw.hex(), bit)
            # only a flip of the check-mode bit can pass, and then shows itself by its check
            assert all(f.check is Check.CHECKSUM for f in frames[:-1]), (raw.hex(), bit)


def test_one_bit_deceives_the_checksum_so_that_panels_ask_for_the_crc() -> None:
    """A length one too long takes in the next mark, and FF undoes the sum's change: a wrong frame that checks."""
    checked = encode_frame(replace(decoded(POLL), data=b"\x01", check=Check.CHECKSUM))
    damaged = bytes((*checked[:2], checked[2] ^ 0x01, *checked[3:]))
    assert len(checked) % 2 == 0
    (wrong,) = frames_in(StreamDecoder().feed(damaged + MARK))
    assert wrong != decoded(checked)


def test_a_length_that_lies_hides_the_next_frame_only_until_the_deadline() -> None:
    """A damaged length promises more than comes: flush finds the frame behind it."""
    decoder = StreamDecoder()
    damaged = bytearray(POLL)
    damaged[2] = 40
    assert decoder.feed(bytes(damaged) + ACK) == []
    assert decoder.flush() == [Garbage(GarbageReason.TRUNCATED, len(damaged)), decoded(ACK)]


def test_noise_between_frames_is_counted_with_its_size() -> None:
    decoder = StreamDecoder()
    found = decoder.feed(POLL + b"noise" + MARK + ACK + b"!")
    assert found == [decoded(POLL), Garbage(GarbageReason.NOISE, 5), decoded(ACK), Garbage(GarbageReason.NOISE, 1)]


def test_a_receiver_with_less_room_counts_what_is_too_long() -> None:
    long = encode_frame(Frame(address=1, is_reply=True, sequence=1, code=0x50, data=bytes(300)))
    decoder = StreamDecoder(frame_max=256)
    found = decoder.feed(long + ACK)
    assert frames_in(found) == [decoded(ACK)]
    assert found[0] == Garbage(GarbageReason.OVERSIZED, len(long))


@pytest.mark.parametrize("block", [b"\xff", b"\x53", b"\x53\x00\xa0\x05\x04", b"\xff\x53", bytes(range(256))])
def test_a_flood_takes_bounded_memory_and_time(block: bytes) -> None:
    """64 kB that look like beginnings: linear work, nothing kept but one frame. The bound is very wide."""
    flood = block * (65_536 // len(block))
    decoder = StreamDecoder()
    began = time.process_time()
    found = decoder.feed(flood)
    assert time.process_time() - began < 10
    assert decoder.pending <= FRAME_MAX + 1
    assert thrown_in(found) + decoder.pending == len(flood)


@given(st.lists(st.binary(max_size=40) | st.sampled_from(ALL_BYTES), max_size=12))
def test_no_byte_is_lost_or_counted_twice(chunks: list[bytes]) -> None:
    decoder = StreamDecoder()
    found: list[Frame | Garbage] = []
    for chunk in chunks:
        found += decoder.feed(chunk)
    found += decoder.flush()
    framed = sum(len(encode_frame(frame)) for frame in frames_in(found))
    total = sum(map(len, chunks))
    marks = total - framed - thrown_in(found)
    assert 0 <= marks <= len(frames_in(found))
