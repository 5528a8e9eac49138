"""The short form of `make test-day`: a short table with shufflers on USB, display on MQTT, badges on serial."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.mosquitto import Mosquitto, mosquitto
from tests.system.mixed_day import SCENARIOS, run

__all__ = ["mosquitto"]
pytestmark = [pytest.mark.peer, pytest.mark.system, pytest.mark.timeout(400)]

SHORT = (SCENARIOS / "jackpot.toml", Path(__file__).with_name("short_table.toml"))
FOUR_DECKS = {"count = 3\nreserve": "count = 2\nreserve"}


async def test_a_short_table_on_mixed_cables(mosquitto: Mosquitto, tmp_path: Path) -> None:
    """Two kills of the daemon, two of the broker; the display told anew, the cables as the specification says."""
    told: list[str] = []
    await run(tmp_path, mosquitto, SHORT, outage_at_round=1, tell=told.append, more_edits=FOUR_DECKS)
    assert "steps came out as expected" in "\n".join(told)
