"""Refusals by code: texts are the catalogue's, in every language; the record keeps code, fields and the English text.

What stands in a field is a name or a number, or a word of ours, which is then said in the reader's language too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from tableside.catalogue import RefusalText, catalogue, filled
from tableside.decisions import Decision
from tableside.phrases import ENGLISH, phrase

# Fields whose values are words of ours, and the kind of phrase that they are.
WORDS: Mapping[str, str] = {
    "at": "place",
    "clears": "clears",
    "kind": "incident",
    "next": "next",
    "operation": "operation",
    "place": "place",
    "places": "place",
    "procedure": "procedure",
    "reason": "reason",
    "role": "role",
    "roles": "role",
    "ruling": "ruling",
    "rulings": "ruling",
    "scope": "scope",
    "state": "state",
    "why": "why",
}
# Fields that name several words of ours, and what stands between two of them.
_BETWEEN = (" and ", " or ", ", ")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not granted: the rule's id, what is so, what to do next (design rule 15).

    `tells` is a happening that others are told of with it, such as that somebody's badge is waited for. `code` and
    `fields` are the catalogue's (`refusals.refusal` makes one by its code), for whoever reads another language.
    """

    rule: str
    text: str
    next_step: str
    tells: Decision | None = None
    code: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


class RefusalUnknown(LookupError):
    """No such code in the catalogue."""


def refusal(code: str, *, rule: str = "", tells: Decision | None = None, **fields: object) -> Refusal:
    """A refusal of the catalogue. `rule` where the catalogue leaves it to whoever refuses. Raises `RefusalUnknown`."""
    entry = refusal_text(code)
    said = {name: str(value) for name, value in fields.items()}
    text, next_step = in_language(code, said, ENGLISH)
    return Refusal(rule or entry.rule, text, next_step, tells, code, said)


def in_language(code: str, fields: Mapping[str, str], language: str) -> tuple[str, str]:
    """What is so, and what to do next. Raises `RefusalUnknown`, `LanguageUnknown`."""
    fact, step = refusal_text(code).lines(language)
    said = {name: _said(name, value, language) for name, value in fields.items()}
    return filled(fact, language, said), filled(step, language, said)


def refusal_text(code: str) -> RefusalText:
    """The entry of this code. Raises `RefusalUnknown`."""
    try:
        return _by_code()[code]
    except KeyError:
        raise RefusalUnknown(f"{code} is no refusal of the catalogue; a new one begins there") from None


@cache
def _by_code() -> Mapping[str, RefusalText]:
    return {entry.code: entry for entry in catalogue().refusal}


def _said(name: str, value: str, language: str) -> str:
    kind = WORDS.get(name)
    if kind is None or language == ENGLISH:
        return value
    return _each(kind, value, _BETWEEN, language)


def _each(kind: str, value: str, between: tuple[str, ...], language: str) -> str:
    """Word by word where several stand there: `floor supervisor and room management`, `tray, table`."""
    whole = phrase(kind, value, language)
    if whole != value or not between:
        return whole
    sign, *rest = between
    parts = value.split(sign)
    return phrase("joined", sign, language).join(_each(kind, part, tuple(rest), language) for part in parts)
