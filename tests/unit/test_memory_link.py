"""The memory cable: what is its own beside the suite that every link passes."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.links.base import HIGH_WATER_BYTES, LOW_WATER_BYTES, LinkClosed
from firmware_bridge.links.memory import MemoryLink, memory_pair

pytestmark = pytest.mark.virtual_time


class Collector:
    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.lost: list[Exception] = []

    def chunk_received(self, chunk: bytes) -> None:
        self.chunks.append(chunk)

    def link_lost(self, reason: Exception) -> None:
        self.lost.append(reason)


def started_pair() -> tuple[MemoryLink, Collector, MemoryLink, Collector]:
    near, far = memory_pair("test")
    near_end, far_end = Collector(), Collector()
    near.start(near_end)
    far.start(far_end)
    return near, near_end, far, far_end


def test_a_pair_needs_no_loop() -> None:
    near, far = memory_pair("idle")
    assert (near.address, near.is_message_based, near.is_simulated) == ("memory://idle", False, True)
    assert memory_pair(is_message_based=True)[1].is_message_based
    assert far is not near


async def test_each_write_arrives_as_one_chunk_in_order_and_never_within_the_call() -> None:
    near, _, _, far_end = started_pair()
    await near.write(b"one")
    assert far_end.chunks == []
    await near.write(b"two")
    await asyncio.sleep(1)
    assert far_end.chunks == [b"one", b"two"]


async def test_what_is_written_before_the_start_waits_in_the_cable() -> None:
    near, far = memory_pair()
    await near.write(b"early")
    far_end = Collector()
    far.start(far_end)
    await asyncio.sleep(0)
    assert far_end.chunks == [b"early"]


async def test_a_link_is_started_once() -> None:
    near, _, _, _ = started_pair()
    with pytest.raises(RuntimeError, match="once"):
        near.start(Collector())


async def test_writers_wait_while_the_other_end_does_not_read_and_go_on_first_come_first_served() -> None:
    near, _, far, far_end = started_pair()
    far.pause_reading()
    await near.write(b"a" * HIGH_WATER_BYTES)
    order: list[str] = []

    async def write(name: str) -> None:
        await near.write(name.encode() * LOW_WATER_BYTES)
        order.append(name)

    async with asyncio.TaskGroup() as group:
        for name in "bcde":
            group.create_task(write(name))
        await asyncio.sleep(10)
        assert order == []
        far.resume_reading()
    await asyncio.sleep(1)
    assert order == list("bcde")
    text = b"".join(far_end.chunks)
    assert text == b"a" * HIGH_WATER_BYTES + b"".join(name.encode() * LOW_WATER_BYTES for name in "bcde")


async def test_a_writer_that_gives_up_and_tries_again_does_not_fill_the_memory() -> None:
    near, _, far, far_end = started_pair()
    far.pause_reading()
    for _ in range(50):
        try:
            await asyncio.wait_for(near.write(b"x" * 1024), 1)
        except TimeoutError:
            continue
    far.resume_reading()
    await asyncio.sleep(1)
    assert sum(map(len, far_end.chunks)) <= HIGH_WATER_BYTES + 1024


async def test_both_ends_lose_the_link_once_when_one_closes_and_what_was_written_still_arrives() -> None:
    near, near_end, far, far_end = started_pair()
    await near.write(b"last ")
    await near.write(b"words")
    await near.close()
    await asyncio.sleep(1)
    await far.close()
    assert far_end.chunks == [b"last ", b"words"]
    assert "closed by the other side" in str(far_end.lost[0])
    assert len(near_end.lost) == len(far_end.lost) == 1
    for link in (near, far):
        with pytest.raises(LinkClosed):
            await link.write(b"too late")


async def test_an_end_that_does_not_read_is_told_how_much_it_missed() -> None:
    near, _, far, far_end = started_pair()
    far.pause_reading()
    await near.write(b"12345")
    await near.close()
    await asyncio.sleep(1)
    assert far_end.chunks == []
    assert "closed by the other side, 5 bytes unread" in str(far_end.lost[0])


async def test_waiting_writers_are_told_that_the_other_end_is_gone() -> None:
    near, _, far, _ = started_pair()
    far.pause_reading()
    writer = asyncio.create_task(near.write(b"x" * (HIGH_WATER_BYTES + 1)))
    await asyncio.sleep(1)
    await far.close()
    with pytest.raises(LinkClosed):
        await writer


async def test_a_receiver_that_raises_costs_one_chunk_and_not_the_link() -> None:
    """BR-026: a parser's error is not the link's."""
    near, far = memory_pair()
    seen: list[bytes] = []
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context["exception"]))

    class Touchy(Collector):
        def chunk_received(self, chunk: bytes) -> None:
            seen.append(chunk)
            if chunk == b"bad":
                raise ValueError(chunk)

    far.start(Touchy())
    for chunk in (b"good", b"bad", b"good again"):
        await near.write(chunk)
    await asyncio.sleep(1)
    assert seen == [b"good", b"bad", b"good again"]
    assert len(errors) == 1
