"""The daemon end to end in virtual time: configuration in, devices connected, people answered, one file left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.simulated_host import Page, SimulatedTable, host_in, is_connected, new_clock, running, until

pytestmark = pytest.mark.virtual_time


async def test_from_a_configuration_to_a_table_that_answers(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "shuffler", "switches"))
        page = Page(daemon)
        hello = await page.ask(id="1", act="hello")
        assert hello["what"]["tables"] == [{"table": "BJ-1", "section": "A", "stopped": ""}]
        state = await page.ask(id="2", act="state", table="BJ-1")
        assert state["what"]["is_simulated"] is True
        assert state["what"]["devices"]["known"]["shuffler"]["is_connected"] is True
        stopped = await page.ask(id="3", act="stop-play", fields={"why": "look"})
        assert stopped["answer"] == "accepted"
        assert (await page.ask(id="3", act="stop-play", fields={"why": "look"})) == stopped
        refused = await page.ask(id="4", act="resume-play", staff="D-1")
        assert refused["answer"] == "refused"
        assert refused["next_step"]
        await page.end()
    await table.close()
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["BJ-1.db"]
