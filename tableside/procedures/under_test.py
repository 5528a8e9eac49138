"""Whether a technician's test runs: then no session begins, and no machine comes into use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside.refusals import Refusal, refusal
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "CSM-2"


def under_test(state: TableState, device: str) -> bool:
    """A technician's test runs at the device."""
    tests, deal = state.procedures.self_tests, state.procedures.deal_tests
    return device in (tests.device if tests.is_running else "", deal.device if deal.is_under_way else "")


def nothing_is_tested(turn: Turn, _what: object) -> Refusal | None:
    """Guard: no session begins, and no machine comes into use, over a test."""
    tests, deal = turn.state.procedures.self_tests, turn.state.procedures.deal_tests
    tested = tests.device if tests.is_running else deal.device if deal.is_under_way else ""
    if not tested:
        return None
    return refusal("TEST-RUNS", device=tested)
