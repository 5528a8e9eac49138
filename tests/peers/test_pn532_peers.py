"""Our simulated PN532 against hosts that nobody here wrote: `adafruit-circuitpython-pn532` and `nfcpy` read its tags.

Both wake it, set it up in their own ways (nfcpy goes to 921,600 baud and writes registers), read tags of four and
seven bytes, see that nothing lies there, and put the chip to sleep; the next host finds it asleep and wakes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge.session.supervised import run_together
from simulator.cables import Cable, socket_for
from simulator.faces.pn532 import Pn532Face
from simulator.runner import Stage
from simulator.world.rf_field import RfField, Tag
from tests.support.collector import until
from tests.support.peer_environment import peer_python
from tests.support.peer_process import running_peer

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).parent / "pn532_readers.py"
SHORT, LONG = Tag(bytes.fromhex("D0AC1F62")), Tag(bytes.fromhex("04A1B2C3D4E580"), sel_res=0x00, sens_res=0x0044)
# What has left the board is at the port by then.
ON_ITS_WAY_S = 0.1
PEERS = {
    "adafruit": ("adafruit-circuitpython-pn532==2.4.9", {"chip": [50, 1, 6, 7]}),
    "nfcpy": ("nfcpy==1.0.4", {"chip": "PN532v1.6", "line": True}),
}


@dataclass
class Board:
    """One board on a serial port, and what lies on its antenna."""

    stage: Stage
    field: RfField
    face: Pn532Face

    async def lay(self, tag: Tag) -> None:
        """adafruit leaves a look that waits for a tag under way: its answer comes now, and before the next question.

        (One that came between the peer's flush and our ACK would be taken for the ACK: its own race, not ours.)
        """
        self.stage.act(lambda: self.field.lay(tag, 0.0))
        await until(lambda: self.face.next_wake_ns is None, "the end of the look")
        await asyncio.sleep(ON_ITS_WAY_S)

    def take(self, tag: Tag) -> None:
        self.stage.act(lambda: self.field.take(tag.uid))


@asynccontextmanager
async def served_board(port: Path) -> AsyncIterator[Board]:
    stage, field = Stage(), RfField(1)
    face = Pn532Face("antenna", field, 0.0)
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    cable = Cable("antenna", socket_for(f"serial://{port}", lambda: 0))
    task = asyncio.create_task(run_together(cable.run(outlet), stage.until_failure()))
    try:
        yield Board(stage, field, face)
    finally:
        task.cancel()
        await asyncio.wait([task])
        stage.close()


async def read_by(name: str, port: Path, board: Board) -> None:
    """A peer's whole visit."""
    requirement, introduced = PEERS[name]
    async with running_peer(peer_python(requirement), SCRIPT, name, str(port)) as peer:
        said = await peer.until_said("chip")
        assert {key: said[key] for key in introduced} == introduced

        async def read(what: str) -> str | None:
            peer.tell(read=what)
            uid = (await peer.until_said("read", what))["uid"]
            return uid if uid is None else str(uid)

        assert await read("nothing") is None
        await board.lay(SHORT)
        assert await read("short") == "d0ac1f62"
        board.take(SHORT)
        await board.lay(LONG)
        assert await read("long") == "04a1b2c3d4e580"
        board.take(LONG)
        assert await read("nothing again") is None
        peer.tell(stop=True)
        await peer.until_said("slept", True)
    assert not board.face.is_awake


@pytest.mark.parametrize("name", PEERS)
async def test_a_peer_reads_tags_off_our_board(name: str, tmp_path: Path) -> None:
    port = tmp_path / "antenna"
    async with served_board(port) as board:
        await read_by(name, port, board)
        await read_by(name, port, board)
