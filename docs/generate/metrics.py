"""The table of what a monitoring system reads, from the families that serve it."""

from __future__ import annotations

from tableside.metrics.families import FAMILIES


def table() -> str:
    """One line a family."""
    lines = ["| name | labels | what |", "|---|---|---|"]
    lines += [f"| `{family.name}` | {', '.join(family.labels)} | {family.text} |" for family in FAMILIES]
    return "\n".join(lines)
