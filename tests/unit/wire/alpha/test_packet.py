"""Packets of the ALPHA protocol: golden bytes, any chunks, and what is no packet."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from firmware_bridge.wire.alpha.codes import ErrorStatus
from firmware_bridge.wire.alpha.packet import (
    Acknowledged,
    Packet,
    PacketDecoder,
    check_of,
    encode_acknowledgement,
    encode_packet,
)
from firmware_bridge.wire.garbage import Garbage, GarbageReason

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "alpha.json").read_text("utf-8"))["packets"]
HELLO = Packet((b"AAHELLO",))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["meaning"])
def test_golden_packets(vector: dict[str, str]) -> None:
    command, data = bytes.fromhex(vector["command"]), bytes.fromhex(vector["bytes"])
    assert check_of(command) == vector["check"].encode()
    assert encode_packet(Packet((command,))) == data
    assert list(PacketDecoder().feed(data)) == [Packet((command,))]


def test_any_chunking_gives_the_same() -> None:
    """BR-001: a read is not a message."""
    stream = b"".join(bytes.fromhex(vector["bytes"]) for vector in VECTORS)
    whole = list(PacketDecoder().feed(stream))
    for seed in range(100):
        rng, decoder, found, at = random.Random(seed), PacketDecoder(), [], 0
        while at < len(stream):
            size = rng.randrange(1, 40)
            found += decoder.feed(stream[at : at + size])
            at += size
        assert found == whole


def test_a_packet_may_nest_commands_and_have_no_check() -> None:
    packet = Packet((b"AAHI", b"Ga5"), "^", "01", is_checked=False)
    data = b"\0" * 5 + b"\x01^01\x02AAHI\x02Ga5\x04"
    assert encode_packet(packet) == data
    assert list(PacketDecoder().feed(data)) == [packet]


@pytest.mark.parametrize("place", range(5, len(encode_packet(HELLO))))
def test_a_damaged_packet_is_never_another(place: int) -> None:
    """One byte wrong anywhere behind the NULs: check, frame or address shows it; type and address have no check."""
    data = bytearray(encode_packet(HELLO))
    data[place] ^= 0x11
    found = [piece for piece in PacketDecoder().feed(bytes(data)) if isinstance(piece, Packet) and piece.is_checked]
    assert [(piece.type_code, piece.address) for piece in found if piece.commands == HELLO.commands] != [("Z", "00")]
    assert all(piece.commands == HELLO.commands for piece in found)


def test_a_packet_that_breaks_off_gives_way_to_the_next() -> None:
    decoder = PacketDecoder()
    found = list(decoder.feed(encode_packet(HELLO)[:-3] + encode_packet(HELLO)))
    assert found == [Garbage(GarbageReason.TRUNCATED, 20), HELLO]
    assert list(decoder.feed(b"\x01Z00\x02AA")) == []
    assert decoder.is_within
    assert list(decoder.abandon()) == [Garbage(GarbageReason.TRUNCATED, 7)]


def test_an_endless_packet_is_given_up_in_bounded_memory() -> None:
    decoder = PacketDecoder(max_bytes=100)
    found = list(decoder.feed(b"\x01Z00\x02" + b"x" * 10_000 + b"\x04" + encode_packet(HELLO)))
    assert found == [Garbage(GarbageReason.OVERSIZED, 101), Garbage(GarbageReason.NOISE, 9_905), HELLO]


def test_a_second_answer_has_its_own_status_only() -> None:
    """Found by fuzzing: the status that the first NAK never had was still awaited behind the second, uncounted."""
    late = Acknowledged(is_accepted=False)
    full = Acknowledged(is_accepted=False, status=ErrorStatus.DEFAULT)
    found = list(PacketDecoder().feed(encode_acknowledgement(late) + encode_acknowledgement(full) + b"\xff"))
    assert found == [late, full, Garbage(GarbageReason.NOISE, 1)]


def test_a_line_of_zeros_or_ones_is_nothing() -> None:
    """BR-003."""
    assert list(PacketDecoder().feed(b"\x00" * 500)) == []
    assert list(PacketDecoder().feed(b"\xff" * 500)) == [Garbage(GarbageReason.NOISE, 500)]


@pytest.mark.parametrize("is_accepted", [True, False])
def test_an_ack_with_and_without_its_status(*, is_accepted: bool) -> None:
    full = Acknowledged(is_accepted, ErrorStatus.DEFAULT | ErrorStatus.CHECKSUM)
    data = encode_acknowledgement(full)
    assert list(PacketDecoder().feed(data)) == [full]
    assert list(PacketDecoder().feed(data[:1])) == [Acknowledged(is_accepted)]
    decoder = PacketDecoder()
    parts = [*decoder.feed(data[:1]), *decoder.feed(data[1:] + encode_packet(HELLO))]
    assert parts == [Acknowledged(is_accepted), HELLO], "a late status byte is no noise"
