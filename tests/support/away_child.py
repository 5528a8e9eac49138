"""A daemon of its own process whose broker is away for an hour of virtual time; says what it has resident.

`python -m tests.support.away_child FOLDER` prints one line of JSON. Resident memory is that of the whole process: the
daemon with its table and journal, beside it the test's own broker and consumer, which hold nothing meanwhile.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
from pathlib import Path

from tests.support.jumping_loop import JumpingLoop
from tests.support.twin_broker import TwinBroker
from tests.unit.outputs.test_northbound import away, consumer_of, rows_of, until_all

EVENTS, PIECES, HOUR_S = 10_000, 100, 3_600


def resident_bytes() -> int:
    """What the kernel counts for this process, after a full collection."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()


async def measure(folder: Path) -> dict[str, object]:
    """Ten thousand events while nobody is there; then all of them, in order."""
    broker = TwinBroker()
    store = consumer_of(broker)
    async with away(folder, broker) as house:
        await house.fill(500)  # in play: rows have gone out and were acknowledged
        await until_all(house, store)
        had = len(house.rows())
        before = resident_bytes()
        broker.go_down()
        for _ in range(PIECES):
            await house.fill(EVENTS // PIECES)
            await asyncio.sleep(HOUR_S / PIECES)
        after = resident_bytes()
        waiting = len(house.rows()) - had
        broker.come_up()
        await until_all(house, store)
        follows = [body["follows"] for body in store.kept.values()]
        return {
            "before": before,
            "after": after,
            "waiting": waiting,
            "is_in_order": follows == [0, *rows_of(store)[:-1]] and store.gaps == 0,
        }


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        print(json.dumps(runner.run(measure(Path(sys.argv[1])))))
