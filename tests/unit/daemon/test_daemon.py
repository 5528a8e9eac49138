"""The daemon end to end in virtual time: configuration in, devices connected, people answered, one file left."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from drivers.badges.osdp_reader import OsdpBadgeReader
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.switchboxes.tdl_switch_box import TdlSwitchBox
from firmware_bridge.session.osdp import OsdpBus
from simulator.world.lamp import DARK
from tableside.hub import Hub
from tableside.inputs import SpaceLow
from tableside.journal.space import SpaceFact, SpaceLevel
from tableside.loop_watch import LoopWatch
from tests.support.config_files import Edit
from tests.support.simulated_host import (
    RED_BLINKING,
    SHUFFLER,
    SWITCHES,
    TWO_TABLES,
    Page,
    SimulatedTable,
    host_in,
    is_connected,
    new_clock,
    running,
    second_table,
    two_tables_in,
    until,
)

pytestmark = pytest.mark.virtual_time
DEVICES = ("shuffler", "switches", "badges")
SUPERVISOR, UNKNOWN = "26:00000140", "26:00FFFF40"


async def test_from_a_configuration_to_a_table_that_answers(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
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


async def test_a_tap_at_the_reader_is_a_person_in_the_record_and_never_a_number(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        page = Page(daemon)
        await page.ask(id="s", act="subscribe")
        table.tap(SUPERVISOR)
        table.tap(UNKNOWN)
        seen: list[str] = []
        while not any("BadgeRefused" in line for line in seen):
            seen.append(str(await page.next()))
        assert any("'S-1'" in line for line in seen)
        assert not any("000001" in line or "FFFF40" in line for line in seen)
        await page.end()
    await table.close()
    stored = (tmp_path / "run" / "BJ-1.db").read_bytes()
    assert b"26:00000140" not in stored
    assert b"FFFF40" not in stored
    assert b"S-1" in stored


async def test_a_daemon_waits_for_its_devices_as_long_as_it_takes(tmp_path: Path) -> None:
    """BR-062 (d): ten minutes without a device at start; then it is there within seconds."""
    table = SimulatedTable()
    table.away.update((SHUFFLER, SWITCHES))
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await asyncio.sleep(600)
        assert not is_connected(daemon, "shuffler")
        table.away.clear()
        await asyncio.sleep(5)
        assert is_connected(daemon, *DEVICES)
    await table.close()


class Broken(RuntimeError):
    """What a test breaks a part with."""


def break_hub(monkeypatch: pytest.MonkeyPatch, broken: Hub) -> None:
    """From now on the hub raises at its next turn."""
    renew = Hub._renew

    def renew_or_break(hub: Hub) -> None:
        if hub is broken:
            raise Broken("told to")
        renew(hub)

    monkeypatch.setattr(Hub, "_renew", renew_or_break)


async def test_a_hub_that_breaks_stops_its_table_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lamp red and blinking, requests refused with a reason; the process and the other table go on."""
    table = SimulatedTable()
    async with running(two_tables_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        page = Page(daemon)
        break_hub(monkeypatch, daemon.tables["BJ-1"].hub)
        answer = await page.ask(id="1", act="stop-play", table="BJ-1")
        assert answer["answer"] == "refused"
        assert "Broken: told to" in answer["text"]
        assert answer["next_step"] == "call the technician"
        assert (await page.ask(id="2", act="stop-play", table="BJ-2"))["answer"] == "accepted"
        await until(lambda: table.box.visible_light == RED_BLINKING)
        told = (await page.ask(id="3", act="hello"))["what"]["tables"]
        assert [one["stopped"] for one in told] == ["Broken: told to", ""]
        await page.end()
    await table.close()


async def test_the_lamp_of_a_broken_table_is_lit_again_when_its_device_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        break_hub(monkeypatch, daemon.tables["BJ-1"].hub)
        await daemon.tables["BJ-1"].tell(SpaceLow(free_percent=9))
        await until(lambda: table.box.visible_light == RED_BLINKING)
        table.restart(SWITCHES)
        assert table.box.visible_light == DARK
        await until(lambda: table.box.visible_light == RED_BLINKING)
    await table.close()


FAULTS = (
    OSError(5, "input/output error"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no text"),
    ValueError("no frame"),
    RuntimeError("unforeseen"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    ("part", "task", "device"),
    [
        (TdlShuffler, "shuffler", "shuffler"),
        (TdlSwitchBox, "switches", "switches"),
        (OsdpBus, "bus of badges", "badges"),
        (OsdpBadgeReader, "badges", "badges"),
    ],
)
async def test_a_drivers_task_that_breaks_is_told_and_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: Any, task: str, device: str, fault: Exception
) -> None:
    """BR-026: no background task ends unnoticed; the table knows the device as away at once, and gets it back."""
    table = SimulatedTable()
    run, breaking, broken = part.run, asyncio.Event(), []

    async def run_until_broken(driver: Any) -> None:
        if broken:
            await run(driver)
        going = asyncio.ensure_future(run(driver))
        await breaking.wait()
        going.cancel()
        await asyncio.wait({going})
        broken.append(driver)
        raise fault

    monkeypatch.setattr(part, "run", run_until_broken)
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        breaking.set()
        await until(lambda: not is_connected(daemon, device))
        await until(lambda: is_connected(daemon, device))
        page = Page(daemon)
        status = await page.ask(id="1", act="status")
        assert status["what"]["tables"]["BJ-1"]["restarts"] == {task: 1}
        await page.end()
    await table.close()


async def test_a_section_is_taken_at_all_its_tables_at_once(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(two_tables_in(tmp_path), table, new_clock()) as daemon:
        page = Page(daemon)
        answer = await page.ask(id="1", act="take-section", section="A", staff="R-1")
        assert answer["answer"] == "accepted"
        assert [one["table"] for one in answer["tables"]] == ["BJ-1", "BJ-2"]
        for name in ("BJ-1", "BJ-2"):
            state = await page.ask(id=f"s-{name}", act="state", table=name)
            assert state["what"]["supervisor"] == "R-1"
        refused = await page.ask(id="2", act="take-section", section="Z", staff="R-1")
        assert refused["answer"] == "refused"
        assert "A" in refused["next_step"]
        nobody = await page.ask(id="3", act="take-section", table="BJ-1", staff="X-9")
        assert nobody["answer"] == "refused"
        await page.end()
    await table.close()


async def test_who_has_the_section_is_not_forgotten_by_a_restart(tmp_path: Path) -> None:
    """Hand-overs live in the journal, not in the file: the configuration only names who has it at the first start."""
    table, clock = SimulatedTable(), new_clock()
    host = host_in(tmp_path)
    async with running(host, table, clock) as daemon:
        page = Page(daemon)
        assert (await page.ask(id="1", act="take-section", staff="R-1"))["answer"] == "accepted"
        await page.end()
    async with running(host, table, clock) as daemon:
        page = Page(daemon)
        assert (await page.ask(id="2", act="state"))["what"]["supervisor"] == "R-1"
        await page.end()
    await table.close()


async def test_the_next_section_knows_who_has_its_neighbour_now(tmp_path: Path) -> None:
    """Nobody takes an alert of section A: it is asked of whoever has section B at that moment, also after a restart."""
    table, clock = SimulatedTable(), new_clock()
    (tmp_path / "second.toml").write_text(second_table().replace('section = "A"', 'section = "B"'), "utf-8")
    host = host_in(tmp_path, TWO_TABLES)
    async with running(host, table, clock) as daemon:
        page = Page(daemon)
        assert (await page.ask(id="1", act="take-section", section="B", staff="R-1"))["answer"] == "accepted"
        await until(lambda: daemon.tables["BJ-1"].state.house.section.neighbour == "R-1")
        await page.end()
    async with running(host, table, clock) as daemon:
        assert daemon.tables["BJ-1"].state.house.section.neighbour == "R-1"
        assert daemon.tables["BJ-1"].state.house.section.supervisor == "S-1"
        assert daemon.tables["BJ-2"].state.house.section.supervisor == "R-1"
    await table.close()


async def test_a_tap_next_door_counts_while_the_tables_own_reader_is_away(tmp_path: Path) -> None:
    """semantics: the second way. The row says through which reader."""
    table = SimulatedTable()
    async with running(two_tables_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "badges"))
        table.tap(SUPERVISOR)
        next_door = daemon.tables["BJ-2"]
        await until(lambda: any(row.type == "NeighbourSighting" for row in next_door.journal.records()))
        (row,) = [row for row in next_door.journal.records() if row.type == "NeighbourSighting"]
        assert b'"staff":"S-1","reader":"BJ-1 badges"' in row.body
        table.tap(UNKNOWN)
        await asyncio.sleep(2)
        assert len([row for row in next_door.journal.records() if row.type == "NeighbourSighting"]) == 1
    await table.close()


async def test_a_journal_that_cannot_be_opened_stops_its_table_alone(tmp_path: Path) -> None:
    table = SimulatedTable()
    host = two_tables_in(tmp_path)
    host.journal_directory.mkdir()
    (host.journal_directory / "BJ-2.db").write_bytes(b"this is no journal, and longer than a page header" * 40)
    async with running(host, table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        assert "BJ-2" in daemon.refused
        page = Page(daemon)
        status = await page.ask(id="1", act="status")
        assert list(status["what"]["refused_tables"]) == ["BJ-2"]
        assert (await page.ask(id="2", act="stop-play", table="BJ-1"))["answer"] == "accepted"
        await page.end()
    await table.close()


async def test_a_table_in_session_does_not_look_well_while_nobody_runs_it(tmp_path: Path) -> None:
    """A clean stop in mid-session leaves the lamp red and blinking; the next start shows what is so."""
    table, clock = SimulatedTable(), new_clock()
    host = host_in(tmp_path)
    async with running(host, table, clock) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        page = Page(daemon)
        opened = await page.ask(id="1", act="open-table", staff="D-1", fields={"dealer": "D-1"})
        assert opened["answer"] == "accepted", opened
        await page.end()
        assert table.box.visible_light == DARK
    assert table.box.visible_light == RED_BLINKING
    async with running(host, table, clock) as daemon:
        await until(lambda: table.box.visible_light == DARK)
    await table.close()


def numbered_table(number: int) -> str:
    """The file of one of many tables, its devices nowhere."""
    text = second_table()
    for old, new in (
        ('"BJ-2"', f'"BJ-{number}"'),
        ("000778", f"0008{number:02}"),
        ("000124", f"0009{number:02}"),
        ("by-id/shuffler-2", f"by-id/shuffler-{number}"),
        ("by-id/badges-2", f"by-id/badges-{number}"),
        ('"902"', f'"A{number:02}"'),
        ('"D-2"', f'"D-{number}"'),
        ("26:00000440", f"26:001{number:03}40"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    return text


async def test_one_daemon_runs_thirty_two_tables(tmp_path: Path) -> None:
    names = [f"BJ-{number}" for number in range(1, 33)]
    for number in range(2, 33):
        (tmp_path / f"table-{number}.toml").write_text(numbered_table(number), "utf-8")
    files = ", ".join(f'"table-{number}.toml"' for number in range(2, 33))
    table = SimulatedTable()
    host = host_in(tmp_path, Edit("host", '["table.toml"]', f'["table.toml", {files}]'))
    async with running(host, table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, *DEVICES))
        page = Page(daemon)
        answers = [await page.ask(id=name, act="call-supervisor", table=name) for name in names]
        assert {answer["answer"] for answer in answers} == {"accepted"}
        taken = await page.ask(id="s", act="take-section", section="A", staff="R-1")
        assert len(taken["tables"]) == 32
        alerts = (await page.ask(id="a", act="alerts"))["what"]
        assert {alert["table"] for alert in alerts} == set(names)
        await page.end()
    await table.close()
    assert len(list((tmp_path / "run").glob("*.db"))) == 32


async def test_room_on_the_disks_is_watched_and_told_at_each_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-049: an alarm before the disk is full, none any more when there is room, and never twice the same."""
    table, levels = SimulatedTable(), {"run": SpaceLevel.ENOUGH, "reserve": SpaceLevel.ENOUGH}

    def facts(paths: set[Path]) -> list[SpaceFact]:
        return [SpaceFact(path, levels[path.name], 9, 100, 10) for path in sorted(paths)]

    monkeypatch.setattr("tableside.daemon.space_facts", facts)
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        journal = daemon.tables["BJ-1"].journal

        async def told_after(run: SpaceLevel, reserve: SpaceLevel) -> list[str]:
            before = journal.tail.seq
            levels.update(run=run, reserve=reserve)
            await asyncio.sleep(25)
            return [row.type for row in journal.records(before) if row.type in ("SpaceLow", "SpaceEnough")]

        low, full, enough = SpaceLevel.LOW, SpaceLevel.FULL, SpaceLevel.ENOUGH
        assert await told_after(enough, enough) == []
        assert await told_after(low, enough) == ["SpaceLow"]
        assert await told_after(low, low) == ["SpaceLow"]
        assert await told_after(low, low) == []
        assert await told_after(enough, full) == ["SpaceLow"]
        assert await told_after(enough, enough) == ["SpaceEnough"]
        page = Page(daemon)
        status = await page.ask(id="1", act="status")
        assert set(status["what"]["space"].values()) == {"enough"}
        await page.end()
    await table.close()


async def test_how_late_the_loop_is_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = LoopWatch()
    task = asyncio.create_task(watch.run())
    await asyncio.sleep(10.2)
    assert watch.health() == {"lag_ms": 0.0, "most_lag_ms": 0.0, "late_samples": 0, "samples": 20}
    loop = asyncio.get_running_loop()
    time = loop.time
    late_s = 0.0
    monkeypatch.setattr(loop, "time", lambda: time() + late_s)
    late_s = 1.5  # as after something that blocked for so long
    await asyncio.sleep(0.3)
    late_s = 0.0
    task.cancel()
    assert watch.late == 1
    assert watch.most_s >= 1.0
