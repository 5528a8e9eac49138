"""Acts through the supervisor's page of a running daemon, in a real Chromium: under whose badge, once, or refused.

Skipped, with the reason, where Chromium or Playwright is absent. `TABLESIDE_SCREENSHOTS=FOLDER` keeps the pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.pit import NEEDS_CHROMIUM, TABLE, Browser, Pit, browser, picture, pit_page
from tests.support.processes import until

pytestmark = [pytest.mark.system, NEEDS_CHROMIUM]


@pytest.fixture
def pit(tmp_path: Path, unused_tcp_port: int) -> Iterator[Pit]:
    with pit_page(tmp_path, unused_tcp_port) as made:
        yield made


@pytest.fixture
def chromium() -> Iterator[Browser]:
    with browser() as made:
        yield made


def test_a_supervisor_says_that_he_goes_and_his_tap_says_who_he_is(pit: Pit, chromium: Browser) -> None:
    """One button, one tap: the tap at the table takes the alert by itself, and the form says so."""
    page = chromium.screen(f"{pit.address}/#{TABLE}")
    pit.do("call-supervisor")
    page.get_by_role("button", name="I am going").click()
    page.get_by_text("Tap your badge at the reader of BJ-07").first.wait_for()
    picture(page, "tap")
    pit.tap("S-201")
    page.get_by_text("Inês Carvalho, floor supervisor").first.wait_for()
    page.get_by_text("Your tap has done it").wait_for()
    picture(page, "taken")
    until(lambda: pit.state()["alerts"][0]["taken_by"] == "S-201", lambda: str(pit.state()["alerts"]))
