"""The supervisor's page of a running daemon in tests: a browser's tab on it, and hands at the simulated table."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.clock import NS_PER_S
from simulator.play import Where, play
from simulator.side_client import ask
from tests.support.processes import DEADLINE_S, ROOT, Running, daemon, simulated_table, until

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)"
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
DEADLINE_MS = 1_000 * DEADLINE_S
TABLE = "BJ-07"
PACE = 20
DEVICES = ("shuffler", "switches", "badges")
# A reader tells a badge as gone two seconds after it; before that it sees none come.
AWAY_NS = 3 * NS_PER_S
# The badges of the demo's staff.
BADGES = {
    "S-201": "26:00020140",
    "S-202": "26:00020240",
    "R-401": "26:00040140",
    "T-501": "26:00050140",
    "I-701": "26:00070140",
    "D-101": "26:00010140",
}
SIZES = {"phone": (390, 844), "tablet": (1024, 768), "wall": (1920, 1080)}


@dataclass
class Pit:
    """A daemon whose table is simulated, and the address of its page."""

    running: Running
    address: str
    folder: Path

    def hands(self, does: str, **fields: object) -> Any:
        """What a person at the table does."""
        said: Any = ask(self.folder / "run" / "simulator.sock", {"act": "person", "deed": {"does": does, **fields}})
        return said

    def world(self, does: str, **fields: object) -> Any:
        """What the world does to it."""
        said: Any = ask(self.folder / "run" / "simulator.sock", {"act": "world", "deed": {"does": does, **fields}})
        return said

    def tap(self, staff: str) -> None:
        """A badge at the table's reader."""
        self.hands("tap", badge=BADGES[staff])

    def is_away(self, staff: str) -> bool:
        """The reader has not seen this badge for so long that it will see it come."""
        state = self.state()
        seen_ns = state["presence"]["last_seen_ns"].get(staff, 0)
        is_held = staff in state["presence"]["held"].values()
        return not is_held and state["at_ns"] - seen_ns > AWAY_NS

    def tap_anew(self, staff: str) -> None:
        """A badge that comes to the reader after it was away from it."""
        until(lambda: self.is_away(staff), lambda: f"the badge of {staff} lies there")
        self.tap(staff)

    def is_connected(self) -> bool:
        """Every device of the table answers."""
        known = self.state()["devices"]["known"]
        return all(known.get(name, {}).get("is_connected") for name in DEVICES)

    def state(self) -> Any:
        """The table as it stands."""
        return self.running.told("state")

    def rows(self, kind: str) -> list[Any]:
        """The bodies of the durable rows of a type."""
        with closing(sqlite3.connect(f"file:{self.folder / 'run' / TABLE}.db?mode=ro", uri=True)) as reading:
            return [json.loads(body) for (body,) in reading.execute("SELECT body FROM record WHERE type = ?", (kind,))]

    def do(self, act: str, staff: str = "", **fields: object) -> Any:
        """An act at the control socket, as somebody at the desk does it."""
        return self.running.asked(act, staff, fields)


JACKPOT = """
[jackpot]
currency = "EUR"
bet = 100
increment = 7500
start = 1000000
counted_cards = 2
hidden = 0
odd_units = "first seats"
approved_by = "Inspection service (test)"
approved_on = 2026-11-01

[[jackpot.prizes]]
name = "two aces"
amount = 20000
combination = { cards = 2, ranks = ["A", "A"] }

[[jackpot.prizes]]
name = "suited aces"
combination = { cards = 2, ranks = ["A", "A"], suits = "same suit" }
"""
CHIP = """jackpot_chip_value = 100
jackpot_chip_currency = "EUR"
jackpot_approved_by = "Inspection service (test)"
jackpot_approved_on = 2026-11-01
presence_s = 60"""
# People here read and tap at their own pace, and a browser takes its time.
PATIENT = {"presence_s = 10": CHIP, "class_1_neighbour_s = 2": "class_1_neighbour_s = 30"}


@contextmanager
def pit_page(folder: Path, port: int, *, sign_in_s: int = 60) -> Iterator[Pit]:
    """A daemon of the demo's table, with a jackpot whose bets are markers, and its page."""
    edits = {
        "port = 8377": f"port = {port}\nsign_in_s = {sign_in_s}",
        **PATIENT,
        "class_1_management_s = 6": "class_1_management_s = 120",
        "held_over_rounds = 3": f"held_over_rounds = 3\n{JACKPOT}",
    }
    with (
        simulated_table(folder, edits=edits) as config,
        daemon(config, folder / "run" / "control.sock", folder / "log") as running,
    ):
        until(lambda: "page_served" in running.log, lambda: running.log)
        pit = Pit(running, f"http://127.0.0.1:{port}", folder)
        until(pit.is_connected, lambda: running.log)
        yield pit
        if running.process.poll() is None:
            assert running.end() == 0, running.log
            assert "Traceback" not in running.log, running.log


def opened(pit: Pit) -> None:
    """The table is loaded by its people, as in any day, and one round was played."""
    text = (ROOT / "scenarios" / "first_rounds.toml").read_text("utf-8")
    scenario = pit.folder / "opened.toml"
    scenario.write_text(text.replace("rounds = 5", "rounds = 1").replace("is = 5", "is = 1"), "utf-8")
    where = Where(pit.running.socket, pit.folder / "run" / "simulator.sock", TABLE, PACE)
    said: list[str] = []
    outcome = asyncio.run(play(scenario, where, said.append))
    assert outcome.is_right, "\n".join([*said, *map(str, outcome.mismatches)])


@contextmanager
def browser(locale: str = "en-GB", *, is_dark: bool = False) -> Iterator[Any]:
    """A Chromium; `new(...)` of what it gives opens a context of its own, with a tab in it."""
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield Browser(opened, locale, is_dark)
        finally:
            opened.close()


@dataclass
class Browser:
    """Each screen is a context of its own: its cookies are nobody else's."""

    opened: Any
    locale: str
    is_dark: bool

    def screen(self, address: str, size: str = "tablet") -> Any:
        """A new screen at an address, painted."""
        width, height = SIZES[size]
        context = self.opened.new_context(
            viewport={"width": width, "height": height},
            locale=self.locale,
            color_scheme="dark" if self.is_dark else "light",
        )
        page = context.new_page()
        page.set_default_timeout(DEADLINE_MS)
        page.goto(address)
        page.wait_for_selector(".tile")
        return page


def picture(page: Any, name: str) -> None:
    """Keep what is on the screen where a folder is named for it."""
    folder = os.environ.get("TABLESIDE_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
