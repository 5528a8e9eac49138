"""Frames of the PN532: vectors, cuts, flips, tears, and any bytes at all."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.readers.tag_register import tag_of
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.pn532 import commands
from firmware_bridge.wire.pn532.codes import MAX_LENGTH, WAKE_UP
from firmware_bridge.wire.pn532.frame import FrameDecoder, Heard, Mark, Message, encode

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "pn532_frames.json").read_text("utf-8"))
VERSION = Message(3, bytes.fromhex("32010607"), is_reply=True)


def said(vector: dict[str, object]) -> Message | Mark:
    if "mark" in vector:
        return Mark[str(vector["mark"])]
    code = int(str(vector["code"]))
    return Message(code, bytes.fromhex(str(vector["data"])), is_reply=bool(code & 1))


def heard(data: bytes, piece: int | None = None) -> list[Heard]:
    decoder = FrameDecoder()
    size = piece or len(data) or 1
    return [one for at in range(0, len(data), size) for one in decoder.feed(data[at : at + size])]


def without_garbage(found: list[Heard]) -> list[Heard]:
    return [one for one in found if not isinstance(one, Garbage)]


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=lambda vector: vector["meaning"])
def test_vectors_both_ways(vector: dict[str, object]) -> None:
    data = bytes.fromhex(str(vector["bytes"]))
    assert encode(said(vector)) == data
    assert heard(data) == heard(data, 1) == [said(vector)]


@pytest.mark.parametrize("vector", VECTORS["targets"], ids=lambda vector: vector["meaning"])
def test_lists_of_targets(vector: dict[str, object]) -> None:
    """BR-032: numbers of every width keep their zeros; a list that makes no sense is none."""
    found = commands.targets(bytes.fromhex(str(vector["data"])))
    assert (None if found is None else [tag_of(target.uid) for target in found]) == vector["uids"]


def test_what_the_chip_says_is_what_the_host_reads() -> None:
    targets = (commands.Target(1, bytes(7 * (5,)), 0x0344, 0x20), commands.Target(2, bytes(4 * (9,)), 4, 8))
    assert commands.targets(commands.targets_data(targets)) == targets


def test_every_frame_at_every_cut() -> None:
    stream = b"".join(encode(said(vector)) for vector in VECTORS["frames"])
    whole = [said(vector) for vector in VECTORS["frames"]]
    assert all(heard(stream, piece) == whole for piece in range(1, len(stream)))


def test_one_flipped_bit_is_never_another_message() -> None:
    """Length and data have a check each: what differs in one bit is garbage, or the same where filler was hit."""
    data = encode(VERSION)
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        assert all(one == VERSION for one in without_garbage(heard(bytes(flipped)))), bit


def test_a_whole_frame_behind_a_torn_one_is_found() -> None:
    torn = encode(VERSION)[:8]
    found = heard(torn + encode(VERSION))
    assert without_garbage(found) == [VERSION]
    assert found[0] == Garbage(GarbageReason.BAD_CHECK, 2)


def test_silence_within_a_frame_is_told_once() -> None:
    decoder = FrameDecoder()
    assert list(decoder.feed(encode(VERSION)[:9])) == []
    assert decoder.is_within
    assert list(decoder.abandon()) == [Garbage(GarbageReason.TRUNCATED, 8)]  # the zero before it is filler
    assert not decoder.is_within
    assert list(decoder.abandon()) == []
    assert list(decoder.feed(encode(VERSION))) == [VERSION]


def test_the_hosts_wake_up_is_filler_to_the_chip_and_noise_to_a_host() -> None:
    data = WAKE_UP + encode(Message(2))
    assert list(FrameDecoder(filler=b"\x00\x55").feed(data)) == [Message(2)]
    assert heard(data) == [Garbage(GarbageReason.NOISE, 2), Message(2)]


@pytest.mark.parametrize("size", [0, 252, 253, 254, MAX_LENGTH - 2])
def test_long_frames(size: int) -> None:
    message = Message(1, bytes(at & 0xFF for at in range(size)), is_reply=True)
    assert heard(encode(message)) == heard(encode(message), 1) == [message]


def test_longer_than_a_chip_takes() -> None:
    with pytest.raises(ValueError, match="the chip takes 265"):
        encode(Message(1, bytes(MAX_LENGTH - 1)))
    head = bytes.fromhex("0000FFFFFF") + (MAX_LENGTH + 1).to_bytes(2, "big")
    data = head + bytes((-sum(head[-2:]) & 0xFF,))
    assert heard(data)[0] == Garbage(GarbageReason.OVERSIZED, 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("00FF01FF01FF", GarbageReason.BAD_TYPE), ("00FF01FFD52B", GarbageReason.BAD_BODY)],
)
def test_a_checked_frame_that_says_nothing_is_counted_whole(text: str, reason: GarbageReason) -> None:
    """Found by fuzzing: only its body was counted."""
    assert heard(bytes.fromhex(text)) == [Garbage(reason, 6)]


@given(st.binary(max_size=600))
def test_any_bytes_give_messages_or_counted_garbage(data: bytes) -> None:
    decoder = FrameDecoder()
    found = [*decoder.feed(data), *decoder.abandon()]
    assert sum(one.size for one in found if isinstance(one, Garbage)) <= len(data)
    assert not decoder.is_within
    again = FrameDecoder()
    one_by_one = [one for at in range(len(data)) for one in again.feed(data[at : at + 1])]
    assert without_garbage(one_by_one) == without_garbage(found)
    assert sum(one.size for one in [*one_by_one, *again.abandon()] if isinstance(one, Garbage)) == sum(
        one.size for one in found if isinstance(one, Garbage)
    )


def test_memory_is_bounded_whatever_comes() -> None:
    """What is kept is one frame at most."""
    chance = random.Random(1)
    decoder = FrameDecoder()
    for _ in range(300):
        chunk = bytes(chance.choice((0x00, 0xFF, 0x01, 0xFE)) for _ in range(500))
        list(decoder.feed(chunk))
        assert sum(torn.size for torn in decoder.abandon() if isinstance(torn, Garbage)) <= MAX_LENGTH + 8
