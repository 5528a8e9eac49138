"""The jackpot display's page in a real Chromium: what is painted, what is told, and that no other host is asked.

Skipped, with the reason, where Chromium or Playwright is absent. `TABLESIDE_SCREENSHOTS=FOLDER` keeps the pictures.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drivers.displays.showing import Showing
from drivers.events import DisplayLost, DisplayReady, DisplayShowed, DisplayTroubled, Shown
from tests.support.collector import until
from tests.support.page import Page, served_page

playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
AMOUNT = Showing(1, Shown.AMOUNT, 1_234_56, "EUR")
DEADLINE_MS = 30_000
WAITS = "() => document.getElementById('glass').innerText.includes('ONE MOMENT PLEASE')"


class Tab:
    """One browser tab on the page: what eyes read, and which hosts it asked."""

    def __init__(self, page: object) -> None:
        self.page = page
        self.asked: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))  # type: ignore[attr-defined]
        page.on("pageerror", lambda error: self.errors.append(str(error)))  # type: ignore[attr-defined]
        page.on(  # type: ignore[attr-defined]
            "console", lambda said: self.errors.append(said.text) if said.type == "error" else None
        )

    async def text(self) -> str:
        """As a person reads it: of each digit's strip only what stands in its window."""
        read: str = await self.page.evaluate(  # type: ignore[attr-defined]
            """() => { const glass = document.getElementById("glass");
            if (glass.className !== "amount") return glass.innerText.trim();
            return [...glass.children].map((cell) => {
              if (cell.className !== "digit") return cell.textContent.replace("\\u00a0", " ");
              const seen = cell.getBoundingClientRect(), middle = (seen.top + seen.bottom) / 2;
              return [...cell.firstChild.children].find((one) => {
                const place = one.getBoundingClientRect(); return place.top <= middle && middle < place.bottom;
              }).textContent; }).join(""); }"""
        )
        return read

    async def picture(self, name: str) -> None:
        folder = os.environ.get("TABLESIDE_SCREENSHOTS")
        if folder:
            await self.page.screenshot(path=Path(folder) / f"{name}.png")  # type: ignore[attr-defined]


@asynccontextmanager
async def tab_of(page: Page, *, width: int = 1280, height: int = 400) -> AsyncIterator[Tab]:
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            made = await browser.new_page(viewport={"width": width, "height": height})
            tab = Tab(made)
            await made.goto(page.address)
            yield tab
        finally:
            await browser.close()


async def test_each_word_of_the_contract_is_painted_and_told(unused_tcp_port: int) -> None:
    async with served_page(unused_tcp_port, caption="Prémio Mistério") as page, tab_of(page) as tab:
        await until(lambda: page.count(DisplayReady), "the page to be open")
        await tab.page.wait_for_function(WAITS, timeout=DEADLINE_MS)  # type: ignore[attr-defined]  # before it is told
        page.show(AMOUNT)
        await page.until_told(DisplayShowed(device="page", version=1, what=Shown.AMOUNT))
        assert await tab.text() == "EUR 1,234.56"
        await tab.picture("amount")
        for version, (what, line) in enumerate(
            {
                Shown.PENDING: "PENDING",
                Shown.WON: "JACKPOT WON",
                Shown.WAIT: "ONE MOMENT PLEASE",
                Shown.NOTHING: "",
            }.items(),
            start=2,
        ):
            page.show(Showing(version, what))
            await page.until_told(DisplayShowed(device="page", version=version, what=what))
            text = await tab.text()
            assert text.splitlines()[:1] == ([line] if line else [])
            assert len(text.split("\n\n")) <= 3
            await tab.picture(what.value.replace(" ", "-"))
        assert page.count(DisplayTroubled) == 0
        assert {url.split("/")[2] for url in tab.asked if not url.startswith("data:")} == {
            page.address.removeprefix("http://")
        }, "no other host is asked"
        assert tab.errors == []


async def test_an_amount_rises_like_an_odometer_and_ends_right(unused_tcp_port: int) -> None:
    """Digits keep their cells and roll; what is told is told once they stand still."""
    async with served_page(unused_tcp_port) as page, tab_of(page) as tab:
        await until(lambda: page.count(DisplayReady), "the page to be open")
        page.show(AMOUNT)
        await page.until_told(DisplayShowed(device="page", version=1, what=Shown.AMOUNT))
        await tab.page.evaluate("() => { window.first = document.querySelector('.digit'); }")  # type: ignore[attr-defined]
        for version, amount in enumerate((1_234_99, 9_999_99, 10_000_00), start=2):
            showing = Showing(version, Shown.AMOUNT, amount, "EUR")
            page.show(showing)
            await page.until_told(DisplayShowed(device="page", version=version, what=Shown.AMOUNT))
            assert await tab.text() == showing.text
        assert await tab.page.evaluate("() => window.first.isConnected"), "the cell stayed"  # type: ignore[attr-defined]
        fits = "() => document.getElementById('glass').scrollWidth <= window.innerWidth"
        assert await tab.page.evaluate(fits)  # type: ignore[attr-defined]


async def test_a_daemon_that_is_gone_leaves_no_amount_on_the_wall(unused_tcp_port: int) -> None:
    """And one that is back shows what holds then, in the same tab."""
    async with served_page(unused_tcp_port) as page:
        async with tab_of(page) as tab:
            await until(lambda: page.count(DisplayReady), "the page to be open")
            page.show(AMOUNT)
            await page.until_told(DisplayShowed(device="page", version=1, what=Shown.AMOUNT))
            page.goal.clear()  # the hub hangs: nobody says any more that it holds
            await tab.page.wait_for_function(WAITS, timeout=DEADLINE_MS)  # type: ignore[attr-defined]
            await tab.picture("stale")
            await until(lambda: page.count(DisplayTroubled), "that it is told")
            page.show(Showing(2, Shown.AMOUNT, 99, "EUR"))
            await page.until_told(DisplayShowed(device="page", version=2, what=Shown.AMOUNT))
        await until(lambda: page.count(DisplayLost) == 2, "the closed tab to be missed")


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 400), (400, 800)])
async def test_the_longest_amount_fits_on_any_screen(width: int, height: int, unused_tcp_port: int) -> None:
    async with served_page(unused_tcp_port) as page, tab_of(page, width=width, height=height) as tab:
        await until(lambda: page.count(DisplayReady), "the page to be open")
        page.show(Showing(1, Shown.AMOUNT, 99_999_999_99, "MOP"))
        await page.until_told(DisplayShowed(device="page", version=1, what=Shown.AMOUNT))
        assert await tab.text() == "MOP 99,999,999.99"
        sizes = await tab.page.evaluate(  # type: ignore[attr-defined]
            "() => { const box = document.getElementById('glass').getBoundingClientRect();"
            " return [box.left >= 0, box.right <= innerWidth, box.top >= 0, box.bottom <= innerHeight]; }"
        )
        assert all(sizes)
        await tab.picture(f"{width}x{height}")
