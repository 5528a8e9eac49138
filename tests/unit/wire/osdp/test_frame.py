"""Frames of OSDP: golden bytes, damage, and what never validates."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.osdp.frame import (
    FRAME_MAX,
    Check,
    Frame,
    SecurityBlock,
    checksum,
    crc,
    decode_frame,
    encode_frame,
)
from tests.vectors.osdp import ALL_BYTES, FRAMES

POLL = Frame(address=0x65, is_reply=False, sequence=2, code=0x60)


def test_the_check_value_of_the_crc() -> None:
    """The catalogue value of CRC-16 with polynomial 1021 and start 1D0F (SPI-FUJITSU)."""
    assert crc(b"123456789") == 0xE5CC


def test_a_checksum_makes_the_sum_zero() -> None:
    body = bytes.fromhex("530008000061 00")
    assert (sum(body) + checksum(body)) & 0xFF == 0


@pytest.mark.parametrize("vector", FRAMES, ids=lambda v: v["name"])
def test_golden_frames_both_ways(vector: dict[str, Any]) -> None:
    expected = dict(vector["frame"])
    frame = Frame(
        address=expected["address"],
        is_reply=expected["is_reply"],
        sequence=expected["sequence"],
        code=expected["code"],
        data=bytes.fromhex(expected["data"]),
        check=Check[expected["check"]],
    )
    raw = bytes.fromhex(vector["bytes"])
    assert decode_frame(raw) == frame
    assert encode_frame(frame) == raw
    assert frame.size == len(raw)


@pytest.mark.parametrize("raw", ALL_BYTES, ids=lambda raw: raw.hex())
def test_every_golden_frame_comes_back_as_it_was(raw: bytes) -> None:
    frame = decode_frame(raw)
    assert isinstance(frame, Frame)
    assert encode_frame(frame) == raw


@pytest.mark.parametrize("raw", ALL_BYTES, ids=lambda raw: raw.hex())
def test_one_damaged_bit_is_never_the_same_kind_of_frame(raw: bytes) -> None:
    """A flipped check-mode bit turns a CRC into a checksum: such a frame shows itself by its `check`."""
    frame = decode_frame(raw)
    assert isinstance(frame, Frame)
    for bit in range(len(raw) * 8):
        damaged = bytearray(raw)
        damaged[bit // 8] ^= 1 << (bit % 8)
        found = decode_frame(bytes(damaged))
        assert isinstance(found, Garbage) or found.check is not frame.check


@pytest.mark.parametrize("raw", ALL_BYTES, ids=lambda raw: raw.hex())
def test_every_shorter_part_is_garbage(raw: bytes) -> None:
    for size in range(len(raw)):
        assert isinstance(decode_frame(raw[:size]), Garbage)
    assert decode_frame(raw + b"\x00") == Garbage(GarbageReason.BAD_LENGTH, len(raw) + 1)


def test_a_sealed_type_without_a_mac_is_a_frame_too() -> None:
    """The first poll of `osdp` 1.6 (captured): a block of type 15, and no MAC, for there is no channel yet."""
    raw = bytes.fromhex("53 65 0A 00 0C 02 15 60 E5 1F")
    frame = Frame(address=0x65, is_reply=False, sequence=0, code=0x60, block=SecurityBlock(0x15))
    assert decode_frame(raw) == frame
    assert encode_frame(frame) == raw


@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x53])
def test_a_line_stuck_at_one_value_never_validates_br_003(byte: int) -> None:
    for size in range(FRAME_MAX + 2):
        assert isinstance(decode_frame(bytes([byte]) * size), Garbage)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("54 65 08 00 06 60 02 F6", GarbageReason.NOISE),
        ("53 65 07 00 06 60 02 F6", GarbageReason.BAD_LENGTH),
        ("53 65 FF FF 06 60 02 F6", GarbageReason.OVERSIZED),
        ("53 65 08 00 16 60 02 F6", GarbageReason.BAD_FIELD),  # a reserved bit of the control byte
        ("53 65 0A 00 0E 01 15 60 02 F6", GarbageReason.BAD_FIELD),  # a security block of one byte
        ("53 65 09 00 0E 02 15 60 02", GarbageReason.BAD_LENGTH),  # no room for the block
        ("53 65 08 00 06 60 02", GarbageReason.TRUNCATED),
        ("53 65 08 00 06 60 02 F7", GarbageReason.BAD_CHECK),
    ],
)
def test_garbage_says_why(damage: str, reason: GarbageReason) -> None:
    raw = bytes.fromhex(damage)
    assert decode_frame(raw) == Garbage(reason, len(raw))


@pytest.mark.parametrize(
    "frame",
    [
        Frame(address=0x80, is_reply=False, sequence=0, code=0x60),
        Frame(address=1, is_reply=False, sequence=4, code=0x60),
        Frame(address=1, is_reply=False, sequence=0, code=0x100),
        Frame(address=1, is_reply=False, sequence=0, code=0x60, mac=b"1234"),
        Frame(address=1, is_reply=False, sequence=0, code=0x60, block=SecurityBlock(0x15), mac=b"12345"),
        Frame(address=1, is_reply=False, sequence=0, code=0x60, data=bytes(FRAME_MAX)),
    ],
)
def test_what_has_no_place_in_a_frame_is_refused(frame: Frame) -> None:
    with pytest.raises(ValueError, match=r".+"):
        encode_frame(frame)


@given(st.binary(max_size=80))
def test_decoding_never_raises(data: bytes) -> None:
    found = decode_frame(data)
    if isinstance(found, Frame):
        assert encode_frame(found) == data


@given(
    address=st.integers(0, 0x7F),
    is_reply=st.booleans(),
    sequence=st.integers(0, 3),
    code=st.integers(0, 0xFF),
    data=st.binary(max_size=64),
    check=st.sampled_from(Check),
    block=st.none() | st.builds(SecurityBlock, st.integers(0, 0xFF), st.binary(max_size=3)),
)
def test_what_is_encoded_is_decoded(block: SecurityBlock | None, **fields: Any) -> None:
    mac = b"\x01\x02\x03\x04" if block and block.has_mac else b""  # without one, data could be taken for it
    frame = Frame(block=block, mac=mac, **fields)
    assert decode_frame(encode_frame(frame)) == frame
