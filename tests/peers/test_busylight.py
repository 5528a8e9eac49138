"""busylight-core 2.5.0 lights our simulated blink(1): its bytes, our face, the colour that eyes see."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.events import LampColour
from drivers.lamps.blink1_lamp import COLOURS
from firmware_bridge.wire.blink1.reports import Fade, decode_command, encode_command
from simulator.faces.blink1 import Blink1Face
from simulator.world.blink1 import NS_PER_MS, Blink1
from tests.support.peer_environment import peer_python
from tests.support.peer_process import PeerProcess, running_peer

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).with_name("busylight_lamp.py")


@pytest.fixture(scope="session")
def busylight() -> Path:
    return peer_python("busylight-core==2.5.0")


async def shown(peer: PeerProcess, face: Blink1Face, **told: object) -> tuple[int, int, int]:
    """What eyes see a second after the peer has done what it is told; its reports go to the face as they come."""
    peer.said.clear()
    peer.tell(**told)
    await peer.until_said("done")
    reports = [bytes.fromhex(line["report"]) for line in peer.said if "report" in line]
    assert reports, "it has sent something"
    for report in reports:
        assert face.set_feature(report, 0)
    return face.lamp.visible(1_000 * NS_PER_MS)


async def test_it_shows_every_colour_of_the_lamp_language(busylight: Path) -> None:
    lamp = Blink1()
    lamp.power(is_on=True)
    face = Blink1Face(lamp)
    async with running_peer(busylight, SCRIPT) as peer:
        await peer.until_said("name")
        for colour in (LampColour.RED, LampColour.AMBER, LampColour.BLUE, LampColour.OFF):
            assert await shown(peer, face, rgb=list(COLOURS[colour])) == COLOURS[colour]
        assert await shown(peer, face, off=True) == (0, 0, 0)
    assert face.refused == 0


async def test_its_bytes_for_a_colour_are_ours(busylight: Path) -> None:
    async with running_peer(busylight, SCRIPT) as peer:
        await peer.until_said("name")
        peer.tell(rgb=[255, 96, 0])
        report = bytes.fromhex((await peer.until_said("report"))["report"])
    command = decode_command(report)
    assert isinstance(command, Fade)
    assert command.rgb == (255, 96, 0)
    assert encode_command(command) == report
