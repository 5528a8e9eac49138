"""The two TDL drivers on a device of the tests: facts up, orders down."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from drivers import events
from drivers.device import TdlDevice
from drivers.errors import AddressRefused, DriverUnknown
from drivers.events import Outcome, PermitKind, Reason, Verb
from drivers.registry import build_tdl, tdl_driver
from drivers.shufflers.tdl_continuous import TdlContinuousShuffler
from drivers.switchboxes.tdl_switch_box import TdlSwitchBox
from firmware_bridge.wire.tdl.codes import NoticeKind, Operation
from tests.support.tdl_device import EPOCH, ScriptedDevice
from tests.support.tdl_host import Table, until

pytestmark = pytest.mark.virtual_time


@asynccontextmanager
async def running(driver: TdlDevice, device: ScriptedDevice) -> AsyncIterator[None]:
    """The driver at work, until the end of the block."""
    task = asyncio.create_task(driver.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await device.close()


async def test_a_device_is_away_until_it_is_ready() -> None:
    device = ScriptedDevice()
    table = Table(device)
    async with running(TdlContinuousShuffler(table.settings, table.around), device):
        await until(lambda: bool(table.of(events.DeviceReady)))
    lost, ready = table.facts[:2]
    assert isinstance(lost, events.DeviceLost)
    assert isinstance(ready, events.DeviceReady)
    assert (ready.serial, ready.firmware, ready.boot, ready.is_simulated) == ("000123", "1.0", 1, True)
    assert ready.abilities[events.Ability.COUNT_IN] is events.Holding.OBSERVES
    assert ready.abilities[events.Ability.SLOTS] is events.Holding.CANNOT


async def test_notices_come_once_the_table_resumes_them_and_leave_once_acknowledged() -> None:
    device = ScriptedDevice()
    table = Table(device)
    driver = TdlContinuousShuffler(table.settings, table.around)
    async with running(driver, device):
        await until(lambda: bool(table.of(events.DeviceReady)))
        await asyncio.sleep(3)
        assert not table.of(events.DeviceBooted)
        driver.resume_notices(1, 0)
        await until(lambda: bool(table.of(events.DeviceBooted)))
        device.notice(NoticeKind.JAM, {3: 2})
        await asyncio.sleep(3)
        assert not table.of(events.CardJammed)  # the device waits for the first one's acknowledgement
        driver.acknowledge(1, 1)
        await until(lambda: bool(table.of(events.CardJammed)))
        driver.acknowledge(1, 2)
        await until(lambda: not device.notices)
    jam = table.of(events.CardJammed)
    assert jam == [events.CardJammed(device="shuffler", boot=1, number=2, device_ms=1002, place=events.Place.EXIT)]


async def test_a_command_is_answered_and_its_end_is_told() -> None:
    device = ScriptedDevice()
    table = Table(device)
    driver = TdlContinuousShuffler(table.settings, table.around)
    async with running(driver, device):
        await until(lambda: bool(table.of(events.DeviceReady)))
        driver.resume_notices(1, 1)
        driver.command(Verb.COUNT_ALL, EPOCH, 17, None)
        await until(lambda: bool(table.of(events.CommandEnded)))
    answered, ended = table.of(events.CommandAnswered), table.of(events.CommandEnded)
    assert [(fact.command, fact.outcome, fact.is_found) for fact in answered] == [(17, Outcome.STARTED, False)]
    assert [(fact.command, fact.outcome, fact.moved) for fact in ended] == [(17, Outcome.DONE, 5)]
    assert device.moved == [17]


async def test_a_switch_box_refuses_what_it_has_not() -> None:
    device = ScriptedDevice(profiles=(6,))
    device.unoffered = {Operation.METERS}
    table = Table(device)
    driver = TdlSwitchBox(dataclasses.replace(table.settings, name="box"), table.around)
    async with running(driver, device):
        await until(lambda: bool(table.of(events.DeviceReady)))
        driver.resume_notices(1, 1)
        driver.permit(PermitKind.DEAL, 1_000, None)
        driver.command(Verb.DEAL, EPOCH, 18, 1)
        device.notice(NoticeKind.KEY, {3: 5})
        await until(lambda: bool(table.of(events.KeyPressed)))
        await until(lambda: bool(table.of(events.CommandAnswered)))
    assert [(fact.what, fact.reason) for fact in table.of(events.PermitAnswered)] == [
        (PermitKind.DEAL, Reason.NOT_OFFERED)
    ]
    assert [(fact.outcome, fact.reason) for fact in table.of(events.CommandAnswered)] == [
        (Outcome.REFUSED, Reason.NOT_OFFERED)
    ]
    assert table.of(events.KeyPressed)[0].key is events.KeyName.DAMAGED_CARD
    assert device.moved == []


async def test_the_registry_names_the_nearest_driver_and_the_cables_that_are_offered() -> None:
    table = Table(ScriptedDevice())
    with pytest.raises(DriverUnknown, match="there are tdl-continuous-shuffler, tdl-switch-box"):
        tdl_driver("tdl-shuffler", "serial:///dev/x")
    with pytest.raises(AddressRefused, match="memory://device: serial://, tcp://, usb://, mqtt:// are offered"):
        build_tdl("tdl-switch-box", table.settings, table.around)
