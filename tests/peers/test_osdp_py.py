"""Our simulated reader against the control panel of `osdp` 1.6, with its oddities, in real time: states only.

Its first poll is sealed before there is a channel, its key selector is always 00, and it derives the station's key
from a master key and the id that the reader tells in the handshake.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.wire.osdp.secure import BaseKey
from simulator.world.badges import Badge
from tests.support.osdp_served import SERIAL, served_reader
from tests.support.peer_environment import peer_python
from tests.support.peer_process import running_peer

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).with_name("osdp_py_panel.py")
MASTER = bytes(range(0x10, 0x20))
CLIENT_UID = b"SIMUL-PD"


@pytest.fixture(scope="session")
def osdp_py() -> Path:
    """The interpreter of its own environment: it and libosdp install a module of the same name."""
    return peer_python("osdp==1.6")


@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "secure"])
async def test_its_panel_reads_our_simulated_reader(osdp_py: Path, *, is_secure: bool) -> None:
    key = BaseKey(MASTER, is_master=True).for_station(CLIENT_UID) if is_secure else None
    arguments = [MASTER.hex()] if is_secure else []
    async with (
        served_reader(key) as (served, port),
        running_peer(osdp_py, SCRIPT, port, *arguments) as peer,
    ):
        await peer.until_said("online", True)
        assert (await peer.until_said("serial"))["serial"] == SERIAL
        served.face.head.tap(Badge.printed("26:00B4288A"), served.now_ns())
        card = await peer.until_said("bits")
        assert card == {"bits": 26, "data": "2d0a2280"}
        assert (served.face.security.channel is not None) is is_secure
