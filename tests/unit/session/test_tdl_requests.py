"""Requests, replies and notices in an open session: what the line may do to them, and what stays true."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.tdl import Answered, Noticed, Progressed, Ready, Request, TdlSession
from firmware_bridge.session.tdl.exchange import Sequence
from firmware_bridge.session.tdl.timing import byte_time_s, reply_limit_s
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, Status
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import encode_stream
from tests.support.tdl_device import EPOCH, Crossing, ScriptedDevice
from tests.support.tdl_host import Host, running, until

pytestmark = pytest.mark.virtual_time


def now_s() -> float:
    return asyncio.get_running_loop().time()


@asynccontextmanager
async def opened(
    device: ScriptedDevice, host: Host | None = None
) -> AsyncIterator[tuple[TdlSession, Host, asyncio.Task[None]]]:
    """A session past its handshake, with *booted* acknowledged."""
    host = host or Host()
    session = host.session(await device.connect())
    async with running(session) as task:
        await until(lambda: bool(host.of(Noticed)) and (not device.notices or not host.is_durable))
        yield session, host, task
    await device.close()


async def over(task: asyncio.Task[None]) -> SessionOver:
    with pytest.raises(SessionOver) as caught:
        await asyncio.wait_for(asyncio.shield(task), 30)
    return caught.value


def count_all(number: int = 17) -> Request:
    return Request(Operation.COUNT_ALL, {0: EPOCH, 1: number})


def loses(device: ScriptedDevice, kind: MessageType, *, code: int, times: int) -> None:
    """Lose the next frames of a type and code."""
    left = times

    def mischief(crossing: Crossing) -> tuple[float, ...]:
        nonlocal left
        if crossing.frame.type is kind and crossing.frame.code == code and left:
            left -= 1
            return ()
        return (0.0,)

    device.mischief = mischief


# --- silence ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MessageType.REQUEST, MessageType.REPLY])
@pytest.mark.parametrize("times", [1, 2])
async def test_a_read_is_repeated_under_its_number(kind: MessageType, times: int) -> None:
    device = ScriptedDevice()
    async with opened(device) as (session, host, _):
        device.requests.clear()
        loses(device, kind, code=Operation.STATE, times=times)
        reply = await session.ask(Request(Operation.STATE))
        assert reply.status is Status.OK
        assert host.counts.repeats == times
        assert len(device.requests) == 1  # a copy is answered, not taken again


async def test_no_answer_to_the_third_copy_ends_the_session() -> None:
    device = ScriptedDevice()
    async with opened(device) as (session, _, task):
        loses(device, MessageType.REPLY, code=Operation.STATE, times=3)
        asked = asyncio.create_task(session.ask(Request(Operation.STATE)))
        begun_s = now_s()
        end = await over(task)
        assert end.ending is Ending.UNANSWERED
        assert "STATE not answered, copies sent: 3" in str(end)
        assert now_s() - begun_s == pytest.approx(0.9, abs=0.02)
        with pytest.raises(SessionOver):
            await asked


async def test_an_idle_session_pings_each_second() -> None:
    """PING after 1 s without another request (TDL 5), and nothing else once the opening is known to have arrived."""
    device = ScriptedDevice()
    seen: list[tuple[float, MessageType, int]] = []

    def watch(crossing: Crossing) -> tuple[float, ...]:
        if crossing.is_down:
            seen.append((now_s(), crossing.frame.type, crossing.frame.code))
        return (0.0,)

    async with opened(device) as (_, _, task):
        device.mischief = watch
        await asyncio.sleep(60)
        assert not task.done()
    pings = [at for at, kind, code in seen if kind is MessageType.REQUEST and code == Operation.PING]
    acks = [at for at, kind, _ in seen if kind is MessageType.NOTICE_ACK]
    assert len(pings) in (59, 60)
    assert acks == []


async def test_the_opening_is_repeated_until_something_shows_that_it_arrived() -> None:
    """H-6: no notice waits, so the device says nothing by itself; each PING carries the opening until a goal is ok."""
    device, host = ScriptedDevice(), Host(is_resuming=False)
    device.notices.clear()
    opened_by: list[float] = []

    def watch(crossing: Crossing) -> tuple[float, ...]:
        if crossing.frame.type is MessageType.NOTICE_ACK:
            opened_by.append(now_s())
        return (0.0,)

    device.mischief = watch
    session = host.session(await device.connect())
    async with running(session):
        await until(lambda: bool(host.of(Ready)))
        session.resume_notices(1, 1)
        await asyncio.sleep(3.5)
        assert len(opened_by) == 4
        session.put(Request(Operation.LAMP, {0: 1, 1: 1}))
        await asyncio.sleep(5)
        assert len(opened_by) == 4
    assert device.lamp == (1, 1)
    await device.close()


async def test_a_device_that_goes_away_is_missed_within_two_seconds() -> None:
    device = ScriptedDevice()
    async with opened(device) as (_, _, task):
        device.is_mute = True
        begun_s = now_s()
        assert (await over(task)).ending is Ending.UNANSWERED
        assert now_s() - begun_s < 2


# --- moving commands --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MessageType.REQUEST, MessageType.REPLY])
async def test_a_silent_command_is_asked_about_and_never_sent_again(kind: MessageType) -> None:
    """BR-007: a missing reply has three meanings; only the device can tell which, and only once it moves."""
    device = ScriptedDevice()
    async with opened(device) as (session, host, _):
        loses(device, kind, code=Operation.COUNT_ALL, times=1)
        reply = await session.ask(count_all())
        assert reply.status is (Status.NEVER if kind is MessageType.REQUEST else Status.STARTED)
        assert host.counts.silences == 1
        await asyncio.sleep(5)
    sent = [frame for frame in device.requests if frame.code == Operation.COUNT_ALL]
    assert len(sent) == (0 if kind is MessageType.REQUEST else 1)
    assert device.moved == ([] if kind is MessageType.REQUEST else [17])


async def test_a_slow_command_is_sent_once_however_long_it_takes() -> None:
    """BR-009: a shuffle of 45 s that says it is alive each second; nothing is repeated, nothing asked."""
    device = ScriptedDevice(run_s=45)
    device.progress_s = 1.0
    async with opened(device) as (session, host, task):
        assert (await session.ask(count_all())).status is Status.STARTED
        await until(lambda: len(host.of(Progressed)) > 20)
        await until(lambda: host.of(Noticed)[-1].kind == NoticeKind.COMMAND_ENDED)
        assert not task.done()
    assert device.moved == [17]
    codes = [frame.code for frame in device.requests]
    assert codes.count(Operation.COUNT_ALL) == 1
    assert codes.count(Operation.OUTCOME) == 0
    assert host.counts.repeats == 0


async def test_a_command_that_has_gone_quiet_is_asked_about_each_five_seconds() -> None:
    """BR-009: 12 s without a word; the question moves nothing, and *started* counts as progress."""
    device = ScriptedDevice(run_s=12)
    async with opened(device) as (session, host, _):
        session.put(count_all())
        await until(lambda: host.of(Noticed)[-1].kind == NoticeKind.COMMAND_ENDED)
        assert [frame.code for frame in device.requests].count(Operation.OUTCOME) == 2
        assert [(said.number, said.done) for said in host.of(Progressed)] == [(17, None), (17, None)]
        await asyncio.sleep(20)
        assert [frame.code for frame in device.requests].count(Operation.OUTCOME) == 2
    assert device.moved == [17]
    assert [said.reply.status for said in host.of(Answered)] == [Status.STARTED]


@pytest.mark.parametrize("latency_s", [0.04, 0.19])
async def test_a_slow_adapter_causes_no_repeat(latency_s: float) -> None:
    """BR-009: 40 ms more on every read, and a device at the very end of its 200 ms."""
    device = ScriptedDevice()
    device.reply_after_s = latency_s
    async with opened(device) as (session, host, _):
        for _ in range(50):
            await session.ask(Request(Operation.METERS))
        await asyncio.sleep(30)
    assert (host.counts.repeats, host.counts.late_replies) == (0, 0)


async def test_a_reset_in_the_middle_of_a_command_ends_the_session_and_repeats_nothing() -> None:
    """BR-015 (b): the device that comes back has another boot; what became of the command is asked, not assumed."""
    device, host = ScriptedDevice(run_s=10), Host()
    async with opened(device, host) as (session, _, task):
        assert (await session.ask(count_all())).status is Status.STARTED
        device.reset()
        begun_s = now_s()
        assert (await over(task)).ending is Ending.UNANSWERED
        assert now_s() - begun_s < 2
        again = host.session(await device.connect(), number=2)
        host.held = 0
        async with running(again):
            reply = await again.ask(Request(Operation.OUTCOME, {0: EPOCH, 1: 17}))
            assert reply.status is Status.INTERRUPTED
            await until(lambda: len(host.of(Ready)) == 2)
    assert [ready.hello.boot for ready in host.of(Ready)] == [1, 2]
    assert device.moved == [17]


async def test_two_resets_within_two_seconds() -> None:
    """BR-015 (d)."""
    device, host = ScriptedDevice(), Host()
    async with opened(device, host) as (_, _, task):
        device.reset()
        await asyncio.sleep(1)
        device.reset()
        await over(task)
        async with running(host.session(await device.connect(), number=2)):
            await until(lambda: len(host.of(Ready)) == 2)
    assert host.of(Ready)[1].hello.boot == 3


async def test_a_notice_of_another_boot_ends_the_session() -> None:
    device = ScriptedDevice()
    async with opened(device) as (_, host, task):
        device.send(Frame(MessageType.NOTICE, NoticeKind.BOOTED, 0, 0x1234, {0: 2, 1: 1, 2: 5, 3: 3}))
        end = await over(task)
    assert end.ending is Ending.REBOOTED
    assert [said.boot for said in host.of(Noticed)] == [1]


# --- answers to other questions ---------------------------------------------------------------------------


async def test_a_late_answer_is_never_used_for_another_question() -> None:
    """BR-011: the answer to STATE arrives while METERS is asked; it is counted and thrown away."""
    device = ScriptedDevice()
    late = [True]

    def delays(crossing: Crossing) -> tuple[float, ...]:
        if crossing.frame.type is MessageType.REPLY and crossing.frame.code == Operation.STATE and late:
            late.clear()
            return (0.45,)  # the second copy is answered at 0.3; this one comes behind it
        return (0.0,)

    async with opened(device) as (session, host, _):
        device.mischief = delays
        state = await session.ask(Request(Operation.STATE))
        replies = [await session.ask(Request(Operation.METERS)) for _ in range(3)]
        assert 7 in state.body
        await asyncio.sleep(0.2)
        replies += [await session.ask(Request(Operation.METERS)) for _ in range(3)]
        assert all(7 not in reply.body and 3 in reply.body for reply in replies)
        assert host.counts.late_replies == 1


async def test_ten_thousand_requests_on_a_bad_line_get_their_own_answers() -> None:
    """BR-011: of the answers 1 % are late, 1 % lost; 0 mismatches, over many wraps of the number (BR-014)."""
    device, chance = ScriptedDevice(), random.Random(12)

    def mischief(crossing: Crossing) -> tuple[float, ...]:
        throw = 1.0 if crossing.is_down else chance.random()
        return () if throw < 0.01 else (chance.uniform(0.3, 0.6),) if throw < 0.02 else (0.0,)

    kinds = {Operation.STATE: 7, Operation.METERS: 3, Operation.FAULTS: 2, Operation.IDENTITY: 6}
    async with opened(device) as (session, host, task):
        device.standing = (3, 3)
        device.mischief = mischief
        for at in range(10_000):
            operation = list(kinds)[at % len(kinds)]
            reply = await session.ask(Request(operation))
            assert kinds[operation] in reply.body
            assert (operation, reply.body[2]) == (Operation.FAULTS, (3, 3)) or operation is not Operation.FAULTS
        assert not task.done()
        assert host.counts.repeats > 150
        assert host.counts.late_replies > 50


@pytest.mark.parametrize("cancel_after", range(12))
async def test_a_cancelled_request_leaves_nothing_for_the_next_to_trip_over(cancel_after: int) -> None:
    """BR-017: cancelled at each turn of the loop from before the first byte to after the answer."""
    device = ScriptedDevice()
    async with opened(device) as (session, _, task):
        asked = asyncio.create_task(session.ask(Request(Operation.STATE)))
        for _ in range(cancel_after):
            await asyncio.sleep(0)
        asked.cancel()
        reply = await session.ask(Request(Operation.METERS))
        assert 3 in reply.body
        assert 7 not in reply.body
        assert not task.done()


@pytest.mark.parametrize("cancel_after", range(12))
async def test_a_cancelled_caller_cannot_stop_a_command_half_way(cancel_after: int) -> None:
    """BR-017: the command that was intended goes out once, whoever still waits for it."""
    device = ScriptedDevice()
    async with opened(device) as (session, _, _):
        asked = asyncio.create_task(session.ask(count_all()))
        for _ in range(cancel_after):
            await asyncio.sleep(0)
        asked.cancel()
        reply = await session.ask(Request(Operation.OUTCOME, {0: EPOCH, 1: 17}))
        assert device.moved == ([] if reply.status is Status.NEVER else [17])
        assert reply.status is (Status.NEVER if cancel_after == 0 else Status.STARTED)


async def test_a_time_limit_of_the_caller_poisons_nothing() -> None:
    """BR-017: through wait_for."""
    device = ScriptedDevice()
    async with opened(device) as (session, _, _):
        loses(device, MessageType.REPLY, code=Operation.STATE, times=2)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.ask(Request(Operation.STATE)), 0.1)
        assert 3 in (await session.ask(Request(Operation.METERS))).body


def test_the_number_wraps_past_zero() -> None:
    """BR-014: 255 is followed by 1; 0 means *no number*."""
    sequence = Sequence()
    numbers = [sequence.next() for _ in range(600)]
    assert numbers[253:258] == [254, 255, 1, 2, 3]
    assert 0 not in numbers


async def test_a_copy_and_a_late_answer_on_the_wrap() -> None:
    """BR-014: from max - 5 to + 5, each request doubled and each answer doubled with a delay."""
    device = ScriptedDevice()
    async with opened(device) as (session, host, task):
        while device.requests[-1].seq != 249:
            await session.ask(Request(Operation.STATE))
        device.requests.clear()
        device.mischief = lambda crossing: (0.0, 0.25)
        for _ in range(6):
            assert 7 in (await session.ask(Request(Operation.STATE))).body
            assert 3 in (await session.ask(Request(Operation.METERS))).body
        await asyncio.sleep(0.6)
        assert not task.done()
    taken = [frame.seq for frame in device.requests if frame.code != Operation.PING]
    assert taken == [250, 251, 252, 253, 254, 255, 1, 2, 3, 4, 5, 6]
    assert host.counts.late_replies >= 12


# --- refusals of the moment -------------------------------------------------------------------------------


async def test_busy_is_asked_again_under_a_new_number() -> None:
    device = ScriptedDevice()
    async with opened(device) as (session, _, _):
        device.requests.clear()
        device.busy = {Operation.STATE}
        asyncio.get_running_loop().call_later(1.05, device.busy.clear)
        assert (await session.ask(Request(Operation.STATE))).status is Status.OK
        numbers = [frame.seq for frame in device.requests]
    assert len(numbers) == 12
    assert len(set(numbers)) == 12


async def test_a_device_that_stays_busy_is_given_up() -> None:
    device = ScriptedDevice()
    async with opened(device) as (session, _, task):
        device.busy = {Operation.STATE}
        session.put(Request(Operation.STATE))
        end = await over(task)
    assert end.ending is Ending.BUSY
    assert "busy for 10 s at STATE" in str(end)


async def test_a_lost_opening_is_made_good_when_a_permit_is_busy() -> None:
    """tdl.md 4.2: NOTICE_ACK has no answer; *busy* to a goal may mean that it was lost."""
    device, host = ScriptedDevice(), Host(is_resuming=False)
    session = host.session(await device.connect())
    async with running(session):
        await until(lambda: bool(host.of(Ready)))
        loses(device, MessageType.NOTICE_ACK, code=0, times=1)
        session.resume_notices(1, 0)
        reply = await session.ask(Request(Operation.PERMIT, {0: 2, 1: 2_000}))
        assert reply.status is Status.OK
        await until(lambda: bool(host.of(Noticed)))
    assert [frame.code for frame in device.requests].count(Operation.PERMIT) == 2
    await device.close()


async def test_goals_wait_until_the_table_has_opened_but_reads_and_revokes_do_not() -> None:
    device, host = ScriptedDevice(), Host(is_resuming=False)
    session = host.session(await device.connect())
    async with running(session):
        await until(lambda: bool(host.of(Ready)))
        device.requests.clear()
        session.put(Request(Operation.LAMP, {0: 1, 1: 0}))
        session.put(Request(Operation.PERMIT, {0: 2, 1: 2_000}))
        session.put(Request(Operation.PERMIT, {0: 1, 1: 0}))
        session.put(Request(Operation.OUTCOME, {0: EPOCH, 1: 3}))
        await asyncio.sleep(3)
        assert {frame.code for frame in device.requests} == {Operation.PERMIT, Operation.OUTCOME, Operation.PING}
        assert not device.permits
        session.resume_notices(1, 0)
        await until(lambda: bool(device.permits))
        assert device.lamp == (1, 0)
    await device.close()


async def test_a_command_that_was_never_opened_for_is_fenced() -> None:
    """BR-051: the table did not open within 5 s; the command is asked for and thereby can never run."""
    device, host = ScriptedDevice(), Host(is_resuming=False)
    session = host.session(await device.connect())
    async with running(session):
        await until(lambda: bool(host.of(Ready)))
        assert (await session.ask(count_all())).status is Status.NEVER
        session.resume_notices(1, 0)
        await until(lambda: bool(host.of(Noticed)))
    assert device.moved == []
    await device.close()


async def test_a_permit_on_its_way_is_not_repeated_once_its_revoke_waits() -> None:
    """A revoke waits for one time limit at most, not for three copies of what it undoes."""
    device = ScriptedDevice()
    async with opened(device) as (session, _, task):
        loses(device, MessageType.REPLY, code=Operation.PERMIT, times=1)
        session.put(Request(Operation.PERMIT, {0: 2, 1: 2_000}, goal="grant"))
        await asyncio.sleep(0.01)
        assert device.permits
        begun_s = now_s()
        session.put(Request(Operation.PERMIT, {0: 2, 1: 0}, goal="revoke", cancels="grant"))
        await until(lambda: not device.permits)
        assert now_s() - begun_s < 0.35
        await asyncio.sleep(5)
        assert not task.done()
        assert not device.permits


# --- notices ----------------------------------------------------------------------------------------------


async def test_a_notice_goes_up_once_however_often_it_comes() -> None:
    device, host = ScriptedDevice(), Host(is_durable=False)
    async with opened(device, host) as (session, _, _):
        await asyncio.sleep(5)
        assert len(host.of(Noticed)) == 1
        assert host.counts.notices_again >= 9
        assert device.notices  # not acknowledged, for no journal holds it
        session.acknowledge(1, 1)
        await until(lambda: not device.notices)


async def test_a_lost_acknowledgement_is_given_again() -> None:
    device = ScriptedDevice()
    async with opened(device) as (_, host, _):
        loses(device, MessageType.NOTICE_ACK, code=0, times=1)
        device.notice(NoticeKind.JAM, {3: 2})
        await until(lambda: not device.notices)
        assert [said.number for said in host.of(Noticed)] == [1, 2]


async def test_a_gap_is_answered_with_the_last_number() -> None:
    device, acks = ScriptedDevice(), []

    def watch(crossing: Crossing) -> tuple[float, ...]:
        if crossing.frame.type is MessageType.NOTICE_ACK:
            acks.append(crossing.frame.body[1])
        return (0.0,)

    async with opened(device) as (_, host, _):
        device.mischief = watch
        device.send(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, 0x1234, {0: 1, 1: 4, 2: 5, 3: 2}))
        await until(lambda: bool(acks))
        assert acks == [1]
        assert host.counts.notices_ahead == 1
        assert len(host.of(Noticed)) == 1


async def test_no_notice_is_lost_or_doubled_on_a_line_that_loses_and_doubles() -> None:
    device, chance = ScriptedDevice(), random.Random(5)
    choices = [(), (0.0,), (0.0,), (0.0,), (0.0, 0.2), (0.15,)]
    async with opened(device) as (_, host, task):
        device.mischief = lambda crossing: chance.choice(choices)
        for meter in range(40):
            device.notice(NoticeKind.CARDS_OUT, {3: meter})
            await asyncio.sleep(chance.uniform(0, 1))
        device.mischief = lambda crossing: (0.0,)
        if not task.done():
            await until(lambda: not device.notices)
    assert [said.number for said in host.of(Noticed)] == list(range(1, len(host.of(Noticed)) + 1))
    assert [said.body[3] for said in host.of(Noticed)[1:]] == list(range(len(host.of(Noticed)) - 1))
    assert len(host.of(Noticed)) > 15


async def test_frames_of_another_session_and_of_hosts_are_counted_and_dropped() -> None:
    device = ScriptedDevice()
    async with opened(device) as (_, host, task):
        device.send(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, 0x1111, {0: 1, 1: 2, 2: 5, 3: 2}))
        device.send(Frame(MessageType.REPLY, Operation.PING, 5, 0x1111, {0: 0}))
        device.send(Frame(MessageType.REQUEST, Operation.PING, 5, 0x1234, {}))
        device.send(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, 0x1234, {0: 1, 2: 5}))
        device.send(Frame(MessageType.PROGRESS, Operation.DEAL, 0, 0x1234, {0: "one"}))
        await asyncio.sleep(2)
        assert not task.done()
        counts = host.counts
    assert (counts.wrong_session, counts.echoes, counts.malformed) == (2, 1, 2)
    assert len(host.of(Noticed)) == 1


async def test_a_notice_before_step_4_is_left_with_the_device() -> None:
    device, host = ScriptedDevice(), Host(is_resuming=False)
    session = host.session(await device.connect())
    async with running(session):
        await until(lambda: bool(host.of(Ready)))
        device.send(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, 0x1234, {0: 1, 1: 1, 2: 5, 3: 2}))
        await asyncio.sleep(0.1)
        assert host.counts.unexpected == 1
        session.resume_notices(1, 0)
        await until(lambda: bool(host.of(Noticed)))
    assert [said.kind for said in host.of(Noticed)] == [NoticeKind.BOOTED]
    await device.close()


# --- back-pressure, garbage, the cable ---------------------------------------------------------------------


async def test_a_hub_without_room_stops_the_notices_but_not_a_revoke() -> None:
    """semantics: when the queue is full the notices wait in the device; what makes things safer still gets through."""
    device = ScriptedDevice()
    async with opened(device) as (session, host, task):
        session.put(Request(Operation.PERMIT, {0: 2, 1: 60_000}))
        await until(lambda: bool(device.permits))
        host.gate.clear()
        for _ in range(30):
            device.notice(NoticeKind.JAM, {3: 2})
        await asyncio.sleep(60)
        assert len(device.notices) == 30
        session.put(Request(Operation.PERMIT, {0: 2, 1: 0}))
        await until(lambda: not device.permits)
        assert not task.done()
        host.gate.set()
        await until(lambda: not device.notices)
    assert [said.number for said in host.of(Noticed)] == list(range(1, 32))


async def test_a_device_that_floods_is_left_in_the_cable_and_outlasts_no_deadline() -> None:
    """Reading pauses while nobody above has room; an answer that lies in the cable meanwhile is not missing."""
    device = ScriptedDevice()
    async with opened(device) as (session, host, task):
        host.gate.clear()
        for number in range(2, 40):
            device.send(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, 0x1234, {0: 1, 1: number, 2: 5, 3: 2}))
        await asyncio.sleep(1)
        assert host.counts.pauses == 1
        asked = asyncio.create_task(session.ask(Request(Operation.STATE)))
        await asyncio.sleep(30)
        assert not asked.done()
        assert not task.done()
        assert len(host.of(Noticed)) == 1
        host.gate.set()
        assert (await asked).status is Status.OK
        assert host.counts.repeats == 0
    assert [said.number for said in host.of(Noticed)] == list(range(1, 40))


async def test_progress_that_waits_is_replaced_by_the_latest() -> None:
    device = ScriptedDevice()
    async with opened(device) as (_, host, _):
        host.gate.clear()
        for done in range(100):
            device.send(Frame(MessageType.PROGRESS, Operation.COUNT_ALL, 0, 0x1234, {0: 17, 1: done, 2: 100}))
        await asyncio.sleep(1)
        host.gate.set()
        await until(lambda: bool(host.of(Progressed)) and host.of(Progressed)[-1].done == 99)
    assert len(host.of(Progressed)) <= 2
    assert host.counts.pauses == 0


async def test_a_noisy_line_is_closed_and_a_quiet_one_forgiven() -> None:
    """A budget closes the line; a lost frame now and then, over a whole day, does not."""
    device = ScriptedDevice()
    async with opened(device) as (_, host, task):
        for _ in range(500):
            await device.send_raw(b"\x00noise of a motor\x00")
            await asyncio.sleep(1.5)
        assert not task.done()
        for _ in range(500):
            await device.send_raw(b"\x00noise of a motor\x00")
        end = await over(task)
    assert end.ending is Ending.NOISY
    assert host.counts.garbage_bytes >= 4_096
    assert "too much garbage" in str(end)


async def test_a_cable_that_takes_no_bytes_ends_the_session() -> None:
    class Stuck:
        address, is_message_based, is_simulated = "serial:///dev/x", False, False
        closed = 0

        def start(self, receiver: object) -> None: ...
        def pause_reading(self) -> None: ...
        def resume_reading(self) -> None: ...

        async def write(self, data: bytes) -> None:
            await asyncio.Event().wait()

        async def close(self) -> None:
            self.closed += 1

    link = Stuck()
    with pytest.raises(SessionOver, match="took no bytes for 2 s") as caught:
        await Host().session(link).run()
    assert caught.value.ending is Ending.STUCK
    assert link.closed == 1


async def test_a_fault_above_ends_the_session_and_is_not_hidden() -> None:
    """BR-026: what the callback raises comes out of the session as it is."""
    device, host = ScriptedDevice(), Host()

    async def broken(said: object) -> None:
        raise RuntimeError("a fault of ours")

    host._report = broken  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="a fault of ours"):
        await host.session(await device.connect()).run()
    await device.close()


async def test_a_fault_in_the_parser_ends_the_session_and_not_only_the_callback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """BR-026: an exception in the link's callback must not vanish there."""
    device = ScriptedDevice()
    async with opened(device) as (session, _, task):
        monkeypatch.setattr(session._notices, "take", lambda number: 1 // 0)
        device.notice(NoticeKind.JAM, {3: 2})
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(asyncio.shield(task), 5)


async def test_no_task_and_no_cable_is_left_behind() -> None:
    device = ScriptedDevice()
    before = len(asyncio.all_tasks())
    async with opened(device) as (_, _, task):
        await device.cut()
        assert (await over(task)).ending is Ending.LINK_LOST
    assert len(asyncio.all_tasks()) == before


@pytest.mark.parametrize(
    ("address", "is_message_based", "seconds"),
    [
        ("serial:///dev/serial/by-id/x?baud=9600", False, 0.3 + (26 + 112) * 10 / 9_600),
        ("serial:///dev/serial/by-id/x", False, 0.3 + (26 + 112) * 10 / 115_200),
        ("serial:///dev/serial/by-id/x?baud=fast", False, 0.3 + (26 + 112) * 10 / 115_200),
        ("tcp://10.0.0.7:4001", False, 0.3),
        ("mqtt://broker:1883/pit/shuffler", True, 1.0),
    ],
)
def test_the_time_limit_has_the_wire_in_it(address: str, is_message_based: bool, seconds: float) -> None:
    assert reply_limit_s(byte_time_s(address), 26, is_message_based=is_message_based) == pytest.approx(seconds)


def test_a_jam_takes_two_and_a_half_milliseconds() -> None:
    frame = Frame(MessageType.NOTICE, NoticeKind.JAM, 0, 0x1234, {0: 3, 1: 41, 2: 123_456, 3: 2})
    size = len(encode_stream(frame))
    assert size == 29
    assert size * byte_time_s("serial:///dev/x?baud=115200") == pytest.approx(0.0025, abs=0.00005)
