"""Our maps of keys against those of libxkbcommon, which every Linux desktop types by."""

from __future__ import annotations

import ctypes
import ctypes.util

import pytest

from firmware_bridge.wire.keyboard.maps import MAPS, KeyMap
from firmware_bridge.wire.keyboard.reports import Stroke

pytestmark = pytest.mark.peer

# Linux' key codes by HID usage, from the kernel's hid-input.c (`hid_keyboard`), as far as characters go.
_LETTERS = (30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17, 45, 21, 44)
_DIGITS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
LINUX = {
    **dict(zip(range(0x04, 0x1E), _LETTERS, strict=True)),
    **dict(zip(range(0x1E, 0x28), _DIGITS, strict=True)),
    0x2C: 57,
    0x2D: 12,
    0x2E: 13,
    0x2F: 26,
    0x30: 27,
    0x31: 43,
    0x32: 43,
    0x33: 39,
    0x34: 40,
    0x35: 41,
    0x36: 51,
    0x37: 52,
    0x38: 53,
    0x64: 86,
}
XKB_OFFSET = 8  # XKB's codes are Linux' plus eight
ASCII = range(0x20, 0x7F)


class Names(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]


class Xkb:
    """One map of the library."""

    def __init__(self, layout: str) -> None:
        name = ctypes.util.find_library("xkbcommon")
        if name is None:
            pytest.skip("libxkbcommon is not installed (Debian: apt-get install libxkbcommon0 xkb-data)")
        self._library = library = ctypes.CDLL(name)
        library.xkb_context_new.restype = library.xkb_keymap_new_from_names.restype = ctypes.c_void_p
        library.xkb_context_new.argtypes = [ctypes.c_int]
        library.xkb_keymap_new_from_names.argtypes = [ctypes.c_void_p, ctypes.POINTER(Names), ctypes.c_int]
        library.xkb_keymap_key_get_syms_by_level.argtypes = [
            ctypes.c_void_p,
            *[ctypes.c_uint32] * 3,
            ctypes.POINTER(ctypes.POINTER(ctypes.c_uint32)),
        ]
        library.xkb_keysym_to_utf32.argtypes = [ctypes.c_uint32]
        library.xkb_keysym_to_utf32.restype = ctypes.c_uint32
        names = Names(b"evdev", b"pc105", layout.encode(), b"", b"")
        self._map = library.xkb_keymap_new_from_names(library.xkb_context_new(0), ctypes.byref(names), 0)
        if not self._map:
            pytest.skip("xkb-data is not installed (Debian: apt-get install xkb-data)")

    def character(self, key: int, level: int) -> str | None:
        """What this key types at this level, if it is ASCII."""
        symbols = ctypes.POINTER(ctypes.c_uint32)()
        count = self._library.xkb_keymap_key_get_syms_by_level(
            self._map, LINUX[key] + XKB_OFFSET, 0, level, ctypes.byref(symbols)
        )
        code = self._library.xkb_keysym_to_utf32(symbols[0]) if count == 1 else 0
        return chr(code) if code in ASCII else None


LEVELS = {0: {}, 1: {"is_shifted": True}, 2: {"is_alt_gr": True}}


@pytest.mark.parametrize("name", MAPS)
def test_every_key_types_what_the_library_types(name: str) -> None:
    ours: KeyMap = MAPS[name]
    theirs = Xkb(name)
    wrong = []
    for key in LINUX:
        for level, held in LEVELS.items():
            mine, other = ours.character(Stroke(key, **held)), theirs.character(key, level)
            # A character that we do not know rejects a scan; one that we know must be theirs.
            if mine != other and (mine is not None or level < 2):
                wrong.append((hex(key), level, mine, other))
    # US keyboards have neither of these two keys; the library gives them one all the same.
    assert [each for each in wrong if not (name == "us" and each[0] in ("0x32", "0x64"))] == []
