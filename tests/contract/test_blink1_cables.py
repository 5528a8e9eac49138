"""A blink(1) behind pyusb, in the process and over USB/IP: the colour that eyes see crosses real control transfers."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from drivers.device import PlainSettings
from drivers.events import LampColour, LampPattern, LampReady
from drivers.lamps.blink1_lamp import COLOURS, Blink1Lamp
from drivers.registry import PLAIN_DRIVERS, build_plain
from simulator.faces.blink1 import Blink1Face
from simulator.runner import Stage
from simulator.usb.feature_lamp import blink1_shape
from simulator.world.blink1 import Blink1
from tests.contract.test_every_offered_cable import USBIP, Host, line_of, running
from tests.support.collector import until

BLINK1_LAMP = PLAIN_DRIVERS["blink1-lamp"]


@pytest.mark.parametrize("scheme", [*BLINK1_LAMP.schemes, USBIP])
async def test_a_lamp_with_a_watchdog(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    host, stage, light = Host(), Stage(), Blink1()
    face = Blink1Face(light)
    with line_of(scheme, tmp_path, unused_tcp_port, blink1_shape(face)) as line:
        lamp = build_plain(
            BLINK1_LAMP.name, PlainSettings("device", line.address), host.report, line.connect, random.Random(1)
        )
        assert isinstance(lamp, Blink1Lamp)
        async with running(stage, face, line, lamp.run()):
            ready = await host.until_told(LampReady)
            assert ready == LampReady(device="device", model="", firmware="2.4", is_simulated=True)
            lamp.set_lamp(LampColour.BLUE, LampPattern.STEADY)
            await until(lambda: light.visible(time.monotonic_ns()) == COLOURS[LampColour.BLUE], "blue")
            assert light.is_watched
