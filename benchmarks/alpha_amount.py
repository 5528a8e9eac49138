"""An amount asked for → the last byte of the ALPHA message on the wire, against the message's wire time at 9,600 baud.

Ours: from the request handed to the hub, through reduce, journal thread and FULL commit (so the amount is accepted and
durable on the way), driver and session, to the moment in which a paced line has taken the last byte. The line is a
pseudo-terminal with the simulated sign behind it; what the host writes passes at 10 bits a byte.
Peer: the same bytes written on the same kind of paced line, nothing around them.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from benchmarks.compare import ROUNDS, Reach, Row, rows
from benchmarks.prepared import EPOCH
from drivers.displays.alpha_sign import AlphaSign, SignSettings
from drivers.displays.showing import Showing
from drivers.events import DisplayShowed, Fact, Shown
from firmware_bridge.clock import SystemClock
from firmware_bridge.links.base import Link, Receiver
from firmware_bridge.links.serial import open_serial
from firmware_bridge.wire.alpha.commands import write_string
from firmware_bridge.wire.alpha.packet import Packet, encode_packet
from simulator.cables import Cable, SerialSocket
from simulator.faces.alpha_sign import AlphaSignFace
from simulator.runner import Stage
from simulator.world.led_sign import LedSign
from tableside.house import Display, House
from tableside.hub import Hub, Listener
from tableside.inputs import DaemonStarted
from tableside.journal.opening import Place
from tableside.journal.writer import JournalWriter
from tableside.requests import ShowJackpot
from tableside.state import TableState
from tests.support.rims import new_rim
from tests.support.table import HOUSE

SAMPLES = 20  # a round; a sample takes about 0.1 s, as the sign is read back after each
OURS = "amount asked for to last byte"
PEER = "its bytes on a bare paced line"
REACH = Reach(PEER, 1.3)
BYTE_S = 10 / 9_600  # 7E1: start, seven bits, parity, stop
DEADLINE_S = 30.0
SIGN = "sign"


class PacedLine:
    """Another link, whose writer waits until the last byte would have left a UART: `last_byte_ns`."""

    def __init__(self, link: Link) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self.pause_reading = link.pause_reading
        self.resume_reading = link.resume_reading
        self.close = link.close
        self.last_byte_ns: dict[bytes, int] = {}
        self._link = link

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver."""
        self._link.start(receiver)

    async def write(self, data: bytes) -> None:
        """All of it, at the line's pace."""
        await asyncio.sleep(len(data) * BYTE_S)
        await self._link.write(data)
        self.last_byte_ns[data] = time.perf_counter_ns()


def message_of(showing: Showing) -> bytes:
    """The one packet that a new amount takes."""
    return encode_packet(Packet((write_string("a", showing.text.encode("ascii")),)))


class SignTable:
    """A table with a sign: real hub, journal, driver, session, pty; the sign's face in the same process."""

    def __init__(self, hub: Hub, facts: list[Fact], lines: list[PacedLine]) -> None:
        self.hub = hub
        self._facts = facts
        self._lines = lines
        self._numbers = count(1)

    async def until_shown(self, showing: Showing) -> int:
        """When the last byte of its message had left; returns after it was read back, which is not measured."""
        showed = DisplayShowed(device=SIGN, version=showing.version, what=showing.what)
        async with asyncio.timeout(DEADLINE_S):
            while showed not in self._facts:  # noqa: ASYNC110 - the read-back that follows is not measured
                await asyncio.sleep(0.001)
        return self._lines[-1].last_byte_ns[message_of(showing)]

    async def amount(self) -> int:
        """Nanoseconds from the request to the last byte of its message."""
        number = next(self._numbers)
        showing = Showing(number, Shown.AMOUNT, 1_000_00 + number, "EUR")
        begun_ns = time.perf_counter_ns()
        asking = ShowJackpot(id=f"b{number}", by="S1", what=showing.what, amount=showing.amount, currency="EUR")
        answer = await self.hub.ask(asking)
        assert answer.is_accepted, answer
        return await self.until_shown(showing) - begun_ns

    async def bare(self) -> int:
        """The same bytes on the same kind of line."""
        line = PacedLine(_Nowhere())
        begun_ns = time.perf_counter_ns()
        await line.write(message_of(Showing(1, Shown.AMOUNT, 1_000_01, "EUR")))
        return time.perf_counter_ns() - begun_ns


@asynccontextmanager
async def sign_table(
    folder: Path, settings: House = HOUSE, listeners: Sequence[Listener] = ()
) -> AsyncIterator[SignTable]:
    """Its journal and its pty lie in `folder`."""
    stage, face, socket = Stage(), AlphaSignFace(LedSign(SIGN, deaf_ns=0)), SerialSocket(folder / SIGN)
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    writer = JournalWriter(SystemClock())
    journal = await writer.open(Place("bench", folder / "bench.db", folder / "bench.reserve"), epoch=EPOCH)
    facts: list[Fact] = []
    lines: list[PacedLine] = []

    async def connect() -> Link:
        lines.append(PacedLine(await open_serial(str(folder / SIGN))))
        return lines[-1]

    async def report(fact: Fact) -> None:
        facts.append(fact)
        await hub.report(fact)

    driver = AlphaSign(SignSettings(SIGN, f"serial://{folder / SIGN}"), report, connect, random.Random(1))
    house = replace(settings, displays=(Display(SIGN, "alpha-sign", 13),))
    hub = Hub(journal, TableState(house=house), SystemClock(), {SIGN: driver}, listeners, rim=new_rim())
    await hub.report(DaemonStarted(version="bench", clock_boot=SystemClock().boot, house=house))
    parts = (Cable(SIGN, socket).run(outlet), hub.run(), driver.run())
    running = [asyncio.create_task(part) for part in parts]
    table = SignTable(hub, facts, lines)
    async with asyncio.timeout(DEADLINE_S):
        while not driver.keeper.is_up:  # noqa: ASYNC110 - the set-up is not measured
            await asyncio.sleep(0.01)
    yield table
    for task in running:
        task.cancel()
    await asyncio.wait(running)
    stage.close()
    await writer.close()


def measure(rounds: int = ROUNDS, samples: int = SAMPLES) -> list[Row]:
    """Median of each round."""
    taken = asyncio.run(_measured(rounds, samples))
    return rows(f"ALPHA amount, median of {rounds * samples}", OURS, taken, [REACH], "ms")


async def _measured(rounds: int, samples: int) -> dict[str, list[float]]:
    figures: dict[str, list[float]] = {OURS: [], PEER: []}
    with tempfile.TemporaryDirectory(prefix="sign-bench-") as name:
        async with sign_table(Path(name)) as table:
            await table.amount()  # lets go of *one moment*, which takes a packet more
            sides = {OURS: table.amount, PEER: table.bare}
            for _ in range(rounds):
                taken: dict[str, list[float]] = {OURS: [], PEER: []}
                for number in range(samples):
                    for side in (OURS, PEER) if number % 2 else (PEER, OURS):
                        taken[side].append(await sides[side]() / 1e6)
                for side, of_round in taken.items():
                    figures[side].append(statistics.median(of_round))
    return figures


class _Nowhere:
    """Where the bare line's bytes go."""

    address = "serial://nowhere"
    is_message_based = False
    is_simulated = True

    def start(self, receiver: Receiver) -> None:
        """Nothing comes."""

    async def write(self, data: bytes) -> None:
        """Taken at once."""

    def pause_reading(self) -> None:
        """Nothing comes."""

    def resume_reading(self) -> None:
        """Nothing comes."""

    async def close(self) -> None:
        """Nothing is open."""
