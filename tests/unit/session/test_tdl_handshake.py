"""Who answers, before anything is believed or ordered (TDL 4). In virtual time, on memory cables."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.tdl import Expected, Noticed, Ready, WrongDevice
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream
from tests.support.tdl_device import MODEL, SERIAL, Crossing, ScriptedDevice
from tests.support.tdl_host import Host, running, until

pytestmark = pytest.mark.virtual_time


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def ends(host: Host, link: Link, **options: object) -> SessionOver:
    with pytest.raises(SessionOver) as caught:
        await host.session(link, **options).run()  # type: ignore[arg-type]
    return caught.value


class FarEnd:
    """The other end of a cable: keeps every frame that the host sends."""

    def __init__(self) -> None:
        self.near, self.far = memory_pair("far")
        self.frames: list[Frame] = []
        self._decoder = StreamDecoder()
        self.far.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        for piece in self._decoder.feed(chunk):
            assert not isinstance(piece, Garbage)
            self.frames.append(piece)

    def link_lost(self, reason: Exception) -> None:
        pass


async def test_a_silent_cable_gets_hello_each_half_second_and_one_diagnosis_after_ten() -> None:
    far, host = FarEnd(), Host()
    over = await ends(host, far.near)
    assert now_s() == pytest.approx(10.0)
    assert over.ending is Ending.SILENT
    assert str(over) == "memory://far: silent for 10 s; check power, cable and that this is the port"
    assert len(far.frames) == 20
    assert {(frame.type, frame.seq) for frame in far.frames} == {(MessageType.HELLO, 1)}
    assert len({str(frame.body) for frame in far.frames}) == 1  # copies, so that the device knows them as such


async def test_bytes_without_a_frame_are_called_a_wrong_speed() -> None:
    """BR-006 (b): noise is told apart from silence, and the address says what was configured."""
    far, host = FarEnd(), Host()

    async def noise() -> None:
        for _ in range(90):
            await far.far.write(b"\xfe\x00\x7f\xfe\x80" * 20)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(noise())
    over = await ends(host, far.near)
    await task
    assert over.ending is Ending.NO_FRAME
    assert "9000 bytes arrive but no valid frame" in str(over)
    assert "check speed and parity" in str(over)
    assert host.counts.garbage_bytes == 90 * 20 * 4
    assert {frame.type for frame in far.frames} == {MessageType.HELLO}


async def test_bytes_without_any_delimiter_are_counted_once() -> None:
    far, host = FarEnd(), Host()
    await far.far.write(b"\xfe" * 5_000)
    over = await ends(host, far.near)
    assert over.ending is Ending.NO_FRAME
    assert sum(host.counts.garbage.values()) == 1
    assert host.counts.garbage_bytes == 5_000


async def test_boot_chatter_and_half_a_frame_do_no_harm() -> None:
    """BR-006 (a): 300 bytes at another speed, half a frame, then a sound device: ready within 5 s."""
    device, host = ScriptedDevice(), Host()
    link = await device.connect()
    device.is_mute = True
    async with running(host.session(link)):
        await asyncio.sleep(0.1)
        await device.send_raw(bytes(range(1, 151)) * 2)
        await device.send_raw(encode_stream(Frame(MessageType.HELLO_REPLY, 0, 1, 0x1234, {0: bytes(8)}))[:9])
        await asyncio.sleep(0.3)
        device.is_mute = False
        await until(lambda: bool(host.of(Ready)))
    assert now_s() < 5
    assert host.counts.garbage_bytes >= 300
    await device.close()


async def test_an_answer_of_yesterday_is_not_believed() -> None:
    """BR-006 (c): a good frame left in some buffer, with another nonce or another session, proves nothing."""
    device, host = ScriptedDevice(), Host()
    link = await device.connect()
    device.is_mute = True
    body = {0: bytes(8), 1: 1, 2: 9, 3: 1, 4: MODEL, 5: SERIAL, 6: 96, 7: True, 8: 1, 9: 0, 10: 1, 11: 1, 12: 0}
    ours = {**body, 0: bytes(range(1, 9))}
    for frame in (
        Frame(MessageType.HELLO_REPLY, 0, 1, 0x1234, body),
        Frame(MessageType.HELLO_REPLY, 0, 1, 0x4321, ours),
        Frame(MessageType.NOTICE, 2, 0, 0x1234, {0: 9, 1: 1, 2: 0, 3: 5}),
    ):
        await device.send_raw(encode_stream(frame))
    over = await ends(host, link)
    assert over.ending is Ending.UNANSWERED
    assert "TDL frames arrive, but no answer to our HELLO" in str(over)
    assert host.said == []
    await device.close()


async def test_a_cable_that_echoes_is_called_so() -> None:
    near, far = memory_pair("loop")

    class Echo:
        def chunk_received(self, chunk: bytes) -> None:
            task = asyncio.create_task(far.write(chunk))
            task.add_done_callback(lambda done: done.exception())

        def link_lost(self, reason: Exception) -> None:
            pass

    far.start(Echo())
    over = await ends(Host(), near)
    assert over.ending is Ending.UNANSWERED
    assert "the line echoes" in str(over)


@pytest.mark.parametrize(("serial", "model"), [("000124", MODEL), (SERIAL, "CSM-OTHER")])
async def test_a_wrong_device_gets_nothing_but_hello(serial: str, model: str) -> None:
    """A wrong device behind the right name is closed, having been told nothing (H-2)."""
    device, host = ScriptedDevice(), Host()
    link = await device.connect()
    device.serial, device.model = serial, model
    over = await ends(host, link)
    assert isinstance(over, WrongDevice)
    assert (over.ending, over.serial, over.model) == (Ending.WRONG_DEVICE, serial, model)
    assert over.is_permanent
    assert f"{model} {serial} answers, {MODEL} {SERIAL} is configured" in str(over)
    await asyncio.sleep(5)
    assert device.requests == []
    assert host.said == []
    await device.close()


async def test_a_device_with_another_profile_is_a_wrong_device() -> None:
    device, host = ScriptedDevice(profiles=(6,)), Host()
    over = await ends(host, await device.connect())
    assert over.ending is Ending.WRONG_DEVICE
    assert "profile 1 is needed" in str(over)
    assert host.said == []
    await device.close()


async def test_no_common_version_is_permanent() -> None:
    device, host = ScriptedDevice(), Host()
    device.version = 0
    over = await ends(host, await device.connect())
    assert over.ending is Ending.WRONG_VERSION
    assert over.is_permanent
    assert device.requests == []
    await device.close()


async def test_a_device_that_serves_another_host_is_left_alone() -> None:
    device, host = ScriptedDevice(), Host()
    device.is_other_host_active = True
    over = await ends(host, await device.connect())
    assert over.ending is Ending.OTHER_HOST
    assert not over.is_permanent
    assert device.requests == []
    await device.close()


async def test_meters_may_be_missing_but_state_may_not() -> None:
    device, host = ScriptedDevice(), Host()
    device.unoffered = {7}
    async with running(host.session(await device.connect())):
        await until(lambda: bool(host.of(Ready)))
    assert host.of(Ready)[0].meters is None
    device.unoffered = {3}
    over = await ends(host, await device.connect(), number=2)
    assert over.ending is Ending.NONSENSE
    assert "STATE is refused" in str(over)
    await device.close()


async def test_an_answer_without_sense_is_told_in_the_diagnosis() -> None:
    far, host = FarEnd(), Host()
    await far.far.write(encode_stream(Frame(MessageType.HELLO_REPLY, 0, 1, 0x1234, {0: bytes(range(1, 9)), 1: 1})))
    over = await ends(host, far.near)
    assert "HELLO_REPLY without sense" in str(over)
    assert host.counts.malformed == 1


async def test_a_cable_that_ends_in_the_handshake_says_so() -> None:
    device, host = ScriptedDevice(), Host()
    link = await device.connect()
    device.is_mute = True
    asyncio.get_running_loop().call_later(1.0, lambda: device._spawn(device.cut()))
    over = await ends(host, link)
    assert over.ending is Ending.LINK_LOST
    assert "closed by the other side" in str(over)
    await device.close()


# The handshake of the scripted device: HELLO, four reads, NOTICE_ACK and the acknowledgement of *booted* go down;
# HELLO_REPLY, four replies and one notice come up.
DOWN, UP = 7, 6


@pytest.mark.parametrize("is_down", [True, False], ids=["down", "up"])
@pytest.mark.parametrize("first", range(max(DOWN, UP)))
@pytest.mark.parametrize("second", [None, *range(max(DOWN, UP) + 1)])
async def test_losing_any_one_or_two_messages_of_the_handshake(is_down: bool, first: int, second: int | None) -> None:
    """BR-016: the k-th message lost for every k, and any two of them: ready within 10 s, the retry really goes out."""
    device, host = ScriptedDevice(), Host()
    lost: list[int] = []

    def loses(crossing: Crossing) -> tuple[float, ...]:
        is_lost = crossing.is_down is is_down and crossing.index in (first, second)
        if is_lost:
            lost.append(crossing.index)
        return () if is_lost else (0.0,)

    device.mischief = loses
    async with running(host.session(await device.connect())) as task:
        await until(lambda: len(host.of(Noticed)) == 1 and not device.notices)
        assert not task.done()
        device.notice(0x10, {3: 2})
        await until(lambda: len(host.of(Noticed)) == 2 and not device.notices)
    assert now_s() < 10
    assert first in lost
    assert len(host.of(Ready)) == 1
    assert [said.number for said in host.of(Noticed)] == [1, 2]
    await device.close()


async def test_a_daemon_killed_in_the_middle_of_a_frame_starts_again() -> None:
    """BR-016: the device still holds half a frame of the daemon that was killed; the next HELLO ends it."""
    device, host = ScriptedDevice(), Host()
    link = await device.connect()
    await link.write(encode_stream(Frame(MessageType.REQUEST, 3, 9, 0x1233, {}))[:7])
    async with running(host.session(link)):
        await until(lambda: bool(host.of(Noticed)))
    assert device.hellos == 1
    await device.close()


async def test_a_second_session_takes_over_and_the_notices_go_on() -> None:
    device, host = ScriptedDevice(), Host()
    for number in (1, 2, 3):
        async with running(host.session(await device.connect(), number=number)):
            device.notice(0x12)
            await until(lambda: not device.notices)
    assert [said.number for said in host.of(Noticed)] == [1, 2, 3, 4]
    assert len(host.of(Ready)) == 3
    await device.close()


async def test_on_a_message_link_frames_are_bare() -> None:
    device, host = ScriptedDevice(is_message_based=True), Host()
    async with running(host.session(await device.connect())):
        await until(lambda: bool(host.of(Noticed)))
    assert host.counts.garbage == {}
    await device.close()


async def test_expected_is_the_whole_identity() -> None:
    device, host = ScriptedDevice(profiles=(1, 6)), Host()
    async with running(host.session(await device.connect(), expected=Expected(SERIAL, MODEL, 6))):
        await until(lambda: bool(host.of(Ready)))
    await device.close()
