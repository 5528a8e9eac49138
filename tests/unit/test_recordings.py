"""Recording a link and playing it back, in virtual time."""

from __future__ import annotations

import asyncio
import errno
import io
import json

import pytest

from firmware_bridge.clock import LoopClock
from firmware_bridge.links.base import LOW_WATER_BYTES, LinkClosed
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.links.recording import BadRecording, Direction, Entry, Head, Recording, RecordingWriter
from firmware_bridge.links.replay import ReplayLink
from firmware_bridge.links.tap import TapLink
from tests.support.collector import Collector

pytestmark = pytest.mark.virtual_time

HEAD = Head("CSM-SIM 000123", "tdl shuffler", "none", is_message_based=False)


class Device(Collector):
    """Answers each request 0.2 s later with what it was asked, reversed."""

    def __init__(self) -> None:
        super().__init__()
        self.link, self.host_link = memory_pair("device")
        self.link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        super().chunk_received(chunk)
        loop = asyncio.get_running_loop()
        loop.call_later(0.2, lambda: self.link._put(chunk[::-1]))


async def talk(link: TapLink | ReplayLink) -> tuple[Collector, list[float]]:
    """A host that asks twice, 1 s apart, and then waits for the end; when each answer came."""
    loop = asyncio.get_running_loop()
    came: list[float] = []

    class Host(Collector):
        def chunk_received(self, chunk: bytes) -> None:
            super().chunk_received(chunk)
            came.append(round(loop.time() - began, 3))

    host = Host()
    began = loop.time()
    link.start(host)
    await link.write(b"first")
    await asyncio.sleep(1)
    await link.write(b"second")
    await asyncio.sleep(3)
    return host, came


async def recorded() -> tuple[str, list[float]]:
    file = io.StringIO()
    device = Device()
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=0)
    tap = TapLink(device.host_link, RecordingWriter(file, HEAD, clock))
    _, came = await talk(tap)
    await tap.close()
    await device.link.close()
    return file.getvalue(), came


async def test_a_recording_is_lines_that_a_person_can_read() -> None:
    text, _ = await recorded()
    head, *entries = [json.loads(line) for line in text.splitlines()]
    assert head == {
        "recording": 1,
        "device": "CSM-SIM 000123",
        "profile": "tdl shuffler",
        "redaction": "none",
        "is_message_based": False,
    }
    assert entries == [
        [0, "out", b"first".hex()],
        [200_000_000, "in", b"tsrif".hex()],
        [1_000_000_000, "out", b"second".hex()],
        [1_200_000_000, "in", b"dnoces".hex()],
        [4_000_000_000, "end", "memory://device closed by this side"],
    ]


async def test_a_recording_plays_the_device_back_with_its_intervals() -> None:
    text, came = await recorded()
    replay = ReplayLink(Recording(io.StringIO(text)))
    host, came_again = await talk(replay)
    assert came_again == came == [0.2, 1.2]
    assert host.chunks == [b"tsrif", b"dnoces"]
    assert replay.first_difference is None
    await asyncio.sleep(1)
    assert [str(reason) for reason in host.lost] == ["replay: as recorded: memory://device closed by this side"]


async def test_the_device_says_nothing_before_the_host_has_said_its_part() -> None:
    text, _ = await recorded()
    replay, host = ReplayLink(Recording(io.StringIO(text))), Collector()
    replay.start(host)
    await asyncio.sleep(60)
    assert host.chunks == []
    await replay.write(b"fir")
    await asyncio.sleep(60)
    assert host.chunks == []
    await replay.write(b"st")
    await asyncio.sleep(0.3)
    assert host.chunks == [b"tsrif"]
    await replay.close()


async def test_what_the_host_says_otherwise_is_found_at_its_byte() -> None:
    text, _ = await recorded()
    replay, host = ReplayLink(Recording(io.StringIO(text))), Collector()
    replay.start(host)
    await replay.write(b"first" + b"seCond")
    await asyncio.sleep(30)
    assert replay.first_difference == 7
    assert host.chunks == [b"tsrif", b"dnoces"]
    assert "as recorded" in str(host.lost[0])
    with pytest.raises(LinkClosed):
        await replay.write(b"late")
    await replay.close()
    assert len(host.lost) == 1


async def test_a_replay_that_is_paused_waits_and_loses_nothing() -> None:
    text, _ = await recorded()
    replay, host = ReplayLink(Recording(io.StringIO(text))), Collector()
    replay.pause_reading()
    replay.start(host)
    await replay.write(b"firstsecond")
    await asyncio.sleep(30)
    assert host.chunks == []
    replay.resume_reading()
    await asyncio.sleep(30)
    assert host.chunks == [b"tsrif", b"dnoces"]
    await replay.close()


async def test_a_replay_takes_no_more_than_the_recording_can_have() -> None:
    text, _ = await recorded()
    replay = ReplayLink(Recording(io.StringIO(text)))
    replay.start(Collector())
    writer = asyncio.create_task(replay.write(b"x" * LOW_WATER_BYTES * 5))
    await asyncio.sleep(0.1)
    assert not writer.done()
    await replay.close()
    with pytest.raises(LinkClosed):
        await writer


@pytest.mark.parametrize("close_first", [True, False])
async def test_a_replay_ends_once(close_first: bool) -> None:
    replay, host = ReplayLink(Recording(io.StringIO(HEAD.encode() + "\n"))), Collector()
    if close_first:
        await replay.close()
    replay.start(host)
    await asyncio.sleep(1)
    await replay.close()
    await replay.close()
    assert len(host.lost) == 1
    assert ("closed" if close_first else "end of the recording") in str(host.lost[0])


async def test_redaction_sees_both_ways_and_may_hold_bytes_back() -> None:
    file = io.StringIO()
    held = bytearray()

    def hide_cards(direction: Direction, data: bytes) -> bytes:
        if direction is Direction.OUT:
            return data
        held.extend(data)
        if len(held) < 4:
            return b""
        whole = bytes(held).replace(b"7C", b"??")
        held.clear()
        return whole

    near, far = memory_pair()
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=0)
    head = Head("reader", "test", "card identities", is_message_based=False)
    tap = TapLink(near, RecordingWriter(file, head, clock, hide_cards))
    got = Collector()
    tap.start(got)
    await tap.write(b"7C?")
    await far.write(b"ca")
    await far.write(b"rd 7C")
    await asyncio.sleep(1)
    recording = Recording(io.StringIO(file.getvalue()))
    assert recording.head.redaction == "card identities"
    assert [(entry.direction, entry.data) for entry in recording] == [("out", b"7C?"), ("in", b"card ??")]
    assert bytes(got.text) == b"card 7C"


async def test_a_full_disk_is_counted_and_does_not_disturb_the_link() -> None:
    class FullDisk(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    near, far = memory_pair()
    writer = RecordingWriter(FullDisk(), HEAD, LoopClock(asyncio.get_running_loop(), wall_start_ns=0))
    tap, got = TapLink(near, writer), Collector()
    tap.start(got)
    await far.write(b"still here")
    await asyncio.sleep(1)
    assert bytes(got.text) == b"still here"
    assert (writer.lost_lines, str(writer.fault)) == (2, "[Errno 28] No space left on device")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1"),
        ("[1]\n", "line 1"),
        ('{"recording": 2}\n', "format 2, this program reads 1"),
        ('{"recording": 1, "device": "x"}\n', "lacks 'profile'"),
        (HEAD.encode() + '\n[1, "in", "0"]\n', "line 2"),
        (HEAD.encode() + '\n[1, "in", "00"]\n[1, "up", "00"]\n', "line 3"),
        (HEAD.encode() + '\n["x", "in", "00"]\n', "line 2"),
    ],
)
def test_what_is_no_recording_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadRecording, match=said):
        list(Recording(io.StringIO(text)))


def test_a_last_line_that_was_cut_is_left_out_and_noted() -> None:
    whole = Entry(5, Direction.IN, b"\x00\xff")
    recording = Recording(io.StringIO(HEAD.encode() + "\n" + whole.encode() + '\n[6, "in", "00'))
    assert list(recording) == [whole]
    assert recording.is_cut


async def test_a_broken_recording_ends_the_replay_and_says_where() -> None:
    replay, host = ReplayLink(Recording(io.StringIO(HEAD.encode() + "\nnonsense\n"))), Collector()
    replay.start(host)
    await asyncio.sleep(1)
    assert "line 2" in str(host.lost[0])
    await replay.close()
