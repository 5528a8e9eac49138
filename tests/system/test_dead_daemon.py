"""A daemon that is killed must not look like a table on which all is well: the lamp shows red by itself."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from drivers.lamps.blink1_lamp import DARK, RED
from simulator.cables import Cable, UsbipSocket
from simulator.faces.blink1 import Blink1Face
from simulator.runner import Stage
from simulator.usb.feature_lamp import blink1_identity, blink1_shape
from simulator.world.blink1 import Blink1
from tests.support.collector import until
from tests.support.config_files import Edit, write_config

pytestmark = pytest.mark.system


async def test_a_killed_daemon_shows_red(tmp_path: Path, unused_tcp_port: int) -> None:
    """SIGKILL: no task of ours, no destructor, nothing of the process is left. The lamp is on USB/IP."""
    lamp, stage = Blink1(), Stage()
    face = Blink1Face(lamp)
    face.boot(0)
    cable = Cable("lamp", UsbipSocket("127.0.0.1", unused_tcp_port, blink1_identity("2A01"), blink1_shape(face)))
    serving = asyncio.create_task(cable.run(stage.add_face(face, sees_cable=True)))
    device = f"""
[[devices]]
name = "lamp"
role = "lamp"
driver = "blink1-lamp"
address = "usb://27b8:01ed/2A01?usbip=127.0.0.1:{unused_tcp_port}"
serial_number = "2A01"
model = "blink(1)"
"""
    config = write_config(tmp_path, Edit("table", "", device))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tableside", "run", "--config", str(config), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await until(lambda: lamp.is_watched, "the hub has spoken")
        await asyncio.sleep(0.2)
        assert lamp.visible(time.monotonic_ns()) != RED
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        assert not lamp.is_untended(time.monotonic_ns()), "not yet: it was fed just now"
        await until(lambda: lamp.is_untended(time.monotonic_ns()), "the watchdog")
        await until(lambda: lamp.visible(time.monotonic_ns()) == RED, "red")
        await until(lambda: lamp.visible(time.monotonic_ns()) == DARK, "and dark: it blinks")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        serving.cancel()
        await asyncio.wait([serving])
        stage.close()
