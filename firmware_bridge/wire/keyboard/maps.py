"""Which character stands on which key: United States, German, Portuguese. Only ASCII; what is missing is unknown.

Rows are written as the keys lie, `·` where no ASCII character stands or the key is a dead one (which makes a character
only with the next key). Checked against libxkbcommon's maps in tests/peers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmware_bridge.wire.keyboard.reports import Stroke

NOTHING = "·"
# HID usages of the keys, row by row: digits and two more; the two behind P; behind L; behind M; beside left shift.
_DIGITS = (*range(0x1E, 0x28), 0x2D, 0x2E)
_BEHIND_P = (0x2F, 0x30)
_BEHIND_L = (0x33, 0x34)
_BEHIND_M = (0x36, 0x37, 0x38)
_KEYS = (*_DIGITS, *_BEHIND_P, *_BEHIND_L, *_BEHIND_M, 0x31, 0x32, 0x35, 0x64)
_LETTERS = tuple(range(0x04, 0x1E))
_SPACE = 0x2C


@dataclass(frozen=True, slots=True)
class KeyMap:
    """One map: characters by stroke."""

    name: str
    characters: Mapping[Stroke, str]

    def character(self, stroke: Stroke) -> str | None:
        """What the key types; None: nothing that is known here."""
        return self.characters.get(stroke)

    def strokes(self, text: str) -> list[Stroke]:
        """The keys that type a text. Raises ValueError where one character is on none."""
        keys = {character: stroke for stroke, character in self.characters.items()}
        missing = [character for character in text if character not in keys]
        if missing:
            raise ValueError(f"no key of the map {self.name!r} types {missing[0]!r}")
        return [keys[character] for character in text]


def _map(name: str, letters: str, rows: tuple[str, str, str], *, alt_gr: Mapping[int, str] | None = None) -> KeyMap:
    """`rows`: plain, shifted, and the four keys 31, 32, 35 and 64 plain and shifted in turn."""
    plain, shifted, four = rows
    characters = {Stroke(_SPACE): " "}
    for key, letter in zip(_LETTERS, letters, strict=True):
        characters[Stroke(key)] = letter
        characters[Stroke(key, is_shifted=True)] = letter.upper()
    for key, low, high in zip(_KEYS, plain + four[:4], shifted + four[4:], strict=True):
        characters |= {Stroke(key): low, Stroke(key, is_shifted=True): high}
    characters |= {Stroke(key, is_alt_gr=True): character for key, character in (alt_gr or {}).items()}
    return KeyMap(name, {stroke: character for stroke, character in characters.items() if character != NOTHING})


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_BRACES = {0x24: "{", 0x25: "[", 0x26: "]", 0x27: "}"}

MAPS: Mapping[str, KeyMap] = {
    key_map.name: key_map
    for key_map in (
        _map(
            "us",
            _ALPHABET,
            ("1234567890-=" + "[]" + ";'" + ",./", "!@#$%^&*()_+" + "{}" + ':"' + "<>?", "\\·`·" + "|·~·"),
        ),
        _map(
            "de",
            _ALPHABET.replace("y", "Z").replace("z", "y").replace("Z", "z"),
            ("1234567890··" + "·+" + "··" + ",.-", '!"·$%&/()=?·' + "·*" + "··" + ";:_", "##·<" + "''·>"),
            alt_gr={**_BRACES, 0x2D: "\\", 0x14: "@", 0x30: "~", 0x64: "|"},
        ),
        _map(
            "pt",
            _ALPHABET,
            ("1234567890'·" + "+·" + "··" + ",.-", '!"#$%&/()=?·' + "*·" + "··" + ";:_", "··\\<" + "··|>"),
            alt_gr={**_BRACES, 0x1F: "@"},
        ),
    )
}
