"""The two TDL drivers on a device of the tests: facts up, orders down."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from drivers import events
from drivers.device import TdlDevice
from drivers.errors import AddressRefused, DriverUnknown
from drivers.events import Outcome, PermitKind, Reason, Verb
from drivers.registry import build_tdl, tdl_driver
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.switchboxes.tdl_switch_box import TdlSwitchBox
from firmware_bridge.links.base import Link
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
    async with running(TdlShuffler(table.settings, table.around), device):
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
    driver = TdlShuffler(table.settings, table.around)
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
    driver = TdlShuffler(table.settings, table.around)
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
    with pytest.raises(DriverUnknown, match="there are tdl-batch-shuffler, tdl-continuous-shuffler, tdl-slots"):
        tdl_driver("tdl-shuffler", "serial:///dev/x")
    with pytest.raises(
        AddressRefused, match="memory://device: serial://, tcp://, usb://, mqtt://, mqtts:// are offered"
    ):
        build_tdl("tdl-switch-box", table.settings, table.around)


@asynccontextmanager
async def ready_shuffler() -> AsyncIterator[tuple[TdlShuffler, ScriptedDevice, Table]]:
    """A shuffler in an open session, its first notice acknowledged."""
    device = ScriptedDevice()
    table = Table(device)
    driver = TdlShuffler(table.settings, table.around)
    async with running(driver, device):
        await until(lambda: bool(table.of(events.DeviceReady)))
        driver.resume_notices(1, 0)
        await until(lambda: bool(table.of(events.DeviceBooted)))
        driver.acknowledge(1, 1)
        await until(lambda: not device.notices)
        yield driver, device, table


async def test_every_loss_is_told_once_and_every_return() -> None:
    async with ready_shuffler() as (driver, device, table):
        for held in range(1, 4):
            device.notice(NoticeKind.LID_OPENED)
            await until(lambda held=held: table.held(1) == held + 1)
            await device.cut()
            await until(lambda held=held: len(table.of(events.DeviceReady)) == held + 1)
            driver.resume_notices(1, table.held(1))
            await until(lambda: not device.notices)
    kinds = [type(fact).__name__ for fact in table.facts if not isinstance(fact, events.Notice)]
    assert kinds == ["DeviceLost", "DeviceReady"] * 4
    assert [fact.number for fact in table.of(events.LidOpened)] == [2, 3, 4]  # none lost, none twice
    assert table.sessions == 4


async def test_orders_to_a_device_that_is_away_are_dropped_with_the_loss_told() -> None:
    """BR-051: eight hours later nothing of them is left to run."""
    async with ready_shuffler() as (driver, device, table):
        device.is_absent = True
        await device.cut()
        await until(lambda: len(table.of(events.DeviceLost)) == 2)
        driver.command(Verb.COUNT_ALL, EPOCH, 17, None)
        driver.permit(PermitKind.FEED, 2_000, 10)
        driver.set_lamp(events.LampColour.RED, events.LampPattern.BLINKING)
        await asyncio.sleep(8 * 3_600)
        device.is_absent = False
        await until(lambda: len(table.of(events.DeviceReady)) == 2)
        driver.resume_notices(1, 1)
        await asyncio.sleep(10)
        assert (device.moved, device.permits, device.lamp) == ([], {}, (0, 0))
        assert driver.line.counts.orders_dropped == 3
        driver.ask_outcome(EPOCH, 17)
        await until(lambda: bool(table.of(events.CommandAnswered)))
    answered = table.of(events.CommandAnswered)[0]
    assert (answered.command, answered.outcome, answered.is_found) == (17, Outcome.NEVER, True)


async def test_an_order_that_waits_when_the_device_is_lost_goes_with_it() -> None:
    async with ready_shuffler() as (driver, device, table):
        device.is_mute = True
        driver.read_levels()
        driver.command(Verb.COUNT_ALL, EPOCH, 17, None)
        mute_s = asyncio.get_running_loop().time()
        await until(lambda: len(table.of(events.DeviceLost)) == 2)
        silent_s = table.of(events.DeviceLost)[1].silent_ms / 1_000
        assert silent_s > 0.3, "three copies were waited for"
        assert asyncio.get_running_loop().time() - silent_s <= mute_s, "counted from the last frame, not the end"
        device.is_mute = False
        await until(lambda: len(table.of(events.DeviceReady)) == 2)
        driver.resume_notices(1, 1)
        await asyncio.sleep(10)
        assert device.moved == []
    assert table.of(events.CommandAnswered) == []


async def test_a_wrong_device_is_told_once_until_it_changes() -> None:
    device = ScriptedDevice()
    table = Table(device)
    device.serial = "000999"
    async with running(TdlShuffler(table.settings, table.around), device):
        await asyncio.sleep(600)
        assert [(fact.serial, fact.model) for fact in table.of(events.DeviceRejected)] == [("000999", "CSM-TEST")]
        device.serial = "000777"
        await asyncio.sleep(120)
        assert [fact.serial for fact in table.of(events.DeviceRejected)] == ["000999", "000777"]
        device.serial = "000123"
        await asyncio.sleep(120)
        assert len(table.of(events.DeviceReady)) == 1
    assert len(table.of(events.DeviceLost)) == 1


async def test_a_refused_permit_is_told_with_its_reason_and_a_granted_one_says_nothing() -> None:
    async with ready_shuffler() as (driver, device, table):
        driver.permit(PermitKind.FEED, 2_000, 10)
        await until(lambda: bool(device.permits))
        device.unoffered = {Operation.PERMIT}
        driver.permit(PermitKind.DEAL, 60_000, None)
        await until(lambda: bool(table.of(events.PermitAnswered)))
    assert [(fact.what, fact.reason) for fact in table.of(events.PermitAnswered)] == [
        (PermitKind.DEAL, Reason.NOT_OFFERED)
    ]


async def test_levels_are_read_on_request_and_after_notices_were_lost() -> None:
    async with ready_shuffler() as (driver, device, table):
        device.content, device.meters = 300, {2: 312, 3: 12, 4: 0}
        driver.read_levels()
        await until(lambda: bool(table.of(events.LevelsRead)))
        device.notice(NoticeKind.NOTICES_LOST, {3: 4})
        await until(lambda: len(table.of(events.LevelsRead)) == 2)
    read = table.of(events.LevelsRead)[0]
    assert (read.content, read.meter_in, read.meter_out, read.is_path_clear) == (300, 312, 12, True)
    kinds = [type(fact).__name__ for fact in table.facts]
    assert kinds.index("NoticesLost") < len(kinds) - 1 - kinds[::-1].index("LevelsRead")


async def test_a_switch_box_reads_its_levels_without_meters() -> None:
    device = ScriptedDevice(profiles=(6,))
    device.unoffered = {Operation.METERS}
    table = Table(device)
    driver = TdlSwitchBox(table.settings, table.around)
    async with running(driver, device):
        await until(lambda: bool(table.of(events.DeviceReady)))
        driver.read_levels()
        await until(lambda: bool(table.of(events.LevelsRead)))
    assert table.of(events.DeviceReady)[0].meter_in is None
    assert table.of(events.LevelsRead)[0].meter_out is None


async def test_a_fault_is_cleared_wherever_it_stands() -> None:
    device = ScriptedDevice()
    device.standing = (7, 1, 7, 2, 5, 2)
    table = Table(device)
    driver = TdlShuffler(table.settings, table.around)
    async with running(driver, device):
        await until(lambda: bool(table.of(events.DeviceReady)))
        driver.resume_notices(1, 1)
        for kind, keys in ((NoticeKind.FAULT, {3: 14, 4: 3}), (NoticeKind.FAULT_GONE, {3: 7, 4: 1})):
            device.notice(kind, keys)
            await until(lambda: table.held(1) == device.newest)
            driver.acknowledge(1, device.newest)
        device.requests.clear()
        for fault in (7, 14, 5, 99):
            driver.clear_fault(fault)
        await asyncio.sleep(1)
        cleared = [dict(frame.body) for frame in device.requests if frame.code == Operation.CLEAR_FAULT]
    assert cleared == [{0: 7, 1: 2}, {0: 14, 1: 3}, {0: 5, 1: 2}]
    assert table.of(events.DeviceReady)[0].faults == (
        (7, events.Place.FEED),
        (7, events.Place.EXIT),
        (5, events.Place.EXIT),
    )


async def test_an_unknown_notice_is_kept_acknowledged_and_logged_once_with_its_session() -> None:
    with capture_logs(processors=[merge_contextvars]) as lines:
        async with ready_shuffler() as (driver, device, table):
            for _ in range(3):
                device.notice(0x77, {3: 1})
                await until(lambda: table.held(1) == device.newest)
                driver.acknowledge(1, device.newest)
            await until(lambda: not device.notices)
    assert [fact.number for fact in table.of(events.NoticeUnknown)] == [2, 3, 4]
    (line,) = [line for line in lines if line["event"] == "notice_unknown"]
    assert (line["device"], line["session"]) == ("shuffler", 1)


async def test_adopting_an_epoch_is_armed_first() -> None:
    async with ready_shuffler() as (driver, device, table):
        device.requests.clear()
        device.memory.epoch = 0x0BAD
        driver.command(Verb.ADOPT, EPOCH, 40, None)
        await until(lambda: bool(table.of(events.CommandAnswered)))
        assert [frame.code for frame in device.requests[:2]] == [Operation.ARM, Operation.ADOPT]
        assert (device.memory.epoch, device.memory.highest) == (EPOCH, 40)
    assert [(fact.command, fact.outcome) for fact in table.of(events.CommandAnswered)] == [(40, Outcome.DONE)]


async def test_an_adoption_without_answer_ends_the_session_and_the_next_handshake_tells() -> None:
    async with ready_shuffler() as (driver, device, table):
        device.memory.epoch = 0x0BAD
        device.mischief = lambda crossing: (
            () if crossing.frame.code == Operation.ADOPT and not crossing.is_down else (0.0,)
        )
        driver.command(Verb.ADOPT, EPOCH, 40, None)
        await until(lambda: len(table.of(events.DeviceReady)) == 2)
    assert table.of(events.DeviceReady)[1].epoch == EPOCH
    assert [frame.code for frame in device.requests].count(Operation.ADOPT) == 1
    assert table.of(events.CommandAnswered) == []


async def test_a_running_command_tells_its_progress() -> None:
    async with ready_shuffler() as (driver, device, table):
        device.run_s, device.progress_s = 4.0, 1.0
        driver.command(Verb.COUNT_ALL, EPOCH, 17, None)
        await until(lambda: bool(table.of(events.CommandEnded)))
    assert [(fact.command, fact.done, fact.of) for fact in table.of(events.CommandProgressed)] == [(17, 1, 2)] * 3


async def test_a_reset_in_the_middle_of_a_command_is_found_as_interrupted() -> None:
    """BR-015 (b): nothing is repeated; the outcome is asked, and the device says that it does not know."""
    async with ready_shuffler() as (driver, device, table):
        device.run_s = 20.0
        driver.command(Verb.COUNT_ALL, EPOCH, 17, None)
        await until(lambda: bool(table.of(events.CommandAnswered)))
        device.reset(cause=3)
        await until(lambda: len(table.of(events.DeviceReady)) == 2)
        driver.resume_notices(2, 0)
        driver.ask_outcome(EPOCH, 17)
        await until(lambda: len(table.of(events.CommandAnswered)) == 2)
        await until(lambda: len(table.of(events.DeviceBooted)) == 2)
    found = table.of(events.CommandAnswered)[1]
    assert (found.outcome, found.is_found) == (Outcome.INTERRUPTED, True)
    assert table.of(events.DeviceReady)[1].boot_cause == "watchdog"
    assert device.moved == [17]


async def test_state_without_sense_ends_the_session_and_names_the_key() -> None:
    device = ScriptedDevice()
    table = Table(device)
    device._reads = lambda code, body: {} if code == Operation.STATE else ScriptedDevice._reads(device, code, body)  # type: ignore[method-assign]
    with capture_logs() as lines:
        async with running(TdlShuffler(table.settings, table.around), device):
            await asyncio.sleep(30)
    assert table.of(events.DeviceReady) == []
    assert [line["event"] for line in lines] == ["link_lost"]
    assert "StateKey.COMMAND" in lines[0]["why"]


async def test_a_connection_that_does_not_open_is_given_up() -> None:
    device = ScriptedDevice()
    table = Table(device)

    async def hangs() -> Link:
        await asyncio.Event().wait()
        raise AssertionError

    around = dataclasses.replace(table.around, connect=hangs)
    with capture_logs() as lines:
        async with running(TdlShuffler(table.settings, around), device):
            await asyncio.sleep(60)
    assert [line["event"] for line in lines] == ["link_lost"]
    assert lines[0]["why"] == "memory://device: not open after 15 s"


async def test_session_numbers_are_never_zero_and_never_the_same_twice_running() -> None:
    device = ScriptedDevice()
    table = Table(device)
    table.sessions = 65_534
    seen: list[int | None] = []
    async with running(TdlShuffler(table.settings, table.around), device):
        for count in range(1, 4):
            await until(lambda count=count: len(table.of(events.DeviceReady)) == count)
            seen.append(device.session)
            await device.cut()
    assert seen == [65_535, 1, 2]


async def test_an_unverified_driver_says_so_when_it_is_built() -> None:
    table = Table(ScriptedDevice())
    settings = dataclasses.replace(table.settings, address="serial:///dev/serial/by-id/x")
    with capture_logs() as lines:
        driver = build_tdl("tdl-continuous-shuffler", settings, table.around)
    assert isinstance(driver, TdlShuffler)
    assert [(line["event"], line["log_level"]) for line in lines] == [("driver_unverified", "warning")]
