"""Words of the page in the languages of the alerts: labels and states, acts and their forms, events, what it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from tableside.catalogue import LANGUAGES
from tableside.decisions import AlertRaised

# Labels and states stand under their own name, all others under the name of their table before them: `act take-alert`.
LABELS = "words.toml"
HAPPENED = "happened.toml"
GROUPED = ("acts.toml", HAPPENED)
_FIELD = re.compile(r"{(\w+)}")
# How a language is called by those who read it.
NAMES: Mapping[str, str] = {"en": "English", "pt_PT": "Português", "zh_Hant_MO": "繁體中文"}


@cache
def words_by_language() -> Mapping[str, Mapping[str, str]]:
    """Language → word → text. Raises KeyError for a word that lacks a language: told by a test."""
    words = dict(_read(LABELS))
    for name in GROUPED:
        for group, texts in _read(name).items():
            words |= {f"{group} {word}": text for word, text in texts.items()}
    return {language: {word: texts[language] for word, texts in words.items()} for language in LANGUAGES}


@cache
def happened() -> Mapping[str, frozenset[str]]:
    """The types of rows that the page tells, each with the fields that its line names; alerts have their own lines."""
    lines: dict[str, dict[str, str]] = _read(HAPPENED)["happened"]
    named = {kind: frozenset(_FIELD.findall(" ".join(texts.values()))) for kind, texts in lines.items()}
    return {**named, AlertRaised.__name__: frozenset()}


def _read(name: str) -> dict[str, Any]:
    told: dict[str, Any] = tomllib.loads((resources.files(__package__) / name).read_text("utf-8"))
    return told
