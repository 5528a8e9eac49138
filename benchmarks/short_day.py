"""A short day through all layers in virtual time: how many times as fast as on the clock.

Everything of a running table in one process and on one thread: people, their control connections, daemon, hub,
procedures, drivers, sessions, codecs, memory links, simulated cable ends and mechanics; plain OSDP polled each
200 ms, TDL pinged each second, the journal's store on `:memory:`. CPU time of this process.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
import tempfile
import time
from pathlib import Path

import structlog

from benchmarks.compare import ROUNDS, Reach, Row
from tests.scenarios.virtual_house import ROOT, house
from tests.support.jumping_loop import run_virtual

SCENARIO = ROOT / "scenarios" / "short_day.toml"
PEER = "real time"


def measure(rounds: int = ROUNDS, scenario: Path = SCENARIO) -> list[Row]:
    """The day's seconds over ours."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    ratios, cpu_s, wall_s, day_s = [], [], [], 0.0
    try:
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="short-day-") as folder:
                began_s, began_cpu_s = time.perf_counter(), time.process_time()
                day_s = run_virtual(_play(scenario, Path(folder)))
                wall_s.append(time.perf_counter() - began_s)
                cpu_s.append(time.process_time() - began_cpu_s)
                ratios.append(day_s / cpu_s[-1])
    finally:
        structlog.reset_defaults()
    absolute = (
        f"{scenario.stem}, {day_s / 60:.0f} min in {statistics.median(cpu_s):.1f} s of CPU, "
        f"{statistics.median(wall_s):.1f} s on the wall"
    )
    return [Row("short day, all layers", Reach(PEER, 300, is_at_most=False), tuple(ratios), absolute)]


async def _play(scenario: Path, folder: Path) -> float:
    """Seconds of virtual time that the day took."""
    async with house(folder, is_in_memory=True) as here:
        outcome = await here.play(scenario)
        if not outcome.is_right:
            raise AssertionError("\n".join(map(str, outcome.mismatches)))
        return asyncio.get_running_loop().time()
