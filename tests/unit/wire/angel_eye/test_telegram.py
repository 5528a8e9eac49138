"""Frames of the Angel Eye protocol: golden bytes, any chunks, and what is no frame (tests 1, 4 to 6 of the page)."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.wire.angel_eye.codes import Refusal
from firmware_bridge.wire.angel_eye.telegram import (
    MAX_TELEGRAM_BYTES,
    Acknowledged,
    Block,
    NotAcknowledged,
    Piece,
    Telegram,
    TelegramDecoder,
    encode_answer,
    encode_block,
    encode_telegram,
)
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from tests.vectors.angel_eye import COMMANDS, STREAM, TELEGRAMS

FIRST = bytes.fromhex(TELEGRAMS[1]["bytes"])
SEQ_1 = Telegram(ord("1"), bytes.fromhex("44 81 B8"))


def garbage_bytes(pieces: list[Piece]) -> int:
    return sum(piece.size for piece in pieces if isinstance(piece, Garbage))


@pytest.mark.parametrize("vector", TELEGRAMS, ids=lambda vector: vector["meaning"])
def test_golden_telegrams(vector: dict[str, str]) -> None:
    telegram, data = Telegram(ord(vector["seq"]), bytes.fromhex(vector["data"])), bytes.fromhex(vector["bytes"])
    assert encode_telegram(telegram) == data
    assert list(TelegramDecoder().feed(data)) == [telegram]


@pytest.mark.parametrize("vector", COMMANDS, ids=lambda vector: vector["meaning"])
def test_golden_commands_with_either_span_of_the_check(vector: dict[str, str]) -> None:
    block = Block(bytes.fromhex(vector["data"]))
    for span, name in ((True, "with_stx"), (False, "without_stx")):
        data = bytes.fromhex(vector[name])
        assert encode_block(block, bcc_includes_stx=span) == data
        assert list(TelegramDecoder(bcc_includes_stx=span).feed(data)) == [block]
        assert list(TelegramDecoder(bcc_includes_stx=None).feed(data)) == [block]
        assert list(TelegramDecoder(bcc_includes_stx=not span).feed(data)) == [Garbage(GarbageReason.BAD_CHECK, 10)]


def test_cut_at_every_byte_and_in_any_chunks_the_telegrams_are_the_same() -> None:
    """BR-001: a read is not a message."""
    whole = list(TelegramDecoder().feed(STREAM))
    assert len(whole) == len(TELEGRAMS)
    for cut in range(len(STREAM) + 1):
        decoder = TelegramDecoder()
        assert [*decoder.feed(STREAM[:cut]), *decoder.feed(STREAM[cut:])] == whole
    for seed in range(200):
        rng, decoder, found, at = random.Random(seed), TelegramDecoder(), list[Piece](), 0
        while at < len(STREAM):
            size = rng.randrange(1, 9)
            found += decoder.feed(STREAM[at : at + size])
            at += size
        assert found == whole


@pytest.mark.parametrize("bit", range(8 * len(FIRST)))
def test_one_wrong_bit_anywhere_is_never_a_telegram(bit: int) -> None:
    damaged = bytearray(FIRST)
    damaged[bit // 8] ^= 1 << bit % 8
    decoder = TelegramDecoder()
    found = [*decoder.feed(bytes(damaged)), *decoder.abandon()]
    assert not [piece for piece in found if isinstance(piece, Telegram)]
    assert list(decoder.feed(FIRST)) == [SEQ_1], "and the next one is heard"


@pytest.mark.parametrize("filler", [0x00, 0xFF, 0x41, 0x03, 0x80])
def test_garbage_of_any_length_and_the_next_enq_begins_anew(filler: int) -> None:
    """BR-003 too: a line of zeros or ones is nothing."""
    for size in (1, 127, 128, 129, 1_000):
        decoder = TelegramDecoder()
        found = list(decoder.feed(bytes((filler,)) * size + FIRST))
        assert found[-1] == SEQ_1
        assert found[:-1] == [Garbage(GarbageReason.NOISE, size)]


def test_an_endless_telegram_is_given_up_in_bounded_memory() -> None:
    decoder = TelegramDecoder()
    found = list(decoder.feed(b"\x05" + b"\x81" * 10_000 + FIRST))
    assert found[0] == Garbage(GarbageReason.OVERSIZED, MAX_TELEGRAM_BYTES)
    assert found[-1] == SEQ_1
    assert garbage_bytes(found) == 10_001


def test_a_telegram_that_breaks_off_gives_way_to_the_next() -> None:
    decoder = TelegramDecoder()
    assert list(decoder.feed(FIRST[:5] + FIRST)) == [Garbage(GarbageReason.TRUNCATED, 5), SEQ_1]
    assert list(decoder.feed(FIRST[:4])) == []
    assert list(decoder.abandon()) == [Garbage(GarbageReason.TRUNCATED, 4)]
    assert list(decoder.abandon()) == []


def test_a_telegram_without_a_letter_is_none() -> None:
    assert list(TelegramDecoder().feed(bytes.fromhex("05 31 03 33 32"))) == [Garbage(GarbageReason.BAD_LENGTH, 5)]


def test_a_check_in_small_letters_is_wrong() -> None:
    assert list(TelegramDecoder().feed(FIRST.lower())) == [Garbage(GarbageReason.BAD_CHECK, len(FIRST))]


@pytest.mark.parametrize("answer", [Acknowledged(), *(NotAcknowledged(code) for code in Refusal)])
def test_answers_to_commands(answer: Acknowledged | NotAcknowledged) -> None:
    assert list(TelegramDecoder().feed(encode_answer(answer) + FIRST)) == [answer, SEQ_1]


def test_a_refusal_may_be_one_byte_or_two_digits() -> None:
    """Sources do not say which, and the two cannot be taken for each other."""
    assert list(TelegramDecoder().feed(b"\x15\x21")) == [NotAcknowledged(Refusal.BUSY)]
    assert list(TelegramDecoder().feed(b"\x1521")) == [NotAcknowledged(Refusal.BUSY)]
    assert list(TelegramDecoder().feed(b"\x15FF")) == [NotAcknowledged(Refusal.OTHER)]
    assert list(TelegramDecoder().feed(b"\x152!")) == [Garbage(GarbageReason.BAD_FIELD, 3)]
    assert list(TelegramDecoder().feed(b"\x15" + FIRST)) == [Garbage(GarbageReason.TRUNCATED, 1), SEQ_1]
    decoder = TelegramDecoder()
    assert [*decoder.feed(b"\x152"), *decoder.abandon()] == [Garbage(GarbageReason.TRUNCATED, 2)]


def test_any_bytes_are_telegrams_or_counted_garbage() -> None:
    """Nothing raises, nothing is kept beyond the limit, and no byte is lost to the counts."""
    for seed in range(300):
        rng = random.Random(seed)
        alphabet = bytes(range(256)) if seed % 2 else bytes((2, 3, 5, 6, 0x15, 0x30, 0x31, 0x44, 0x81, 0x41))
        raw = bytes(rng.choice(alphabet) for _ in range(400))
        for size in (1, len(raw)):
            decoder = TelegramDecoder()
            found = [piece for at in range(0, len(raw), size) for piece in decoder.feed(raw[at : at + size])]
            found += decoder.abandon()
            digits = sum(isinstance(piece, NotAcknowledged) for piece in found)  # each may have had one byte more
            assert 0 <= len(raw) - garbage_bytes(found) - sum(taken(piece) for piece in found) <= digits


def taken(piece: Piece) -> int:
    """Bytes of the wire that a whole piece has used at least."""
    match piece:
        case Telegram():
            return len(encode_telegram(piece))
        case Block():
            return len(encode_block(piece, bcc_includes_stx=True))
        case Acknowledged():
            return 1
        case NotAcknowledged():
            return 2
        case _:
            return 0
