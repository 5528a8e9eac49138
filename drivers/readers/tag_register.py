"""What each tag of a table is: a card or a chip, from a file that the house keeps. Pure but for `read_register`.

One tag a line, blanks between, `#` begins a remark:

    04A1B2C3D4E580   card   8♠
    D0AC1F62         chip   500

The number is the tag's UID in upper-case hex, whole, with its zeros (BR-032): 8, 14 or 20 digits. A chip's value is in
the smallest unit of the table's currency.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from drivers.badges.badge_id import badge_id
from drivers.card_events import RANKS, SUITS
from firmware_bridge.wire.pn532.commands import UID_SIZES

_HEX = frozenset("0123456789ABCDEF")
# ISO/IEC 14443-3: a number of four bytes that begins so is drawn anew each time the tag wakes.
_RANDOM_UID = 0x08
VALUE_MAX = 2**31 - 1
# Six decks, and the chips of a table many times over; a file beyond it is another file.
TAGS_MAX = 20_000


class RegisterRefused(ValueError):
    """The file cannot be used: each mistake with its line."""


@dataclass(frozen=True, slots=True)
class Card:
    """`face` as in `drivers.card_events.face`."""

    face: str


@dataclass(frozen=True, slots=True)
class Chip:
    """`value` in the smallest unit of the table's currency."""

    value: int


Known = Card | Chip
Register = Mapping[str, Known]  # by tag, `<bits>:<UPPER HEX>`


def is_number(uid: bytes) -> bool:
    """Whether a tag can have this number: all zeros or all ones come from nowhere (BR-035)."""
    return any(uid) and any(byte != 0xFF for byte in uid)


def tag_of(uid: bytes) -> str:
    """The one text form of a tag's number."""
    return badge_id(8 * len(uid), uid)


def read_register(path: Path) -> Register:
    """Raises RegisterRefused, OSError."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise RegisterRefused(f"{path.name}: no UTF-8 text ({error})") from error
    return parse_register(text)


def parse_register(text: str) -> Register:
    """The register in a file's text. Raises RegisterRefused with every mistake."""
    register: dict[str, Known] = {}
    mistakes: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        wrong = list(_wrong(fields))
        if not wrong:
            tag = tag_of(bytes.fromhex(fields[0]))
            if tag in register:
                wrong = [f"{fields[0]} stands there already"]
            register[tag] = Card(fields[2]) if fields[1] == "card" else Chip(int(fields[2]))
        mistakes += [f"line {number}: {mistake}" for mistake in wrong]
    if len(register) > TAGS_MAX:
        mistakes.append(f"{len(register)} tags: {TAGS_MAX} at most")
    if mistakes:
        raise RegisterRefused("; ".join(mistakes))
    return register


def _wrong(fields: list[str]) -> Iterator[str]:
    if len(fields) != 3:
        yield f"{len(fields)} words; number, card or chip, and which"
        return
    uid, kind, what = fields
    if not set(uid) <= _HEX or len(uid) not in tuple(2 * size for size in UID_SIZES):
        yield f"{uid} is no tag's number: 8, 14 or 20 upper-case hex digits"
    elif not is_number(bytes.fromhex(uid)):
        yield f"{uid} is no tag's number: all its digits are the same"
    elif len(uid) == 8 and bytes.fromhex(uid)[0] == _RANDOM_UID:
        yield f"{uid} is drawn anew each time such a tag wakes (it begins with 08): it can name nothing"
    if kind == "card":
        if len(what) != 2 or what[0] not in RANKS or what[1] not in SUITS:
            yield f"{what} is no card: one of {RANKS}, then one of {SUITS}"
    elif kind == "chip":
        if not what.isascii() or not what.isdecimal() or not 0 < int(what) <= VALUE_MAX:
            yield f"{what} is no chip's value: a whole number of the smallest unit"
    else:
        yield f"{kind} is neither card nor chip"
