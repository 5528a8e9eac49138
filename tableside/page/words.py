"""Words of the page in the languages of the alerts: labels and states, from `words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from tableside.catalogue import LANGUAGES

FILE = "words.toml"
# How a language is called by those who read it.
NAMES: Mapping[str, str] = {"en": "English", "pt_PT": "Português", "zh_Hant_MO": "繁體中文"}


@cache
def words_by_language() -> Mapping[str, Mapping[str, str]]:
    """Language → word → text. Raises KeyError for a word that lacks a language: told by a test."""
    words = tomllib.loads((resources.files(__package__) / FILE).read_text("utf-8"))
    return {language: {word: texts[language] for word, texts in words.items()} for language in LANGUAGES}
