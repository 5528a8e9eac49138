"""The technician's screen under Textual's pilot: rows, devices, hold, technical rows, a daemon that hangs up."""

from __future__ import annotations

import html
import queue
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tableside.cli.failing import Failed, run_command
from tableside.cli.groups import tableside
from tableside.exit_codes import ExitCode

textual = pytest.importorskip("textual", reason="the extra tui is not installed")
from textual.pilot import Pilot  # noqa: E402 - after the skip

from tableside.cli.watch_screen import WatchScreen  # noqa: E402

# A piece of text of a screenshot (SVG), the window's title left out.
TEXT = re.compile(r'<text class="(?![^"]*-title")[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>')
SNAPSHOTS = Path(__file__).parent / "screens"
HEALTH = {"is_connected": True, "losses": 1, "silent_ms": 400, "why_away": "", "model": "CSM-SIM", "serial": "000123"}
AWAY = {**HEALTH, "is_connected": False, "why_away": "unplugged", "silent_ms": None, "serial": "000777", "model": "BOX"}


def row(seq: int, kind: str, **body: object) -> dict[str, Any]:
    return {"seq": seq, "at": "2026-11-30T12:00:00Z", "kind": "input", "type": kind, "body": body}


class Given:
    """A feed in a test's hand: what it puts in is read, an exception ends it."""

    def __init__(self) -> None:
        self.given: queue.Queue[dict[str, Any] | Failed | None] = queue.Queue()
        self.known: Mapping[str, Any] = {"tables": {"BJ-1": {"devices": {"shuffler": HEALTH, "switches": AWAY}}}}
        self.why = ""

    def rows(self) -> Iterator[Mapping[str, Any]]:
        while (given := self.given.get()) is not None:
            if isinstance(given, Failed):
                raise given
            yield given

    def status(self) -> Mapping[str, Any]:
        if self.why:
            raise Failed(ExitCode.NO_DAEMON, self.why)
        return self.known


def shown(app: WatchScreen) -> str:
    """The screen as text, a line each."""
    lines: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in TEXT.findall(app.export_screenshot()):
        lines.setdefault(float(y), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
    return "\n".join("".join(text for _, text in sorted(lines[y])).rstrip() for y in sorted(lines))


async def until_shown(pilot: Pilot[None], app: WatchScreen, *words: str) -> str:
    for _ in range(600):
        seen = shown(app)
        if all(word in seen for word in words):
            return seen
        await pilot.pause(0.05)
    raise AssertionError(f"{words} never stood there:\n{shown(app)}")


@pytest.fixture
def feed() -> Iterator[Given]:
    given = Given()
    yield given
    given.given.put(None)


async def test_devices_and_rows_stand_there(feed: Given) -> None:
    app = WatchScreen(feed, "BJ-1")
    async with app.run_test(size=(80, 20)) as pilot:
        feed.given.put(row(41, "CardJammed", device="shuffler", place="exit"))
        seen = await until_shown(pilot, app, "CardJammed", "AWAY: unplugged", "leave")
        assert "connected" in seen
        assert "place=exit" in seen
        feed.given.put(None)
    assert seen.rstrip() == (SNAPSHOTS / "watch.txt").read_text("utf-8").rstrip()


async def test_rows_are_held_and_come_later(feed: Given) -> None:
    app = WatchScreen(feed, "BJ-1")
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.press("p")
        feed.given.put(row(41, "CardJammed", device="shuffler"))
        seen = await until_shown(pilot, app, "held, 1 waiting")
        assert "CardJammed" not in seen
        await pilot.press("p")
        assert "held" not in (await until_shown(pilot, app, "CardJammed")).splitlines()[0]
        feed.given.put(None)


async def test_technical_rows_alone_and_all_again(feed: Given) -> None:
    app = WatchScreen(feed, "BJ-1")
    async with app.run_test(size=(80, 20)) as pilot:
        for given in (row(41, "CardsOut", meter=7), row(42, "DeviceFaulted", fault=4)):
            feed.given.put(given)
        await until_shown(pilot, app, "CardsOut", "DeviceFaulted")
        await pilot.press("t")
        seen = await until_shown(pilot, app, "technical rows", "DeviceFaulted")
        assert "CardsOut" not in seen
        await pilot.press("t")
        await until_shown(pilot, app, "CardsOut", "DeviceFaulted")
        feed.given.put(None)


async def test_a_daemon_that_hangs_up_is_said_and_the_screen_stays(feed: Given) -> None:
    app = WatchScreen(feed, "BJ-1")
    async with app.run_test(size=(80, 20)) as pilot:
        await until_shown(pilot, app, "connected")
        feed.why = "no daemon answers"
        feed.given.put(Failed(ExitCode.NO_DAEMON, "the daemon has hung up"))
        await until_shown(pilot, app, "NOT LIVE")
        await pilot.press("q")
    assert app.return_value is None


async def test_forty_columns_are_enough_to_read_a_row(feed: Given) -> None:
    app = WatchScreen(feed, "BJ-1")
    async with app.run_test(size=(40, 16)) as pilot:
        feed.given.put(row(41, "CardJammed", device="shuffler", place="exit"))
        seen = await until_shown(pilot, app, "CardJammed", "place=exit")
        assert max(map(len, seen.splitlines())) <= 40
        feed.given.put(None)


def test_without_a_terminal_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(tableside, ["diag", "watch", "--screen", "--socket", str(tmp_path / "none")]) == ExitCode.USAGE
    assert "whole terminal" in capsys.readouterr().err
