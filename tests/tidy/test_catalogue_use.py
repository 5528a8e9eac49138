"""Every alert that code raises is in the catalogue, and is given the fields that its text has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tableside.catalogue import LANGUAGES, catalogue, fields_of

ROOT = Path(__file__).parents[2]
ID = re.compile(r"[A-Z]{2,}(-[A-Z]+)+")
# Given by whoever raises, for every alert.
ALWAYS = frozenset({"table"})
ENTRIES = {entry.id: entry for entry in catalogue().alert}


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "tableside").rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def calls_that_raise() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Each `raise_alert` with a text written on the spot: place, id, names of the fields given."""
    for name, tree in trees():
        for node in ast.walk(tree):
            is_raise = isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "raise_alert"
            if not is_raise or any(keyword.arg is None for keyword in node.keywords):
                continue
            text = node.args[1]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield f"{name}:{node.lineno}", text.value, frozenset(str(keyword.arg) for keyword in node.keywords)


def fields_needed(alert_id: str) -> frozenset[str]:
    lines = [line for language in LANGUAGES for line in ENTRIES[alert_id].lines(language)]
    return frozenset().union(*(fields_of(line) for line in lines)) - ALWAYS


def test_every_id_in_the_code_is_in_the_catalogue() -> None:
    written = {
        node.value: name
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value)
    }
    assert {text: place for text, place in written.items() if text not in ENTRIES and text not in NO_ALERTS} == {}


def test_an_alert_is_raised_with_the_fields_of_its_text() -> None:
    calls = list(calls_that_raise())
    assert calls, "the scan finds how alerts are raised"
    wrong = [
        (place, alert_id, sorted(given ^ fields_needed(alert_id)))
        for place, alert_id, given in calls
        if alert_id in ENTRIES and given != fields_needed(alert_id)
    ]
    assert wrong == []


# Words of the same shape that are no alerts.
NO_ALERTS: frozenset[str] = frozenset()
