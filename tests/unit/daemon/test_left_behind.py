"""A frame that lies at a broker for a device: its table is told once, and who runs the broker is called (BR-037)."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from tableside.daemon import Daemon
from tableside.inputs import CommandTurnedAway
from tableside.left_behind import REMEMBERED, LeftBehind
from tableside.rows import what_of
from tests.support.simulated_host import SimulatedTable, ground, host_in, new_clock, until


@pytest.mark.virtual_time
async def test_a_retained_frame_calls_the_technician_once(tmp_path: Path) -> None:
    table, left = SimulatedTable(), LeftBehind()
    table.away.update(table.outlets)
    host = host_in(tmp_path)
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir(exist_ok=True)
    (box,) = [device.address for device in host.tables[0].devices if device.name == "switches"]
    daemon = Daemon(host, dataclasses.replace(ground(new_clock(), table.connect), left_behind=left), "test")
    await daemon.open()
    stop = asyncio.Event()
    running = asyncio.create_task(daemon.run(stop))
    at_table = daemon.tables["BJ-1"]
    await until(lambda: not at_table.stopped)
    for _ in range(10):  # at each connection
        left.found(box, "pit/BJ-1/box/down", b"deal")
    left.found("mqtt://broker.house:1883/pit/BJ-9/box", "pit/BJ-9/box/down", b"deal")
    await until(lambda: any(alert.text == "COMMAND-RETAINED" for alert in at_table.state.alerts.standing.values()))
    await asyncio.sleep(1)
    rows = [what_of(row) for row in at_table.journal.records() if row.type == CommandTurnedAway.__name__]
    assert [(row.client, row.why, row.topic) for row in rows if isinstance(row, CommandTurnedAway)] == [
        ("switches", "retained", "pit/BJ-1/box/down")
    ]
    assert len(rows) == 1
    stop.set()
    await running
    await table.close()


@pytest.mark.virtual_time
async def test_what_is_remembered_is_bounded() -> None:
    left = LeftBehind()
    for number in range(REMEMBERED + 1):
        left.found("a", f"t{number}", b"x")
        assert (await left.next()).topic == f"t{number}"
    left.found("a", "t0", b"x")
    assert (await left.next()).topic == "t0", "forgotten, so told again: better than never"
    left.found("a", f"t{REMEMBERED}", b"x")
    left.found("a", "new", b"x")
    assert (await left.next()).topic == "new"
