"""The host of many serial links in one process: `python -m benchmarks.playing_host PORT…`.

Each link has what it has in the daemon below the hub: driver, keeper, session, codec, link. Every notice is
acknowledged as if it had been journalled at once; a permit to deal is renewed as a table renews it. For each line at
its standard input it prints how many notices each link has brought; it ends with its standard input.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial

from benchmarks.playing_devices import BOOT
from benchmarks.prepared import EPOCH, MODEL, SERIAL
from drivers.events import DeviceReady, Fact, Notice, PermitKind
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.serial import open_serial

PERMIT_MS = 60_000
RENEWAL_S = 20.0  # a third of it, as TDL asks for


class PlayingLink:
    """One table's shuffler, as far as its link is concerned."""

    def __init__(self, node: str) -> None:
        self.notices = 0
        around = Surroundings(self._report, partial(open_serial, node), next_session=lambda: 1, epoch=EPOCH)
        self.driver = TdlShuffler(TdlSettings(node, f"serial://{node}", SERIAL, MODEL), around)

    async def deal(self) -> None:
        """Renew the permit for ever."""
        while True:
            self.driver.permit(PermitKind.DEAL, PERMIT_MS, None)
            await asyncio.sleep(RENEWAL_S)

    async def _report(self, fact: Fact) -> None:
        if isinstance(fact, DeviceReady):
            self.driver.resume_notices(BOOT, 0)
        elif isinstance(fact, Notice):
            self.notices += 1
            self.driver.acknowledge(fact.boot, fact.number)


async def main() -> None:
    """Keep the links until whoever started us is gone."""
    links = [PlayingLink(node) for node in sys.argv[1:]]
    running = [asyncio.create_task(part) for link in links for part in (link.driver.run(), link.deal())]
    while await asyncio.to_thread(sys.stdin.readline):
        print(*(link.notices for link in links), flush=True)
    for task in running:
        task.cancel()
    await asyncio.wait(running)


if __name__ == "__main__":
    asyncio.run(main())
