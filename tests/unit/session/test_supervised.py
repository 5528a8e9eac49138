"""Tasks that live and die together, and can always be stopped."""

from __future__ import annotations

import asyncio
from typing import NoReturn

import pytest

from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.supervised import PartEnded, run_together

pytestmark = pytest.mark.virtual_time


async def for_ever(ended: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(1)  # tidying up takes its time, and is waited for
        ended.append("tidy")


async def fails(error: Exception, after_s: float = 0.0) -> NoReturn:
    await asyncio.sleep(after_s)
    raise error


async def test_the_first_failure_ends_the_others_and_comes_out_plain() -> None:
    ended: list[str] = []
    with pytest.raises(SessionOver, match="gone"):
        await run_together(for_ever(ended), fails(SessionOver(Ending.SILENT, "gone"), 1), for_ever(ended))
    assert ended == ["tidy", "tidy"]
    assert len(asyncio.all_tasks()) == 1


async def test_what_nobody_foresaw_comes_before_the_end_of_a_session() -> None:
    with pytest.raises(ValueError, match="ours"):
        await run_together(fails(SessionOver(Ending.SILENT, "gone")), fails(ValueError("ours")))


async def test_a_part_that_ends_ends_the_others() -> None:
    ended: list[str] = []
    with pytest.raises(PartEnded):
        await run_together(asyncio.sleep(1), for_ever(ended))
    assert ended == ["tidy"]


async def test_cancelled_twice_it_still_waits_for_its_parts() -> None:
    ended: list[str] = []
    task = asyncio.create_task(run_together(for_ever(ended)))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert ended == ["tidy"]
    assert len(asyncio.all_tasks()) == 1


async def test_a_fault_in_the_very_turn_of_a_cancel_is_told_to_the_loop() -> None:
    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context["exception"]))
    error, failing = ValueError("ours"), asyncio.Event()

    async def fails_at_last(fault: Exception) -> NoReturn:
        await failing.wait()
        raise fault

    gone = SessionOver(Ending.SILENT, "gone")
    task = asyncio.create_task(run_together(fails_at_last(error), fails_at_last(gone)))
    await asyncio.sleep(1)
    failing.set()
    await asyncio.sleep(0)  # both have failed, and nobody has looked yet
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert told == [error]
