"""Compare what a file says with its shape and find every mistake, not only the first.

`msgspec` stops at the first fault, so this walk takes the types that `msgspec` derives from the structs and
goes on after each. What is sound comes back, so that the rules across keys can still be tried on it.
"""

from __future__ import annotations

import datetime
import re

import msgspec
from msgspec import inspect

from tableside.configuration.locate import KeyPath
from tableside.configuration.mistake import MISSING, Finding, listed, nearest_of

# Stands for a value that is no use: told once, and not to be told again as absent.
BROKEN = object()
_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number with a decimal point",
    str: "a text in quotes",
    list: "a list in square brackets",
    dict: "a table",
    datetime.date: "a date such as 2026-01-31, without quotes",
    datetime.time: "a time of day such as 06:00:00, without quotes",
    datetime.datetime: "a date with a time",
}
_LEAVES: dict[type[inspect.Type], type] = {
    inspect.BoolType: bool,
    inspect.DateType: datetime.date,
    inspect.EnumType: str,
    inspect.IntType: int,
    inspect.LiteralType: str,
    inspect.StrType: str,
    inspect.TimeType: datetime.time,
}


def verify(data: dict[str, object], shape: type[msgspec.Struct]) -> tuple[dict[str | int, object], list[Finding]]:
    """The sound part of `data` (lists as tables by index), and everything in it that `shape` does not allow."""
    walk = _Walk(shape)
    return walk.table((), data, _struct(shape)), walk.findings


class _Walk:
    def __init__(self, shape: type[msgspec.Struct]) -> None:
        self.findings: list[Finding] = []
        self._homes = _homes(_struct(shape))

    def table(self, path: KeyPath, table: dict[str, object], shape: inspect.StructType) -> dict[str | int, object]:
        """The sound keys of one table."""
        fields = {field.encode_name: field for field in shape.fields}
        unknown = sorted(table.keys() - fields.keys())
        for key in unknown:
            self._unknown((*path, key), key, list(fields))
        # A mistyped key has been named already; that its right name is missing says nothing new.
        named = table.keys() | {nearest_of(key, fields) for key in unknown}
        for name, field in fields.items():
            if field.required and name not in named:
                self._find((*path, name), MISSING, _allowed(field.type))
        present = ((name, field.type) for name, field in fields.items() if name in table)
        return self._sound(path, [(name, table[name], kind) for name, kind in present])

    def _sound(
        self, path: KeyPath, items: list[tuple[str, object, inspect.Type]] | list[tuple[int, object, inspect.Type]]
    ) -> dict[str | int, object]:
        """Each item as far as it is sound, or BROKEN."""
        sound: dict[str | int, object] = {}
        for key, value, wanted in items:
            shape, here = _bare(wanted), (*path, key)
            if isinstance(shape, inspect.StructType) and isinstance(value, dict):
                sound[key] = self.table(here, value, shape)
            elif isinstance(shape, inspect.VarTupleType) and isinstance(value, list):
                self._length(here, value, shape)
                sound[key] = self._sound(here, [(index, item, shape.item_type) for index, item in enumerate(value)])
            elif problem := _problem(value, shape):
                self._find(here, problem, _allowed(wanted), _nearest(value, shape))
                sound[key] = BROKEN
            else:
                sound[key] = value
        return sound

    def _length(self, path: KeyPath, items: list[object], shape: inspect.VarTupleType) -> None:
        least, most = shape.min_length or 0, shape.max_length
        if len(items) < least or (most is not None and len(items) > most):
            self._find(path, f"has {len(items)} entries", _allowed(shape))

    def _unknown(self, path: KeyPath, key: str, known: list[str]) -> None:
        homes = self._homes.get(key, [])
        problem = f"unknown key here; it belongs in {' or '.join(homes)}" if homes else "unknown key"
        self._find(path, problem, listed(known), "" if homes else nearest_of(key, known))

    def _find(self, path: KeyPath, problem: str, allowed: str, nearest: str = "") -> None:
        self.findings.append(Finding(path, problem, allowed, nearest=nearest))


def _struct(shape: type[msgspec.Struct]) -> inspect.StructType:
    info = inspect.type_info(shape)
    assert isinstance(info, inspect.StructType)
    return info


def _bare(wanted: inspect.Type) -> inspect.Type:
    """The type without its description and without None: TOML has no null, an optional key is there or not."""
    match wanted:
        case inspect.Metadata(type=inner):
            return _bare(inner)
        case inspect.UnionType():
            return _bare(_given(wanted))
        case _:
            return wanted


def _given(wanted: inspect.UnionType) -> inspect.Type:
    return next(kind for kind in wanted.types if not isinstance(kind, inspect.NoneType))


def _problem(value: object, shape: inspect.Type) -> str:
    """What is wrong with a single value, or nothing."""
    # `type`, not `isinstance`: to Python true is a number and a date with a time is a date; to us neither.
    if type(value) is not _LEAVES.get(type(shape)):
        return f"is {_KINDS[type(value)]}"
    match shape:
        case inspect.IntType(ge=least, le=most) if isinstance(value, int):
            is_fit = (least is None or value >= least) and (most is None or value <= most)
        case inspect.StrType(min_length=shortest, max_length=longest, pattern=pattern) if isinstance(value, str):
            is_fit = len(value) >= (shortest or 0) and (longest is None or len(value) <= longest)
            is_fit = is_fit and (pattern is None or re.search(pattern, value) is not None)
        case inspect.EnumType() | inspect.LiteralType():
            is_fit = value in _words(shape)
        case _:
            is_fit = True
    return "" if is_fit else f"is {_shown(value)}"


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _words(shape: inspect.Type) -> list[str]:
    """The words that a choice offers; none for any other type."""
    match shape:
        case inspect.EnumType(cls=cls):
            return [str(member.value) for member in cls]
        case inspect.LiteralType(values=values):
            return [str(value) for value in values]
        case _:
            return []


def _nearest(value: object, shape: inspect.Type) -> str:
    return nearest_of(value, _words(shape)) if isinstance(value, str) else ""


def _allowed(wanted: inspect.Type) -> str:
    """What may stand at a key, in words."""
    match wanted:
        case inspect.Metadata(extra_json_schema={"description": str(words)}):
            return words
        case inspect.Metadata(type=inner):
            return _allowed(inner)
        case inspect.UnionType():
            return _allowed(_given(wanted))
        case inspect.EnumType() | inspect.LiteralType():
            return listed(_words(wanted))
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most}"
        case inspect.StrType(min_length=shortest, max_length=int(longest)):
            return f"a text in quotes of {shortest or 0} to {longest} characters"
        case inspect.StrType():
            return "a text in quotes, not empty"
        case inspect.VarTupleType(min_length=least, max_length=most):
            return f"a list of {least or 0} {'or more' if most is None else f'to {most}'} entries"
        case inspect.StructType():
            return _KINDS[dict]
        case _:
            return _KINDS[_LEAVES[type(wanted)]]


def _homes(shape: inspect.StructType) -> dict[str, list[str]]:
    """For each key of each part of a file, the parts that have it: what to say of a key on a wrong level."""
    homes: dict[str, list[str]] = {}
    for field in shape.fields:
        part = _bare(field.type)
        is_list = isinstance(part, inspect.VarTupleType)
        inner = _bare(part.item_type) if isinstance(part, inspect.VarTupleType) else part
        heading = f"[[{field.encode_name}]]" if is_list else f"[{field.encode_name}]"
        for key in inner.fields if isinstance(inner, inspect.StructType) else ():
            homes.setdefault(key.encode_name, []).append(heading)
    return homes
