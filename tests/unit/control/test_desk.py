"""The desk in virtual time: tables, PINs, double clicks, subscriptions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tableside.control.conversation import MAX_SUBSCRIPTIONS
from tableside.control.pin_desk import LOCKED_S
from tableside.diagnosis.service_rows import record_of_line
from tableside.journal.record import Genesis
from tableside.rows import what_of
from tests.support.config_files import Edit
from tests.support.simulated_host import (
    Page,
    SimulatedTable,
    host_in,
    is_connected,
    new_clock,
    running,
    two_tables_in,
    until,
)

pytestmark = pytest.mark.virtual_time
# scrypt$…$ of 200001 and 400001 with salts of this test.
SUPERVISOR_PIN, MANAGER_PIN = "200001", "400001"
PINS = (
    Edit("host", 'badge = "26:00000140"', 'badge = "26:00000140"\npin_hash = "{S-1}"'),
    Edit("host", 'badge = "26:00000240"', 'badge = "26:00000240"\npin_hash = "{R-1}"'),
)


@pytest.fixture(scope="module")
def pins() -> tuple[Edit, ...]:
    from tableside.pins import hash_pin

    return (
        Edit("host", PINS[0].old, PINS[0].new.replace("{S-1}", hash_pin(SUPERVISOR_PIN, b"S" * 16))),
        Edit("host", PINS[1].old, PINS[1].new.replace("{R-1}", hash_pin(MANAGER_PIN, b"R" * 16))),
    )


async def test_a_double_click_is_one_act(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        pages = [Page(daemon) for _ in range(10)]
        answers = await asyncio.gather(*(page.ask(id="once", act="call-supervisor") for page in pages))
        assert all(answer == answers[0] for answer in answers)
        rows = [row for row in daemon.tables["BJ-1"].journal.records() if row.type == "CallSupervisor"]
        assert len(rows) == 1
        for page in pages:
            await page.end()
    await table.close()


async def test_a_table_must_be_named_where_there_are_several(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(two_tables_in(tmp_path), table, new_clock()) as daemon:
        page = Page(daemon)
        for name in ("", "BJ-9"):
            for act in ("state", "subscribe", "call-supervisor"):
                answer = await page.ask(id="1", act=act, table=name)
                assert answer["answer"] == "refused"
                assert "BJ-1, BJ-2" in answer["next_step"]
        assert (await page.ask(id="2", act="alerts"))["answer"] == "told"
        await page.end()
    await table.close()


async def test_a_person_whom_nobody_knows_is_refused(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        page = Page(daemon)
        answer = await page.ask(id="1", act="announce-closing", staff="X-9")
        assert answer["answer"] == "refused"
        assert '"X-9" is not known' in answer["text"]
        assert (await page.ask(id="1", act="announce-closing", staff="S-1"))["text"] != answer["text"]
        await page.end()
    await table.close()


async def test_pins_prove_persons_and_go_no_further(tmp_path: Path, pins: tuple[Edit, ...]) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path, *pins), table, new_clock()) as daemon:
        page = Page(daemon)
        given = {"S-1": SUPERVISOR_PIN, "R-1": MANAGER_PIN}
        await page.ask(id="1", act="count-all", staff="S-1", pins=given)
        request = daemon.tables["BJ-1"].journal.find_request("1")
        assert request is not None
        assert b'"second_way":["S-1","R-1"]' in request.body
        await page.end()
    await table.close()
    stored = (tmp_path / "run" / "BJ-1.db").read_bytes()
    assert SUPERVISOR_PIN.encode() not in stored
    assert MANAGER_PIN.encode() not in stored


async def test_a_wrong_pin_is_refused_and_guessing_is_slow(tmp_path: Path, pins: tuple[Edit, ...]) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path, *pins), table, new_clock()) as daemon:
        page = Page(daemon)

        async def tried(pin: str, staff: str = "S-1") -> dict[str, Any]:
            return await page.ask(id="1", act="count-all", staff="S-1", pins={staff: pin})

        for _ in range(3):
            answer = await tried("200002")
            assert answer["answer"] == "refused"
            assert "200002" not in str(answer)
        locked = await tried(SUPERVISOR_PIN)
        assert "wrong 3 times" in locked["text"]
        assert "wait" in locked["next_step"]
        assert daemon.tables["BJ-1"].journal.find_request("1") is None
        assert "has no PIN" in (await tried("200001", "D-1"))["text"]
        await asyncio.sleep(LOCKED_S)
        await tried(SUPERVISOR_PIN)
        assert daemon.tables["BJ-1"].journal.find_request("1") is not None
        await page.end()
    await table.close()


async def test_a_subscription_begins_where_its_reader_was_and_goes_on_live(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "shuffler", "switches", "badges"))
        first = Page(daemon)
        assert (await first.ask(id="s", act="subscribe", after=0))["what"] == {"after": 0}
        seen = [await first.next() for _ in range(5)]
        assert [line["entry"]["seq"] for line in seen] == [2, 3, 4, 5, 6]
        assert seen[0]["entry"]["type"] == "DaemonStarted"
        await first.end()
        again = Page(daemon)
        await again.ask(id="s", act="subscribe", after=seen[-1]["entry"]["seq"])
        assert (await again.next())["entry"]["seq"] == 7
        live = Page(daemon)
        last = daemon.tables["BJ-1"].published
        assert (await live.ask(id="s", act="subscribe"))["what"] == {"after": last}
        assert (await again.ask(id="c", act="call-supervisor"))["answer"] == "accepted"
        row = await live.next()
        assert row["entry"]["seq"] == last + 1
        assert row["entry"]["type"] == "CallSupervisor"
        for page in (again, live):
            await page.end()
    await table.close()


async def test_a_connection_may_not_subscribe_without_end(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        page = Page(daemon)
        answers = [await page.ask(id=f"s-{number}", act="subscribe") for number in range(MAX_SUBSCRIPTIONS + 1)]
        assert [answer["answer"] for answer in answers[-2:]] == ["told", "mistaken"]
        assert answers[-1]["id"] == f"s-{MAX_SUBSCRIPTIONS}"
        await page.end()
    await table.close()


async def test_alerts_are_told_in_the_tables_languages(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        page = Page(daemon)
        await page.ask(id="1", act="call-supervisor")
        (alert,) = [one for one in (await page.ask(id="2", act="alerts"))["what"] if one["text"] == "CALL-PRESSED"]
        assert list(alert["lines"]) == ["en", "pt_PT", "zh_Hant_MO"]
        assert alert["lines"]["en"][0].startswith("BJ-1:")
        assert alert["since"].startswith("20")
        taken = await page.ask(id="3", act="take-alert", staff="S-1", fields={"alert": alert["alert"]})
        assert taken["answer"] == "accepted"
        await page.end()
    await table.close()


async def test_who_listens_in_hears_the_cable_and_no_badge(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "shuffler", "switches", "badges"))
        page = Page(daemon)
        told = await page.ask(id="t", act="trace", device="badges")
        assert told["what"]["profile"] == "osdp"
        table.tap("26:00000140")
        lines = [await page.next() for _ in range(40)]
        texts = [line["trace"]["text"] for line in lines]
        assert any("POLL" in text for text in texts)
        assert any("RAW seq" in text and text.endswith("…") for text in texts)
        assert not any("000050" in line["trace"]["data"] for line in lines)
        await page.end()
        other = Page(daemon)
        await other.ask(id="t", act="trace", device="shuffler")
        heard = [(await other.next())["trace"] for _ in range(4)]
        assert any(line["text"].startswith(("REQUEST PING", "REPLY PING")) for line in heard)
        assert (await other.ask(id="x", act="trace", device="none"))["answer"] == "refused"
        assert (await other.ask(id="x", act="trace"))["answer"] == "mistaken"
        await other.end()
    await table.close()


async def test_why_a_device_is_away_is_told_from_what_was_counted(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "shuffler", "switches", "badges"))
        page = Page(daemon)
        well = await page.ask(id="1", act="why", device="shuffler")
        assert well["what"]["cause"] == "nothing is wrong"
        table.away.update(table.outlets)
        for link in tuple(table.links.values()):
            await link.close()
        await until(lambda: not is_connected(daemon, "shuffler"))
        await asyncio.sleep(5)
        away = await page.ask(id="2", act="why", device="shuffler")
        assert away["what"]["step"] == "port"
        assert away["what"]["line"].startswith("shuffler: adapter dead or unplugged: ")
        assert (await page.ask(id="3", act="why", device="nobody"))["answer"] == "refused"
        await page.end()
    await table.close()


async def test_why_a_silent_station_of_a_bus_is_away(tmp_path: Path) -> None:
    """The cable stands: what was said before it went silent is over."""
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "badges"))
        table.bus.reader.power_off()
        await until(lambda: not is_connected(daemon, "badges"))
        await asyncio.sleep(20)
        page = Page(daemon)
        why = await page.ask(id="1", act="why", device="badges")
        assert why["what"]["cause"] == "no power or no cable"
        assert [walked["step"] for walked in why["what"]["walked"]] == ["port", "our bytes"]
        await page.end()
    await table.close()


async def test_a_history_tells_rows_of_some_types_as_the_journal_has_them_and_ends(tmp_path: Path) -> None:
    table = SimulatedTable()
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await until(lambda: is_connected(daemon, "shuffler", "switches", "badges"))
        page = Page(daemon)
        types = ["DaemonStarted", "DeviceReady"]
        answer = await page.ask(id="h", act="history", types=types)
        journal = daemon.tables["BJ-1"].journal
        wanted = [record for record in journal.records() if record.type in types or record.kind == "genesis"]
        told = [await page.next() for _ in wanted]
        assert [record_of_line(line["entry"]).seq for line in told] == [record.seq for record in wanted]
        for line, record in zip(told[1:], wanted[1:], strict=True):
            made = record_of_line(line["entry"])
            assert (what_of(made), made.wall_ns) == (what_of(record), record.wall_ns)
        assert Genesis.of(record_of_line(told[0]["entry"])) == journal.genesis
        assert await page.next() == {"id": "h", "end": answer["what"]["until"]}
        await page.ask(id="all", act="history", after=3)
        assert (await page.next())["entry"]["seq"] == 4
        assert (await page.ask(id="no", act="history", types="DeviceReady"))["answer"] == "mistaken"
        await page.end()
    await table.close()
