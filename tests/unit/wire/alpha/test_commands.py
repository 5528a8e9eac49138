"""What a host tells an ALPHA sign, and the characters that a sign draws."""

from __future__ import annotations

import pytest

from firmware_bridge.wire.alpha import commands
from firmware_bridge.wire.alpha.characters import NotInCodePage, missing, text_bytes, text_of
from firmware_bridge.wire.alpha.codes import FileType, Mode, Special


def test_the_traps_of_others_are_not_ours() -> None:
    """Seen in other libraries: the priority file in the memory table, a STRING that is not locked, oversized ones."""
    with pytest.raises(commands.NotForThisFile):
        commands.FileEntry("0", FileType.TEXT, 125).encode()
    with pytest.raises(commands.NotForThisFile):
        commands.FileEntry("a", FileType.STRING, 32, is_locked=False).encode()
    with pytest.raises(commands.NotForThisFile):
        commands.FileEntry("a", FileType.STRING, 126).encode()
    with pytest.raises(commands.NotForThisFile):
        commands.write_string("a", b"x" * 126)
    with pytest.raises(commands.NotForThisFile):
        commands.write_text("0", b"x" * 126)


def test_each_command_has_its_letters() -> None:
    assert commands.write_text("A", b"HI") == b"AA\x1b bHI"
    assert commands.write_text("0", b"WON", Mode.FLASH) == b"A0\x1b cWON"
    assert commands.release_priority() == b"A0"
    assert commands.call_string("a") == b"\x10a"
    assert commands.configure_memory(()) == b"E$"
    assert commands.configure_memory((commands.FileEntry("a", FileType.STRING, 32),)) == b"E$aBL00200000"
    assert commands.acknowledge(is_wanted=True) == b"Es1"
    assert commands.run_sequence("A") == b"E.SLA"


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        (commands.read_text("A"), b"AA"),
        (commands.read_string("a"), b"Ga"),
        (commands.read_special(Special.GENERAL), b'E"'),
    ],
)
def test_an_answer_begins_with_the_letter_of_writing(question: bytes, begins: bytes) -> None:
    assert commands.answer_begins(question) == begins


@pytest.mark.parametrize("text", ["EUR 1,234.56", "prémio", "çÇãõ"[0:2], "Ünïcödé £ ¥", "Á À Í Õ õ °", ""])
def test_what_a_sign_draws_goes_there_and_back(text: str) -> None:
    """BR-060: each letter as the sign draws it."""
    data = text_bytes(text)
    assert text_of(data) == text
    assert all(code < 0x80 for code in data), "it passes a line of seven bits"


@pytest.mark.parametrize(
    ("text", "character"),
    [
        ("1 €", "€"),
        ("não", "ã"),
        ("Игра", "И"),
        ("獎", "獎"),
        ("e\u0301", "\u0301"),
        ("ğ", "ğ"),
        ("\u202e1", "\u202e"),
        ("🎰", "🎰"),
        ("a~", "~"),
        ("A\x00", "\x00"),
        ("A\x04B", "\x04"),
        ("A\x02E$", "\x02"),
        ("A\x1b", "\x1b"),
        ("a\r\n", "\r"),
    ],
)
def test_what_a_sign_cannot_draw_is_named_and_not_sent(text: str, character: str) -> None:
    """BR-060: nothing is dropped or replaced; a control character can neither end the frame nor begin a command."""
    assert missing(text) == character
    with pytest.raises(NotInCodePage, match="not in the sign's code page"):
        text_bytes(text)
