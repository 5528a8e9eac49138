"""A row of the journal as one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


def line_of_row(view: Mapping[str, object]) -> str:
    """Number, time in UTC, kind and type, and the fields that say something."""
    body = cast(dict[str, Any], view["body"])
    fields = " ".join(f"{name}={_short(value)}" for name, value in body.items() if value not in (None, "", [], {}))
    mark = ">" if view["kind"] == "input" else " "
    return f"{view['seq']:>7} {view['at']} {mark} {view['type']} {fields}".rstrip()


def _short(value: object) -> str:
    if isinstance(value, str):
        return value if value and " " not in value else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
