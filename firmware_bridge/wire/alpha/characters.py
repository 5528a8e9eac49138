"""The characters that an ALPHA sign draws, as bytes that pass a line of seven bits. Pure.

ASCII up to 7Dh stands for itself; 7Eh draws half a space and 7Fh a block, so neither is sent. The extended set is
sent as 08h and an offset. Its first 41 characters are those of code page 437 (readerboard 0.7.0 read the tables of
the document against the glyphs); of the rest, only the letters named here are certain.
"""

from __future__ import annotations

from firmware_bridge.wire.alpha.codes import Insert

_FIRST, _LAST_ASCII = 0x20, 0x7D
_EXTENDED, _CP437_LAST = 0x80, 0xA8
_OFFSET = 0x60  # 08h + (code − 60h)
# Control codes that take something with them: double height, descenders, flash, date, string, picture, font, colour …
_ARGUMENTS = {0x05: 1, 0x06: 1, 0x07: 1, 0x0B: 1, 0x10: 1, 0x14: 1, 0x1A: 1, 0x1C: 1, 0x1D: 2, 0x1E: 1}
_LETTERS = {0xA9: "°", 0xAA: "¡", 0xBA: "Á", 0xBB: "À", 0xBF: "Í", 0xC0: "Õ", 0xC1: "õ"}
_CODES: dict[str, int] = {
    **{bytes((code,)).decode("cp437"): code for code in range(_EXTENDED, _CP437_LAST + 1)},
    **{letter: code for code, letter in _LETTERS.items()},
}


class NotInCodePage(ValueError):
    """A character that the sign does not draw. `character` says which."""

    def __init__(self, character: str) -> None:
        super().__init__(f"{character!r} (U+{ord(character):04X}) is not in the sign's code page")
        self.character = character


def missing(text: str) -> str | None:
    """The first character that the sign does not draw; None: it draws them all."""
    return next((character for character in text if not (_is_plain(character) or character in _CODES)), None)


def text_bytes(text: str) -> bytes:
    """The bytes of a text. Raises NotInCodePage; control characters are never in it, so no text ends its frame."""
    lacking = missing(text)
    if lacking is not None:
        raise NotInCodePage(lacking)
    return b"".join(_bytes_of(character) for character in text)


def text_of(data: bytes) -> str:
    """What a sign draws for these bytes; other control codes draw nothing."""
    extended = {code: letter for letter, code in _CODES.items()}
    drawn, place = [], 0
    while place < len(data):
        code = data[place]
        if code == Insert.CHARACTER and place + 1 < len(data):
            place += 1
            drawn.append(extended.get(data[place] + _OFFSET, "?"))
        elif code in _ARGUMENTS:
            place += _ARGUMENTS[code]
        elif _FIRST <= code <= _LAST_ASCII:
            drawn.append(chr(code))
        elif code >= _EXTENDED:
            drawn.append(extended.get(code, "?"))
        place += 1
    return "".join(drawn)


def _is_plain(character: str) -> bool:
    return _FIRST <= ord(character) <= _LAST_ASCII


def _bytes_of(character: str) -> bytes:
    if _is_plain(character):
        return character.encode("ascii")
    return bytes((Insert.CHARACTER, _CODES[character] - _OFFSET))
