"""Every event of the log stands in the list, and the list names none that is never logged."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tableside.outputs.event_names import EVENTS

ROOT = Path(__file__).parents[3]
PRODUCT = ("firmware_bridge", "drivers", "tableside")
METHODS = {"debug", "info", "warning", "error", "critical"}
MADE_ELSEWHERE = {"log_dropped"}  # written by the writer's thread, beside the chain


def logged() -> Iterator[str]:
    for folder in PRODUCT:
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text("utf-8"))
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from _events_of(function, path)


def _events_of(function: ast.AST, path: Path) -> Iterator[str]:
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and _is_log(call.func):
            names = list(_words(call.args[0], function))
            assert names, f"{path}: an event without a name that can be read"
            yield from names


def _is_log(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in METHODS
        and isinstance(function.value, ast.Name)
        and function.value.id == "_log"
    )


def _words(given: ast.expr, function: ast.AST) -> Iterator[str]:
    if isinstance(given, ast.Constant):
        yield str(given.value)
    elif isinstance(given, ast.IfExp):
        yield from _words(given.body, function)
        yield from _words(given.orelse, function)
    elif isinstance(given, ast.Name):
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == given.id for target in node.targets
            ):
                yield from _words(node.value, function)


def test_the_list_and_the_code_name_the_same_events() -> None:
    assert set(logged()) | MADE_ELSEWHERE == set(EVENTS)


def test_each_event_is_explained_in_one_line() -> None:
    assert all(said and "\n" not in said for said in EVENTS.values())
