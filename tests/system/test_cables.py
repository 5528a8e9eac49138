"""A short table over each kind of cable, every part a process: load, rounds, a jam, and a daemon that is killed twice.

On USB the shuffler is a device of the simulator's process, reached by pyusb over USB/IP.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from drivers import events
from simulator.play import Where, play
from simulator.side_client import ask
from tableside.exit_codes import ExitCode
from tests.support.mosquitto import Mosquitto, free_port, mosquitto
from tests.support.processes import DEADLINE_S, DEMO_PORT, Running, simulated_table, tableside

__all__ = ["mosquitto"]
pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

SCENARIO = Path(__file__).with_name("short_table.toml")
PACE = 20
FOUR_DECKS = {"count = 3\nreserve": "count = 2\nreserve"}
SHUFFLER, SWITCHES = "serial://../run/dev/shuffler?baud=115200", DEMO_PORT

# The last lines of the badge reader in the table's file, and in the simulation's.
READER_OF_TABLE = "osdp_address = 1\nis_simulated = true # OSDP has no way to say so\n"
READER_ITSELF = 'address = "serial://../run/dev/badges?baud=9600"\nosdp_address = 1\n'

# What a shuffler tells by numbered notices, as rows.
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
def table(folder: Path, edits: dict[str, str]) -> Iterator[Daemon]:
    """The simulator and the daemon, running; whatever becomes of the test, both end."""
    with simulated_table(folder, pace=PACE, edits=FOUR_DECKS | edits) as config:
        daemon = Daemon(folder, config)
        daemon.begin()
        try:
            yield daemon
        finally:
            assert daemon.running is not None
            if daemon.running.process.poll() is None:
                daemon.running.process.kill()
                daemon.running.process.wait(DEADLINE_S)


async def play_and_compare(daemon: Daemon, scenario: Path = SCENARIO) -> None:
    """Play the scenario; then hold journal, account and the simulator's own cards against each other."""
    side = daemon.folder / "run" / "simulator.sock"
    where = Where(daemon.folder / "run" / "control.sock", side, "BJ-07", PACE)
    told: list[str] = []
    outcome = await play(scenario, where, told.append, daemon)
    assert outcome.is_right, "\n".join([*told, *map(str, outcome.mismatches), daemon.running.log])  # type: ignore[union-attr]
    await asyncio.to_thread(compare, daemon, side)


def compare(daemon: Daemon, side: Path) -> None:
    """Nothing was lost, nothing was done twice, and replay comes to what the table said of itself."""
    running = daemon.running
    assert running is not None
    world: Any = ask(side, {"act": "look", "everything": True})
    daemon.stood.append(running.told("state", table="BJ-07"))
    assert running.end() == ExitCode.DONE, running.log
    machine = world["devices"]["shuffler"]
    assert machine["cards inside"] == world["census"]["machine"] == 208
    assert (machine["boot"], machine["frames dropped"]) == (1, 0)
    assert machine["cards in"] - machine["cards out"] == 208 + 1  # one was taken out at the lid
    for kind, meter in (("CardsIn", "cards in"), ("CardsOut", "cards out")):
        assert daemon.bodies(kind)[-1]["meter"] == machine[meter]
    given = [body["number"] for body in daemon.bodies("CommandIntended") if body["device"] == "shuffler"]
    finished = [body["number"] for body in daemon.bodies("CommandFinished") if body["device"] == "shuffler"]
    assert given == finished == list(range(1, machine["highest command"] + 1))
    notices = [body["number"] for kind in NOTICES for body in daemon.bodies(kind) if body["device"] == "shuffler"]
    assert sorted(notices) == list(range(1, machine["newest notice"] + 1))
    assert [(body["round"], body["how"]) for body in daemon.bodies("RoundEnded")] == [(n, "told") for n in (1, 2, 3)]
    assert daemon.bodies("DifferenceFound") == []
    assert [body for body in daemon.bodies("IncidentOpened") if body["kind"] == "unexpected"] == []
    assert len(daemon.bodies("DaemonStarted")) == len(daemon.stood) == 3
    for stood in daemon.stood:
        replayed = tableside("diag", "replay", str(daemon.journal), "--json", "--at", str(stood["row"]))
        assert replayed.returncode == ExitCode.DONE, replayed.stderr
        assert timeless(json.loads(replayed.stdout)) == timeless(stood)
    verified = tableside("journal", "verify", str(daemon.journal), "--explain")
    assert verified.returncode == ExitCode.DONE, verified.stdout + verified.stderr
    assert "every turn is decided as it was" in verified.stdout


def timeless(state: dict[str, Any]) -> dict[str, Any]:
    """A state without the moment at which it was looked at."""
    alerts = [{key: value for key, value in alert.items() if key != "since"} for alert in state["alerts"]]
    return {key: value for key, value in state.items() if key not in ("at_ns", "wall", "row", "stopped")} | {
        "alerts": alerts
    }


@pytest.mark.parametrize("cable", ["serial", "tcp", "usb"])
async def test_shuffler(cable: str, tmp_path: Path) -> None:
    here = f"127.0.0.1:{free_port()}"
    edits = {
        "serial": {},
        "tcp": {SHUFFLER: f"tcp://{here}"},
        "usb": {SHUFFLER: f"usb://1209:0001/000123?usbip={here}"},
    }
    with table(tmp_path, edits[cable]) as daemon:
        await play_and_compare(daemon)


async def test_badges_secure(tmp_path: Path) -> None:
    """The reader's key in a file of the host and in the reader: every badge of the day came through the channel."""
    key = bytes(range(0x10, 0x20)).hex()  # visibly a test's
    edits = {
        READER_OF_TABLE: READER_OF_TABLE + 'osdp_key_file = "badges.key"\n',
        READER_ITSELF: f'{READER_ITSELF}key = "{key}"\n',
    }
    (tmp_path / "demo").mkdir()
    key_file = tmp_path / "demo" / "badges.key"
    key_file.write_text(key, "ascii")
    key_file.chmod(0o600)
    with table(tmp_path, edits) as daemon:
        await play_and_compare(daemon)
        readies = daemon.bodies("ReaderReady")
    assert len(readies) >= 2  # before the first kill and after the last; between the two there may be no time for it
    assert all(ready["is_secure"] for ready in readies)
    assert key not in daemon.log
    assert {body["staff"] for body in daemon.bodies("PresenceShown")} == {"S-201"}


@pytest.mark.peer
async def test_switches_mqtt(mosquitto: Mosquitto, tmp_path: Path) -> None:
    address = f"mqtt://{mosquitto.host}:{mosquitto.port}/tables/bj-07/switches"
    with table(tmp_path, {SWITCHES: address}) as daemon:
        await play_and_compare(daemon)


# The demo's badges, and the badge of eight characters that a reader types for each.
CODES = "00010140 00010240 00020140 00020240 00020340 00030140 00040140 00050140 00070140"
ASKED_BY_TEXT = ', { seen = "readers.badges.text", is = "TAP BADGE" }'
TYPED = {f"26:{code}": f"64:{code.encode().hex().upper()}" for code in CODES.split()}


async def test_badges_that_are_typed(tmp_path: Path) -> None:
    """A supervisor's badge, typed by a USB keyboard of its own, opens the load; everything else is as with OSDP."""
    address = f"usb://1209:0002/00000901?usbip=127.0.0.1:{free_port()}"
    reader = 'driver = "keyboard-badge-reader"\nkeyboard = "pt"\nbadge_characters = 8'
    edits = {
        "serial://../run/dev/badges?baud=9600": address,
        'driver = "osdp-badge-reader"': reader,
        'model = "PD-SIM"\nosdp_address = 1': 'model = "WEDGE-SIM"',
        'kind = "badge reader"': 'kind = "badge reader that types"\nkeyboard = "pt"',
    }
    scenario = tmp_path / "typed.toml"
    text = SCENARIO.read_text("utf-8")
    assert ASKED_BY_TEXT in text
    for old, new in {**TYPED, ASKED_BY_TEXT: ""}.items():  # nothing to read on a keyboard
        text = text.replace(old, new)
    scenario.write_text(text, "utf-8")
    with table(tmp_path, edits | TYPED) as daemon:
        await play_and_compare(daemon, scenario)
