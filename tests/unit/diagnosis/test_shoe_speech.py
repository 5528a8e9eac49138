"""A shoe's cable in words: what was said, and never which card; nothing of a card in a recording."""

from __future__ import annotations

import pytest

from firmware_bridge.links.recording import Direction
from firmware_bridge.wire.angel_eye.commands import LOCK
from firmware_bridge.wire.angel_eye.telegram import Acknowledged, NotAcknowledged, encode_answer, encode_block
from tableside.diagnosis.speech import ANGEL_EYE, speech_of
from tests.vectors.angel_eye import TELEGRAMS

WORDS = {
    "started": "seq 0 started",
    "player card 1 is the eight of spades": "seq 1 drawn: player 1, a card",
    "player wins, player pair": "seq 2 result: player, player pair",
    "cut card": "seq 3 cut card",
    "error 1, in error mode": "seq 4 error 1, stopped",
    "locked": "seq 5 locked",
    "player card 1 is the eight of spades, again": "seq 6 drawn again: player 1, a card",
    "banker card 1 is the five of clubs": "seq 7 drawn: banker 1, a card",
    "error 1 cancelled": "seq 8 error 1 cancelled",
    "banker wins, banker pair": "seq 9 result: banker, banker pair",
    "tie": "seq A result: tie",
    "standby": "seq D standby",
}


@pytest.mark.parametrize("vector", TELEGRAMS, ids=lambda vector: vector["meaning"])
def test_every_telegram_in_words(vector: dict[str, str]) -> None:
    data = bytes.fromhex(vector["bytes"])
    (spoken,) = speech_of(ANGEL_EYE, is_message_based=False).feed(Direction.IN, data)
    assert spoken.text == WORDS[vector["meaning"]]
    assert spoken.data == (b"" if "a card" in spoken.text else data)


@pytest.mark.parametrize(
    ("bytes_", "text", "is_kept"),
    [
        ("05 42 64 80 B8 03", "seq B drawn outside a game: lock, a card", False),
        ("05 43 44 80 B8 03", "seq C D: index 0", False),
        ("05 45 4D 30 31 30 30 46 46 03", "seq E register 01 is 00FF", True),
        ("05 07 4C 80 03", "seq \\x07 unlocked", True),
    ],
)
def test_what_the_vectors_have_not(bytes_: str, text: str, is_kept: bool) -> None:
    covered = bytes.fromhex(bytes_)
    check = 0
    for byte in covered[1:]:
        check ^= byte
    data = covered + b"%02X" % check
    (spoken,) = speech_of(ANGEL_EYE, is_message_based=False).feed(Direction.IN, data)
    assert (spoken.text, spoken.data) == (text, data if is_kept else b"")


def test_what_a_technicians_tool_says_and_hears() -> None:
    speech = speech_of(ANGEL_EYE, is_message_based=False)
    (said,) = speech.feed(Direction.OUT, encode_block(LOCK.block, bcc_includes_stx=True))
    assert said.text == "command lock 02"
    heard = speech.feed(Direction.IN, encode_answer(Acknowledged()) + encode_answer(NotAcknowledged(0x21)) + b"xx")
    assert [one.text for one in heard] == ["ACK", "NAK 21h", "2 bytes thrown away: noise"]
