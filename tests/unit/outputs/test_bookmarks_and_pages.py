"""Bookmarks for surveillance and pages for people: what rows make them, and that both come until acknowledged."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from drivers.events import LidClosed, LidOpened, Shown
from firmware_bridge.links.base import LinkClosed
from tableside.decisions import AlertCleared, AlertRaised
from tableside.happenings import ComplaintRaised, ComplaintSettled, RoundEnded, RoundStarted, SwapCompleted, SwapStarted
from tableside.jackpot_happenings import JackpotCalled, JackpotOver
from tableside.outputs.northbound.bookmarks import BEGINS, ENDS, Mark, Marking, follow
from tableside.outputs.northbound.http import place_of, post
from tableside.requests import CallSupervisor, ClearAlert, TakeAlert
from tableside.session_happenings import LoadCompleted, LoadStarted, UnloadCompleted, UnloadStarted
from tests.support.config_files import Edit
from tests.support.twin_broker import TwinBroker
from tests.unit.outputs.test_northbound import BASE, BROKER, away, consumer_of, eventually

ALERT = AlertRaised(alert=3, text="JAM-EXIT", place="exit", level=1, fields={}, asked=("S1",))
LID = {"device": "shuffler", "boot": 1, "number": 4}
PAIRS = [
    (ALERT, AlertCleared(alert=3, by="S1", why="done"), "alert", "JAM-EXIT"),
    (LidOpened(**LID), LidClosed(**LID), "lid", "shuffler"),  # type: ignore[arg-type]  # fields by name
    (
        LoadStarted(kind="session", packets=3, by="S1"),
        LoadCompleted(kind="session", cards=312, packets=3),
        "load",
        "session",
    ),
    (UnloadStarted(kind="session", by="S1"), UnloadCompleted(kind="session", cards=312), "unload", "session"),
    (SwapStarted(old="a", new="b", incident=1), SwapCompleted(old="a", new="b", left_behind=0), "swap", "a by b"),
    (
        ComplaintRaised(complaint=1, round=7, is_late=False),
        ComplaintSettled(complaint=1, decision="paid", by="S1"),
        "complaint",
        "round 7",
    ),
    (JackpotCalled(what=Shown.PENDING, by="S1"), JackpotOver(what=Shown.PENDING, by="S1"), "jackpot", "pending"),
    (JackpotCalled(what=Shown.WON, by="S1"), JackpotOver(what=Shown.WON, by="S1"), "jackpot", "won"),
]


@pytest.mark.parametrize(("begin", "end", "what", "detail"), PAIRS, ids=[f"{pair[2]} {pair[3]}" for pair in PAIRS])
def test_each_kind_begins_and_ends(begin: object, end: object, what: str, detail: str) -> None:
    known, mark = follow(Marking(), 9, "T0", RoundStarted(round=7))
    assert mark is None
    known, mark = follow(known, 10, "T1", begin)
    assert mark == Mark(10, what, detail, 7, "T1")  # type: ignore[arg-type]  # a word equals its value
    again, nothing = follow(known, 11, "T2", begin)
    assert (again, nothing) == (known, None), "told once more it goes on"
    known, _ = follow(known, 12, "T3", RoundEnded(round=7, how="told", cards=20))
    known, mark = follow(known, 13, "T4", end)
    assert mark == Mark(10, what, detail, 7, "T1", "T4")  # type: ignore[arg-type]
    assert known == Marking()
    assert follow(known, 14, "T5", end) == (known, None)


def test_every_kind_has_a_pair_and_what_is_known_survives_its_bytes() -> None:
    assert {type(pair[0]) for pair in PAIRS} == set(BEGINS)
    assert {type(pair[1]) for pair in PAIRS} == set(ENDS)
    known, _ = follow(Marking(), 10, "T1", ALERT)
    assert msgspec.json.decode(msgspec.json.encode(known), type=Marking) == known


@pytest.mark.virtual_time
async def test_a_bookmark_comes_with_its_start_and_again_with_its_end(tmp_path: Path) -> None:
    """A restart in between does not forget what has begun."""
    broker = TwinBroker()
    eyes = consumer_of(broker, "eyes", "bookmarks")
    async with away(tmp_path, broker) as house:
        await house.table.ask(CallSupervisor(id="x"))
        await eventually(lambda: len(eyes.kept) == 1, 60)
    async with away(tmp_path, broker) as house:
        (number,) = (one.number for one in house.table.state.alerts.standing.values() if one.text == "CALL-PRESSED")
        await asyncio.sleep(1)
        await house.table.ask(ClearAlert(id="y", by="S-1", alert=number))
        await eventually(lambda: len(eyes.kept) == 2, 60)
    first, last = eyes.kept.values()
    assert first["bookmark"] == last["bookmark"] == first["id"]
    assert (first["what"], first["end"]) == ("alert", None)
    assert str(last["end"]) > str(last["start"])


@pytest.mark.virtual_time
async def test_a_page_names_who_is_asked_and_stops_when_somebody_goes(tmp_path: Path) -> None:
    broker = TwinBroker()
    pager = consumer_of(broker, "pager", "pages")
    async with away(tmp_path, broker) as house:
        await house.table.ask(CallSupervisor(id="x"))
        await eventually(lambda: len(pager.kept) == 1, 60)
        (page,) = pager.kept.values()
        assert page["to"] == ["S-1"]
        assert len(str(page["line"])) <= 160
        assert str(page["line"]).startswith("2/1 BJ-1")
        broker.go_down()
        await house.table.ask(CallSupervisor(id="z"))
        await house.table.ask(TakeAlert(id="t", by="S-1", alert=1))
        broker.come_up()
        await asyncio.sleep(120)
        assert len(pager.kept) == 1, "a page about what somebody took is of no use"


HTTP = Edit("host", 'output = "pages"', 'output = "pages"\nurl = "http://127.0.0.1:9/page"')


@pytest.mark.virtual_time
async def test_over_http_a_server_that_takes_it_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[dict[str, Any]] = []
    tries = iter(range(100))

    async def server(url: str, body: bytes) -> None:
        await asyncio.sleep(0.01)
        if next(tries) < 3:
            raise LinkClosed("503")
        posted.append(msgspec.json.decode(body))

    broker = TwinBroker()
    monkeypatch.setattr("tests.support.simulated_host.nobody_takes", server)
    text = BROKER.new
    monkeypatch.setattr(
        "tests.unit.outputs.test_northbound.BROKER", Edit("host", "", text.replace(HTTP.old, HTTP.new, 1))
    )
    async with away(tmp_path, broker) as house:
        await house.table.ask(CallSupervisor(id="x"))
        await eventually(lambda: len(posted) == 1, 60)
        await asyncio.sleep(60)
    assert len(posted) == 1
    assert posted[0]["alert"] == 1
    assert f"{BASE}/pages/pager" not in broker.retained


async def test_a_post_over_a_real_socket() -> None:
    heard: list[bytes] = []
    status = "204 No Content"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        heard.append(head + await reader.readexactly(size))
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{port}/page?x=1"
    await post(url, b'{"a":1}')
    assert heard[0].startswith(b"POST /page?x=1 HTTP/1.1\r\n")
    assert heard[0].endswith(b'{"a":1}')
    status = "500 Oh"
    with pytest.raises(LinkClosed, match="answered 500"):
        await post(url, b"{}")
    server.close()
    await server.wait_closed()
    with pytest.raises(LinkClosed, match="Check that the server runs"):
        await post(url, b"{}")
    assert place_of("https://pager.house").port == 443
