"""USB: finding, claiming and losing a device, through pyusb itself and a backend of simulated devices."""

from __future__ import annotations

import asyncio
import errno
import threading
from typing import Any

import pytest
import usb.core

from firmware_bridge.links import apart, usb_device, usb_place
from firmware_bridge.links.base import Link, LinkAbsent, LinkBusy, LinkClosed, LinkForbidden, LinkRefused
from firmware_bridge.links.usb import open_usb
from firmware_bridge.links.usb_place import UsbPlace
from simulator.usb.backend import UsbBackend
from simulator.usb.device import UsbDevice
from simulator.usb.shapes import UsbIdentity
from tests.support.collector import DEADLINE_S, Collector, until
from tests.support.turns import CountingLoop

BUSY_TURNS = 100


def device(serial: str = "SN0001") -> UsbDevice:
    made = UsbDevice(UsbIdentity(serial=serial))
    made.plug_in()
    return made


async def opened(backend: UsbBackend, serial: str = "SN0001") -> Link:
    return await open_usb(UsbPlace(0x1209, 1, serial), backend=backend)


def no_thread_left() -> bool:
    return not any("usb://" in thread.name for thread in threading.enumerate())


async def test_the_device_is_found_by_its_serial_number_among_others_of_its_kind() -> None:
    first, second = device("SN0001"), device("SN0002")
    link, at_second = await opened(UsbBackend([first, second]), "SN0002"), Collector()
    assert (link.address, link.is_simulated) == ("usb://1209:0001/SN0002", True)
    link.start(Collector())
    assert second.link is not None
    second.link.start(at_second)
    await link.write(b"for the second")
    await at_second.until_bytes(14)
    await link.close()


async def test_a_device_that_is_not_there_is_said_with_those_that_are() -> None:
    with pytest.raises(LinkAbsent, match=r"SN0009 is not there.*of this kind here: SN0001, SN0002"):
        await opened(UsbBackend([device("SN0001"), device("SN0002")]), "SN0009")
    unplugged = device()
    assert unplugged.link is not None
    await unplugged.link.close()
    with pytest.raises(LinkAbsent, match=r"plug it in and power it$"):
        await opened(UsbBackend([unplugged]))


async def test_a_simulated_device_shows_itself_by_its_number_of_tests() -> None:
    real = UsbDevice(UsbIdentity(serial="7", vendor=0x2341, product=0x0043))
    real.plug_in()
    link = await open_usb(UsbPlace(0x2341, 0x0043, "7"), backend=UsbBackend([real]))
    assert not link.is_simulated
    await link.close()


async def test_what_lay_in_the_device_before_the_opening_is_not_taken() -> None:
    """BR-006 c, on USB."""
    made = device()
    assert made.link is not None
    made.link.start(Collector())
    await made.link.write(b"yesterday" * 20)
    link, got = await opened(UsbBackend([made])), Collector()
    link.start(got)
    await made.link.write(b"today")
    await got.until_bytes(5)
    assert bytes(got.text) == b"today"
    await link.close()


@pytest.mark.parametrize("when", ["idle", "reading", "writing", "paused", "closing"])
def test_an_unplugged_device_is_told_once_and_costs_nothing_afterwards(when: str) -> None:
    """BR-024: no busy loop, no thread left, whatever was under way."""

    async def unplug() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, CountingLoop)
        made = device()
        cable = made.link
        assert cable is not None
        link, got = await opened(UsbBackend([made])), Collector()
        link.start(got)
        writer: asyncio.Task[None] | None = None
        if when == "reading":
            cable.start(Collector())
            await cable.write(b"x" * 10_000)
        elif when == "writing":
            writer = asyncio.create_task(link.write(b"x" * 100_000))  # nobody takes it
            await asyncio.sleep(0.01)
        elif when == "paused":
            link.pause_reading()
        await asyncio.gather(*([cable.close(), link.close()] if when == "closing" else [cable.close()]))
        await got.until_lost()
        if writer is not None:
            with pytest.raises(LinkClosed):
                await writer
        await until(no_thread_left, "the threads to end")
        assert await loop.turns_while(0.1) < BUSY_TURNS
        await link.close()
        assert len(got.lost) == 1

    with asyncio.Runner(loop_factory=CountingLoop) as runner:
        runner.run(asyncio.wait_for(unplug(), DEADLINE_S))


async def test_a_device_that_is_plugged_in_anew_is_opened_anew() -> None:
    made = device()
    backend = UsbBackend([made])
    for number in range(5):
        link, got, at_device = await opened(backend), Collector(), Collector()
        link.start(got)
        assert made.link is not None
        made.link.start(at_device)
        await link.write(b"%d" % number)
        await at_device.until_bytes(1)
        await made.link.close()
        assert "No such device" in str(await got.until_lost())
        await link.close()
        made.plug_in()


async def test_a_device_that_comes_back_has_another_address_and_is_found() -> None:
    """BR-021, on USB: nothing of ours depends on the number under which it was."""
    made = device()
    backend, addresses = UsbBackend([made]), set()
    for _ in range(3):
        link = await opened(backend)
        addresses.add(made.bus_address)
        await link.close()
        assert made.link is not None
        await made.link.close()
        made.plug_in()
    assert len(addresses) == 3


async def test_one_without_a_serial_number_is_found_at_its_port() -> None:
    first, second = device(""), device("")
    backend = UsbBackend([first, second])
    link, at_second = await open_usb(UsbPlace(0x1209, 1, port="1-2"), backend=backend), Collector()
    link.start(Collector())
    assert second.link is not None
    second.link.start(at_second)
    await link.write(b"for the second")
    await at_second.until_bytes(14)
    await link.close()
    with pytest.raises(LinkAbsent, match=r"at port 1-3 is not there.*none, at port 1-1, none, at port 1-2"):
        await open_usb(UsbPlace(0x1209, 1, port="1-3"), backend=backend)


async def test_a_list_that_libusb_has_not_renewed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hot-plug without udev: the kernel lists the device, and libusb, made for udev's word, does not."""
    backend, asked = UsbBackend([device()]), list[object]()
    find, libusb = usb.core.find, usb_device.usb.backend.libusb1
    monkeypatch.setattr(libusb, "_lib_object", "stale")

    def found(**wanted: Any) -> Any:
        asked.append(libusb._lib_object)
        is_stale = libusb._lib_object == "stale"
        return iter(()) if is_stale else find(**{**wanted, "backend": backend})

    monkeypatch.setattr(usb_device.usb.core, "find", found)
    with pytest.raises(LinkAbsent):  # the kernel does not list it either: nothing is made anew
        await open_usb(UsbPlace(0x1209, 1, "SN0001"))
    assert asked == ["stale"]
    monkeypatch.setattr(usb_place, "plugged_in", lambda: frozenset({usb_place.Plugged("1-1", 2, 0x1209, 1)}))
    link = await open_usb(UsbPlace(0x1209, 1, "SN0001"))
    assert asked == ["stale", "stale", None]
    await link.close()


class Touchy(UsbBackend):
    """Raises once told to, in any of its calls."""

    def __init__(self, *devices: UsbDevice) -> None:
        super().__init__(devices)
        self.faults: dict[str, Exception] = {}

    def _may_raise(self, call: str) -> None:
        if call in self.faults:
            raise self.faults[call]

    def open_device(self, dev: UsbDevice) -> Any:
        self._may_raise("open")
        return super().open_device(dev)

    def claim_interface(self, handle: Any, number: int) -> None:
        self._may_raise("claim")
        super().claim_interface(handle, number)

    def is_kernel_driver_active(self, handle: Any, number: int) -> bool:
        self._may_raise("driver")
        return "driver active" in self.faults

    def get_interface_descriptor(self, dev: UsbDevice, number: int, alternate: int, config: int) -> Any:
        found = super().get_interface_descriptor(dev, number, alternate, config)
        if "class" in self.faults:
            found.bInterfaceClass = 0x03
        return found

    def bulk_read(self, *arguments: Any) -> int:
        self._may_raise("read")
        return super().bulk_read(*arguments)

    def bulk_write(self, *arguments: Any) -> int:
        self._may_raise("write")
        return super().bulk_write(*arguments)


@pytest.mark.parametrize(
    ("call", "fault", "kind", "said"),
    [
        ("claim", usb.core.USBError("Resource busy", -6, errno.EBUSY), LinkBusy, "is held by another program"),
        ("claim", usb.core.USBError("Overflow", -8, errno.EOVERFLOW), LinkRefused, "cannot be opened: .*Overflow"),
        ("claim", usb.core.USBError("gone", -4, errno.ENODEV), LinkAbsent, "went away while it was opened"),
        ("open", usb.core.USBError("Access denied", -3, errno.EACCES), LinkForbidden, "may not be opened"),
        ("driver active", ValueError(), LinkBusy, "held by the kernel driver .*Blacklist"),
        ("class", ValueError(), LinkRefused, "no interface of class FF"),
    ],
)
async def test_a_device_that_cannot_be_claimed_is_refused_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, call: str, fault: Exception, kind: type[Exception], said: str
) -> None:
    """BR-020 c, BR-027: a kernel driver is named, not pushed aside."""
    monkeypatch.setattr(apart, "PERMISSION_GRACE_S", 0.0)
    backend = Touchy(device())
    backend.faults[call] = fault
    with pytest.raises(kind, match=said):
        await opened(backend)
    backend.faults.clear()
    link = await opened(backend)  # nothing of the refused opening was left behind
    await link.close()


async def test_a_kernel_driver_is_named_from_sysfs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """BR-020 c."""
    monkeypatch.setattr(usb_place, "SYSFS", tmp_path)
    interface = tmp_path / "1-1:1.0"
    interface.mkdir()
    (interface / "driver").symlink_to("/sys/bus/usb/drivers/pn533_usb")
    backend = Touchy(device())
    backend.faults["driver active"] = ValueError()
    with pytest.raises(LinkBusy, match=r"kernel driver pn533_usb.*modprobe -r pn533_usb"):
        await opened(backend)


async def test_rights_that_come_a_moment_late_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """BR-027, on USB."""
    monkeypatch.setattr(apart, "PERMISSION_RETRY_S", 0.01)
    backend = Touchy(device())
    backend.faults["open"] = usb.core.USBError("Access denied", -3, errno.EACCES)
    opening = asyncio.create_task(opened(backend))
    await asyncio.sleep(0.05)
    assert not opening.done()
    backend.faults.clear()
    link = await opening
    await link.close()


async def test_without_libusb_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(**_: object) -> None:
        raise usb.core.NoBackendError("No backend available")

    monkeypatch.setattr(usb_device.usb.core, "find", none)
    with pytest.raises(LinkRefused, match="install it"):
        await open_usb(UsbPlace(0x1209, 1, "SN0001"))


@pytest.mark.parametrize("number", [None, 110, 10060, -7])
async def test_time_limits_are_known_by_their_class_whatever_their_number(number: int | None) -> None:
    made = device()
    backend = Touchy(made)
    link, got, at_device = await opened(backend), Collector(), Collector()
    backend.faults = {
        "read": usb.core.USBTimeoutError("later", errno=number),
        "write": usb.core.USBTimeoutError("later", errno=number),
    }
    link.start(got)
    assert made.link is not None
    made.link.start(at_device)
    await link.write(b"patience")
    await made.link.write(b"patience")
    await asyncio.sleep(0.01)
    assert (got.chunks, got.lost, at_device.chunks) == ([], [], [])
    backend.faults = {}
    await got.until_bytes(8)
    await at_device.until_bytes(8)
    await link.close()


@pytest.mark.parametrize("call", ["read", "write"])
@pytest.mark.parametrize(
    "fault", [usb.core.USBError("Input/Output Error", errno=None), OSError(5, "x"), ValueError("v"), RuntimeError("r")]
)
async def test_whatever_ends_a_thread_is_told_once(call: str, fault: Exception) -> None:
    """BR-026."""
    backend = Touchy(device())
    link, got = await opened(backend), Collector()
    backend.faults[call] = fault
    link.start(got)
    try:
        await link.write(b"x")
    except LinkClosed:
        assert call == "read"
    reason = await got.until_lost()
    assert str(fault) in str(reason)
    await until(no_thread_left, "the threads to end")
    await link.close()
    assert len(got.lost) == 1
