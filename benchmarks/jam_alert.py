"""A jam's bytes read → its alert durable and published: our whole stack against the one commit that it cannot spare.

Ours: from the moment in which the chunk with the notice is handed to the session, through codec, session, driver,
hub, reduce, journal thread and FULL commit, to the moment in which the alert's row is published. The table stands in
the middle of a round; after each jam its state is put back, for people would need minutes to clear it.
Peer: the same rows into the same columns in one bare SQLite transaction with FULL, on the same disk, in turn.
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from benchmarks.compare import ROUNDS, Reach, Row, rows
from benchmarks.far_side import FarSide
from benchmarks.prepared import EPOCH, MODEL, SERIAL
from benchmarks.stamping import StampingLink
from drivers.events import DeviceReady
from drivers.shufflers.tdl_continuous import TdlContinuousShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.clock import SystemClock
from firmware_bridge.links.base import Link
from firmware_bridge.links.serial import open_serial
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind
from firmware_bridge.wire.tdl.codes import Place as Spot
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import NoticeKey, PlaceKey
from firmware_bridge.wire.tdl.stream import encode_stream
from tableside.badges import Badges
from tableside.decisions import AlertRaised
from tableside.hub import Entry, Hub
from tableside.journal.opening import Place
from tableside.journal.record import Row as StoredRow
from tableside.journal.record import row_of
from tableside.journal.schema import COLUMNS
from tableside.journal.store import Journal
from tableside.journal.writer import JournalWriter
from tableside.state import TableState
from tableside.timers import Timers
from tests.support.situations import dealing

SAMPLES = 300  # a round; nine rounds make 2,700
SHUFFLER = "shuffler"
SESSION, BOOT = 1, 1
OURS = "jam read to alert durable"
PEER = "bare SQLite FULL commit"
PERCENTILE = 99
DEADLINE_S = 30.0
PAUSE_S = 0.002  # between two samples: the lamp's order and the acknowledgement go out, and everybody sleeps

Sample = Callable[[], Awaitable[int]]  # ns


def _in_mid_round() -> TableState:
    """Cards are being dealt; no notice of this boot is known yet, and no deadline stands (the clock is another)."""
    state = dealing().state
    levels = replace(state.devices.known[SHUFFLER], boot=BOOT, notice=0, serial=SERIAL, model=MODEL)
    known = {**state.devices.known, SHUFFLER: levels}
    house = replace(state.house, epoch=EPOCH)
    return replace(state, house=house, timers=Timers(), devices=replace(state.devices, known=known))


def _jam(number: int) -> bytes:
    body: dict[int, Value] = {
        NoticeKey.BOOT: BOOT,
        NoticeKey.NUMBER: number,
        NoticeKey.MS: number,
        PlaceKey.PLACE: int(Spot.EXIT),
    }
    return encode_stream(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, SESSION, body))


class _Stage:
    """Table, hub, driver and device; `jam` is one sample."""

    def __init__(self, journal: Journal, device: FarSide) -> None:
        self.ready = asyncio.Event()
        self._device = device
        self._before = _in_mid_round()
        self._number = 0
        self._link: StampingLink | None = None
        self._published: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        around = Surroundings(
            report=lambda fact: self.hub.report(fact), connect=self._connect, next_session=lambda: SESSION, epoch=EPOCH
        )
        self.driver = TdlContinuousShuffler(TdlSettings(SHUFFLER, "serial://pty", SERIAL, MODEL), around)
        devices = {SHUFFLER: self.driver}
        self.hub = Hub(journal, self._before, SystemClock(), devices, [self._publish], badges=Badges({}, bytes(32)))

    async def jam(self) -> int:
        """Nanoseconds from the chunk to the published alert."""
        self._number += 1
        self._published = asyncio.get_running_loop().create_future()
        assert self._link is not None
        self._link.awaited = _jam(self._number)
        self._device.send(self._link.awaited)
        async with asyncio.timeout(DEADLINE_S):
            return await self._published - self._link.handed_ns

    async def _connect(self) -> Link:
        self._link = StampingLink(await open_serial(self._device.node))
        return self._link

    def _publish(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if isinstance(entry.what, AlertRaised):
                self._published.set_result(time.perf_counter_ns())
            elif isinstance(entry.what, DeviceReady):
                self.ready.set()
        self.hub.state = self._before  # for the next sample


@asynccontextmanager
async def _ours(folder: Path) -> AsyncIterator[tuple[Sample, Journal]]:
    """One sample, and the journal that holds its rows."""
    writer = JournalWriter(SystemClock())
    journal = await writer.open(Place("bench", folder / "bench.db", folder / "bench.reserve"), epoch=EPOCH)
    with FarSide("tdl") as device:
        stage = _Stage(journal, device)
        running = [asyncio.create_task(stage.hub.run()), asyncio.create_task(stage.driver.run())]
        async with asyncio.timeout(DEADLINE_S):
            await stage.ready.wait()
        yield stage.jam, journal
        for task in running:
            task.cancel()
        await asyncio.wait(running)
    await writer.close()


@contextmanager
def _bare(folder: Path, stored: Sequence[StoredRow]) -> Iterator[Sample]:
    """The same rows under new numbers."""
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"CREATE TABLE record (seq INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})")
        insert = f"INSERT INTO record VALUES ({', '.join('?' * len(COLUMNS))})"
        numbers = count(1)

        async def commit() -> int:
            numbered = [(next(numbers), *row[1:]) for row in stored]
            started_ns = time.perf_counter_ns()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(insert, numbered)
            connection.execute("COMMIT")
            return time.perf_counter_ns() - started_ns

        yield commit


def measure(rounds: int = ROUNDS, samples: int = SAMPLES) -> list[Row]:
    """Median and 99th percentile of each round."""
    taken = asyncio.run(_measured(rounds, samples))
    medians = {name: [statistics.median(one) for one in rounds_] for name, rounds_ in taken.items()}
    tails = {name: [_percentile(one) for one in rounds_] for name, rounds_ in taken.items()}
    total = rounds * samples
    return [
        *rows(f"jam read → alert durable, median of {total}", OURS, medians, [Reach(PEER, 2.5)], "ms"),
        *rows(f"jam read → alert durable, p{PERCENTILE} of {total}", OURS, tails, [Reach(PEER, 2.5)], "ms"),
    ]


async def _measured(rounds: int, samples: int) -> dict[str, list[list[float]]]:
    taken: dict[str, list[list[float]]] = {OURS: [], PEER: []}
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as name:
        folder = Path(name)
        async with _ours(folder) as (jam, journal):
            before = journal.tail.seq
            await jam()
            with _bare(folder, [row_of(record) for record in journal.records(before)]) as commit:
                sides = {OURS: jam, PEER: commit}
                for _ in range(rounds):
                    for one in taken.values():
                        one.append([])
                    for number in range(samples):
                        for side in (OURS, PEER) if number % 2 else (PEER, OURS):
                            await asyncio.sleep(PAUSE_S)
                            taken[side][-1].append(await sides[side]() / 1e6)
    return taken


def _percentile(samples: Sequence[float]) -> float:
    return sorted(samples)[len(samples) * PERCENTILE // 100]
