"""A USB device that stands on no list: people are told, nobody uses it; gone, it is on record."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_bridge.links import usb_place
from firmware_bridge.links.usb_place import Plugged, plugged_in
from tableside.daemon import Daemon
from tableside.requests import ClearAlert
from tableside.usb_list import LOOK_PERIOD_S, UsbList
from tests.support.config_files import Edit
from tests.support.simulated_host import SimulatedTable, ground, host_in, new_clock, until

STICK = Plugged("1-2", 9, 0x0951, 0x1666, "AA00", "stick")
READER = Plugged("1-1.4", 4, 0x0C2E, 0x0B61)
ROOT_HUB = Plugged("usb1", 1, 0x1D6B, 0x0002, device_class=9)
ADDRESSES = (
    "usb://1209:0001/000123",
    "usb://0c2e:0b61/?port=1-1.4",
    "serial:///dev/ttyS0",
    "usb://0951:1666/x?usbip=127.0.0.1:1",
)


@pytest.mark.parametrize(
    ("allowed", "device", "is_strange"),
    [
        ((), STICK, True),
        (("0951:1666",), STICK, False),
        (("0951:1666/AA00",), STICK, False),
        (("0951:1666/BB00",), STICK, True),
        (("0951:166A",), STICK, True),
        ((), Plugged("2-1", 3, 0x1209, 1, "000123"), False),
        ((), Plugged("2-1", 3, 0x1209, 1, "000124"), True),
        ((), READER, False),
        ((), dataclasses.replace(READER, port="1-3"), True),
        ((), ROOT_HUB, False),
        ((), Plugged("1-1", 2, 0x05E3, 0x0608, device_class=9), True),
    ],
)
def test_who_is_a_stranger(allowed: tuple[str, ...], device: Plugged, is_strange: bool) -> None:
    """A hub is one too: whoever hides a device hides it behind one."""
    assert bool(UsbList(allowed, ADDRESSES).strangers([device])) is is_strange


class Watched:
    """A daemon whose host has sockets; what is plugged in there is the test's."""

    def __init__(self, daemon: Daemon) -> None:
        self.table = daemon.tables["BJ-1"]
        self.plugged = frozenset({ROOT_HUB})

    async def look(self) -> frozenset[Plugged]:
        return self.plugged

    async def plug(self, *devices: Plugged) -> None:
        """These, and no others, until they were seen."""
        self.plugged = frozenset({ROOT_HUB, *devices})
        await asyncio.sleep(2 * LOOK_PERIOD_S)

    def told(self) -> list[str]:
        """For which devices an alert stands."""
        standing = self.table.state.alerts.standing.values()
        return sorted(alert.place for alert in standing if alert.text == "USB-STRANGE")


@asynccontextmanager
async def watched(folder: Path) -> AsyncIterator[Watched]:
    table = SimulatedTable()
    host = host_in(folder, Edit("host", 'name = "', 'usb_allowed = ["046d:c31c"]\nname = "'))
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir(exist_ok=True)
    looking: list[Watched] = []

    async def look() -> frozenset[Plugged]:
        return await looking[0].look()

    daemon = Daemon(host, dataclasses.replace(ground(new_clock(), table.connect), look_at_usb=look), "test")
    looking.append(Watched(daemon))
    await daemon.open()
    stop = asyncio.Event()
    running = asyncio.create_task(daemon.run(stop))
    try:
        await until(lambda: not looking[0].table.stopped)
        yield looking[0]
    finally:
        stop.set()
        await running
        await table.close()


@pytest.mark.virtual_time
async def test_what_somebody_has_looked_at_rings_no_more_until_it_comes_again(tmp_path: Path) -> None:
    """Semantics §5: gone by a named act or when it is unplugged; a dealer is not who looks."""
    stick, other = "0951:1666 AA00 (stick) at port 1-2", "1209:0001 000999 at port 2-1"
    async with watched(tmp_path) as host:
        await host.plug(STICK)
        (alert,) = host.table.state.alerts.standing.values()
        assert not (await host.table.ask(ClearAlert(id="k1", by="D-1", alert=alert.number))).is_accepted
        assert (await host.table.ask(ClearAlert(id="k2", by="S-1", alert=alert.number))).is_accepted
        assert host.told() == []
        await host.plug(STICK, Plugged("2-1", 3, 0x1209, 1, "000999"))
        assert host.told() == [other], "the one that was looked at is still there, and rings no more"
        await host.plug(Plugged("2-1", 3, 0x1209, 1, "000999"))
        await host.plug(STICK, Plugged("2-1", 3, 0x1209, 1, "000999"))
        assert host.told() == [stick, other]
    async with watched(tmp_path) as host:
        await host.plug()
        assert host.told() == [], "pulled out while nobody looked"


@pytest.mark.virtual_time
async def test_a_stranger_is_told_once_and_gone_again(tmp_path: Path) -> None:
    async with watched(tmp_path) as host:
        await host.plug()
        assert host.told() == []
        await host.plug(STICK)
        await asyncio.sleep(3 * LOOK_PERIOD_S)
        assert host.told() == ["0951:1666 AA00 (stick) at port 1-2"]
        await host.plug()
        assert host.told() == []
        rows = [row.type for row in host.table.journal.records() if row.type == "UsbStrangers"]
        assert len(rows) == 3


def test_what_is_plugged_in_is_read_from_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that goes while it is read is none; interfaces are no devices."""
    monkeypatch.setattr(usb_place, "SYSFS", tmp_path / "none")
    assert plugged_in() == frozenset()
    monkeypatch.setattr(usb_place, "SYSFS", tmp_path)
    for name, files in {
        "1-2": {"devnum": "9", "idVendor": "0951", "idProduct": "1666", "bDeviceClass": "00", "serial": "AA00"},
        "1-3": {"devnum": "10", "idVendor": "0951"},
        "1-2:1.0": {"bInterfaceClass": "08"},
    }.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(f"{text}\n")
    assert plugged_in() == {Plugged("1-2", 9, 0x0951, 0x1666, "AA00")}
