"""Plays a scenario against running processes: the daemon's control socket and the simulator's side channel.

Daemon and broker are the launcher's: where the scenario kills or starts one, a line goes out and an answer is waited
for (`Launcher`). Everything else is told as people at the table would tell it, one line each.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .director import Director, HostProcess, Outcome, gather_cast
from .hands_voice import CannotDo, SideVoice
from .kinds import KINDS
from .people import Scene
from .scenario import HOST_DEEDS, read_scenario
from .speaking import Channel, Conversation, UnixChannel
from .watch import Row, Watch

RETRY_S = 0.2
HOW_TO_KILL = "let the scenario start, kill and stop the daemon itself, by --daemon with the daemon's command line"
# A line that begins so is for the launcher, and answered by a line; see demo/run.py.
TO_LAUNCHER = "!"

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Where:
    """Which processes, which table, and at what pace people move (the simulator's own pace)."""

    control_socket: Path
    side_channel: Path
    table: str
    pace: float
    language: str = "en"
    lapse_chance: float = 0.0


class Launcher:
    """Whoever started the processes, at the other end of our standard streams: asked about one of them."""

    def __init__(self, program: str) -> None:
        self._program = program

    async def kill(self) -> None:
        """Have it killed as by kill -9."""
        await self._ask(f"kill-{self._program}")

    async def start(self) -> None:
        """Have it started again."""
        await self._ask(f"start-{self._program}")

    async def _ask(self, deed: str) -> None:
        print(TO_LAUNCHER + deed, flush=True)
        answer = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        if answer.strip() != "done":
            raise CannotDo(f"nobody here did {deed}: {HOW_TO_KILL}")


class AlertTeller:
    """Tells each alert as the supervisor reads it: the fact, the next step, who is asked, who goes."""

    def __init__(self, watch: Watch, language: str, tell: Tell) -> None:
        self._watch = watch
        self._language = language
        self._tell = tell
        self._after = 0

    async def begin(self) -> None:
        """From here on; what was raised and cleared on another day is that day's."""
        self._after = (await self._watch.told("state"))["row"]
        for row in self._watch.rows:
            self._row(row)
        self._watch.listeners.append(self._row)  # rows of other days may still be on their way

    def _row(self, row: Row) -> None:
        if row.seq > self._after and row.type in TOLD:
            TOLD[row.type](self, row)

    def _raised(self, row: Row) -> None:
        fact, step = row.lines[self._language]
        level = f"class {row.body['level']}" if row.body["level"] else "at the table"
        self._tell(f"  ▲ {fact}  ({level})")
        self._tell(f"    → {step}")

    def _taken(self, row: Row) -> None:
        self._tell(f"    {row.body['by']} goes")

    def _cleared(self, row: Row) -> None:
        why = row.body["why"]
        said = "" if why.startswith("cleared") else f": {why}"
        self._tell(f"  ✓ {self._watch.alert_texts[row.body['alert']]} cleared{said}")


TOLD: dict[str, Callable[[AlertTeller, Row], None]] = {
    "AlertRaised": AlertTeller._raised,
    "AlertTaken": AlertTeller._taken,
    "AlertCleared": AlertTeller._cleared,
}


async def play(
    path: Path, where: Where, tell: Tell, host: HostProcess | None = None, broker: HostProcess | None = None
) -> Outcome:
    """Play the file to its end or first mismatch; `host` and `broker` are killed and started, else by the launcher.

    Raises `ScenarioRefused`.
    """
    scenario = read_scenario(path, KINDS)

    async def talk() -> Channel:
        return await UnixChannel.connect(where.control_socket)

    async def reach() -> Channel:
        return await UnixChannel.connect(where.side_channel)

    side = Conversation(reach, retry_s=RETRY_S)
    watch = Watch(talk, table=where.table, retry_s=RETRY_S)
    scene = Scene(
        watch=watch,
        side=SideVoice(side.ask),
        connect=talk,
        pace=where.pace,
        seed=scenario.seed,
        token=secrets.token_hex(3),  # another run of the same file asks anew
        retry_s=RETRY_S,
        lapse_chance=where.lapse_chance,
        tell=lambda text: tell(f"[round {watch.round}] {text}" if watch.is_in_session and watch.round else text),
    )
    gather_cast(scenario, scene, KINDS)
    teller = AlertTeller(watch, where.language, tell)
    beside = [asyncio.create_task(side.run(), name="side channel"), asyncio.create_task(teller.begin(), name="alerts")]
    tell(f"— {scenario.title} —")
    try:
        return await Director(scenario, scene, host or Launcher("daemon"), broker or Launcher("broker")).run()
    finally:
        for task in beside:
            task.cancel()
        await asyncio.wait(beside)


def kills_daemon(path: Path) -> bool:
    """Whether some step kills or starts the daemon. Raises `ScenarioRefused`."""
    programs = (HOST_DEEDS.get(step.world, ("", "")) for step in read_scenario(path, KINDS).steps)
    return any(program == "daemon" for _, program in programs)


def told(outcome: Outcome) -> str:
    """The last line: how many steps came out right, or what did not."""
    if outcome.is_right:
        return f"{outcome.steps} steps came out as expected"
    return "\n".join(map(str, outcome.mismatches))
