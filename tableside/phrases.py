"""Our own sentences in the languages of the house, by their English text and kind (`phrases.toml`).

The English text is what the code says and the journal keeps; whoever reads another language is shown its translation
where there is one, and the English text where there is none yet.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from tableside.catalogue import LANGUAGES, LanguageUnknown

FILE = "phrases.toml"
ENGLISH = "en"


@cache
def phrases() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Kind → English text → language → text."""
    return tomllib.loads((resources.files(__package__) / FILE).read_text("utf-8"))


def phrase(kind: str, english: str, language: str) -> str:
    """The text in a language, or the English one where nobody has written it. Raises `LanguageUnknown`."""
    if language not in LANGUAGES:
        raise LanguageUnknown(f'no texts in "{language}"; there are {", ".join(LANGUAGES)}')
    return phrases()[kind].get(english, {}).get(language, english)


def is_translated(kind: str, english: str) -> bool:
    """Whether the text stands in every language."""
    return all(language in phrases()[kind].get(english, {}) for language in LANGUAGES if language != ENGLISH)
