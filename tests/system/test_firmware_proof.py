"""`tableside diag verify-firmware` as a technician runs it: through a running daemon, and on the port itself."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulator.cables import Cable, SerialSocket
from simulator.faces.gat_port import GatPortFace
from simulator.runner import Stage
from simulator.world.firmware import Firmware, example_firmware
from tableside.control.server import ControlServer
from tableside.daemon import Daemon
from tableside.exit_codes import ExitCode
from tests.support.collector import until
from tests.support.config_files import Edit, write_config
from tests.support.firmware_list import listing
from tests.support.simulated_host import SimulatedTable, ground, host_in, new_clock

pytestmark = pytest.mark.system
ADDRESS = "serial:///dev/serial/by-id/proof?baud=9600"
PORT = f"""
[[devices]]
name = "proof"
role = "firmware_port"
driver = "gat-firmware-port"
address = "{ADDRESS}"
serial_number = "000123-G"
model = "CSM-SIM"
of = "shuffler"
firmware_list = "firmware.toml"
"""


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str


async def cli(*arguments: object) -> Ran:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "tableside", *(str(one) for one in arguments)]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


def machine() -> Firmware:
    firmware = example_firmware()
    firmware.seconds_a_part = 0.02
    return firmware


@asynccontextmanager
async def daemon_with_port(folder: Path, firmware: Firmware) -> AsyncIterator[Daemon]:
    table, face = SimulatedTable(), GatPortFace(firmware)
    (folder / "firmware.toml").write_text(listing(machine()), "utf-8")
    host = host_in(folder, Edit("table", "", PORT))
    table.outlets[ADDRESS] = table.stage.add_face(face)
    face.boot(table.stage.now_ns)
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir()
    daemon = Daemon(host, ground(new_clock(), table.connect), "test")
    await daemon.open()
    server = ControlServer(daemon.desk, host.control_socket)
    await server.open()
    stop = asyncio.Event()
    task = asyncio.create_task(daemon.run(stop, {"control": server.run}))
    try:
        yield daemon
    finally:
        stop.set()
        await task
        await table.close()


def rows(daemon: Daemon, kind: str) -> list[dict[str, Any]]:
    return [json.loads(row.body) for row in daemon.tables["BJ-1"].journal.records() if row.type == kind]


async def test_through_the_daemon_a_proof_goes_on_record(tmp_path: Path) -> None:
    firmware = machine()
    async with daemon_with_port(tmp_path, firmware) as daemon:
        await until(lambda: rows(daemon, "FirmwareTold"), "the first proof")
        config = ("--config", tmp_path / "host.toml")
        good = await cli("diag", "verify-firmware", "proof", "--json", *config)
        assert (good.code, json.loads(good.out)["version"]) == (ExitCode.DONE, "2.1")
        assert json.loads(good.out)["trust"] == "self-reported"
        assert "proof: requested" in good.err
        firmware.change("main board 2.1", b"changed")
        bad = await cli("diag", "verify-firmware", "proof", *config)
        assert bad.code == ExitCode.FOUND
        assert "shuffler: EXAMPLE CSM-SIM: NOT ON THE LIST (self-reported)" in bad.out
        assert '"main board 2.1" has another digest' in bad.out
        told = rows(daemon, "FirmwareTold")
        assert [fact["is_listed"] for fact in told] == [True, True, False]
        await until(lambda: rows(daemon, "AlertRaised"), "the alert")
        assert "FIRMWARE-UNLISTED" in {alert["text"] for alert in rows(daemon, "AlertRaised")}
        none = await cli("diag", "verify-firmware", "shuffler", *config)
        assert none.code == ExitCode.REFUSED
        assert "name one of proof" in none.err


async def test_where_no_daemon_runs_the_port_is_asked_directly(tmp_path: Path) -> None:
    """A pseudo-terminal: real bytes, opened and locked as a port is."""
    node = tmp_path / "port"
    firmware, stage = machine(), Stage()
    face = GatPortFace(firmware)
    outlet = stage.add_face(face)
    face.boot(stage.now_ns)
    cable = Cable("proof", SerialSocket(node))
    serving = asyncio.create_task(cable.run(outlet))
    (tmp_path / "firmware.toml").write_text(listing(machine()), "utf-8")
    config = write_config(tmp_path, Edit("table", "", PORT.replace("/dev/serial/by-id/proof", str(node))))
    try:
        await until(node.exists, "the port")
        good = await cli("diag", "verify-firmware", "proof", "--json", "--config", config)
        assert good.code == ExitCode.DONE, good.err
        assert "nothing of it is on record" in good.err
        assert json.loads(good.out)["is_listed"]
        stage.act(face.power_off)
        dark = await cli("diag", "verify-firmware", "proof", "--config", config)
        assert dark.code == ExitCode.NO_DEVICE
        assert "not one byte came" in dark.out
        assert (await cli("diag", "verify-firmware", "badges", "--config", config)).code == ExitCode.NO_DEVICE
        assert (await cli("diag", "verify-firmware", "nobody", "--config", config)).code == ExitCode.NO_DEVICE
    finally:
        serving.cancel()
        await asyncio.wait([serving])
        stage.close()
