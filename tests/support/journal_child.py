"""A process that commits until it is killed, and tells each row only after it was acknowledged.

`python -m tests.support.journal_child FOLDER [POINT COUNT]`: with a point it kills itself there at the COUNTth time.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.clock import SystemClock
from tableside.journal.file import JournalFile
from tableside.journal.reserve import Reserve
from tableside.journal.store import Journal
from tableside.journal.writer import JournalWriter
from tests.support.journals import WIDE, draft, file_of, full_disk, place_in

WRITERS = 4
# Where to die: (class, method, how to see that this call counts)
POINTS: dict[str, tuple[type, str, Callable[[Any], bool]]] = {
    "within the transaction": (JournalFile, "_not_carried", lambda file: not file.standing()),
    "within the carrying over": (JournalFile, "_not_carried", lambda file: bool(file.standing())),
    "before the anchor": (Reserve, "note", lambda reserve: not reserve.rows),
    "on the reserve, before it is told": (Reserve, "note", lambda reserve: bool(reserve.rows)),
    "carried over, reserve not emptied": (Reserve, "release", lambda reserve: bool(reserve.rows)),
}


def die_at(point: str, count: int) -> None:
    owner, name, counts = POINTS[point]
    original = getattr(owner, name)
    left = itertools.count(1)

    def dying(self: Any, *arguments: Any) -> Any:
        if counts(self) and next(left) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(self, *arguments)

    setattr(owner, name, dying)


async def commit_for_ever(journal: Journal, writer: int, start: int) -> None:
    for number in itertools.count(start):
        result = await journal.commit([draft(number, request=f"{writer}-{number}"), draft(number)])
        os.write(1, b"%d\n" % result.last_seq)


async def live_on_the_reserve_now_and_then(journal: Journal) -> None:
    while True:
        await asyncio.sleep(0.01)
        with full_disk(file_of(journal)):
            for _ in range(3):
                result = await journal.commit([draft(0, body=WIDE)])
                os.write(1, b"%d\n" % result.last_seq)


async def main(folder: Path) -> None:
    journal = await JournalWriter(SystemClock()).open(place_in(folder))
    start = journal.tail.seq
    writers = [commit_for_ever(journal, writer, start) for writer in range(WRITERS)]
    await asyncio.gather(*writers, live_on_the_reserve_now_and_then(journal))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        die_at(sys.argv[2], int(sys.argv[3]))
    asyncio.run(main(Path(sys.argv[1])))
