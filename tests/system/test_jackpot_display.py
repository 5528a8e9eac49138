"""Displays of one table, every part a process: asked at the command line, read at the table, through a kill -9."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simulator.side_client import ask
from tests.support.mosquitto import Mosquitto, free_port, mosquitto
from tests.support.processes import DEADLINE_S, Running, daemon, simulated_table, tableside, until

__all__ = ["mosquitto"]
pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]

ROW = """[[devices]]
name = "{name}"
role = "display"
driver = "{driver}"
address = "serial://../run/dev/{name}?baud={baud}"
serial_number = "{serial}"
model = "{model}"
display_characters = 13

"""
SIMULATED = """[[devices]]
name = "{name}"
kind = "{kind}"
serial_number = "{serial}"
address = "serial://../run/dev/{name}?baud={baud}"

"""
DISPLAYS = (
    {
        "name": "wall",
        "driver": "tdl-display",
        "kind": "display",
        "baud": "115200",
        "serial": "000888",
        "model": "SIGN-SIM",
    },
    {
        "name": "sign",
        "driver": "alpha-sign",
        "kind": "alpha sign",
        "baud": "9600",
        "serial": "S-1",
        "model": "BetaBrite",
    },
)
WALL = "serial://../run/dev/wall?baud=115200"
# The end of the last device of the demo's table, behind which more may stand.
LAST = "is_simulated = true # OSDP has no way to say so\n"
READER = '[[devices]]\nname = "badges"\nkind'
EDITS = {
    LAST: LAST + "\n" + "".join(ROW.format(**display) for display in DISPLAYS),
    READER: "".join(SIMULATED.format(**display) for display in DISPLAYS) + READER,
}


def test_a_page_is_served_by_the_daemon_and_told_what_holds(tmp_path: Path) -> None:
    """Its stream, as a browser would read it: who it is, then the amount, in the table's languages."""
    address = f"http://127.0.0.1:{free_port()}"
    page = ROW.format(name="page", driver="display-page", baud="0", serial="W-1", model="page")
    page = page.replace("serial://../run/dev/page?baud=0", address)
    control, log = tmp_path / "run" / "control.sock", tmp_path / "daemon.log"
    with simulated_table(tmp_path, edits={LAST: f"{LAST}\n{page}"}) as config, daemon(config, control, log) as running:
        until(lambda: is_served(address), lambda: running.log[-3000:])
        with urllib.request.urlopen(f"{address}/events", timeout=DEADLINE_S) as stream:
            told = (json.loads(line.removeprefix(b"data: ")) for line in stream if line.startswith(b"data: "))
            assert len(next(told)["wait"]) == 3
            assert show(running, "--what", "amount", "--amount", "123456", "--currency", "EUR")["exit"] == 0
            assert next(message["text"] for message in told if "text" in message) == "EUR 1,234.56"
        assert running.end() == 0


def is_served(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=DEADLINE_S) as answer:
            return b"/page.js" in answer.read()
    except OSError:  # not yet
        return False


def seen(folder: Path) -> Mapping[str, str]:
    """What eyes at the table read on its displays."""
    world: Any = ask(folder / "run" / "simulator.sock", {"act": "look"})
    return dict(world["displays"])


def until_seen(folder: Path, running: Running, text: str) -> None:
    wanted = {str(display["name"]): text for display in DISPLAYS}
    until(lambda: seen(folder) == wanted, lambda: f"{seen(folder)}, {wanted} expected; {running.log[-3000:]}")


def show(running: Running, *arguments: str) -> dict[str, Any]:
    """`tableside jackpot show`, its answer."""
    command = ("jackpot", "show", *arguments, "--as", "S-201", "--socket", str(running.socket), "--json")
    done = tableside(*command)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**answer, "exit": done.returncode}


@pytest.mark.parametrize("is_on_broker", [False, True], ids=["serial", "mqtt"])
def test_what_is_asked_for_is_read_at_the_table(
    tmp_path: Path, request: pytest.FixtureRequest, *, is_on_broker: bool
) -> None:
    """What only one of two displays could show is shown by none; the goal outlives a daemon that is killed."""
    edits = EDITS
    if is_on_broker:
        broker: Mosquitto = request.getfixturevalue("mosquitto")
        address = f"mqtt://{broker.host}:{broker.port}/BJ-07/wall"
        edits = {anchor: text.replace(WALL, address) for anchor, text in EDITS.items()}
    with simulated_table(tmp_path, edits=edits) as config:
        control, log = tmp_path / "run" / "control.sock", tmp_path / "daemon.log"
        with daemon(config, control, log) as running:
            until_seen(tmp_path, running, "ONE MOMENT")
            until(
                lambda: all(
                    running.told("state")["devices"]["known"].get(str(display["name"]), {}).get("is_connected")
                    for display in DISPLAYS
                ),
                lambda: running.log[-3000:],
            )
            assert show(running, "--what", "amount", "--amount", "123456", "--currency", "EUR")["exit"] == 0
            until_seen(tmp_path, running, "EUR 1,234.56")
            refused = show(running, "--what", "amount", "--amount", "99999999999", "--currency", "EUR")
            assert refused["exit"] != 0
            refused = show(running, "--what", "amount", "--amount", "4000000000", "--currency", "EUR")
            assert refused["exit"] != 0
            assert "wall cannot show it" in json.dumps(refused)
            assert seen(tmp_path) == {"wall": "EUR 1,234.56", "sign": "EUR 1,234.56"}
            assert show(running, "--what", "won")["exit"] == 0
            until_seen(tmp_path, running, "JACKPOT WON")
            until(
                lambda: running.told("state")["displays"]["shown"] == {"wall": 2, "sign": 2},
                lambda: str(running.told("state")["displays"]),
            )
            running.end(signal.SIGKILL)
        with daemon(config, control, log) as running:
            until_seen(tmp_path, running, "JACKPOT WON")
            assert show(running, "--what", "amount", "--amount", "1000000", "--currency", "EUR")["exit"] == 0
            until_seen(tmp_path, running, "EUR 10,000.00")
            assert running.end() == 0
