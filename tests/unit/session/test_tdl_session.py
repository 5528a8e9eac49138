"""The host side of one TDL connection, in virtual time, against a device written from the TDL page."""

from __future__ import annotations

import pytest

from firmware_bridge.session.tdl import Noticed, Ready, Request
from firmware_bridge.wire.tdl.codes import NoticeKind, Operation, Status
from tests.support.tdl_device import EPOCH, ScriptedDevice
from tests.support.tdl_host import Host, running, until

pytestmark = pytest.mark.virtual_time


async def test_the_handshake_reads_identity_and_levels_before_notices_flow() -> None:
    device, host = ScriptedDevice(), Host()
    device.standing = (0, 2)
    async with running(host.session(await device.connect())):
        await until(lambda: len(host.said) >= 2)
    ready, booted = host.said[:2]
    assert isinstance(ready, Ready)
    assert isinstance(booted, Noticed)
    assert (ready.hello.serial, ready.hello.boot, ready.identity.maker) == ("000123", 1, "Test")
    assert ready.standing == ((0, 2),)
    assert (booted.kind, booted.number) == (NoticeKind.BOOTED, 1)
    assert device.hellos == 1
    codes = [frame.code for frame in device.requests[:4]]
    assert codes == [Operation.IDENTITY, Operation.STATE, Operation.FAULTS, Operation.METERS]
    await device.close()


async def test_a_moving_command_goes_out_once_and_its_end_comes_as_a_notice() -> None:
    device, host = ScriptedDevice(), Host()
    session = host.session(await device.connect())
    async with running(session):
        await until(lambda: bool(host.of(Noticed)))
        reply = await session.ask(Request(Operation.COUNT_ALL, {0: EPOCH, 1: 17}))
        assert reply.status is Status.STARTED
        await until(lambda: host.of(Noticed)[-1].kind == NoticeKind.COMMAND_ENDED)
    assert device.moved == [17]
    await device.close()
