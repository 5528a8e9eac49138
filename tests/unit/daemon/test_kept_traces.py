"""A running daemon keeps what went over its cables around an incident."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware_bridge.links.recording import Direction, Recording
from tableside.diagnosis.retelling import messages
from tableside.inputs import JournalDoubted
from tests.support.simulated_host import SimulatedTable, host_in, is_connected, new_clock, running, until

pytestmark = pytest.mark.virtual_time


@pytest.mark.parametrize("ends", ["after it", "within it"])
async def test_the_cables_around_an_incident_are_kept(tmp_path: Path, ends: str) -> None:
    """Also where the daemon is stopped before the 15 s after it are over: then what there is."""
    table = SimulatedTable()
    host = host_in(tmp_path)
    place = host.journal_directory / "traces" / "BJ-1" / "1"
    async with running(host, table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "shuffler", "switches", "badges"))
        await asyncio.sleep(5)
        await daemon.tables["BJ-1"].tell(JournalDoubted(findings=("row 1: for this test",)))
        await asyncio.sleep(20 if ends == "after it" else 1)
        assert place.exists() is (ends == "after it")
    assert sorted(path.name for path in place.iterdir()) == ["badges.trace", "shuffler.trace", "switches.trace"]
    said = [heard.spoken for heard in messages(Recording((place / "shuffler.trace").read_text().splitlines(True)))]
    assert any("HELLO" in spoken.text for spoken in said)
    assert {Direction.IN, Direction.OUT} <= {spoken.direction for spoken in said}
    await table.close()
