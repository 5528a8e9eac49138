"""Hub, reduce and journal in memory, fed with the recorded inputs of a table-day: how many times as fast as the day.

Each input is reported at its own instant of virtual time and gets its own turn, with its own transaction, as on a
day; the hub's timers run, so that deadlines are its own. At the end the state must be, byte for byte, the one in
which the recording ended. CPU time of this process; the disk and the devices are left out.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence

from benchmarks.compare import ROUNDS, Reach, Row
from benchmarks.table_day import PLAYED_ROUNDS, table_day
from firmware_bridge.clock import NS_PER_S, LoopClock
from tableside.hub import Hub
from tableside.inputs import DeadlinePassed, Input
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.requests import Request
from tableside.state import TableState, encode_state, reduce
from tests.support.jumping_loop import JumpingLoop
from tests.support.rims import new_rim
from tests.support.table import HOUSE, WALL_START_NS

PEER = "real time"


def measure(rounds: int = ROUNDS, played: int = PLAYED_ROUNDS) -> list[Row]:
    """The day's seconds over ours."""
    day = table_day(played)
    day_s = (day[-1].at_ns - day[0].at_ns) / NS_PER_S
    wanted = _end_of(day)
    ratios, cpu_s, wall_s = [], [], []
    for _ in range(rounds):
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            reached = runner.run(_play(day))
        wall_s.append(time.perf_counter() - began_s)
        cpu_s.append(time.process_time() - began_cpu_s)
        ratios.append(day_s / cpu_s[-1])
        if encode_state(reached) != wanted:
            raise AssertionError("the hub did not come to the state in which the recorded day ended")
    absolute = (
        f"{len(day)} inputs of {day_s / 3600:.1f} h in {statistics.median(cpu_s):.2f} s of CPU, "
        f"{statistics.median(wall_s):.2f} s on the wall"
    )
    return [
        Row("table-day: hub, reduce, memory journal", Reach(PEER, 10_000, is_at_most=False), tuple(ratios), absolute)
    ]


def _end_of(day: Sequence[Input]) -> bytes:
    state = TableState(house=HOUSE)
    for given in day:
        state, _ = reduce(state, given)
    return encode_state(state)


async def _play(day: Sequence[Input]) -> TableState:
    """The state after the day's last input, which is a request: its answer says that it is durable."""
    loop = asyncio.get_running_loop()
    clock = LoopClock(loop, wall_start_ns=WALL_START_NS)
    journal = InLoopJournal.open(Place(HOUSE.table, None, None), clock, epoch=HOUSE.epoch)
    hub = Hub(journal, TableState(house=HOUSE), clock, {}, rim=new_rim())
    running = asyncio.create_task(hub.run())
    for given in day:
        if isinstance(given.what, DeadlinePassed):
            continue  # the hub's own timer
        delay_s = given.at_ns / NS_PER_S - loop.time()
        if delay_s > 0:
            await asyncio.sleep(delay_s)
        if isinstance(given.what, Request):
            await hub.ask(given.what)
        else:
            await hub.report(given.what)
    running.cancel()
    await asyncio.wait({running})
    await journal.close()
    return hub.state
