"""Words to the service manager: an idle daemon is alive, a stuck one is not (BR-063)."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from tableside.journal.in_loop import InLoopJournal
from tableside.service_manager import ALIVE, READY, ServiceManager, service_manager
from tests.support.simulated_host import Page, SimulatedTable, host_in, new_clock, running


@pytest.mark.virtual_time
@pytest.mark.parametrize("period_s", [0.5, 90.0])
async def test_an_idle_daemon_says_that_it_is_alive_at_half_the_period(period_s: float) -> None:
    """BR-063: nobody comes for three periods."""
    said: list[bytes] = []
    task = asyncio.create_task(ServiceManager(period_s, said.append).run(lambda: True))
    await asyncio.sleep(3.1 * period_s)
    task.cancel()
    assert said == [ALIVE] * 7


@pytest.mark.virtual_time
async def test_a_hub_that_is_stuck_is_not_alive_and_one_that_is_back_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-063: a commit that never returns; ordinary ones, however many, are well."""
    table = SimulatedTable()
    table.away.update(table.outlets)
    stuck = asyncio.Event()
    commit = InLoopJournal.commit

    async def commit_or_hang(self: InLoopJournal, drafts: object) -> object:
        if stuck.is_set():
            await asyncio.sleep(100)
        return await commit(self, drafts)  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(InLoopJournal, "commit", commit_or_hang)
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        page = Page(daemon)
        await asyncio.sleep(300)
        assert daemon.is_well()
        stuck.set()
        page.send(b'{"id":"1","act":"call-supervisor"}\n')
        await asyncio.sleep(20)
        assert daemon.is_well()
        await asyncio.sleep(20)
        assert not daemon.is_well()
        stuck.clear()
        await asyncio.sleep(120)
        assert daemon.is_well()
        await page.end()
    await table.close()


@pytest.mark.parametrize("name", ["notify.sock", "@tableside-test-notify"])
def test_words_reach_the_manager_that_started_us(tmp_path: Path, name: str) -> None:
    is_abstract = name.startswith("@")
    address = name if is_abstract else str(tmp_path / name)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name[1:] if is_abstract else address)
        manager.settimeout(30)
        environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}
        told = service_manager(environment)
        assert told.period_s == 30.0
        told.tell(READY)
        assert manager.recv(100) == READY


def test_without_a_manager_nothing_is_said_and_nobody_minds(tmp_path: Path) -> None:
    service_manager({}).tell(READY)
    assert service_manager({}).period_s is None
    gone = service_manager({"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "0"})
    gone.tell(READY)
    assert gone.period_s is None
    assert service_manager({"NOTIFY_SOCKET": "x", "WATCHDOG_USEC": "30", "WATCHDOG_PID": "1"}).period_s is None
