"""Badge readers under a whole daemon in virtual time: two tables on one bus, and the secure channel."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drivers.events import Fact
from firmware_bridge.links.memory import MemoryLink
from firmware_bridge.session.osdp import OsdpBus
from tableside.daemon import Daemon
from tests.support.config_files import Edit
from tests.support.simulated_host import (
    SimulatedTable,
    host_in,
    is_connected,
    new_clock,
    one_bus_in,
    running,
    until,
)

pytestmark = pytest.mark.virtual_time
SUPERVISOR, MANAGER = "26:00000140", "26:00000240"
KEY = bytes(range(0x10, 0x20))  # visibly a test's
PRODUCTION = Edit("host", '"lab"', '"production"')
SECURE = Edit("table", "osdp_address = 1", 'osdp_address = 1\nosdp_key_file = "test.key"')
# Far more than a poll takes, far less than what a dead station's deadlines would add up to if they held the others.
AT_ONCE_S = 1.0


def rows(daemon: Daemon, kind: str, table: str = "BJ-1") -> list[dict[str, Any]]:
    """What the table's rows of one type say, in order."""
    return [json.loads(row.body) for row in daemon.tables[table].journal.records() if row.type == kind]


def seen(daemon: Daemon, table: str) -> list[str]:
    """Whose badges this table's own reader has read."""
    return [row["staff"] for row in rows(daemon, "BadgeTapped", table) if row["way"] == "reader"]


async def both_connected(daemon: Daemon) -> None:
    await until(lambda: all(is_connected(daemon, "badges", table=name) for name in daemon.tables))


async def test_two_tables_on_one_bus_see_each_its_own_badges(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(one_bus_in(tmp_path), table, new_clock()) as daemon:
        await both_connected(daemon)
        assert len(table.links) == 3  # the readers share a cable
        table.tap(SUPERVISOR, station=1)
        table.tap(MANAGER, station=2)
        await until(lambda: bool(seen(daemon, "BJ-1")) and bool(seen(daemon, "BJ-2")))
        await asyncio.sleep(5)
        assert (seen(daemon, "BJ-1"), seen(daemon, "BJ-2")) == (["S-1"], ["R-1"])
        serials = [rows(daemon, "ReaderReady", name)[-1]["serial"] for name in ("BJ-1", "BJ-2")]
        assert serials == ["00000901", "00000902"]
    await table.close()


@pytest.mark.parametrize(("dead", "living"), [(1, 2), (2, 1)])
async def test_a_dead_reader_is_told_at_its_table_and_holds_the_other_tables_for_nothing(
    tmp_path: Path, dead: int, living: int
) -> None:
    table = SimulatedTable()
    async with running(one_bus_in(tmp_path), table, new_clock()) as daemon:
        await both_connected(daemon)
        table.readers[dead - 1].power_off()
        for taps in range(1, 9):
            table.tap(SUPERVISOR, station=living)
            async with asyncio.timeout(AT_ONCE_S):
                await until(lambda taps=taps: len(seen(daemon, f"BJ-{living}")) == taps)  # type: ignore[misc]
            await asyncio.sleep(3)
        assert is_connected(daemon, "badges", table=f"BJ-{living}")
        assert not is_connected(daemon, "badges", table=f"BJ-{dead}")
        assert len(rows(daemon, "ReaderLost", f"BJ-{living}")) == 1  # that of the start
        table.readers[dead - 1].boot(round(asyncio.get_running_loop().time() * 1e9))
        await both_connected(daemon)
        table.tap(MANAGER, station=dead)
        await until(lambda: seen(daemon, f"BJ-{dead}") == ["R-1"])
    await table.close()


async def test_a_table_that_takes_no_facts_holds_the_other_tables_reader_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub that is full (its disk hangs) has back-pressure on its own reader: nothing of it is lost, nor of others."""
    table = SimulatedTable()
    async with running(one_bus_in(tmp_path), table, new_clock()) as daemon:
        await both_connected(daemon)
        hub, is_free = daemon.tables["BJ-1"].hub, asyncio.Event()
        report = hub.report

        async def when_free(what: Fact) -> None:
            await is_free.wait()
            await report(what)

        monkeypatch.setattr(hub, "report", when_free)
        table.tap(SUPERVISOR, station=1)
        await asyncio.sleep(AT_ONCE_S)
        table.tap(MANAGER, station=2)
        async with asyncio.timeout(AT_ONCE_S):
            await until(lambda: seen(daemon, "BJ-2") == ["R-1"])
        assert seen(daemon, "BJ-1") == []
        is_free.set()
        await until(lambda: seen(daemon, "BJ-1") == ["S-1"])
    await table.close()


def with_key(folder: Path, key: bytes) -> None:
    path = folder / "test.key"
    path.write_text(key.hex(), "ascii")
    path.chmod(0o600)


async def test_a_production_table_reads_badges_in_the_secure_channel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader passes for a real one on a real cable; the others say themselves that they are simulated."""
    monkeypatch.setattr(MemoryLink, "is_simulated", False)
    table = SimulatedTable(key=KEY)
    with_key(tmp_path, KEY)
    async with running(host_in(tmp_path, PRODUCTION, SECURE), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "badges"))
        (ready,) = rows(daemon, "ReaderReady")
        assert (ready["is_secure"], ready["is_simulated"]) == (True, False)
        table.tap(SUPERVISOR)
        await until(lambda: seen(daemon, "BJ-1") == ["S-1"])
        await until(lambda: bool(rows(daemon, "IncidentOpened")))
        refused = [row["text"] for row in rows(daemon, "IncidentOpened")]
        assert refused
        assert not any("badges" in what for what in refused)
    await table.close()


async def test_a_wrong_key_reads_no_badge_and_the_table_says_that_it_has_no_reader(tmp_path: Path) -> None:
    table = SimulatedTable(key=KEY)
    with_key(tmp_path, bytes(reversed(KEY)))
    async with running(host_in(tmp_path, SECURE), table, new_clock()) as daemon:
        await until(lambda: len(rows(daemon, "ReaderLost")) == 2)
        assert "key" in rows(daemon, "ReaderLost")[1]["why"]
        table.tap(SUPERVISOR)
        await asyncio.sleep(30)
        assert not is_connected(daemon, "badges")
        assert rows(daemon, "BadgeTapped") == rows(daemon, "BadgeRefused") == []
    await table.close()


async def test_a_shared_bus_whose_task_breaks_is_told_at_both_tables_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-026: the table that runs the bus and the one that only has a reader on it; both get theirs back."""
    table = SimulatedTable()
    run, breaking = OsdpBus.run, asyncio.Event()

    async def run_until_broken(bus: OsdpBus) -> None:
        if breaking.is_set():
            await run(bus)
        going = asyncio.ensure_future(run(bus))
        await breaking.wait()
        going.cancel()
        await asyncio.wait({going})
        raise ValueError("told to")

    monkeypatch.setattr(OsdpBus, "run", run_until_broken)
    async with running(one_bus_in(tmp_path), table, new_clock()) as daemon:
        await both_connected(daemon)
        breaking.set()
        await until(lambda: not is_connected(daemon, "badges", table="BJ-1"))
        await asyncio.sleep(0.01)
        for name in daemon.tables:
            assert not is_connected(daemon, "badges", table=name), name
            assert "broke" in rows(daemon, "ReaderLost", name)[-1]["why"]
        await both_connected(daemon)
        table.tap(MANAGER, station=2)
        await until(lambda: seen(daemon, "BJ-2") == ["R-1"])
    await table.close()
