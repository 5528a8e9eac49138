"""The generated part of docs/protocols/control.md: one row an act. `python -m tests.support.control_page` writes it."""

from __future__ import annotations

from pathlib import Path

from tableside.control.acts import ACTS, NO_BADGE, fields_of, said_of
from tableside.control.fields import kind_words
from tableside.requests import Request

PAGE = Path(__file__).parents[2] / "docs" / "protocols" / "control.md"
BEGIN, END = "<!-- acts: made by tests/support/control_page.py -->", "<!-- end of acts -->"


def rows() -> str:
    """The table of acts."""
    lines = ["| act | fields (? may be left out) | what it asks |", "|---|---|---|"]
    for name, kind in ACTS.items():
        badge = " No badge." if kind in NO_BADGE else ""
        lines.append(f"| `{name}` | {_fields(kind)} | {said_of(kind)}{badge} |")
    return "\n".join(lines)


def _fields(kind: type[Request]) -> str:
    return ", ".join(
        f"`{field.name}`{'' if field.required else '?'} {kind_words(field.type)}" for field in fields_of(kind)
    ).replace("|", "\\|")


def with_acts(page: str) -> str:
    """The page with a present table of acts."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{rows()}\n\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(with_acts(PAGE.read_text("utf-8")), "utf-8")
