"""The contract of a TDL shuffler: on the simulated one in virtual time, on real bytes, and on the rig that is named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from drivers.events import DeviceReady, Place
from firmware_bridge.links.base import LinkClosed
from tests.contract.tdl_shuffler_contract import TdlShufflerCableContract, TdlShufflerContract
from tests.support.collector import Collector
from tests.support.mosquitto import Mosquitto, mosquitto
from tests.support.named_rig import NamedDevice, NamedRig, RigRefused, named_device, refuse_unfit
from tests.support.tdl_rigs import Rig, SimulatedRig, simulated_rig
from tests.support.tdl_table import at_work
from tests.support.wires import memory_wire, mqtt_wire, serial_wire, tcp_wire, usb_wire, usbip_wire

__all__ = ["mosquitto"]

# On real bytes only the mechanics are quick; links, replies, permits and resends keep real time.
QUICK = 60.0


@pytest.mark.virtual_time
class TestSimulated(TdlShufflerContract):
    """On a memory cable: the mechanics take their two minutes, and no time at all."""

    @pytest_asyncio.fixture
    async def rig(self) -> AsyncIterator[Rig]:
        async with simulated_rig(memory_wire()) as rig:
            yield rig


class TestSimulatedOnAPty(TdlShufflerContract):
    """On real bytes, in real time."""

    @pytest_asyncio.fixture
    async def rig(self, tmp_path: Path) -> AsyncIterator[Rig]:
        async with simulated_rig(serial_wire(tmp_path / "shuffler"), pace=QUICK) as rig:
            yield rig


class TestSimulatedOnTcp(TdlShufflerCableContract):
    """On a socket; the device listens."""

    @pytest_asyncio.fixture
    async def rig(self) -> AsyncIterator[SimulatedRig]:
        async with simulated_rig(tcp_wire(), pace=QUICK) as rig:
            yield rig

    async def test_a_second_connection_does_not_throw_out_the_first(self, rig: SimulatedRig) -> None:
        """2.1: one connection at a time; the newcomer is closed while the host that is there is heard."""
        async with at_work(rig) as table:
            newcomer, collector = await rig.open_another(), Collector()
            newcomer.start(collector)
            assert isinstance(await collector.until_lost(), LinkClosed)
            await table.levels()
            assert len(table.of(DeviceReady)) == 1
            await newcomer.close()


class TestSimulatedOnUsb(TdlShufflerCableContract):
    """Through pyusb with its reader thread; the device is in this process, in the place of libusb."""

    @pytest_asyncio.fixture
    async def rig(self) -> AsyncIterator[Rig]:
        async with simulated_rig(usb_wire("000123"), pace=QUICK) as rig:
            yield rig


class TestSimulatedBehindUsbip(TdlShufflerCableContract):
    """Through pyusb and USB/IP, as from another process."""

    @pytest_asyncio.fixture
    async def rig(self) -> AsyncIterator[Rig]:
        async with simulated_rig(usbip_wire("000123"), pace=QUICK) as rig:
            yield rig


@pytest.mark.peer
class TestSimulatedOnMqtt(TdlShufflerCableContract):
    """Through a real broker, one frame a message."""

    @pytest_asyncio.fixture
    async def rig(self, mosquitto: Mosquitto) -> AsyncIterator[Rig]:
        async with simulated_rig(mqtt_wire(mosquitto), pace=QUICK) as rig:
            yield rig


@pytest.mark.rig
class TestRig(TdlShufflerContract):
    """On the device of `--device tdl=ADDRESS`."""

    @pytest_asyncio.fixture
    async def rig(self, tdl_device: NamedDevice) -> AsyncIterator[Rig]:
        rig = NamedRig(tdl_device)
        yield rig
        await rig.cut()


PLATE = {"serial": "000123", "model": "CSM-1"}
ADDRESS = "tdl=serial:///dev/serial/by-id/x"


def test_a_rig_is_named_by_its_plate_and_the_plate_once_more() -> None:
    device = named_device([ADDRESS], **PLATE, may_move="000123")
    assert device == NamedDevice("serial:///dev/serial/by-id/x", "000123", "CSM-1")


@pytest.mark.parametrize(
    ("chosen", "plate", "may_move", "said"),
    [
        ([ADDRESS], PLATE, None, "--may-move 000123 is needed, and nothing is given"),
        ([ADDRESS], PLATE, "000124", "--may-move 000123 is needed, and 000124 is given"),
        ([ADDRESS], {"serial": None, "model": "CSM-1"}, None, "--serial-number and --model"),
        ([ADDRESS], {"serial": "000123", "model": None}, "000123", "--serial-number and --model"),
        ([ADDRESS, ADDRESS], PLATE, "000123", "2 TDL devices named"),
    ],
)
def test_a_rig_that_is_not_clearly_named_is_refused(
    chosen: list[str], plate: dict[str, str | None], may_move: str | None, said: str
) -> None:
    """BR-072: what stands on a bench is known before anything moves."""
    with pytest.raises(RigRefused, match=said):
        named_device(chosen, **plate, may_move=may_move)


READY = DeviceReady(
    device="shuffler",
    maker="Test",
    model="CSM-1",
    serial="000123",
    firmware="1.0",
    digest="00" * 32,
    is_simulated=True,
    boot=1,
    boot_cause="power",
    epoch=0,
    highest_number=0,
    oldest_notice=1,
    newest_notice=0,
    abilities={},
)


@pytest.mark.parametrize(
    ("stands", "said"),
    [
        ({"is_lid_open": True}, "its lid is open"),
        ({"faults": ((0, Place.EXIT),)}, "a card is jammed at the exit"),
        ({"faults": ((3, Place.FEED),)}, "fault 3 stands at the feed"),
    ],
)
def test_a_rig_that_something_stands_at_is_refused(stands: dict[str, object], said: str) -> None:
    """BR-072: hands may be in it, and these tests move cards."""
    refuse_unfit(READY)
    with pytest.raises(RigRefused, match=said):
        refuse_unfit(msgspec.structs.replace(READY, **stands))
