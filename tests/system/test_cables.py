"""A short table over each kind of cable, every part a process: load, rounds, a jam, and a daemon that is killed twice.

On USB the shuffler is a device of the simulator's process, reached by pyusb over USB/IP.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from simulator.play import Where, play
from simulator.side_client import ask
from tableside.exit_codes import ExitCode
from tests.support.mosquitto import Mosquitto, free_port, mosquitto
from tests.support.process_table import NOTICES, PACE, Daemon, check_replay, table_of_processes
from tests.support.processes import DEMO_PORT

__all__ = ["mosquitto"]
pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

SCENARIO = Path(__file__).with_name("short_table.toml")
FOUR_DECKS = {"count = 3\nreserve": "count = 2\nreserve"}
SHUFFLER, SWITCHES = "serial://../run/dev/shuffler?baud=115200", DEMO_PORT

# The last lines of the badge reader in the table's file, and in the simulation's.
READER_OF_TABLE = "osdp_address = 1\nis_simulated = true # OSDP has no way to say so\n"
READER_ITSELF = 'address = "serial://../run/dev/badges?baud=9600"\nosdp_address = 1\n'


def table(folder: Path, edits: dict[str, str]) -> AbstractContextManager[Daemon]:
    """Of four decks."""
    return table_of_processes(folder, FOUR_DECKS | edits)


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
    assert len(daemon.stood) == 3
    check_replay(daemon)


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
