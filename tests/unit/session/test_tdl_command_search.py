"""BR-007, exhaustively for one COUNT_ALL: what the line may do to each frame, and the card machine's own count.

Every frame of the exchange (the command, its reply, the question, its reply) is lost, doubled or delayed past its
time limit: every combination for the first two of each direction, and longer ones, seeded, with a reset of the
device in between. Whatever happens, the machine has moved at most once for the one command that was given, and what the
host believes in the end is what the machine did.
"""

from __future__ import annotations

import asyncio
import itertools
import random

import pytest

from firmware_bridge.session.endings import SessionOver
from firmware_bridge.session.tdl import Noticed, Request
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, Status
from tests.support.tdl_device import EPOCH, Crossing, ScriptedDevice
from tests.support.tdl_host import Host, running, until

pytestmark = pytest.mark.virtual_time

LOSE, DOUBLE, DELAY, KIND = (), (0.0, 0.45), (0.45,), (0.0,)
FATES = {"lose": LOSE, "double": DOUBLE, "delay": DELAY, "kind": KIND}
STEPS = 2  # frames of each direction whose fate is searched: each alone, and twice in a row
NUMBER = 17


class Line:
    """Gives the k-th exchanged frame of a direction its fate; everything else passes."""

    def __init__(self, down: tuple[str, ...], up: tuple[str, ...]) -> None:
        self._fates = {True: iter(down), False: iter(up)}

    def __call__(self, crossing: Crossing) -> tuple[float, ...]:
        is_command = crossing.frame.type in (MessageType.REQUEST, MessageType.REPLY)
        if is_command and crossing.frame.code in (Operation.COUNT_ALL, Operation.OUTCOME):
            return FATES[next(self._fates[crossing.is_down], "kind")]
        return KIND


async def _asked(device: ScriptedDevice, host: Host, *, session: int, is_first: bool) -> Status | None:
    """One session: give the command, or ask what became of it. None where the session ended without an answer."""
    current = host.session(await device.connect(), number=session)
    async with running(current) as task:
        body = {0: EPOCH, 1: NUMBER}
        asked = asyncio.create_task(current.ask(Request(Operation.COUNT_ALL if is_first else Operation.OUTCOME, body)))
        await asyncio.wait([asked, task], return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            await asyncio.wait([asked])
        if isinstance(asked.exception(), SessionOver):
            return None
        await asyncio.sleep(1)  # late copies arrive while the session still stands
        return asked.result().status


async def _told(down: tuple[str, ...], up: tuple[str, ...], *, reset_after_s: float | None) -> tuple[Status, list[int]]:
    """The status that the host ends up with, and what the machine moved."""
    device, host = ScriptedDevice(run_s=3.0), Host()
    device.mischief = Line(down, up)
    if reset_after_s is not None:
        asyncio.get_running_loop().call_later(reset_after_s, device.reset)
    status, session = None, 0
    while status is None:
        session += 1
        assert session < 8
        host.held = 0
        status = await _asked(device, host, session=session, is_first=session == 1)
    await asyncio.sleep(5)
    await device.close()
    return status, device.moved


MOVED = {Status.STARTED: 1, Status.DONE: 1, Status.INTERRUPTED: 1, Status.NEVER: 0}


@pytest.mark.parametrize("down", itertools.product(FATES, repeat=STEPS), ids=",".join)
async def test_one_command_moves_at_most_once_and_the_host_knows_whether(down: tuple[str, ...]) -> None:
    for up in itertools.product(FATES, repeat=STEPS):
        status, moved = await _told(down, up, reset_after_s=None)
        assert len(moved) == MOVED[status], (down, up, status, moved)


@pytest.mark.parametrize("seed", range(6))
async def test_with_a_reset_in_between_it_still_moves_at_most_once(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(30):
        down, up = (tuple(chance.choices(list(FATES), k=6)) for _ in range(2))
        reset_after_s = chance.uniform(0.0, 3.0)
        status, moved = await _told(down, up, reset_after_s=reset_after_s)
        assert len(moved) <= 1, (down, up, reset_after_s)
        assert len(moved) == MOVED[status] or status is Status.STARTED, (down, up, reset_after_s, status)


async def test_the_search_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that repeats a silent command under a new number moves twice: the search sees it."""
    device, host = ScriptedDevice(run_s=0.2), Host()
    device.mischief = Line((), ("lose",))
    current = host.session(await device.connect())
    async with running(current):
        await until(lambda: bool(host.of(Noticed)))
        for number in (NUMBER, NUMBER + 1):
            current.put(Request(Operation.COUNT_ALL, {0: EPOCH, 1: number}))
            await asyncio.sleep(1)
        await until(lambda: host.of(Noticed)[-1].kind == NoticeKind.COMMAND_ENDED)
    assert device.moved == [17, 18]
    await device.close()
