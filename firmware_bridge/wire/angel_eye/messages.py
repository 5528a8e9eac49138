"""What the telegrams of an Angel Eye shoe say: read strictly, and made for a simulated one. Pure.

What the check lets through and the protocol does not allow is `Malformed`, with the letter: somebody must hear of it,
as a card may have gone by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firmware_bridge.wire.angel_eye.codes import (
    IN_ERROR_MODE,
    INDEX_MAX,
    PARAMETER,
    RANK_KING,
    Letter,
    Mode,
    Pair,
    Suit,
    Target,
    Winner,
)

_UPPER_SHIFT, _UPPER_MASK, _LOWER_MASK = 4, 0b111, 0b1111
_CODE_MASK = 0b11_1111
_REGISTER_CHARACTERS, _VALUE_CHARACTERS = 2, 4


@dataclass(frozen=True, slots=True)
class Card:
    """A card as the shoe reads it; suit NONE and rank 0 where it could not tell which."""

    suit: Suit
    rank: int


@dataclass(frozen=True, slots=True)
class Started:
    """The shoe was switched on."""


@dataclass(frozen=True, slots=True)
class StoodBy:
    """The shoe waits."""


@dataclass(frozen=True, slots=True)
class CutCard:
    """The cut card was drawn."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card of a game; `is_again`: told once more, nothing was drawn now. `index` from 1 in a hand."""

    target: Target
    index: int
    card: Card
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class DrawnOutside:
    """A card that belongs to no game."""

    mode: Mode
    card: Card


@dataclass(frozen=True, slots=True)
class Result:
    """How the game ended."""

    winner: Winner
    is_player_pair: bool
    is_banker_pair: bool


@dataclass(frozen=True, slots=True)
class Error:
    """An error; `is_stopped`: the shoe is in its error mode now."""

    code: int
    is_stopped: bool


@dataclass(frozen=True, slots=True)
class ErrorCancelled:
    """An error is over."""

    code: int


@dataclass(frozen=True, slots=True)
class LockStatus:
    """Whether the shoe is locked."""

    is_locked: bool


@dataclass(frozen=True, slots=True)
class RegisterChanged:
    """Somebody changed a setting at the shoe."""

    register: str
    value: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """Checked, and no telegram of this protocol: which letter, and what is wrong, without its parameters."""

    letter: str
    why: str


Message = (
    Started
    | StoodBy
    | CutCard
    | Drawn
    | DrawnOutside
    | Result
    | Error
    | ErrorCancelled
    | LockStatus
    | RegisterChanged
    | Malformed
)


class _Bad(Exception):
    """A parameter that the protocol does not allow."""


def read_message(data: bytes) -> Message:
    """The message in a telegram's data."""
    letter, parameters = chr(data[0]), data[1:]
    reader = _READERS.get(letter)
    if reader is None:
        return Malformed(letter if letter.isascii() and letter.isprintable() else "?", "no such telegram is known")
    try:
        return reader(parameters)
    except _Bad as bad:
        return Malformed(letter, str(bad))


def write_message(message: Message) -> bytes:
    """A telegram's data. Raises ValueError for `Malformed`, which has no bytes."""
    match message:
        case Drawn(target, index, card, is_again):
            letter = Letter.AGAIN if is_again else Letter.DRAWN
            return _data(letter, (target << _UPPER_SHIFT) | index, _card_byte(card))
        case DrawnOutside(mode, card):
            return _data(Letter.OUTSIDE, mode << _UPPER_SHIFT, _card_byte(card))
        case Result(winner, is_player_pair, is_banker_pair):
            pairs = Pair.PLAYER * is_player_pair | Pair.BANKER * is_banker_pair
            return _data(Letter.RESULT, (winner << _UPPER_SHIFT) | pairs)
        case Error(code, is_stopped):
            return _data(Letter.ERROR, code | IN_ERROR_MODE * is_stopped)
        case ErrorCancelled(code):
            return _data(Letter.ERROR_CANCELLED, code)
        case LockStatus(is_locked):
            return _data(Letter.LOCK, int(is_locked))
        case RegisterChanged(register, value):
            return (Letter.REGISTER + register + value).encode("ascii")
        case Malformed():
            raise ValueError("a malformed telegram has no bytes of its own")
        case _:
            return _PLAIN_LETTERS[type(message)].encode("ascii")


def _data(letter: Letter, *parameters: int) -> bytes:
    return letter.encode("ascii") + bytes(PARAMETER | parameter for parameter in parameters)


def _card_byte(card: Card) -> int:
    return (card.suit << _UPPER_SHIFT) | card.rank


def _parameters(raw: bytes, count: int) -> tuple[int, ...]:
    """So many bytes with bit 7 set, without it."""
    if len(raw) != count:
        raise _Bad(f"{len(raw)} parameters where {count} belong")
    if any(not byte & PARAMETER for byte in raw):
        raise _Bad("a parameter without its bit 7")
    return tuple(byte & ~PARAMETER for byte in raw)


def _upper(byte: int) -> int:
    return (byte >> _UPPER_SHIFT) & _UPPER_MASK


def _card(byte: int) -> Card:
    suit, rank = _upper(byte), byte & _LOWER_MASK
    if suit not in Suit.__members__.values() or rank > RANK_KING or (rank == 0 and suit != Suit.NONE):
        raise _Bad("no such card")
    return Card(Suit(suit), rank)


def _drawn(raw: bytes, *, is_again: bool) -> Drawn:
    where, which = _parameters(raw, 2)
    target, index = _upper(where), where & _LOWER_MASK
    if target not in Target.__members__.values():
        raise _Bad(f"target {target}")
    if index > INDEX_MAX or (index == 0 and target in (Target.PLAYER, Target.BANKER)):
        raise _Bad(f"index {index}")
    return Drawn(Target(target), index, _card(which), is_again)


def _outside(raw: bytes) -> DrawnOutside:
    where, which = _parameters(raw, 2)
    if _upper(where) not in Mode.__members__.values():
        raise _Bad(f"mode {_upper(where)}")
    return DrawnOutside(Mode(_upper(where)), _card(which))


def _result(raw: bytes) -> Result:
    (byte,) = _parameters(raw, 1)
    if _upper(byte) not in Winner.__members__.values() or byte & 0b1100:
        raise _Bad("no such result")
    return Result(Winner(_upper(byte)), bool(byte & Pair.PLAYER), bool(byte & Pair.BANKER))


def _error(raw: bytes) -> Error:
    (byte,) = _parameters(raw, 1)
    return Error(byte & _CODE_MASK, bool(byte & IN_ERROR_MODE))


def _cancelled(raw: bytes) -> ErrorCancelled:
    (byte,) = _parameters(raw, 1)
    return ErrorCancelled(byte & _CODE_MASK)


def _lock(raw: bytes) -> LockStatus:
    (byte,) = _parameters(raw, 1)
    return LockStatus(bool(byte & 1))


def _register(raw: bytes) -> RegisterChanged:
    if len(raw) != _REGISTER_CHARACTERS + _VALUE_CHARACTERS or not raw.isalnum():
        raise _Bad("a register is two characters and four")
    text = raw.decode("ascii")
    return RegisterChanged(text[:_REGISTER_CHARACTERS], text[_REGISTER_CHARACTERS:])


def _plain(message: Message) -> Callable[[bytes], Message]:
    def read(raw: bytes) -> Message:
        _parameters(raw, 0)
        return message

    return read


_READERS: Mapping[str, Callable[[bytes], Message]] = {
    Letter.STARTED: _plain(Started()),
    Letter.STANDBY: _plain(StoodBy()),
    Letter.CUT_CARD: _plain(CutCard()),
    Letter.DRAWN: lambda raw: _drawn(raw, is_again=False),
    Letter.AGAIN: lambda raw: _drawn(raw, is_again=True),
    Letter.OUTSIDE: _outside,
    Letter.RESULT: _result,
    Letter.ERROR: _error,
    Letter.ERROR_CANCELLED: _cancelled,
    Letter.LOCK: _lock,
    Letter.REGISTER: _register,
}
_PLAIN_LETTERS: Mapping[type, Letter] = {
    Started: Letter.STARTED,
    StoodBy: Letter.STANDBY,
    CutCard: Letter.CUT_CARD,
}
