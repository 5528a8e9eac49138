"""Every refusal of a procedure has a code, texts in three languages, and is given the fields of its text."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tableside.catalogue import LANGUAGES, RefusalText, catalogue, fields_of

ROOT = Path(__file__).parents[2]
ENTRIES = {entry.code: entry for entry in catalogue().refusal}
# Refusals that are written out in English where they are made. This number may only fall: a new refusal gets an entry
# [[refusal]] in tableside/alerts_catalogue.toml, in three languages, and is made with `refusal("ITS-CODE", field=…)`.
ENGLISH_ONLY = 1  # what the pure rules of a game say against a choice


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((ROOT / "tableside").rglob("*.py")):
        if path.name == "refusals.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_no_refusal_is_written_in_english_alone() -> None:
    written = [place for place, _ in calls("Refusal")]
    assert len(written) <= ENGLISH_ONLY, f"give these a code and texts in three languages: {written}"


def test_every_code_is_given_its_fields_and_a_rule() -> None:
    made = list(calls("refusal"))
    assert made, "the scan finds how refusals are made"
    for place, call in made:
        code = ast.literal_eval(call.args[0])
        entry = ENTRIES.get(code)
        assert entry is not None, f"{place}: {code} is not in alerts_catalogue.toml"
        given = {str(keyword.arg) for keyword in call.keywords} - {"tells"}
        if "None" in given:  # a table's own refusal, whose fields stand beside it
            continue
        needed = frozenset().union(*(fields_of(line) for line in entry.en))
        assert given - {"rule"} == needed, f"{place}: {code}"
        assert entry.rule or "rule" in given or code == "REQUEST-UNKNOWN", f"{place}: {code} cites no rule"


def test_every_entry_is_used_and_stands_once() -> None:
    used = {ast.literal_eval(call.args[0]) for _, call in calls("refusal")}
    assert sorted(set(ENTRIES) - used) == []
    assert [code for code, times in Counter(entry.code for entry in catalogue().refusal).items() if times > 1] == []
    assert not set(ENTRIES) & {entry.id for entry in catalogue().alert}, "a code means one thing"


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.code)
def test_a_refusal_says_the_same_in_every_language(entry: RefusalText) -> None:
    fields = [frozenset().union(*map(fields_of, entry.lines(language))) for language in LANGUAGES]
    assert fields[0] == fields[1] == fields[2]
    for language in LANGUAGES:
        for line in entry.lines(language):
            assert not line.endswith((".", "。")), "no sentence: it stands behind a rule and before a next step"
