"""The bad cable: each fault does what it says, once, is counted, and virtual time holds."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.links.base import LinkClosed
from firmware_bridge.links.memory import MemoryLink, memory_pair
from simulator.line import Direction, FaultyLine, LineFault, LineQuality
from tests.support.collector import Collector

pytestmark = pytest.mark.virtual_time


class Cable:
    """A bad line at the near end, a sound far end."""

    def __init__(self, quality: LineQuality | None = None, *, seed: int = 1, messages: bool = False) -> None:
        near, self.far = memory_pair(is_message_based=messages)
        self.inner: MemoryLink = near
        self.line = FaultyLine(near, seed, quality or LineQuality(chances={}))
        self.at_near, self.at_far = Collector(), Collector()
        self.line.start(self.at_near)
        self.far.start(self.at_far)

    async def send(self, direction: Direction, *chunks: bytes) -> None:
        for chunk in chunks:
            await (self.line if direction is Direction.OUT else self.far).write(chunk)

    def heard(self, direction: Direction) -> Collector:
        return self.at_far if direction is Direction.OUT else self.at_near


BOTH_WAYS = pytest.mark.parametrize("direction", list(Direction))


@BOTH_WAYS
async def test_a_sound_line_changes_nothing(direction: Direction) -> None:
    cable = Cable()
    await cable.send(direction, b"one", b"two")
    await asyncio.sleep(0.1)
    assert cable.heard(direction).chunks == [b"one", b"two"]
    assert not cable.line.fired


@BOTH_WAYS
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (LineFault.DROP, [b"next"]),
        (LineFault.JOIN, [b"hellonext"]),
        (LineFault.DUPLICATE, [b"hello", b"hello", b"next"]),
        (LineFault.DELAY, [b"hello", b"next"]),
        (LineFault.ECHO, [b"hello", b"next"]),
    ],
)
async def test_each_fault_on_demand(direction: Direction, fault: LineFault, expected: list[bytes]) -> None:
    """BR-005, BR-007, BR-038: lost, joined, doubled, late, echoed; nothing overtakes."""
    cable = Cable()
    cable.line.provoke(fault, direction)
    await cable.send(direction, b"hello", b"next")
    await asyncio.sleep(1)
    assert cable.heard(direction).chunks == expected
    assert cable.line.fired == {(direction, fault): 1}
    other = Direction.IN if direction is Direction.OUT else Direction.OUT
    assert cable.heard(other).chunks == ([b"hello"] if fault is LineFault.ECHO else [])


@BOTH_WAYS
async def test_split_keeps_every_byte_in_order(direction: Direction) -> None:
    """BR-001."""
    cable = Cable()
    cable.line.provoke(LineFault.SPLIT, direction)
    await cable.send(direction, b"hello", b"next")
    await asyncio.sleep(1)
    heard = cable.heard(direction)
    assert bytes(heard.text) == b"hellonext"
    assert heard.chunks[0] != b"hello"
    assert cable.line.fired == {(direction, LineFault.SPLIT): 1}


@BOTH_WAYS
async def test_corrupt_changes_one_bit(direction: Direction) -> None:
    cable = Cable()
    cable.line.provoke(LineFault.CORRUPT, direction)
    await cable.send(direction, b"hello")
    await asyncio.sleep(1)
    (chunk,) = cable.heard(direction).chunks
    different = int.from_bytes(chunk, "big") ^ int.from_bytes(b"hello", "big")
    assert different.bit_count() == 1


@BOTH_WAYS
async def test_cut_ends_both_sides_once(direction: Direction) -> None:
    cable = Cable()
    cable.line.provoke(LineFault.CUT, direction)
    if direction is Direction.OUT:
        with pytest.raises(LinkClosed, match="cut"):
            await cable.send(direction, b"hello")
    else:
        await cable.send(direction, b"hello")
    await cable.at_near.until_lost()
    await cable.at_far.until_lost()
    assert cable.at_near.chunks == cable.at_far.chunks == []
    assert len(cable.at_near.lost) == len(cable.at_far.lost) == 1


async def test_delay_is_the_time_it_says() -> None:
    cable = Cable(LineQuality(chances={}, late_s=(0.25, 0.25)))
    cable.line.provoke(LineFault.DELAY, Direction.IN)
    await cable.send(Direction.IN, b"hello")
    await asyncio.sleep(0.24)
    assert cable.at_near.chunks == []
    await asyncio.sleep(0.02)
    assert cable.at_near.chunks == [b"hello"]


async def test_a_fault_can_be_asked_for_on_a_later_chunk() -> None:
    """BR-016: lose the k-th reply, for every k."""
    for k in range(5):
        cable = Cable()
        cable.line.provoke(LineFault.DROP, Direction.IN, after=k)
        chunks = [b"%d" % number for number in range(5)]
        await cable.send(Direction.IN, *chunks)
        await asyncio.sleep(0.1)
        assert cable.at_near.chunks == chunks[:k] + chunks[k + 1 :]


async def test_late_bytes_wait_for_a_reader_that_pauses() -> None:
    cable = Cable()
    cable.line.provoke(LineFault.DELAY, Direction.IN)
    await cable.send(Direction.IN, b"hello")
    await asyncio.sleep(0)
    cable.line.pause_reading()
    await asyncio.sleep(1)
    assert cable.at_near.chunks == []
    cable.line.resume_reading()
    await asyncio.sleep(0.1)
    assert cable.at_near.chunks == [b"hello"]


async def test_closing_forgets_late_bytes_and_leaves_no_task() -> None:
    cable = Cable()
    for direction in Direction:
        cable.line.provoke(LineFault.DELAY, direction)
        await cable.send(direction, b"late")
    await asyncio.sleep(0)
    await cable.line.close()
    await asyncio.sleep(1)
    assert cable.at_near.chunks == cable.at_far.chunks == []
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def run_noise(seed: int) -> tuple[list[bytes], dict[tuple[Direction, LineFault], int]]:
    chances = dict.fromkeys((fault for fault in LineFault if fault is not LineFault.CUT), 0.05)
    cable = Cable(LineQuality(chances=chances), seed=seed)
    for number in range(400):
        await cable.send(Direction.OUT, b"%03d" % number)
        await cable.send(Direction.IN, b"%03d" % number)
        await asyncio.sleep(0.005)
    await asyncio.sleep(1)
    return cable.at_far.chunks, dict(cable.line.fired)


async def test_the_seed_decides_and_chances_hold() -> None:
    chunks, fired = await run_noise(4)
    assert (chunks, fired) == await run_noise(4)
    assert chunks != (await run_noise(5))[0]
    # 400 chunks each way at 5 %: 20 expected of each fault, standard deviation 4.4.
    assert len(fired) == 14
    assert all(4 <= count <= 40 for count in fired.values())


async def test_messages_stay_whole() -> None:
    with pytest.raises(ValueError, match="messages stay whole"):
        Cable(LineQuality(chances={LineFault.SPLIT: 0.1}), messages=True)
    cable = Cable(messages=True)
    with pytest.raises(ValueError, match="messages stay whole"):
        cable.line.provoke(LineFault.JOIN, Direction.OUT)
