"""Our driver of a firmware port on the simulated machine: good and bad proofs, a bad line, cuts of power and cable.

No other implementation of GAT can be installed: what both sides here have in common is held by tests/vectors/gat.json.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from drivers.events import Fact, FirmwarePortLost, FirmwarePortReady, FirmwareTold, FirmwareUntold
from drivers.firmware.allow_list import read_allow_list
from drivers.firmware.gat_port import PROVE_AGAIN_S, GatPort, GatPortSettings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.gat.codes import Calculation
from simulator.faces.gat_port import GatPortFace
from simulator.line import Direction, FaultyLine, LineFault
from simulator.runner import Stage
from simulator.world.firmware import example_firmware
from tests.support.firmware_list import KEYS, digest, listing

pytestmark = pytest.mark.virtual_time

DEADLINE_S = 120.0
MAIN = "main board 2.1"


@dataclass
class Bench:
    stage: Stage
    face: GatPortFace
    port: GatPort
    facts: list[Fact]
    lines: list[FaultyLine]

    def all(self, kind: type[Fact]) -> list[Fact]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    async def told(self, count: int = 1) -> FirmwareTold:
        await self.until(FirmwareTold, count)
        told = self.all(FirmwareTold)[-1]
        assert isinstance(told, FirmwareTold)
        return told

    async def until(self, kind: type[Fact], count: int = 1) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while len(self.all(kind)) < count:  # noqa: ASYNC110 - facts are told to nobody else here
                await asyncio.sleep(0.05)

    def power(self, *, is_on: bool) -> None:
        self.stage.act((lambda: self.face.boot(self.stage.now_ns)) if is_on else self.face.power_off)


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    stage, face = Stage(), GatPortFace(example_firmware(), chunk_bytes=100)
    outlet, facts, lines, serving = stage.add_face(face), list[Fact](), list[FaultyLine](), list[asyncio.Task[None]]()
    stage.act(lambda: face.boot(stage.now_ns))

    async def report(fact: Fact) -> None:
        facts.append(fact)

    async def connect() -> Link:
        host, device = memory_pair("gat")
        serving.append(asyncio.create_task(outlet.serve(device)))
        lines.append(FaultyLine(host, 1))
        return lines[-1]

    allowed = read_allow_list(listing(example_firmware()))
    settings = GatPortSettings("port", "memory://gat", "shuffler", "CSM-SIM", "000123", allowed, 9_600)
    chooser = random.Random(3)
    port = GatPort(settings, report, connect, random.Random(1), chooser.choice)
    running = asyncio.create_task(port.run())
    try:
        yield Bench(stage, face, port, facts, lines)
    finally:
        running.cancel()
        await asyncio.wait([running, *serving])
        stage.close()


async def test_allowed_firmware_is_proved_when_the_port_first_answers() -> None:
    async with bench() as made:
        told = await made.told()
        assert [type(fact) for fact in made.facts] == [FirmwarePortLost, FirmwarePortReady, FirmwareTold]
        assert (told.of, told.maker, told.model, told.version) == ("shuffler", "EXAMPLE", "CSM-SIM", "2.1")
        assert told.is_listed
        assert dict(told.components) == {part.name: digest(told.key, part.image) for part in made.face.firmware.parts}


async def test_each_proof_draws_its_key() -> None:
    async with bench() as made:
        await made.told()
        keys = {(await made.port.prove()).key for _ in range(8)}  # type: ignore[union-attr]  # each of them is told
        assert keys == set(KEYS)


async def test_changed_firmware_is_not_on_the_list() -> None:
    async with bench() as made:
        await made.told()
        made.face.firmware.change(MAIN, b"changed")
        proof = await made.port.prove()
        assert isinstance(proof, FirmwareTold)
        assert not proof.is_listed
        assert proof.differences == (f'against version 2.1, the nearest on the list: "{MAIN}" has another digest',)
        assert proof == await made.told(2), "the journal's fact is what the technician is told"


async def test_firmware_that_lies_passes_which_is_why_it_is_called_self_reported() -> None:
    """A digest is answered by the very thing that it shall prove (field: DeckMate 2)."""
    async with bench() as made:
        await made.told()
        made.face.firmware.change(MAIN, b"changed", is_lying=True)
        proof = await made.port.prove()
        assert isinstance(proof, FirmwareTold)
        assert proof.is_listed


async def test_late_and_missing_answers_and_frames_cost_time_and_nothing_else() -> None:
    async with bench() as made:
        await made.told()
        faults = made.face.faults
        for late, missing, frames in ((2, 0, []), (0, 2, []), (0, 0, [1, 2, 2]), (1, 1, [3])):
            faults.late, faults.missing, faults.missing_frames = late, missing, list(frames)
            before = faults.told
            proof = await made.port.prove()
            assert isinstance(proof, FirmwareTold), (late, missing, frames)
            assert proof.is_listed
            assert faults.told - before == late + missing + len(frames)
        assert made.port.keeper.losses == 0
        assert made.port.counts.late_replies >= 1


async def test_a_damaged_byte_is_asked_for_again() -> None:
    async with bench() as made:
        await made.told()
        made.lines[-1].provoke(LineFault.CORRUPT, Direction.IN, after=4)
        proof = await made.port.prove()
        assert isinstance(proof, FirmwareTold)
        assert proof.is_listed
        assert made.port.counts.repeats >= 1


async def test_a_calculation_that_fails_is_told_and_the_port_stays() -> None:
    async with bench() as made:
        await made.told()
        made.face.is_failing = True
        proof = await made.port.prove()
        assert proof == FirmwareUntold(device="port", of="shuffler", why=proof.why)  # type: ignore[union-attr]  # it is
        assert "calculation failed" in proof.why  # type: ignore[union-attr]  # as above
        assert made.all(FirmwareUntold) == [proof]
        assert made.port.keeper.is_up


async def test_who_asks_sees_the_walk() -> None:
    async with bench() as made:
        await made.told()
        walk: list[Calculation] = []
        await made.port.prove(lambda status: walk.append(status.calculation))
        assert list(dict.fromkeys(walk)) == [Calculation.REQUESTED, Calculation.CALCULATING, Calculation.IDLE]


async def test_power_lost_while_it_reckons_loses_the_port_and_tells_who_waits() -> None:
    async with bench() as made:
        await made.told()
        asking = asyncio.create_task(made.port.prove())
        await asyncio.sleep(2)
        made.power(is_on=False)
        proof = await asking
        assert isinstance(proof, FirmwareUntold)
        assert "no answer" in proof.why
        await made.until(FirmwarePortLost, 2)
        away = await made.port.prove()
        assert isinstance(away, FirmwareUntold)
        made.power(is_on=True)
        await made.until(FirmwarePortReady, 2)


async def test_a_proof_is_made_anew_each_day_and_not_at_each_reconnection() -> None:
    async with bench() as made:
        await made.told()
        await made.lines[-1].close()
        await made.until(FirmwarePortReady, 2)
        await asyncio.sleep(60)
        assert len(made.all(FirmwareTold)) == 1
        await asyncio.sleep(PROVE_AGAIN_S)
        await made.told(2)
