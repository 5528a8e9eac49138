"""Acts in words: who asks, whose hands, whose badge."""

from __future__ import annotations

from typing import Any

from tests.search.story import Act

S1, S2, MANAGER, TECHNICIAN, DEALER = "S-201", "S-202", "R-401", "T-501", "D-101"
BADGES = {
    S1: "26:00020140", S2: "26:00020240", "S-203": "26:00020340", MANAGER: "26:00040140", TECHNICIAN: "26:00050140",
    DEALER: "26:00010140", "D-102": "26:00010240", "P-301": "26:00030140", "I-701": "26:00070140",
}  # fmt: skip
# So often the same thing is tried before somebody thinks of another one.
PATIENCE = 4
TWO_PINS = {MANAGER: "400001", TECHNICIAN: "300001"}


def ask(act: str, staff: str, then_s: float = 0.5, *, pins: dict[str, str] | None = None, **fields: Any) -> Act:
    """Somebody asks."""
    given: dict[str, Any] = {"act": act, "staff": staff, "fields": fields}
    return Act("ask", given | ({"pins": pins} if pins else {}), then_s)


def hands(does: str, then_s: float = 0.5, **fields: Any) -> Act:
    """Somebody's hands do."""
    return Act("hands", {"does": does, **fields}, then_s)


def tap(staff: str, then_s: float = 1.0) -> Act:
    """Somebody taps the badge."""
    return hands("tap", then_s, badge=BADGES[staff])


def wait(seconds: float) -> Act:
    """Patience."""
    return Act("wait", {}, seconds)
