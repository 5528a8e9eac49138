"""A table whose every part is a process: the simulator, and a daemon that is killed and started; its journal read."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drivers import events
from tableside.control.curtain import A_CARD, FACE
from tableside.exit_codes import ExitCode
from tests.support.processes import DEADLINE_S, Running, simulated_table, tableside

PACE = 20
# What TDL devices tell by numbered notices, as rows.
NOTICES = tuple(
    kind.__name__ for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, events.Notice)
)


class Daemon:
    """The daemon's process, as often as it is started anew."""

    def __init__(self, folder: Path, config: Path) -> None:
        self.folder = folder
        self.running: Running | None = None
        self.stood: list[dict[str, Any]] = []  # how the table stood in the last moments
        self._config = config

    def begin(self) -> None:
        self.running = Running(self._config, self.folder / "run" / "control.sock", self.folder / "daemon.log")
        self.running.until_answering()

    async def start(self) -> None:
        """See `HostProcess`."""
        await asyncio.to_thread(self.begin)

    async def kill(self) -> None:
        """kill -9; what the table said of itself just before is kept."""
        assert self.running is not None
        self.stood.append(await asyncio.to_thread(self.running.told, "state", table="BJ-07"))
        assert await asyncio.to_thread(self.running.end, signal.SIGKILL) == -signal.SIGKILL

    @property
    def log(self) -> str:
        return (self.folder / "daemon.log").read_text("utf-8")

    @property
    def journal(self) -> Path:
        return self.folder / "run" / "BJ-07.db"

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        """What the rows of one type say, in order; read while nobody writes."""
        reading = sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)
        try:
            rows = reading.execute("SELECT body FROM record WHERE type = ? ORDER BY seq", (kind,)).fetchall()
        finally:
            reading.close()
        return [json.loads(body) for (body,) in rows]


@contextmanager
def table_of_processes(folder: Path, edits: Mapping[str, str]) -> Iterator[Daemon]:
    """The simulator and the daemon, running; whatever becomes of the test, both end."""
    with simulated_table(folder, pace=PACE, edits=edits) as config:
        daemon = Daemon(folder, config)
        daemon.begin()
        try:
            yield daemon
        finally:
            assert daemon.running is not None
            if daemon.running.process.poll() is None:
                daemon.running.process.kill()
                daemon.running.process.wait(DEADLINE_S)


def timeless(state: dict[str, Any]) -> dict[str, Any]:
    """A state without the moment at which it was looked at, and without cards: while a round is open none is told."""
    state = json.loads(FACE.sub(A_CARD, json.dumps(state, ensure_ascii=False)))
    # a replay knows only the last row's clock, by which a moment is told to the second
    told = ("since", "since_local")
    alerts = [{key: value for key, value in alert.items() if key not in told} for alert in state["alerts"]]
    return {key: value for key, value in state.items() if key not in ("at_ns", "wall", "row", "stopped")} | {
        "alerts": alerts
    }


def check_replay(daemon: Daemon) -> None:
    """Replay comes to what the table said of itself whenever it was killed, and at the end; the chain holds."""
    assert len(daemon.bodies("DaemonStarted")) == len(daemon.stood)
    for stood in daemon.stood:
        replayed = tableside("diag", "replay", str(daemon.journal), "--json", "--at", str(stood["row"]))
        assert replayed.returncode == ExitCode.DONE, replayed.stderr
        again, before = timeless(json.loads(replayed.stdout)), timeless(stood)
        differ = [key for key in before.keys() | again.keys() if before.get(key) != again.get(key)]
        assert not differ, [(key, before.get(key), again.get(key)) for key in differ]
    verified = tableside("journal", "verify", str(daemon.journal), "--explain")
    assert verified.returncode == ExitCode.DONE, verified.stdout + verified.stderr
    assert "every turn is decided as it was" in verified.stdout
