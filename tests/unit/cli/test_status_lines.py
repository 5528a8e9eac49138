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
        "ledger": None,
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


def test_a_ledger_that_is_away_is_told_with_what_waits_for_it() -> None:
    assert "ledger" not in "\n".join(status_lines(told()))
    lines = status_lines(told(ledger={"why_away": "refused", "losses": 2, "waiting": 3}))
    assert "  ledger away: refused, lost 2 times, 3 entries to be told" in lines


def test_each_device_is_told_with_identity_trust_and_the_time_of_its_last_byte() -> None:
    device = {
        "model": "CSM-SIM",
        "serial": "000123",
        "firmware": "2.1",
        "trust": "self-reported",
        "silent_ms": 240,
        "is_connected": True,
        "losses": 1,
        "why_away": "",
        "counts": {"frames_received": 7, "garbage": {"bad_check": 2}},
    }
    never = {
        **device,
        "firmware": "",
        "trust": "anonymous",
        "silent_ms": None,
        "is_connected": False,
        "why_away": "dark",
    }
    lines = status_lines(told(devices={"shuffler": device, "sign": never}), has_counts=True)
    assert "  shuffler: CSM-SIM 000123, firmware 2.1, self-reported, last byte 0.2 s ago" in lines
    assert "  sign: CSM-SIM 000123, anonymous, no byte has ever come" in lines
    assert "  shuffler: garbage bad_check 2" in lines
    assert "  sign is away: dark" in lines
