"""What stands around the demo's table: a broker where one is installed, displays, and the files that name them.

The demo's own files name no broker and no display; what is added goes to copies in `run/`. Imports nothing of ours.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

LOOPBACK = "127.0.0.1"
# Where Debian has it, which is on nobody's path but root's.
PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
PAGE_PORT = 8378
PORTS_TRIED = 50
BROKER_PATIENCE_S = 10.0
STOP_S = 15.0
STORE = Path(__file__).with_name("store.py")
# The demo's tables are written for the folder beside `run/`; the copies lie in it.
BESIDE, HERE = '"../run', '"./'

NORTHBOUND = """
[broker]
address = "mqtt://{host}:{port}/house"

[[consumers]]
name = "store"
output = "events"
"""
WALL = """
[[devices]]
name = "wall"
role = "display"
driver = "tdl-display"
address = "{address}"
serial_number = "000888"
model = "SIGN-SIM"
display_characters = 13
"""
SIMULATED_WALL = """
[[devices]]
name = "wall"
kind = "display"
serial_number = "000888"
address = "{address}"
"""
PAGE = """
[[devices]]
name = "page"
role = "display"
driver = "display-page"
address = "{address}"
serial_number = "W-1"
model = "page"
display_characters = 13
caption = "Jackpot"
"""
# What serves it may not be installed.
SUPERVISORS_PAGE = "[page]\nport = 8377\n"
# A page that nobody has opened is away; in the demo people are given time to open it.
SILENT, PATIENT = "device_silent_s = 8", "device_silent_s = 300"


def free_port(first: int = 0) -> int:
    """A port of the loopback that nobody listens on: `first` or one of the next, else any."""
    for port in (*range(first, first + PORTS_TRIED * bool(first)), 0):
        with suppress(OSError), socket.socket() as probe:
            probe.bind((LOOPBACK, port))
            return int(probe.getsockname()[1])
    raise OSError("no port is free on the loopback")


class Broker:
    """mosquitto on a port of its own, with nothing kept; `port` None: it is not there, and `why` says so."""

    def __init__(self, run: Path) -> None:
        self.port: int | None = None
        self.why = "mosquitto is not installed (Debian: apt-get install mosquitto)"
        self._process: subprocess.Popen[bytes] | None = None
        program = shutil.which("mosquitto", path=PLACES)
        if program is not None:
            self._start(program, run, free_port())

    def _start(self, program: str, run: Path, port: int) -> None:
        settings = run / "mosquitto.conf"
        text = f"listener {port} {LOOPBACK}\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n"
        if os.geteuid() == 0:
            text += "user root\n"  # else it would change to an account that may not read this folder
        settings.write_text(text, "utf-8")
        with (run / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen([program, "-c", str(settings)], stdout=log, stderr=log)
        end_s = time.monotonic() + BROKER_PATIENCE_S
        while time.monotonic() < end_s and self._process.poll() is None:
            with suppress(OSError), socket.create_connection((LOOPBACK, port), 1):
                self.port = port
                return
            time.sleep(0.05)
        self.stop()
        self.why = f"mosquitto does not start here: see {run / 'mosquitto.log'}"

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Store:
    """The consumer of the table's events, where there is a broker."""

    def __init__(self, broker: Broker, table: str) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        if broker.port is None:
            print(f"Northbound: left out, {broker.why}.")
            return
        topic = f"house/{table}/events/store"
        print(f"Northbound: {table} tells its events over MQTT at {LOOPBACK}:{broker.port}, topic {topic}.", flush=True)
        command = [sys.executable, str(STORE), LOOPBACK, str(broker.port), topic]
        self._child = subprocess.Popen([*command, f"house/{table}/acks/store"])

    def stop(self) -> int:
        """Let it say what came; returns whether nothing did."""
        if self._child is None:
            return 0
        self._child.terminate()
        return self._child.wait(STOP_S)


def page_address() -> str | None:
    """Where the display page will be; None where what serves it is not installed."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        return None
    return f"http://{LOOPBACK}:{free_port(PAGE_PORT)}"


def write_files(demo: Path, run: Path, broker_port: int | None, page: str | None) -> None:
    """The demo's files for the folder `run`, and `evening.toml`: the host with displays and two more tables."""
    texts = {path.stem: path.read_text("utf-8") for path in demo.glob("*.toml")}
    texts = {name: text.replace(BESIDE + "/", HERE).replace(BESIDE, HERE) for name, text in texts.items()}
    texts = {name: text.replace("serial://../run/", "serial://./") for name, text in texts.items()}
    wall = "serial://./dev/wall?baud=115200"
    if broker_port is not None:
        texts["host"] += NORTHBOUND.format(host=LOOPBACK, port=broker_port)
        wall = f"mqtt://{LOOPBACK}:{broker_port}/house/BJ-07/devices/wall"
    texts["simulation"] += SIMULATED_WALL.format(address=wall)
    displays = WALL.format(address=wall) + (PAGE.format(address=page) if page is not None else "")
    texts["table_with_displays"] = texts["table"].replace(SILENT, PATIENT) + displays
    tables = '"table_with_displays.toml", "retrofit_table.toml", "shoe_table.toml"'
    texts["evening"] = texts["host"].replace('"table.toml"', tables)
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        texts = {name: text.replace(SUPERVISORS_PAGE, "") for name, text in texts.items()}
    for name, text in texts.items():
        (run / f"{name}.toml").write_text(text, "utf-8")
