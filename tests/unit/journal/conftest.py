"""For all tests of the journal."""

from __future__ import annotations

import pytest

SMALL_RESERVE_BYTES = 262_144


@pytest.fixture(autouse=True)
def _small_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some hundred reserves are made and synced: the real size (see `test_reserve`) would only wear the disk."""
    monkeypatch.setattr("tableside.journal.opening.RESERVE_BYTES", SMALL_RESERVE_BYTES)
