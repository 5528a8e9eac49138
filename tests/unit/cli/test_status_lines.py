"""What `status` prints of one table: above all, why everything is locked though no row says so."""

from __future__ import annotations

from typing import Any

from tableside.cli.asking import status_lines


def told(**changes: object) -> dict[str, Any]:
    table = {
        "stopped": "",
        "row": 7,
        "locked": "",
        "codes_ignored": {},
        "journal": {"journal_bytes": 9, "reserve_rows": 0, "troubles": []},
        "devices": {},
        "restarts": {},
    }
    return {
        "host": "h",
        "version": "1",
        "profile": "lab",
        "pid": 1,
        "loop": {"lag_ms": 0, "most_lag_ms": 0, "late_samples": 0},
        "space": {},
        "refused_tables": {},
        "tables": {"BJ-1": {**table, **changes}},
    }


def test_a_table_that_cannot_record_says_that_everything_is_locked_and_why() -> None:
    assert "locked" not in "\n".join(status_lines(told()))
    lines = status_lines(told(locked="no record can be written: disk full"))
    assert "  everything is locked: no record can be written: disk full" in lines


def test_codes_that_nothing_asked_for_are_counted() -> None:
    assert "  reader: 2 codes keyed, which nothing asked for" in status_lines(told(codes_ignored={"reader": 2}))
