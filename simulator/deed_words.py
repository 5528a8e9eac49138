"""The deeds as people type them: name, fields with what each takes, and what it does. For help and for mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from . import (
    fault_deeds,
    hands_do,
    machine_deeds,
    shoe_deeds,
    slot_deeds,
    tag_deeds,
    world_does,
)
from .deeds import PersonDeed, WorldDeed, deed_name, members
from .faults import CATALOGUE

# The deeds are written beside their table; reading these modules is what makes them known.
DEED_MODULES = (
    hands_do,
    machine_deeds,
    world_does,
    fault_deeds,
    slot_deeds,
    shoe_deeds,
    tag_deeds,
)
KINDS: dict[str, type[PersonDeed] | type[WorldDeed]] = {"person": PersonDeed, "world": WorldDeed}


class _Named(msgspec.Struct):
    does: str


def deeds_of(act: str) -> dict[str, type[Any]]:
    """Every deed of *person* or *world* by its name."""
    return {deed_name(kind.__name__): kind for kind in members(KINDS[act])}


def form(kind: type[Any]) -> str:
    """`press-key key=hold|call|done [for_ms=120]`; what is in brackets may be left out."""
    return " ".join((deed_name(kind.__name__), *_fields(kind)))


def said(kind: type[Any]) -> str:
    """What it does, in its own words."""
    return " ".join((kind.__doc__ or "").split())


def mistake(act: str, deed: bytes, error: Exception) -> str:
    """What is wrong with a deed, and how it is said rightly."""
    known = deeds_of(act)
    try:
        name = msgspec.json.decode(deed, type=_Named).does
    except msgspec.MsgspecError:
        return f"{error}; say what is done: one of {', '.join(known)}"
    if name in known:
        return f"{error}; its form is {form(known[name])}"
    if act == "world" and name in CATALOGUE:
        return f'{name!r} is a fault of the catalogue: provoke fault="{name}"'
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"nothing is called {name!r} here: {hint}It is one of {', '.join(known)}"


def _fields(kind: type[Any]) -> Iterator[str]:
    for field in msgspec.structs.fields(kind):
        if field.required:
            yield f"{field.name}={_takes(field.type)}"
        else:
            default = field.default.value if isinstance(field.default, Enum) else field.default
            takes = _takes(field.type) if default in (None, "") else str(default).lower()
            yield f"[{field.name}={takes}]"


def _takes(wanted: Any) -> str:
    if get_origin(wanted) in (Union, UnionType):
        return "|".join(_takes(one) for one in get_args(wanted) if one is not NoneType)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return "|".join(str(one.value) for one in wanted)
    return {bool: "true", int: "NUMBER", float: "NUMBER"}.get(wanted, "TEXT")
