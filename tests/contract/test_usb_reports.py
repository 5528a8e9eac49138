"""HID over USB: reports as messages, the kernel's keyboard driver, feature reports; pyusb on simulated devices."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import usb.core

from firmware_bridge.links import usb_place
from firmware_bridge.links.base import LinkBusy, LinkClosed, LinkRefused
from firmware_bridge.links.usb import UsbLink, open_usb
from firmware_bridge.links.usb_errors import PIPE, UsbCause, cause_of
from firmware_bridge.links.usb_pipes import HidReports, UsbPipe
from firmware_bridge.links.usb_place import UsbPlace
from simulator.usb.backend import UsbBackend
from simulator.usb.device import UsbDevice
from simulator.usb.shapes import KEYBOARD_READER, UsbIdentity
from tests.support.collector import Collector

PRESSED_A = bytes.fromhex("0000040000000000")  # HID usage 04 is the key of A
RELEASED = bytes(8)
WEDGE = UsbPlace(0x1209, 2, "W1")


def keyboard() -> UsbDevice:
    made = UsbDevice(UsbIdentity("W1", product=2), KEYBOARD_READER)
    made.plug_in()
    return made


class UnderKernel(UsbBackend):
    """A machine whose kernel has given the device to a driver of its own."""

    def __init__(self, device: UsbDevice, sysfs: Path, driver: str) -> None:
        super().__init__([device])
        self.holder: str | None = driver
        self.detached: list[int] = []
        self._link = sysfs / "1-1:1.0" / "driver"
        self._link.parent.mkdir()
        os.symlink(f"/sys/bus/usb/drivers/{driver}", self._link)

    def is_kernel_driver_active(self, handle: Any, number: int) -> bool:
        return self.holder is not None

    def detach_kernel_driver(self, handle: Any, number: int) -> None:
        self.holder = None
        self.detached.append(number)

    def attach_kernel_driver(self, handle: Any, number: int) -> None:
        self.holder = "usbhid"

    def claim_interface(self, handle: Any, number: int) -> None:
        if self.holder is not None:
            raise usb.core.USBError("Resource busy", -6)
        super().claim_interface(handle, number)


async def test_each_report_is_one_message() -> None:
    made = keyboard()
    link, got = await open_usb(WEDGE, backend=UsbBackend([made])), Collector()
    assert link.is_message_based
    link.start(got)
    assert made.link is not None
    for report in (PRESSED_A, RELEASED, PRESSED_A):
        await made.link.write(report)
    await got.until_bytes(24)
    assert got.chunks == [PRESSED_A, RELEASED, PRESSED_A]
    await link.close()


async def test_an_output_report_goes_by_a_request_where_there_is_no_endpoint_for_it() -> None:
    made = keyboard()
    link, at_device = await open_usb(WEDGE, backend=UsbBackend([made])), Collector()
    link.start(Collector())
    assert made.link is not None
    made.link.start(at_device)
    await link.write(b"\x02")  # caps lock's lamp
    await at_device.until_bytes(1)
    assert at_device.chunks == [b"\x02"]
    await link.close()


async def test_the_kernels_keyboard_driver_steps_back_and_gets_the_device_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-020: who types on it types to us alone, and to the machine again when we are gone."""
    monkeypatch.setattr(usb_place, "SYSFS", tmp_path)
    backend = UnderKernel(keyboard(), tmp_path, "usbhid")
    link = await open_usb(WEDGE, backend=backend)
    assert (backend.holder, backend.detached) == (None, [0])
    await link.close()
    assert backend.holder == "usbhid"


async def test_a_driver_that_somebody_installed_is_named_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-020 c."""
    monkeypatch.setattr(usb_place, "SYSFS", tmp_path)
    backend = UnderKernel(keyboard(), tmp_path, "wacom")
    with pytest.raises(LinkBusy, match=r"kernel driver wacom.*modprobe -r wacom"):
        await open_usb(WEDGE, backend=backend)
    assert backend.detached == []


async def test_another_program_by_libusb_is_no_kernel_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BR-020: nobody is told to unload usbfs."""
    monkeypatch.setattr(usb_place, "SYSFS", tmp_path)
    with pytest.raises(LinkBusy, match="is held by another program"):
        await open_usb(WEDGE, backend=UnderKernel(keyboard(), tmp_path, "usbfs"))


def settings(pipe: UsbPipe) -> bytes:
    assert isinstance(pipe, HidReports)
    return pipe.feature()


def set_settings(pipe: UsbPipe) -> None:
    assert isinstance(pipe, HidReports)
    pipe.set_feature(b"SETTINGS")


def unknown(pipe: UsbPipe) -> bytes:
    assert isinstance(pipe, HidReports)
    return pipe.feature(7)


async def test_feature_reports_are_read_and_set_in_turn_with_what_is_written() -> None:
    link = await open_usb(WEDGE, backend=UsbBackend([keyboard()]))
    link.start(Collector())
    assert await link.in_turn(settings) == bytes(8)
    await link.in_turn(set_settings)
    assert await link.in_turn(settings) == b"SETTINGS"
    with pytest.raises(LinkRefused, match="feature report 7 is not offered"):
        await link.in_turn(unknown)
    await link.close()
    with pytest.raises(LinkClosed):
        await link.in_turn(settings)


async def test_a_request_that_the_device_refuses_ends_nothing() -> None:
    """Told apart by its class: a stall is the device's answer, not the cable's end."""
    made = keyboard()
    link, got = await open_usb(WEDGE, backend=UsbBackend([made])), Collector()
    link.start(got)

    def nonsense(pipe: UsbPipe) -> None:
        raise usb.core.USBError("Pipe error", PIPE)

    with pytest.raises(usb.core.USBError) as refused:
        await link.in_turn(nonsense)
    assert cause_of(refused.value) is UsbCause.STALLED
    assert made.link is not None
    await made.link.write(PRESSED_A)
    await got.until_bytes(8)
    await link.close()


async def test_a_request_under_way_ends_with_the_cable() -> None:
    made = keyboard()
    link: UsbLink = await open_usb(WEDGE, backend=UsbBackend([made]))
    got = Collector()
    link.start(got)
    assert made.link is not None
    await made.link.close()
    await got.until_lost()
    with pytest.raises(LinkClosed):
        await link.in_turn(settings)
    await link.close()


@pytest.mark.parametrize("number", [None, 5, 19, 110])
@pytest.mark.parametrize(
    ("code", "cause"),
    [(-3, UsbCause.FORBIDDEN), (-4, UsbCause.GONE), (-5, UsbCause.GONE), (-6, UsbCause.BUSY), (-9, UsbCause.STALLED)],
)
def test_errors_are_told_apart_by_class_and_never_by_their_number(
    code: int, cause: UsbCause, number: int | None
) -> None:
    assert cause_of(usb.core.USBError("x", code, number)) is cause
    assert cause_of(usb.core.USBTimeoutError("x", None, number)) is UsbCause.TIMEOUT
    assert cause_of(OSError(number, "x")) is UsbCause.OTHER
