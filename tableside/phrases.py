"""Our own sentences in the languages of the house, by their English text and kind (`phrases.toml`).

The English text is what the code says and the journal keeps; whoever reads another language is shown its translation
where there is one, and the English text where there is none yet. A text with fields in braces stands for all that fit.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from tableside.catalogue import LANGUAGES, LanguageUnknown, filled

FILE = "phrases.toml"
ENGLISH = "en"
# What the page finds by its English text: kinds in the order in which a text that two have is taken.
OF_THE_PAGE = ("next", "said", "procedure", "state", "operation", "reason", "incident")


@cache
def phrases() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Kind → English text → language → text."""
    return tomllib.loads((resources.files(__package__) / FILE).read_text("utf-8"))


def phrase(kind: str, english: str, language: str) -> str:
    """The text in a language, or the English one where nobody has written it. Raises `LanguageUnknown`."""
    if language not in LANGUAGES:
        raise LanguageUnknown(f'no texts in "{language}"; there are {", ".join(LANGUAGES)}')
    known = phrases()[kind]
    if language == ENGLISH or not english:
        return english
    if english in known:
        return known[english][language]
    for pattern, text in _templates(kind):
        match = pattern.fullmatch(english)
        if match is not None:
            return filled(known[text][language], language, match.groupdict())
    return english


def is_translated(kind: str, english: str) -> bool:
    """Whether the text stands in every language."""
    return english in phrases()[kind] or any(pattern.fullmatch(english) for pattern, _ in _templates(kind))


@cache
def by_language() -> Mapping[str, Mapping[str, str]]:
    """Language → English text → text, of what the page shows; those with fields are for `phrase` alone."""
    return {
        language: {
            english: texts[language]
            for kind in reversed(OF_THE_PAGE)
            for english, texts in phrases()[kind].items()
            if "{" not in english
        }
        for language in LANGUAGES
        if language != ENGLISH
    }


@cache
def _templates(kind: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Texts with fields, as patterns of what fits."""
    return tuple(
        (re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(text))), text)
        for text in phrases()[kind]
        if "{" in text
    )
