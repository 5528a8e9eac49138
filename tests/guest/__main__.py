"""`make test-usb`: boot the machine, let it check our drivers on its kernel, and say what came of each check."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from simulator.side_client import ask
from tests.guest.in_guest import CHECKS, KEYED, READY_FOR_KEYS
from tests.guest.machine import LIMIT_S, MachineAbsent, command_line, initramfs, kernel_in, what_is_missing
from tests.support.mosquitto import free_port
from tests.support.processes import environment, until

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".guest"
PLAN = """
[simulation]
pace = 20
side_channel = "side.sock"
[[decks]]
back = "red"
count = 1
[[devices]]
name = "shuffler"
kind = "shuffler"
serial_number = "000123"
address = "tcp://127.0.0.1:{port}"
"""
TOLD = re.compile(r"CHECK ([\w ,-]+): (.*)")


def main() -> int:
    """0: all is well, or the machine cannot be had here, which is said."""
    if missing := what_is_missing():
        print(f"SKIPPED: no emulated machine here, so nothing was tried on a real kernel. To have it: {missing}")
        return 0
    try:
        kernel, modules = kernel_in(CACHE)
    except MachineAbsent as absent:
        print(f"SKIPPED: {absent}; nothing was tried on a real kernel")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), kernel, modules)


def run(folder: Path, kernel: Path, modules: Path) -> int:
    image = initramfs(folder, modules, ROOT, [sys.executable, "-u", "-m", "tests.guest.in_guest"])
    port, monitor = free_port(), folder / "monitor"
    (folder / "plan.toml").write_text(PLAN.format(port=port), "utf-8")
    simulator = subprocess.Popen(
        [sys.executable, "-m", "simulator", "serve", str(folder / "plan.toml")],
        env=environment(),
        stdout=subprocess.DEVNULL,
    )
    side = folder / "side.sock"
    try:
        until(side.exists, lambda: "the simulator did not start")
        hopper(side)
        machine = subprocess.Popen(
            command_line(kernel, image, serial_far_end=port, monitor=monitor),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        stop = threading.Timer(LIMIT_S, machine.kill)
        stop.start()
        try:
            told = followed(machine, monitor)
        finally:
            stop.cancel()
            machine.kill()
            machine.wait()
    finally:
        simulator.terminate()
        simulator.wait()
    wrong = [name for name in CHECKS if told.get(name) != "ok"]
    wrong += [name for name, what in told.items() if what != "ok" and name not in wrong]
    for name in wrong:
        print(f"FAILED {name}: {told.get(name, 'it was not reached')}")
    print(f"{len(CHECKS) - len(wrong)} of {len(CHECKS)} checks on a real kernel passed")
    return 1 if wrong else 0


def hopper(side: Path) -> None:
    """Some cards into the hopper of the shuffler whose cable is the FT232."""
    for deed in (
        {"does": "move", "source": "cabinet", "to": "spread"},
        {"does": "lay-in-hopper", "source": "spread", "cards": 10},
    ):
        done = ask(side, {"act": "person", "deed": deed})
        if done.get("refused"):
            raise AssertionError(done)


def followed(machine: subprocess.Popen[str], monitor: Path) -> dict[str, str]:
    """What the guest tells, printed as it comes; keys are pressed when it is ready for them."""
    told: dict[str, str] = {}
    assert machine.stdout is not None
    for line in machine.stdout:
        print(line.rstrip())
        if found := TOLD.search(line):
            told[found[1]] = found[2].strip()
        elif READY_FOR_KEYS in line:
            press(monitor, KEYED)
    return told


def press(monitor: Path, text: str) -> None:
    """Type on the machine's own USB keyboard, as QEMU's monitor does (keys of a US keyboard)."""
    names = {"-": "minus"}
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(os.fspath(monitor))
        with line.makefile("rw") as talk:
            talk.readline()
            for command in (
                {"execute": "qmp_capabilities"},
                *(key(names.get(each, each)) for each in text),
                key("ret"),
            ):
                talk.write(json.dumps(command) + "\n")
                talk.flush()
                while "return" not in json.loads(talk.readline()):
                    pass


def key(name: str) -> dict[str, object]:
    return {"execute": "send-key", "arguments": {"keys": [{"type": "qcode", "data": name}], "hold-time": 20}}


if __name__ == "__main__":
    sys.exit(main())
