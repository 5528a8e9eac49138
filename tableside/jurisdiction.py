"""What differs from one law to another, as data: one TOML a jurisdiction, each line with what it rests on."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Generic, Literal, TypeVar

import msgspec

from tableside.house import Role

T = TypeVar("T")
FOLDER = "jurisdictions"


class Basis(StrEnum):
    """How far a line of a jurisdiction can be relied on."""

    SEEN = "seen"  # a text that we have read says so
    OUR_READING = "our reading"  # the text that we have read leaves it open
    NOT_SEEN = "not seen"  # the cautious choice until somebody shows the text


class Line(msgspec.Struct, Generic[T], frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value, what it rests on, and where that is written or why it was chosen."""

    value: T
    basis: Basis
    source: Annotated[str, msgspec.Meta(min_length=1)]


class Replaced(StrEnum):
    """What is replaced when one card is damaged."""

    CARD = "card"
    DECK = "deck"
    SET = "set"


class SecondLoad(StrEnum):
    """What may bring cards into a machine after the session's one ordinary load (CSM-5)."""

    SWAP = "swap"
    INCIDENT = "incident"


class Jurisdiction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The law of one place, as far as a table's hardware meets it."""

    name: str
    authority: Line[str]
    report_duty: Line[tuple[Role, ...]]  # who tells the authority of a damaged card; empty: nobody has to
    damaged_in_shuffler: Line[Replaced]
    damaged_in_shoe: Line[Replaced]
    bank_draws_soft_17: Line[bool]
    deck_rules: Line[Literal["custom", "adopted"]]  # the poker rules on defective decks, at a table of another game
    reinsert: Line[Literal["before", "after"]]  # a round's cards go back, before or after the next deal
    full_count_after_jam: Line[bool]
    second_load: Line[tuple[SecondLoad, ...]]
    role_names: dict[Role, Line[str]]
    remarks: tuple[Line[str], ...] = ()  # what the source says too, and nothing here depends on yet


class JurisdictionUnknown(LookupError):
    """No such jurisdiction; names those there are."""


@cache
def known_jurisdictions() -> tuple[str, ...]:
    """The names that a table's file may use."""
    folder = resources.files(__package__) / FOLDER
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def load_jurisdiction(name: str) -> Jurisdiction:
    """The jurisdiction called `name`. Raises `JurisdictionUnknown`."""
    if name not in known_jurisdictions():
        raise JurisdictionUnknown(f'no jurisdiction "{name}"; there are {", ".join(known_jurisdictions())}')
    text = (resources.files(__package__) / FOLDER / f"{name}.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Jurisdiction)
