"""Every alert that code raises is in the catalogue, and is given the fields that its text has."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tableside.catalogue import LANGUAGES, catalogue, fields_of
from tableside.procedures import people, settling

ROOT = Path(__file__).parents[2]
ID = re.compile(r"[A-Z]{2,}(-[A-Z]+)+")
# Given by whoever raises, for every alert.
ALWAYS = frozenset({"table", "technician"})
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


def is_call_of(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name


def constants(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def test_every_text_of_the_catalogue_is_raised_by_the_code() -> None:
    """The id is written where it is raised, or in a table or function from which the text is taken."""
    written: set[str] = set()
    for name, tree in trees():
        only_cleared = {
            id(each) for node in ast.walk(tree) if is_call_of(node, "clear_alert") for each in ast.walk(node)
        }
        if name != "tableside/catalogue.py":
            written |= {
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in only_cleared
            }
    assert sorted(set(ENTRIES) - written) == []


def named_in(tree: ast.Module) -> dict[str, set[str]]:
    """What each name of a module stands for: the texts in its constant, or in its function unless raised there."""
    named: dict[str, set[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            raised = {text for each in ast.walk(node) if is_call_of(each, "raise_alert") for text in constants(each)}
            named[node.name] = set(constants(node)) - raised
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                named[ast.unparse(target)] = set(constants(node.value))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):  # and of the constants that the function names
            used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            named[node.name] |= {text for name in used if name.isupper() for text in named.get(name, ())}
    return named


def texts_cleared() -> set[str]:
    """The texts that some `clear_alert` can be given: written there, or by a name that its function uses."""
    cleared: set[str] = set()
    parsed: defaultdict[str, set[str]] = defaultdict(set)  # two modules of one name in different folders count together
    for path, tree in trees():
        for name, texts in named_in(tree).items():
            parsed[f"{Path(path).stem}.{name}"] |= texts
    for _, tree in trees():
        named = parsed | named_in(tree)
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            calls = [node for node in ast.walk(function) if is_call_of(node, "clear_alert")]
            for call in calls:
                assert isinstance(call, ast.Call)
                cleared |= set(constants(call.args[1]))
            if any(not isinstance(call.args[1], ast.Constant) for call in calls if isinstance(call, ast.Call)):
                loops = [node.iter for node in ast.walk(function) if isinstance(node, ast.For)]
                cleared |= {text for loop in loops for text in constants(loop)}
                names = {ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Name | ast.Attribute)}
                cleared |= {text for name in names for text in named.get(name, ())}
    return cleared


def test_every_latched_alert_has_an_act_that_clears_it() -> None:
    """Acknowledging is not clearing: what latches goes with a named act, so each must have one (design: faults)."""
    acts = texts_cleared() | people.LOOKED_AT | set(settling.BY_PERSON.values())
    assert sorted(alert.id for alert in ENTRIES.values() if alert.latched and alert.id not in acts) == []


# Words of the same shape that are no alerts.
NO_ALERTS = frozenset(entry.code for entry in catalogue().refusal)
