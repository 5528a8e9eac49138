"""A test table's inputs written to a real journal file, as the hub would have done it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tableside.house import House
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.rows import draft_checkpoint, drafts_of_turn
from tableside.state import TableState, reduce
from tests.support.simulated_host import new_clock
from tests.support.table import HOUSE, Table


def written(table: Table, folder: Path, *, house: House = HOUSE, is_checkpointed: bool = False) -> Path:
    """The journal of everything that the table was given so far."""
    path = folder / "written.db"
    path.unlink(missing_ok=True)

    async def write() -> None:
        journal = InLoopJournal.open(Place(house.table, path, None), new_clock(), epoch=house.epoch)
        state = TableState(house=house)
        for given in table.given:
            state, decided = reduce(state, given)
            await journal.commit(drafts_of_turn(given, decided))
        if is_checkpointed:
            await journal.commit([draft_checkpoint(table.given[-1], state, "test")])
        await journal.close()

    asyncio.run(write())
    return path
