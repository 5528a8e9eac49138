"""Every field of a fact is read by the table, or says here for whom it is kept: no word of a device goes unheard."""

from __future__ import annotations

import ast
import typing
from pathlib import Path

from drivers import events
from drivers.every_fact import AnyFact

ROOT = Path(__file__).parents[2]
# Kept in the journal's row for whoever looks into it; nothing is decided by it.
FOR_THE_READER = {
    "device_ms": "the device's own clock, to order what happened within one of its boots",
    "running_number": "the outcome of every open command is asked anyway; the contract of a device holds it to this",
}


def fields_of_facts() -> set[str]:
    kinds = (*typing.get_args(AnyFact), events.BadgeSeen)
    return {field for kind in kinds for field in kind.__struct_fields__}


def attributes_read() -> set[str]:
    read: set[str] = set()
    for path in (ROOT / "tableside").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        read |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return read


def test_every_field_of_a_fact_is_read_somewhere_or_says_for_whom_it_is_kept() -> None:
    unread = fields_of_facts() - attributes_read()
    assert unread == set(FOR_THE_READER), "use it, remove it, or say for whom it is kept"
