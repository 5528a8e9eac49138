"""What is kept of an incident: a minute before it, a quarter after, nothing secret, whole messages, in bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge.clock import NS_PER_S, LoopClock
from firmware_bridge.links.recording import Direction, Recording
from firmware_bridge.wire.osdp.codes import ReplyCode
from firmware_bridge.wire.osdp.frame import Frame, encode_frame
from tableside.decisions import IncidentOpened
from tableside.diagnosis.kept_traces import INCIDENTS_KEPT, TraceKeeper
from tableside.diagnosis.ring import RING_BYTES, Ring
from tableside.diagnosis.speech import KEYBOARD, OSDP, TDL
from tableside.diagnosis.traces import Cable
from tableside.ground import at_once

pytestmark = pytest.mark.virtual_time
WALL_NS = 1_800_000_000 * NS_PER_S
# A jam, of the specification's examples (docs/protocols/tdl.md).
JAM = bytes.fromhex("0004D1051004341 20E02A4070301182902 1A0A01E24003027226B6EB00".replace(" ", ""))


@dataclass
class Row:
    what: object


def opened(number: int) -> Row:
    return Row(IncidentOpened(number=number, kind="jam", rule="CSM-1", text="a card jammed"))


class Bench:
    def __init__(self, folder: Path, write: Callable[[Callable[[], None]], object] = at_once) -> None:
        self.folder = folder
        self.clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=WALL_NS)
        self.cables = {
            "shuffler": Cable(TDL, self.clock),
            "badges": Cable(OSDP, self.clock),
            "typing": Cable(KEYBOARD, self.clock),
        }
        self.keeper = TraceKeeper(folder, self.cables, self.clock, write)  # type: ignore[arg-type]

    def kept(self, number: int, device: str) -> Recording:
        return Recording((self.folder / str(number) / f"{device}.trace").read_text("utf-8").splitlines(keepends=True))


async def test_sixty_seconds_before_and_fifteen_after(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    running = asyncio.create_task(bench.keeper.run())
    begin_s = asyncio.get_running_loop().time()
    for _ in range(20):  # ten seconds apart
        bench.cables["shuffler"].note(Direction.IN, JAM)
        await asyncio.sleep(10)
    bench.keeper.listen([opened(3), Row("something else")])
    assert not (tmp_path / "3").exists()
    for _ in range(3):
        bench.cables["shuffler"].note(Direction.IN, JAM)
        await asyncio.sleep(10)
    running.cancel()
    recording = bench.kept(3, "shuffler")
    incident_ns = round((begin_s + 200) * NS_PER_S)
    ages = [round((entry.at_ns - incident_ns) / NS_PER_S) for entry in recording]
    assert ages == [-60, -50, -40, -30, -20, -10, 0, 10]
    assert recording.head.wall_offset_ns is not None


async def test_nothing_that_proves_a_person_is_written(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    card = Frame(1, True, 1, ReplyCode.RAW, bytes.fromhex("0000 1A00 2D0A2280"))
    poll_reply = Frame(1, True, 1, ReplyCode.ACK)
    for frame in (card, poll_reply):
        bench.cables["badges"].note(Direction.IN, encode_frame(frame))
    bench.cables["typing"].note(Direction.IN, bytes.fromhex("00001e0000000000"))
    bench.keeper.listen([opened(1)])
    await bench.keeper.finish()
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "1").iterdir())
    assert "2d0a2280" not in text
    assert "1e00" not in text
    assert [entry.data for entry in bench.kept(1, "badges")] == [encode_frame(poll_reply)]


async def test_a_message_that_began_before_the_window_is_not_half_of_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.cables["shuffler"].note(Direction.IN, JAM[:10])
    await asyncio.sleep(70)
    bench.cables["shuffler"].note(Direction.IN, JAM[10:] + JAM)
    bench.keeper.listen([opened(1)])
    await bench.keeper.finish()
    assert [entry.data for entry in bench.kept(1, "shuffler")] == [JAM, JAM]


async def test_the_end_of_a_link_is_kept_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.cables["shuffler"].note_end("unplugged")
    bench.keeper.listen([opened(1)])
    await bench.keeper.finish()
    assert [(entry.direction, entry.data) for entry in bench.kept(1, "shuffler")] == [(Direction.END, b"unplugged")]


async def test_a_disk_that_is_full_is_counted_and_ends_nothing(tmp_path: Path) -> None:
    async def full(write: Callable[[], None]) -> None:
        raise OSError(28, "No space left on device")

    bench = Bench(tmp_path, full)
    running = asyncio.create_task(bench.keeper.run())
    bench.keeper.listen([opened(1), opened(2)])
    await asyncio.sleep(60)
    assert (bench.keeper.lost, running.done()) == (2, False)
    running.cancel()


async def test_the_oldest_incidents_go(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for number in range(1, INCIDENTS_KEPT + 4):
        bench.keeper.listen([opened(number)])
        await bench.keeper.finish()
    assert not (tmp_path / "3").exists()
    assert (tmp_path / "4").exists()


def test_a_ring_keeps_two_minutes_and_never_more_than_its_bytes() -> None:
    ring = Ring()
    for second in range(300):
        ring.note(second * NS_PER_S, Direction.IN, b"x")
    assert ring.entries()[0].at_ns // NS_PER_S == 299 - 120
    assert ring.dropped == 0
    for _ in range(1000):
        ring.note(300 * NS_PER_S, Direction.IN, bytes(4096))
    assert sum(len(entry.data) for entry in ring.entries()) <= RING_BYTES
    assert ring.dropped > 0
