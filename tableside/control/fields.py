"""An act's fields from JSON values, with every mistake in them named."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar, cast, get_args, get_origin

import msgspec

from tableside.cards import Card, parse_card
from tableside.configuration.mistake import nearest_of
from tableside.control.acts import fields_of
from tableside.requests import Request

# What a person says in one sentence; the journal keeps it for ever.
MAX_TEXT_CHARACTERS = 400
# Amounts of money are the largest numbers here, and no device of ours takes one above 32 bits (TDL 14.2).
MAX_NUMBER = 2**32 - 1
# More entries than a table has cards are a mistake.
MAX_ENTRIES = 1_000

R = TypeVar("R", bound=Request)


class FieldMistake(ValueError):
    """One value that cannot stand where it stands: what it is, and what is allowed."""


def read_fields(kind: type[R], given: object, mistakes: list[str]) -> dict[str, object]:
    """The values of a request's fields; each mistake is added to `mistakes` with the field's name before it."""
    if not isinstance(given, dict):
        mistakes.append("fields: is no object; allowed: an object with the act's fields")
        return {}
    return _read_struct(given, fields_of(kind), "fields", mistakes)


def kind_words(wanted: object) -> str:
    """What may stand at a field, in words: for messages, help and the protocol page."""
    if get_origin(wanted) is tuple:
        return f"list of {kind_words(get_args(wanted)[0])}"
    return _WORDS[_shape(wanted)]


def _read_struct(
    given: Mapping[str, object], fields: tuple[msgspec.structs.FieldInfo, ...], at: str, mistakes: list[str]
) -> dict[str, object]:
    known = {field.name: field for field in fields}
    for name in given:
        if name not in known:
            near = nearest_of(name, known)
            hint = f'; did you mean "{near}"' if near else ""
            mistakes.append(f"{at}.{name}: is not known{hint}; allowed: {', '.join(known) or 'none'}")
    values: dict[str, object] = {}
    for name, field in known.items():
        if name not in given:
            if field.required:
                mistakes.append(f"{at}.{name}: is missing; allowed: {kind_words(field.type)}")
            continue
        values[name] = _read(given[name], field.type, f"{at}.{name}", mistakes)
    return values


def _read(value: object, wanted: object, at: str, mistakes: list[str]) -> object:
    if get_origin(wanted) is tuple:
        return _read_list(value, get_args(wanted)[0], at, mistakes)
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct) and wanted is not Card:
        if not isinstance(value, dict):
            mistakes.append(f"{at}: is {_found(value)}; allowed: {kind_words(wanted)}")
            return None
        before = len(mistakes)
        values = _read_struct(value, msgspec.structs.fields(wanted), at, mistakes)
        return wanted(**values) if len(mistakes) == before else None
    try:
        return _READERS[_shape(wanted)](value, wanted)
    except FieldMistake as mistake:
        mistakes.append(f"{at}: {mistake}")
        return None


def _read_list(value: object, item: object, at: str, mistakes: list[str]) -> tuple[object, ...]:
    if not isinstance(value, list):
        mistakes.append(f"{at}: is {_found(value)}; allowed: list of {kind_words(item)}")
        return ()
    if len(value) > MAX_ENTRIES:
        mistakes.append(f"{at}: has {len(value)} entries; allowed: at most {MAX_ENTRIES}")
        return ()
    return tuple(_read(one, item, f"{at}[{index}]", mistakes) for index, one in enumerate(value))


def _text(value: object, _wanted: object) -> str:
    if not isinstance(value, str):
        raise FieldMistake(f"is {_found(value)}; allowed: text")
    if len(value) > MAX_TEXT_CHARACTERS or not value.isprintable():
        raise FieldMistake(f"is no text of one line; allowed: at most {MAX_TEXT_CHARACTERS} printable characters")
    return value


def _number(value: object, _wanted: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_NUMBER:
        raise FieldMistake(f"is {_found(value)}; allowed: a whole number from 0 to {MAX_NUMBER}")
    return value


def _yes_or_no(value: object, _wanted: object) -> bool:
    if not isinstance(value, bool):
        raise FieldMistake(f"is {_found(value)}; allowed: true or false")
    return value


def _word(value: object, wanted: object) -> StrEnum:
    words = [str(word.value) for word in cast(type[StrEnum], wanted)]
    if value not in words:
        near = nearest_of(str(value), words)
        hint = f'; did you mean "{near}"' if near else ""
        raise FieldMistake(f"is {_found(value)}{hint}; allowed: {', '.join(words)}")
    return cast(type[StrEnum], wanted)(value)


def _card(value: object, _wanted: object) -> Card:
    if not isinstance(value, str):
        raise FieldMistake(f"is {_found(value)}; allowed: {_WORDS[Card]}")
    try:
        return parse_card(value)
    except ValueError as mistake:
        raise FieldMistake(str(mistake)) from mistake


def _shape(wanted: object) -> type:
    """The key of a type in the tables below; an optional one is what it is where it stands."""
    if isinstance(wanted, types.UnionType):
        wanted = next(kind for kind in get_args(wanted) if kind is not type(None))
    if isinstance(wanted, type):
        for shape in (StrEnum, Card, msgspec.Struct):
            if issubclass(wanted, shape):
                return shape
        return wanted
    raise TypeError(f"{wanted} has no reader; add one to the tables of this module")


def _found(value: object) -> str:
    if isinstance(value, str):
        return f'"{value[:40]}"'
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


_READERS: Mapping[type, Callable[[object, object], object]] = {
    str: _text,
    int: _number,
    bool: _yes_or_no,
    StrEnum: _word,
    Card: _card,
}
_WORDS: Mapping[type, str] = {
    str: "text",
    int: "number",
    bool: "true or false",
    StrEnum: "word",
    Card: 'card such as "7♣ red" or "7C red"',
    msgspec.Struct: "object",
}
