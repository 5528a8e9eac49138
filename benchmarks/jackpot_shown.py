"""A contribution that is accepted → the last byte of its amount on an ALPHA sign, against the message's wire time.

Own pot: from the dealer's entry of a marker, through hub, journal (FULL) and driver, to the last byte on a paced line
at 9,600 baud. Linked: from the ledger's commit (a SQLite file, FULL), through the sum, hub, journal and driver; and
from the dealer's entry, which has a commit of the journal and one of the ledger more on its way.
Peer: the same bytes written on the same kind of paced line, nothing around them.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from benchmarks.alpha_amount import DEADLINE_S, PEER, SignTable, sign_table
from benchmarks.compare import ROUNDS, Reach, Row, rows
from drivers.displays.showing import Showing
from drivers.events import Shown
from tableside.configuration.ledger import LedgerPlace
from tableside.hub import Entry, Hub
from tableside.jackpot.ledger import Rows
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.ledger_keeper import LedgerKeeper
from tableside.procedures.jackpot_slice import LedgerState
from tableside.requests import MarkBets
from tableside.state import TableState
from tests.law.jackpot_table import SETTINGS
from tests.support.table import HOUSE

SAMPLES = 12  # a round and side
OWN = "marker → ALPHA, own pot"
COUNTED = "ledger's commit → ALPHA"
LINKED = "marker → ledger → ALPHA"
REACH = Reach(PEER, 1.3)
SIDES = (OWN, COUNTED, LINKED)
PLACE = "grand"
RAISED = SETTINGS.bet * SETTINGS.increment // 10_000


class StampedStore(SqliteStore):
    """When the last statement of a contribution was durable."""

    counted_ns = 0

    @asynccontextmanager
    async def statements(self) -> AsyncIterator[Rows]:
        """The ledger enters, and then sums up: the first of the two is what counts."""
        async with super().statements() as given:
            yield given
        if not self.counted_ns:
            self.counted_ns = time.perf_counter_ns()


class Published:
    """The table as the ledger's task knows it; hears the hub's rows."""

    name = HOUSE.table

    def __init__(self) -> None:
        self.published = 0
        self.hub: Hub | None = None
        self._news = asyncio.Event()

    @property
    def state(self) -> TableState:
        """After the last durable turn."""
        assert self.hub is not None
        return self.hub.state

    def hear(self, entries: Sequence[Entry]) -> None:
        """Rows that are durable."""
        self.published = entries[-1].seq
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def until_news(self, after: int) -> None:
        """Until there is a later row."""
        while self.published <= after:
            await self._news.wait()


class MarkedTable:
    """One seat bets in each round; what lies between two rounds is not measured."""

    def __init__(self, sign: SignTable, store: StampedStore | None) -> None:
        self.sign = sign
        self._store = store
        self._numbers = count(1)

    async def mark(self) -> tuple[int, int]:
        """Nanoseconds to the last byte: from the entry, and from the ledger's commit."""
        hub, number = self.sign.hub, next(self._numbers)
        await self._next_round()
        goal = hub.state.displays.goal
        assert goal is not None
        showing = Showing(goal.version + 1, Shown.AMOUNT, SETTINGS.start + number * RAISED, SETTINGS.currency)
        if self._store is not None:
            self._store.counted_ns = 0
        begun_ns = time.perf_counter_ns()
        answer = await hub.ask(MarkBets(id=f"m{number}", by="D1", seats=(1,)))
        assert answer.is_accepted, answer
        shown_ns = await self.sign.until_shown(showing)
        counted_ns = begun_ns if self._store is None else self._store.counted_ns
        return shown_ns - begun_ns, shown_ns - counted_ns

    async def _next_round(self) -> None:
        """As at a round's end, without a round; a turn that is under way would bring its own state."""
        hub = self.sign.hub
        while hub.state.procedures.jackpot.bettors:
            if not hub.working_s:
                jackpot = replace(hub.state.procedures.jackpot, bettors=())
                hub.state = replace(hub.state, procedures=replace(hub.state.procedures, jackpot=jackpot))
            await asyncio.sleep(0.005)


@asynccontextmanager
async def own_table(folder: Path) -> AsyncIterator[MarkedTable]:
    """Its pot is its own."""
    async with sign_table(folder, replace(HOUSE, jackpot=SETTINGS)) as sign:
        yield MarkedTable(sign, None)


@asynccontextmanager
async def linked_table(folder: Path) -> AsyncIterator[MarkedTable]:
    """Its pot stands in a ledger in the same folder."""
    table, store = Published(), StampedStore(folder / "ledger.db")
    house = replace(HOUSE, jackpot=SETTINGS, jackpot_ledger=PLACE)
    async with sign_table(folder, house, [table.hear]) as sign:
        table.hub = sign.hub
        place = LedgerPlace(PLACE, SETTINGS, file=folder / "ledger.db")
        keeper = LedgerKeeper(table, place, lambda _: store, sign.hub.report, random.Random(1))
        task = asyncio.create_task(keeper.run())
        async with asyncio.timeout(DEADLINE_S):
            while sign.hub.state.procedures.jackpot_ledger.state is not LedgerState.HERE:  # noqa: ASYNC110 - not measured
                await asyncio.sleep(0.01)
        yield MarkedTable(sign, store)
        task.cancel()
        await asyncio.wait({task})


def measure(rounds: int = ROUNDS, samples: int = SAMPLES) -> list[Row]:
    """Median of each round."""
    taken = asyncio.run(_measured(rounds, samples))
    return [row for side in SIDES for row in rows(f"{side}, median of {rounds * samples}", side, taken, [REACH], "ms")]


async def _measured(rounds: int, samples: int) -> dict[str, list[float]]:
    figures: dict[str, list[float]] = {side: [] for side in (*SIDES, PEER)}
    with tempfile.TemporaryDirectory(prefix="jackpot-bench-") as name:
        folders = [Path(name) / each for each in ("own", "linked")]
        for folder in folders:
            folder.mkdir()
        async with own_table(folders[0]) as own, linked_table(folders[1]) as linked:
            for table in (own, linked):
                await table.mark()  # the first packet lets go of *one moment*
            for number in range(rounds):
                taken: dict[str, list[float]] = {side: [] for side in figures}
                for turn in range(number, number + samples):
                    for side in ("own", "linked", "bare")[turn % 3 :] + ("own", "linked", "bare")[: turn % 3]:
                        if side == "own":
                            taken[OWN].append((await own.mark())[0] / 1e6)
                        elif side == "linked":
                            whole, counted = await linked.mark()
                            taken[LINKED].append(whole / 1e6)
                            taken[COUNTED].append(counted / 1e6)
                        else:
                            taken[PEER].append(await own.sign.bare() / 1e6)
                for side, of_round in taken.items():
                    figures[side].append(statistics.median(of_round))
    return figures
