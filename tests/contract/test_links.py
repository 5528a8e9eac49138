"""What every link promises (firmware_bridge/links/base.py), on every kind of cable."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from firmware_bridge.links.base import HIGH_WATER_BYTES, Link, LinkBusy, LinkClosed
from tests.support.cables import CABLES, Cable, CableKind
from tests.support.collector import DEADLINE_S, Collector, until

# More than any cable hides between two ends that do not read: kernel buffers of 64 kB twice on TCP, and ours.
FLOOD_BYTES = 2_000_000
# What a link keeps for a reader that pauses where a broker lies between.
SHALLOW_FLOOD_BYTES = 100_000
BLOCK = 4096


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.peer] if name.startswith("mqtt") else []) for name in CABLES]
)
def kind(request: pytest.FixtureRequest) -> CableKind:
    return CABLES[request.param]


@pytest_asyncio.fixture
async def cable(kind: CableKind, tmp_path: Path) -> AsyncIterator[Cable]:
    async with kind(tmp_path) as made:
        yield made


class Ends:
    """Both ends of a cable, started."""

    def __init__(self, cable: Cable) -> None:
        self.host, self.device = cable.host, cable.device
        self.is_through = cable.is_through
        self.at_host, self.at_device = Collector(), Collector()
        self.host.start(self.at_host)
        self.device.start(self.at_device)


@pytest_asyncio.fixture
async def ends(cable: Cable) -> Ends:
    return Ends(cable)


def pieces(seed: int, total: int, is_message_based: bool) -> list[bytes]:
    """Random bytes in pieces of random sizes; zeros, line ends and control bytes among them."""
    source = random.Random(seed)
    text = source.randbytes(total)
    cut: list[bytes] = []
    while text:
        size = source.choice((1, 2, 29, 96, 1000, 5000)) if not is_message_based else source.randint(1, 1000)
        cut.append(text[:size])
        text = text[size:]
    return cut


async def write_all(link: Link, blocks: list[bytes]) -> None:
    for block in blocks:
        await link.write(block)


async def test_bytes_arrive_whole_and_in_order_both_ways_at_once(ends: Ends) -> None:
    """BR-001: whatever sizes the cable makes of them."""
    down = pieces(1, 100_000, ends.host.is_message_based)
    up = pieces(2, 100_000, ends.host.is_message_based)
    async with asyncio.TaskGroup() as group:
        group.create_task(write_all(ends.host, down))
        group.create_task(write_all(ends.device, up))
        group.create_task(ends.at_device.until_bytes(100_000))
        group.create_task(ends.at_host.until_bytes(100_000))
    assert bytes(ends.at_device.text) == b"".join(down)
    assert bytes(ends.at_host.text) == b"".join(up)
    if ends.host.is_message_based:
        assert ends.at_device.chunks == down


async def test_chunks_come_in_turns_of_the_loop_and_never_within_a_call(ends: Ends) -> None:
    await ends.host.write(b"x")
    assert ends.at_device.chunks == []
    await ends.at_device.until_bytes(1)


@pytest.mark.parametrize("who", ["host", "device", "both", "host twice"])
async def test_each_end_is_told_once_whoever_ends_it(ends: Ends, who: str) -> None:
    """BR-026: exactly once, also when everybody closes at the same time."""
    closing = {
        "host": [ends.host],
        "device": [ends.device],
        "both": [ends.host, ends.device],
        "host twice": [ends.host, ends.host],
    }[who]
    await asyncio.gather(*(link.close() for link in closing))
    if ends.device not in closing:
        await ends.device.close()  # a device on a serial cable does not notice a host that leaves
    await ends.at_host.until_lost()
    await ends.at_device.until_lost()
    await asyncio.gather(ends.host.close(), ends.device.close())
    await asyncio.sleep(0.01)
    assert len(ends.at_host.lost) == len(ends.at_device.lost) == 1
    assert all(str(reason) for reason in ends.at_host.lost + ends.at_device.lost)


async def test_the_one_who_closes_has_been_told_when_close_returns(ends: Ends) -> None:
    await ends.host.close()
    assert len(ends.at_host.lost) == 1


async def test_writing_after_the_end_is_refused_with_its_reason(ends: Ends) -> None:
    await ends.device.close()
    reason = await ends.at_host.until_lost()
    for link in (ends.host, ends.device):
        with pytest.raises(LinkClosed) as refused:
            await link.write(b"too late")
        assert str(refused.value)
    assert str(reason) in str(await failure(ends.host))


async def failure(link: Link) -> LinkClosed:
    with pytest.raises(LinkClosed) as refused:
        await link.write(b"x")
    return refused.value


class Flood:
    """Writes blocks until somebody has read them all, counting those that were taken."""

    def __init__(self, link: Link, *, is_through: bool = True) -> None:
        self.taken = 0
        self.block = (bytes(range(256)) * (BLOCK // 256))[: 1000 if link.is_message_based else BLOCK]
        self.count = (FLOOD_BYTES if is_through else SHALLOW_FLOOD_BYTES) // len(self.block)
        self.task = asyncio.create_task(self._run(link))

    async def _run(self, link: Link) -> None:
        for _ in range(self.count):
            await link.write(self.block)
            self.taken += 1

    async def until_stuck(self) -> None:
        """Wait until nothing has been taken for a while. Stuck or slow, what is asserted next must hold."""
        before = -1
        while before != self.taken:
            before = self.taken
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("direction", ["down", "up"])
async def test_a_reader_that_pauses_holds_the_writer_and_loses_nothing(ends: Ends, direction: str) -> None:
    writer, reader, got = (
        (ends.host, ends.device, ends.at_device) if direction == "down" else (ends.device, ends.host, ends.at_host)
    )
    reader.pause_reading()
    flood = Flood(writer, is_through=ends.is_through)
    await flood.until_stuck()
    assert not (ends.is_through and flood.task.done())
    before = len(got.text)
    await asyncio.sleep(0.05)
    assert len(got.text) == before
    reader.resume_reading()
    async with asyncio.timeout(DEADLINE_S):
        await flood.task
    await got.until_bytes(flood.count * len(flood.block))
    assert bytes(got.text) == flood.block * flood.count


async def test_pausing_before_the_start_and_resuming_twice_are_harmless(cable: Cable) -> None:
    got = Collector()
    cable.device.pause_reading()
    cable.device.start(got)
    cable.host.start(Collector())
    await cable.host.write(b"later")
    cable.device.resume_reading()
    cable.device.resume_reading()
    await got.until_bytes(5)
    assert bytes(got.text) == b"later"


async def test_a_cancelled_write_leaves_the_link_in_order(ends: Ends) -> None:
    """BR-017: what was taken is whole and in order; the next write follows it."""
    ends.device.pause_reading()
    flood = Flood(ends.host, is_through=ends.is_through)
    await flood.until_stuck()
    flood.task.cancel()
    await asyncio.wait([flood.task])
    ends.device.resume_reading()
    await ends.host.write(b"the end")
    await until(lambda: ends.at_device.text.endswith(b"the end"), "the write after the cancelled one")
    blocks, rest = divmod(len(ends.at_device.text) - len(b"the end"), len(flood.block))
    assert (blocks in (flood.taken, flood.taken + 1), rest) == (True, 0)
    assert bytes(ends.at_device.text) == flood.block * blocks + b"the end"


async def test_writers_that_wait_are_told_of_the_end(ends: Ends) -> None:
    ends.device.pause_reading()
    flood = Flood(ends.host, is_through=ends.is_through)
    await flood.until_stuck()
    await ends.device.close()
    if ends.is_through:
        with pytest.raises(LinkClosed):
            await flood.task
    await ends.at_host.until_lost()
    assert len(ends.at_host.lost) == 1


async def test_closing_does_not_wait_for_a_peer_that_does_not_read(ends: Ends) -> None:
    """BR-025: with output pending; the waiting writer is told."""
    ends.device.pause_reading()
    flood = Flood(ends.host, is_through=ends.is_through)
    await flood.until_stuck()
    async with asyncio.timeout(DEADLINE_S):
        await ends.host.close()
    if ends.is_through:
        with pytest.raises(LinkClosed):
            await flood.task
    assert len(ends.at_host.lost) == 1


async def test_a_receiver_that_raises_does_not_end_the_link(cable: Cable) -> None:
    """BR-026: a parser's error costs a chunk, not the cable."""
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context.get("exception")))

    class Touchy(Collector):
        def chunk_received(self, chunk: bytes) -> None:
            super().chunk_received(chunk)
            if len(self.text) <= 3:
                raise ValueError("a parser's mistake")

    got = Touchy()
    cable.device.start(got)
    cable.host.start(Collector())
    await cable.host.write(b"bad")
    await got.until_bytes(3)
    await cable.host.write(b"good")
    await got.until_bytes(7)
    assert [str(error) for error in reported][:1] == ["a parser's mistake"]
    assert got.lost == []


async def test_a_link_is_started_once(ends: Ends) -> None:
    with pytest.raises(RuntimeError, match="once"):
        ends.host.start(Collector())


@pytest.mark.parametrize("kind", ["serial on a pty", "usb"], indirect=True)
async def test_a_second_opening_is_refused_and_disturbs_nobody(cable: Cable) -> None:
    """BR-062: where the cable is exclusive, the holder is named, and the first opening goes on."""
    assert cable.open_again is not None
    ends = Ends(cable)
    with pytest.raises(LinkBusy, match=cable.holder):
        await cable.open_again()
    await ends.host.write(b"still here")
    await ends.at_device.until_bytes(10)
    await ends.host.close()
    again = await cable.open_again()
    await again.close()


async def test_a_link_that_was_never_started_can_be_closed_and_tells_whoever_starts_it_later(cable: Cable) -> None:
    async with asyncio.timeout(DEADLINE_S):
        await cable.host.close()
    with pytest.raises(LinkClosed):
        await cable.host.write(b"x")
    late = Collector()
    cable.host.start(late)
    await late.until_lost()
    await cable.host.close()
    assert len(late.lost) == 1


async def test_an_end_before_the_start_is_told_after_it(cable: Cable) -> None:
    await cable.device.close()
    got = Collector()
    cable.host.start(got)
    await got.until_lost()
    await cable.host.close()
    assert (got.chunks, len(got.lost)) == ([], 1)


async def test_writing_nothing_sends_nothing(ends: Ends) -> None:
    await ends.host.write(b"")
    await ends.host.write(b"something")
    await ends.at_device.until_bytes(9)
    assert bytes(ends.at_device.text) == b"something"


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def own_threads() -> int:
    """Threads without those of the loop's default executor, which stay until the loop ends."""
    return sum(not thread.name.startswith("asyncio_") for thread in threading.enumerate())


async def test_nothing_is_left_behind(kind: CableKind, tmp_path: Path) -> None:
    """BR-021, BR-024: twenty openings, with traffic under way at the close: no descriptor, thread or task more."""

    async def once(number: int) -> None:
        async with kind(tmp_path) as cable:
            ends = Ends(cable)
            ends.device.pause_reading()
            writer = asyncio.create_task(ends.host.write(b"x" * (HIGH_WATER_BYTES // 16)))
            await asyncio.sleep(0)
            await (ends.host if number % 2 else ends.device).close()
            await asyncio.wait([writer])
            writer.exception()

    await once(0)  # what is made once and stays (executor, name tables) is there now
    before = (open_descriptors(), own_threads(), len(asyncio.all_tasks()))
    for number in range(20):
        await once(number)
    await until(
        lambda: (open_descriptors(), own_threads(), len(asyncio.all_tasks())) <= before,
        lambda: f"{before}, have {(open_descriptors(), own_threads(), len(asyncio.all_tasks()))}",
    )


async def test_a_link_says_what_it_is(cable: Cable) -> None:
    assert "://" in cable.host.address
    assert cable.host.is_message_based == cable.device.is_message_based
