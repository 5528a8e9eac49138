"""What the procedures say to people stands in every language; a new sentence of theirs needs its translation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tableside.attendance import Operation
from tableside.catalogue import LANGUAGES, fields_of
from tableside.house import Role
from tableside.locks import Scope
from tableside.phrases import ENGLISH, by_language, is_translated, phrase, phrases
from tableside.procedures import PROCEDURES, settling
from tableside.procedures.damaged import FOUND_IN
from tableside.procedures.lid import NOW_AT
from tableside.procedures.round_slice import RULINGS
from tableside.requests import Request

# Sentences that stand in English alone. These numbers may only fall: a new sentence gets its line in phrases.toml.
ENGLISH_ONLY = {"next": 0, "said": 0, "state": 0, "procedure": 0}


def sentences() -> Iterator[tuple[str, str]]:
    """What the tables of transitions say to people, by kind."""
    for procedure in PROCEDURES:
        yield "procedure", procedure.name
        for state, next_step in procedure.next_step.items():
            yield "state", str(state.value)
            yield "next", next_step
        for row in procedure.rows:
            if row.said and issubclass(row.on, Request):
                yield "said", row.said
            if row.then:
                yield "next", row.then


@pytest.mark.parametrize("kind", ENGLISH_ONLY)
def test_what_the_procedures_say_is_said_in_every_language(kind: str) -> None:
    missing = sorted({text for each, text in sentences() if each == kind and not is_translated(kind, text)})
    assert len(missing) <= ENGLISH_ONLY[kind], f"phrases.toml lacks under [{kind}]: {missing}"


@pytest.mark.parametrize("kind", ["state", "procedure", "said"])
def test_no_phrase_stands_for_what_nobody_says_any_more(kind: str) -> None:
    said = {text for each, text in sentences() if each == kind}
    assert sorted(text for text in phrases()[kind] if "{" not in text and text not in said) == []


def test_words_in_fields_of_refusals_are_said_in_every_language() -> None:
    for kind, words in (
        ("operation", Operation),
        ("role", Role),
        ("scope", Scope),
        ("place", (*FOUND_IN, *NOW_AT)),
        ("ruling", RULINGS),
        ("incident", settling.BY_PERSON),
    ):
        assert [word for word in words if not is_translated(kind, word)] == [], kind


def test_every_phrase_has_every_language_and_the_same_fields() -> None:
    others = {language for language in LANGUAGES if language != ENGLISH}
    for kind, known in phrases().items():
        for english, texts in known.items():
            assert set(texts) == others, (kind, english)
            assert all(fields_of(text) == fields_of(english) for text in texts.values()), (kind, english)
            assert all(text.strip() or not english.strip() for text in texts.values()), (kind, english)


def test_a_text_with_a_name_or_a_number_in_it_finds_its_translation() -> None:
    assert phrase("reason", "jam exit", "pt_PT") == "encravamento (saída)"
    assert phrase("reason", "complaint 12", "zh_Hant_MO") == "投訴12"
    assert phrase("reason", "fault 4 shuffler", "zh_Hant_MO") == "洗牌機故障入牌馬達"
    assert phrase("procedure", "jam at the carousel", "zh_Hant_MO") == "轉輪卡牌"
    assert phrase("reason", "jam exit", "en") == "jam exit"


def test_the_page_finds_by_english_text_what_has_no_field() -> None:
    for texts in by_language().values():
        assert texts["play goes on"]
        assert not [english for english in texts if "{" in english]
