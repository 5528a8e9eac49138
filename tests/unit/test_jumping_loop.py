"""Virtual time: jumps, refuses the real world, and says who waits for ever."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
import time

import pytest

from firmware_bridge.clock import LoopClock
from tests.support import jumping_loop
from tests.support.jumping_loop import DeadLock, JumpingLoop, RealTimeRefused, Standstill, run_virtual


@pytest.mark.virtual_time
async def test_a_coroutine_test_runs_in_virtual_time_by_its_mark() -> None:
    began = time.monotonic()
    await asyncio.sleep(86_400)
    assert asyncio.get_running_loop().time() == 86_400
    assert time.monotonic() - began < 60


async def test_without_the_mark_time_is_real() -> None:
    assert not isinstance(asyncio.get_running_loop(), JumpingLoop)


@pytest.mark.virtual_time
async def test_what_is_ready_comes_before_the_next_timer() -> None:
    loop = asyncio.get_running_loop()
    order: list[tuple[str, float]] = []
    loop.call_later(1.0, lambda: order.append(("timer", loop.time())))

    async def chatter() -> None:
        for _ in range(50):
            await asyncio.sleep(0)
            order.append(("ready", loop.time()))

    await chatter()
    await asyncio.sleep(2)
    assert order == [("ready", 0.0)] * 50 + [("timer", 1.0)]


@pytest.mark.virtual_time
async def test_timers_fire_in_the_order_of_their_time() -> None:
    loop = asyncio.get_running_loop()
    fired: list[float] = []
    moments = [round(random.Random(7).uniform(0, 1e6), 3) for _ in range(200)]
    for moment in moments:
        loop.call_at(moment, lambda: fired.append(loop.time()))
    await asyncio.sleep(1e6 + 1)
    assert fired == sorted(moments)


@pytest.mark.virtual_time
async def test_a_timer_never_rings_before_its_time() -> None:
    """Who looks whether his time has come and sets the timer again would do so for ever."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(0.1 + 0.2)
    for due in (0.9 - 1e-16, 0.9, 138.6, 138.6 + 3e-10):
        rung = asyncio.Event()
        loop.call_at(due - 3e-10, rung.set)
        loop.call_at(due, rung.set)
        turns = 0
        while loop.time() < due:
            rung.clear()
            loop.call_at(due, rung.set)
            await rung.wait()
            turns += 1
            assert turns < 4


@pytest.mark.virtual_time
async def test_the_loop_clock_follows() -> None:
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=1_000)
    await asyncio.sleep(0.25)
    assert clock.monotonic_ns() == 250_000_000


def test_a_time_limit_ends_a_wait_that_nobody_answers(virtual_loop: JumpingLoop) -> None:
    async def wait() -> None:
        await asyncio.wait_for(asyncio.get_running_loop().create_future(), 3600)

    with pytest.raises(asyncio.TimeoutError):
        virtual_loop.run_until_complete(wait())
    assert virtual_loop.time() == 3600


def test_a_dead_lock_names_the_tasks_and_the_lines_where_they_wait() -> None:
    async def sit_and_wait(gate: asyncio.Event) -> None:
        await gate.wait()

    async def main() -> None:
        gate = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(sit_and_wait(gate), name="badge reader")

    with pytest.raises(DeadLock, match=r"(?s)badge reader: Event\.wait .*locks\.py:\d+"):
        run_virtual(main())


def test_a_standstill_names_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jumping_loop, "STANDSTILL_TURNS", 1000)

    async def spin() -> None:
        while await asyncio.sleep(0, True):
            pass

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(spin(), name="spinner")

    with pytest.raises(Standstill, match="spinner"):
        run_virtual(main())


def test_the_seed_makes_the_run_repeatable_and_leaves_the_random_of_others_alone() -> None:
    """BR-072."""

    async def draw() -> float:
        await asyncio.sleep(random.random())
        return random.random()

    before = random.getstate()
    assert run_virtual(draw(), seed=5) == run_virtual(draw(), seed=5) != run_virtual(draw(), seed=6)
    assert random.getstate() == before


@pytest.mark.parametrize("name", sorted(jumping_loop.REFUSED))
def test_the_real_world_is_refused(virtual_loop: JumpingLoop, name: str) -> None:
    with pytest.raises(RealTimeRefused, match=rf"{name} in virtual time.*in-loop twin"):
        getattr(virtual_loop, name)(None, None)


@pytest.mark.virtual_time
async def test_the_usual_ways_into_the_real_world_are_refused() -> None:
    with pytest.raises(RealTimeRefused):
        await asyncio.to_thread(time.monotonic)
    with pytest.raises(RealTimeRefused):
        await asyncio.open_connection("127.0.0.1", 1)
    with pytest.raises(RealTimeRefused):
        await asyncio.create_subprocess_exec("true")
    with pytest.raises(RealTimeRefused):
        await asyncio.get_running_loop().getaddrinfo("localhost", 1)
    near, far = socket.socketpair()
    with near, far, pytest.raises(RealTimeRefused):
        asyncio.get_running_loop().add_reader(near, lambda: None)


@pytest.mark.virtual_time
async def test_a_call_from_another_thread_is_refused() -> None:
    loop = asyncio.get_running_loop()
    refused: list[BaseException] = []

    def call() -> None:
        try:
            loop.call_soon_threadsafe(lambda: None)
        except RealTimeRefused as error:
            refused.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(30)
    assert len(refused) == 1


@pytest.mark.virtual_time
async def test_a_call_from_the_loops_own_thread_is_taken() -> None:
    called = asyncio.Event()
    asyncio.get_running_loop().call_soon_threadsafe(called.set)
    await asyncio.wait_for(called.wait(), 1)
