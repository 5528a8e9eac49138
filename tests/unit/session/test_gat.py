"""A session of GAT on the simulated port: the status walk, long results, and answers that are late or do not come."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.gat import GatSession, NotTold, calculate
from firmware_bridge.session.gat.session import COPIES
from firmware_bridge.wire.garbage import GarbageReason
from firmware_bridge.wire.gat.codes import DIGESTS_FILE, GET_FILE, Calculation, Format, Level
from firmware_bridge.wire.gat.digests import read_digests
from firmware_bridge.wire.gat.messages import Initiate, LastStatus, Status, special_function
from simulator.faces.gat_port import GatPortFace
from simulator.runner import Outlet, Stage
from simulator.world.firmware import Firmware, Part

pytestmark = pytest.mark.virtual_time

KEY = bytes.fromhex("00112233445566778899AABBCCDDEEFF00112233")
ASKED = special_function(GET_FILE, DIGESTS_FILE, KEY.hex().upper())
PARTS = [Part(f"main board {number}.0", bytes((number,)) * 100) for number in range(12)]


@dataclass
class Bench:
    stage: Stage
    face: GatPortFace
    outlet: Outlet
    session: GatSession
    counts: LinkCounts
    running: asyncio.Task[None]


@asynccontextmanager
async def bench(*, is_on: bool = True) -> AsyncIterator[Bench]:
    stage, counts = Stage(), LinkCounts()
    face = GatPortFace(Firmware("EXAMPLE", "CSM-SIM", PARTS))
    outlet = stage.add_face(face)
    if is_on:
        stage.act(lambda: face.boot(stage.now_ns))
    host, device = memory_pair("gat")
    session = GatSession(host, counts)
    serving, running = asyncio.create_task(outlet.serve(device)), asyncio.create_task(session.run())
    await asyncio.sleep(0)
    try:
        yield Bench(stage, face, outlet, session, counts, running)
    finally:
        running.cancel()
        await asyncio.wait([running])
        serving.cancel()
        await asyncio.wait([serving])
        stage.close()


def expected() -> tuple[tuple[str, str], ...]:
    """By hashlib, not by the simulator."""
    return tuple((part.name, hmac.new(KEY, part.image, hashlib.sha1).hexdigest().upper()) for part in PARTS)


async def test_the_status_walks_and_a_long_result_is_put_together() -> None:
    async with bench() as made:
        walk: list[Calculation] = []
        result = await calculate(made.session, ASKED, Format.XML, lambda status: walk.append(status.calculation))
        assert list(dict.fromkeys(walk)) == [Calculation.REQUESTED, Calculation.CALCULATING, Calculation.IDLE]
        assert len(result) > 3 * 248, "several frames"
        assert read_digests(result).components == expected()
        assert (await made.session.last_status()).seconds == len(PARTS)
        assert made.counts.repeats == made.counts.late_replies == made.counts.garbage_bytes == 0


async def test_a_frame_that_does_not_come_is_asked_for_again() -> None:
    async with bench() as made:
        made.face.faults.missing_frames = [1, 3, 3]
        result = await calculate(made.session, ASKED, Format.XML)
        assert read_digests(result).components == expected()
        assert made.face.faults.told == made.counts.repeats == 3


async def test_a_late_answer_is_thrown_away_and_the_question_asked_again() -> None:
    async with bench() as made:
        await calculate(made.session, ASKED, Format.XML)
        made.face.faults.late = 1
        assert (await made.session.status()).is_done
        assert (made.face.faults.told, made.counts.late_replies, made.counts.repeats) == (1, 1, 1)


@pytest.mark.parametrize("late_ms", [230, 250, 300, 700, 1_100])
async def test_however_late_answers_are_the_result_is_right(late_ms: int) -> None:
    """What comes after its time is nobody's answer, or that of a copy of the same question."""
    async with bench() as made:
        made.face.faults.late, made.face.faults.late_ns = 40, late_ms * 1_000_000
        try:
            result = await calculate(made.session, ASKED, Format.XML)
        except SessionOver as over:
            assert over.ending in (Ending.UNANSWERED, Ending.SILENT)  # noqa: PT017 - it may give up, it may not be wrong
        else:
            assert read_digests(result).components == expected()
            assert made.counts.late_replies > 0


async def test_a_check_with_its_bytes_swapped_is_no_answer() -> None:
    async with bench() as made:
        made.face.faults.swapped_check = 1
        assert (await made.session.status()).calculation is Calculation.IDLE
        assert made.counts.garbage == {GarbageReason.BAD_CHECK: 1}
        assert made.counts.repeats == 1


async def test_a_question_is_asked_three_times_then_the_session_is_over() -> None:
    async with bench() as made:
        await made.session.status()
        made.face.faults.missing = COPIES
        with pytest.raises(SessionOver, match="no answer to 3 copies") as over:
            await made.session.status()
        assert over.value.ending is Ending.UNANSWERED


async def test_a_dark_port_is_silent() -> None:
    async with bench(is_on=False) as made:
        with pytest.raises(SessionOver, match="not one byte came") as over:
            await made.session.status()
        assert over.value.ending is Ending.SILENT


async def test_between_questions_the_line_rests() -> None:
    """225 ms after silence, 10 ms after an answer (gsa-p0093)."""
    async with bench() as made:
        loop = asyncio.get_running_loop()
        await made.session.status()
        begun_s = loop.time()
        await made.session.status()
        assert loop.time() - begun_s >= 0.010
        made.face.faults.missing = 1
        begun_s = loop.time()
        await made.session.status()
        assert loop.time() - begun_s >= 0.225


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Initiate(Level.TEXT_REPORT), "knows no level 01h"),
        (special_function("Get File", "Nothing.xml"), "knows no level BAh"),
    ],
)
async def test_what_it_cannot_calculate_is_said(asked: Initiate, why: str) -> None:
    async with bench() as made:
        with pytest.raises(NotTold, match=why):
            await calculate(made.session, asked, Format.XML)


async def test_a_calculation_that_fails_is_no_result() -> None:
    async with bench() as made:
        made.face.is_failing = True
        with pytest.raises(NotTold, match="calculation failed"):
            await calculate(made.session, ASKED, Format.XML)


async def test_a_machine_started_anew_has_forgotten() -> None:
    async with bench() as made:

        def cut(status: Status) -> None:
            if status.calculation is Calculation.CALCULATING and not made.face.faults.told:
                made.face.faults.told = 1
                made.stage.act(made.face.power_off)
                made.stage.act(lambda: made.face.boot(made.stage.now_ns))

        with pytest.raises(NotTold, match="forgotten"):
            await calculate(made.session, ASKED, Format.XML, cut)


async def test_another_host_that_asks_for_something_else_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as made:

        async def another() -> LastStatus:
            return LastStatus(Level.TEXT_REPORT, 1)

        monkeypatch.setattr(made.session, "last_status", another)
        with pytest.raises(NotTold, match="somebody else asks"):
            await calculate(made.session, ASKED, Format.XML)


async def test_the_end_of_the_cable_ends_it() -> None:
    async with bench() as made:
        asking = asyncio.create_task(calculate(made.session, ASKED, Format.XML))
        await asyncio.sleep(2)
        made.running.cancel()
        with pytest.raises(SessionOver) as over:
            await asking
        assert over.value.ending is Ending.LINK_LOST
