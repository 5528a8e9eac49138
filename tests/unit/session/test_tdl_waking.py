"""An alarm that is kept: never late, hardly early, and gone with its session."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.session.tdl import Noticed, Request
from firmware_bridge.session.tdl.waking import EARLY_S, Waking
from firmware_bridge.wire.tdl.codes import Operation
from tests.support.tdl_device import ScriptedDevice
from tests.support.tdl_host import Host, running, until

pytestmark = pytest.mark.virtual_time


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def test_it_sleeps_until_the_time() -> None:
    waking, begun_s = Waking(), now_s()
    await waking.until(begun_s + 1.0)
    assert now_s() == pytest.approx(begun_s + 1.0)
    await waking.until(begun_s + 3.0)
    assert now_s() == pytest.approx(begun_s + 3.0)


async def test_what_happens_wakes_at_once_and_is_not_forgotten() -> None:
    waking, begun_s = Waking(), now_s()
    waking.set()
    await waking.until(begun_s + 1.0)
    asyncio.get_running_loop().call_later(0.25, waking.set)
    await waking.until(begun_s + 1.0)
    assert now_s() == pytest.approx(begun_s + 0.25)


async def test_an_alarm_that_is_a_little_early_is_kept_and_one_that_is_late_is_not() -> None:
    waking, begun_s = Waking(), now_s()
    asyncio.get_running_loop().call_later(0.001, waking.set)
    await waking.until(begun_s + 1.0)
    await waking.until(begun_s + 1.0 + EARLY_S / 2)
    assert now_s() == pytest.approx(begun_s + 1.0), "woken early, with nothing due"
    asyncio.get_running_loop().call_later(0.001, waking.set)
    await waking.until(now_s() + 1.0)
    sooner_s = now_s() + 0.1
    await waking.until(sooner_s)
    assert now_s() == pytest.approx(sooner_s), "an alarm behind the time would be late"


async def test_one_that_is_far_too_early_does_not_ring() -> None:
    """A daemon at rest is woken by no alarm of an answer that came."""
    waking, begun_s = Waking(), now_s()
    asyncio.get_running_loop().call_later(0.001, waking.set)
    await waking.until(begun_s + 0.3)
    await waking.until(begun_s + 1.0)
    assert now_s() == pytest.approx(begun_s + 1.0)


async def test_a_closed_one_leaves_no_alarm() -> None:
    waking = Waking()
    asyncio.get_running_loop().call_later(0.001, waking.set)
    await waking.until(now_s() + 1.0)
    waking.close()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(5.0):
            await waking.until(now_s() + 60.0)
    waking.close()


async def test_an_answered_ping_wakes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """At rest the task that writes is woken once a second; what is asked meanwhile goes out at once."""
    device, host = ScriptedDevice(), Host()
    session = host.session(await device.connect())
    wakes = 0
    asleep = Waking.until

    async def counted(waking: Waking, at_s: float) -> None:
        nonlocal wakes
        await asleep(waking, at_s)
        wakes += 1

    async with running(session):
        await until(lambda: bool(host.of(Noticed)) and not device.notices)
        await session.ask(Request(Operation.STATE))
        await asyncio.sleep(3.0)
        monkeypatch.setattr(Waking, "until", counted)
        await asyncio.sleep(10.0)
        assert wakes in (9, 10, 11)
        begun_s = now_s()
        await session.ask(Request(Operation.STATE))
        assert now_s() - begun_s < 0.1
    await device.close()
