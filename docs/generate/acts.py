"""The acts of the control socket, for docs/protocols/control.md: one row an act."""

from __future__ import annotations

from tableside.control.acts import ACTS, NO_BADGE, fields_of, said_of
from tableside.control.fields import kind_words
from tableside.requests import Request


def table() -> str:
    """Name, fields, what it asks."""
    lines = ["| act | fields (? may be left out) | what it asks |", "|---|---|---|"]
    for name, kind in ACTS.items():
        badge = " No badge." if kind in NO_BADGE else ""
        lines.append(f"| `{name}` | {_fields(kind)} | {said_of(kind)}{badge} |")
    return "\n".join(lines)


def _fields(kind: type[Request]) -> str:
    return ", ".join(
        f"`{field.name}`{'' if field.required else '?'} {kind_words(field.type)}" for field in fields_of(kind)
    ).replace("|", "\\|")
