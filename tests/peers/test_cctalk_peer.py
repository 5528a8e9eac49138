"""What our bus and our simulated acceptors say, cut into frames by serialport's ccTalk parser, which nobody here wrote.

It looks at lengths and pauses and at no check: what it finds must be what we sent, frame by frame. A host built on it
opens our simulated acceptor, and accepts a chip.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.cctalk import Acceptor, AcceptorNotice, AcceptorProfile, BusSettings, CctalkBus
from firmware_bridge.session.cctalk.acceptor import AcceptorReady, EventsTold
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.cctalk.acceptor import command, set_master_inhibit
from firmware_bridge.wire.cctalk.codes import Header
from firmware_bridge.wire.cctalk.frame import Frame, FrameDecoder, encode
from firmware_bridge.wire.garbage import Garbage
from simulator.cables import Cable, socket_for
from simulator.faces.cctalk import CctalkFace
from simulator.runner import Stage
from simulator.world.coin_acceptor import CoinAcceptor
from tests.support.collector import until
from tests.support.peer_environment import peer_node
from tests.support.peer_process import running_program

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).with_name("cctalk_parser.cjs")
HOST = Path(__file__).with_name("cctalk_host.cjs")
DEADLINE_S = 60
CHIP = 3
# Three times the pause after which both sides forget what had begun: an outcome, not a duration, is held here.
PAUSE_MS = 150


@pytest.fixture(scope="session")
def parser() -> Path:
    return peer_node("@serialport/parser-cctalk@13.0.0")


def parsed(place: Path, pieces: list[tuple[bytes, int]]) -> list[bytes]:
    """The frames that it finds in these pieces, each after so many ms."""
    given = json.dumps([{"hex": data.hex(), "wait_ms": wait_ms} for data, wait_ms in pieces])
    done = subprocess.run(
        ["node", str(SCRIPT), str(place)], input=given, capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    return [bytes.fromhex(line) for line in done.stdout.split()]


class Tapped:
    """A link whose bytes are noted, both ways."""

    def __init__(self, link: Link) -> None:
        self.address, self.is_message_based, self.is_simulated = link.address, False, True
        self.out, self.back = b"", b""
        self._link = link

    def start(self, receiver: Any) -> None:
        self._receiver = receiver
        self._link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        self.back += chunk
        self._receiver.chunk_received(chunk)

    def link_lost(self, reason: Exception) -> None:
        self._receiver.link_lost(reason)

    async def write(self, data: bytes) -> None:
        self.out += data
        await self._link.write(data)

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    async def close(self) -> None:
        await self._link.close()


async def talk() -> Tapped:
    """Our bus sets an acceptor up, opens it and reads a chip off it; what went over the wire, without echo."""
    stage, world, told = Stage(), CoinAcceptor("slot", serial=7), list[AcceptorNotice]()
    stage.add_world(world)
    face = CctalkFace({11: world}, has_echo=False)
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    host, device = memory_pair("bus")
    tapped = Tapped(host)
    serving = asyncio.create_task(outlet.serve(device))

    async def connect() -> Link:
        return tapped

    async def listen(notice: AcceptorNotice) -> None:
        told.append(notice)

    bus, acceptor = (
        CctalkBus(BusSettings("bus", "memory://bus"), connect),
        Acceptor(AcceptorProfile(11, frozenset({CHIP}))),
    )
    bus.add(acceptor, listen)
    running = asyncio.create_task(bus.run())
    try:
        await until(lambda: any(isinstance(notice, AcceptorReady) for notice in told), "the acceptor")
        acceptor.wants_open = True
        await until(lambda: world.accepts and CHIP in world.coins, "an open slot")
        stage.act(lambda: world.drop(CHIP))
        await until(lambda: any(isinstance(notice, EventsTold) for notice in told), "the chip")
    finally:
        running.cancel()
        await asyncio.wait([running, serving])
        stage.close()
    return tapped


def frames_of(data: bytes) -> list[bytes]:
    """As our own decoder cuts them: nothing of it is garbage."""
    pieces = list(FrameDecoder().feed(data))
    assert not [piece for piece in pieces if isinstance(piece, Garbage)]
    return [encode(piece) for piece in pieces if isinstance(piece, Frame)]


async def test_it_finds_every_command_and_every_reply_whole_and_in_pieces(parser: Path) -> None:
    tapped = await talk()
    for said in (tapped.out, tapped.back):
        ours = frames_of(said)
        assert len(ours) > 8
        if said is tapped.out:
            assert encode(set_master_inhibit(11, accepts=True)) in ours
            assert encode(command(11, Header.READ_CREDIT)) in ours
        else:
            assert any(frame[4:7] == bytes((1, CHIP, 1)) for frame in ours), "the chip's credit"
        for size in (1, 7, len(said)):
            pieces = [(said[at : at + size], 0) for at in range(0, len(said), size)]
            assert parsed(parser, pieces) == ours, size


def test_both_forget_what_had_begun_after_a_pause(parser: Path) -> None:
    """A torn command, 50 ms and more of silence, a whole one: only the whole one is there."""
    whole, torn = encode(set_master_inhibit(11, accepts=False)), encode(command(12, Header.READ_CREDIT))[:3]
    assert parsed(parser, [(torn, 0), (whole, PAUSE_MS)]) == [whole]
    decoder = FrameDecoder()
    assert [*decoder.feed(torn), *decoder.silence(), *decoder.feed(whole)][-1] == Frame(11, 1, 228, b"\x00")


async def test_a_host_built_on_it_accepts_a_chip_at_our_acceptor(parser: Path, tmp_path: Path) -> None:
    """It opens the slot for one coin, a chip falls in, it reads the credit off the events, and shuts the slot."""
    stage, world, port = Stage(), CoinAcceptor("slot", serial=7), tmp_path / "slot"
    stage.add_world(world)
    face = CctalkFace({11: world}, has_echo=False)
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    cable = Cable("slot", socket_for(f"serial://{port}", lambda: 0))
    serving = asyncio.create_task(run_together(cable.run(outlet), stage.until_failure()))
    try:
        await until(lambda: os.path.lexists(port), "the acceptor's port")
        async with running_program("node", str(HOST), str(parser), str(port), "11", str(CHIP)) as peer:
            await peer.until_said("open", True)
            assert (world.accepts, world.coins) == (True, frozenset({CHIP}))
            stage.act(lambda: world.drop(CHIP))
            assert await peer.until_said("coin") == {"counter": 1, "coin": CHIP, "path": 1}
        assert (world.box, world.accepts) == (1, False)
    finally:
        serving.cancel()
        await asyncio.wait([serving])
        stage.close()
