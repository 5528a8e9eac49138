"""The display page in a test: the driver that serves it, and the hub's part."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from drivers.displays.page import PageDisplay, PageSettings
from drivers.displays.showing import STALE_MS, Showing
from drivers.events import DisplayReady, Fact
from tests.support.collector import until

LANGUAGES = ("en", "pt_PT", "zh_Hant_MO")


@dataclass
class Page:
    """What it reported, and what the hub says that holds."""

    address: str
    driver: PageDisplay
    facts: list[Fact]
    goal: list[Showing] = field(default_factory=list)

    def show(self, showing: Showing) -> None:
        """As the hub does: now, and again until something else holds."""
        self.goal[:] = [showing]
        self.driver.show(showing)

    def count(self, kind: type[Fact]) -> int:
        return len([fact for fact in self.facts if isinstance(fact, kind)])

    async def until_told(self, fact: Fact) -> None:
        await until(lambda: fact in self.facts, repr(fact))

    async def renew(self) -> None:
        while True:
            await asyncio.sleep(STALE_MS / 3_000)
            for showing in self.goal:
                self.driver.show(showing)


@asynccontextmanager
async def served_page(port: int, caption: str = "") -> AsyncIterator[Page]:
    """One page at a port of the loopback."""
    facts: list[Fact] = []

    async def report(fact: Fact) -> None:
        facts.append(fact)
        if isinstance(fact, DisplayReady):  # the hub tells the present goal to whoever comes
            for showing in page.goal:
                driver.show(showing)

    settings = PageSettings("page", f"http://127.0.0.1:{port}", caption=caption, languages=LANGUAGES)
    driver = PageDisplay(settings, report, random.Random(1))
    page = Page(settings.address, driver, facts)
    tasks = [asyncio.create_task(driver.run()), asyncio.create_task(page.renew())]
    try:
        await until(lambda: driver.keeper.is_up, "the page to be served")
        yield page
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
