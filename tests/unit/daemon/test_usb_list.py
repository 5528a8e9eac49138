"""A USB device that stands on no list: people are told, nobody uses it; gone, it is on record."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from firmware_bridge.links import usb_place
from firmware_bridge.links.usb_place import Plugged, plugged_in
from tableside.daemon import Daemon
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


@pytest.mark.virtual_time
async def test_a_stranger_is_told_once_and_gone_again(tmp_path: Path) -> None:
    table, now = SimulatedTable(), {"plugged": frozenset({ROOT_HUB})}
    host = host_in(tmp_path, Edit("host", 'name = "', 'usb_allowed = ["046d:c31c"]\nname = "'))

    async def look() -> frozenset[Plugged]:
        return now["plugged"]

    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir(exist_ok=True)
    daemon = Daemon(host, dataclasses.replace(ground(new_clock(), table.connect), look_at_usb=look), "test")
    await daemon.open()
    stop = asyncio.Event()
    running = asyncio.create_task(daemon.run(stop))
    at_table = daemon.tables["BJ-1"]

    def told() -> list[str]:
        return [alert.place for alert in at_table.state.alerts.standing.values() if alert.text == "USB-STRANGE"]

    await until(lambda: not at_table.stopped)
    await asyncio.sleep(2 * LOOK_PERIOD_S)
    assert told() == []
    now["plugged"] = frozenset({ROOT_HUB, STICK})
    await asyncio.sleep(3 * LOOK_PERIOD_S)
    assert told() == ["0951:1666 AA00 (stick) at port 1-2"]
    now["plugged"] = frozenset({ROOT_HUB})
    await asyncio.sleep(2 * LOOK_PERIOD_S)
    assert told() == []
    rows = [row.type for row in at_table.journal.records() if row.type == "UsbStrangers"]
    assert len(rows) == 3
    stop.set()
    await running
    await table.close()


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
