"""Finding, claiming and giving back a USB device; everything here blocks and is called in threads."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import usb.backend.libusb1
import usb.core
import usb.util

from firmware_bridge.links import usb_place
from firmware_bridge.links.base import LinkAbsent, LinkBusy, LinkForbidden, LinkRefused
from firmware_bridge.links.holder import holder_of, rights_of
from firmware_bridge.links.usb_descriptors import HID_CLASS
from firmware_bridge.links.usb_errors import UsbCause, cause_of
from firmware_bridge.links.usb_ip import UsbipBackend
from firmware_bridge.links.usb_pipes import PIPES, UsbPipe, prepare
from firmware_bridge.links.usb_place import UsbPlace

# What lay in the device from before is thrown away at the opening (BR-006): so much at most, then it is not old.
STALE_LIMIT_BYTES = 4096
STALE_TIMEOUT_MS = 20
# The kernel's general drivers that take every device of their class, by that class. They are asked to step back, and
# get the device again at the end. Any other driver was installed by somebody for this device: it is named.
STEPS_BACK = {HID_CLASS: "usbhid"}


@dataclass(slots=True)
class Claimed:
    """A claimed interface and what is carried over it."""

    device: Any  # pyusb has no types
    interface: int
    pipe: UsbPipe
    has_detached: bool = False
    backend: Any = None  # of a device behind USB/IP, which is closed with it

    def release(self) -> None:
        """Give the device back, to the kernel's driver where one had it."""
        with contextlib.suppress(usb.core.USBError, NotImplementedError):  # it may be gone
            usb.util.release_interface(self.device, self.interface)
            if self.has_detached:
                self.device.attach_kernel_driver(self.interface)
        usb.util.dispose_resources(self.device)
        if isinstance(self.backend, UsbipBackend):
            self.backend.close()


def claim(place: UsbPlace, backend: Any = None) -> Claimed:
    """Find the device, claim it, empty it. Raises `LinkRefused` and its kinds."""
    if place.server is not None:
        backend = UsbipBackend(*place.server, place.vendor, place.product)
    try:
        device = _find(place, backend)
        try:
            return _claim(device, backend)
        except BaseException:
            usb.util.dispose_resources(device)
            raise
    except BaseException:
        if isinstance(backend, UsbipBackend):
            backend.close()
        raise


def _find(place: UsbPlace, backend: Any) -> Any:
    try:
        found = _listed(place, backend)
    except usb.core.NoBackendError:
        raise LinkRefused("USB needs libusb: install it (Debian: libusb-1.0-0, or the extra `usb` from PyPI)") from None
    except usb.core.USBError as error:
        raise _refusal_unseen(place, error) from error
    chosen, others = None, []
    for device in found:
        if chosen is None and _is_meant(device, place, is_only=len(found) == 1):
            chosen = device
        else:
            others.append(_serial(device) or f"none, at port {_port(device)}")
            usb.util.dispose_resources(device)
    if chosen is not None:
        return chosen
    there = f"; serial numbers of this kind here: {', '.join(others)}" if others else ""
    raise LinkAbsent(f"USB device {place} is not there: plug it in and power it{there}")


def _listed(place: UsbPlace, backend: Any) -> list[Any]:
    """The devices of this kind."""
    wanted = {"find_all": True, "idVendor": place.vendor, "idProduct": place.product}
    found = list(usb.core.find(**wanted, backend=backend))
    if found or backend is not None:
        return found
    if any((device.vendor, device.product) == (place.vendor, place.product) for device in usb_place.plugged_in()):
        # The kernel lists it and libusb does not: a libusb that waits for udev's word, and no udev is running. A new
        # context lists anew.
        with contextlib.suppress(AttributeError):  # pyusb made no context, or has another way to keep it
            usb.backend.libusb1._lib_object = None
        return list(usb.core.find(**wanted))
    return found


def _is_meant(device: Any, place: UsbPlace, *, is_only: bool) -> bool:
    if not place.serial:
        return _port(device) == place.port
    try:
        return bool(device.serial_number == place.serial)
    except (usb.core.USBError, ValueError) as error:  # ValueError: pyusb's word for strings that may not be read
        if is_only:
            refusal = _refusal(device, error)
            usb.util.dispose_resources(device)
            raise refusal from error
        return False


def _serial(device: Any) -> str:
    try:
        return device.serial_number or ""
    except (usb.core.USBError, ValueError) as error:
        return f"unreadable ({error})"


def _claim(device: Any, backend: Any) -> Claimed:
    try:
        claimed = _claim_pipe(device, _configuration(device))
        claimed.backend = backend
        try:
            _empty(claimed.pipe)
        except BaseException:
            claimed.release()
            raise
    except usb.core.USBError as error:
        raise _refusal(device, error) from error
    return claimed


def _configuration(device: Any) -> Any:
    try:
        return device.get_active_configuration()
    except usb.core.USBError:
        device.set_configuration()  # only where none is set: setting it anew would reset the endpoints
        return device.get_active_configuration()


def _claim_pipe(device: Any, configuration: Any) -> Claimed:
    for kind, pipe_of in PIPES.items():
        for interface in configuration:
            if interface.bInterfaceClass != kind:
                continue
            number = interface.bInterfaceNumber
            has_detached = _step_back(device, number, STEPS_BACK.get(kind))
            try:
                usb.util.claim_interface(device, number)
                pipe = pipe_of(device, interface)
                if pipe is not None:
                    prepare(device, interface)
                    return Claimed(device, number, pipe, has_detached)
            except BaseException:
                if has_detached:
                    _give_back(device, number)
                raise
            if has_detached:
                _give_back(device, number)
    raise LinkRefused(
        f"{_name(device)} has no interface of class FF with bulk IN and bulk OUT, and none of class HID: "
        "it is no device of this kind"
    )


def _give_back(device: Any, interface: int) -> None:
    with contextlib.suppress(usb.core.USBError, NotImplementedError):
        usb.util.release_interface(device, interface)
        device.attach_kernel_driver(interface)


def _step_back(device: Any, interface: int, general: str | None) -> bool:
    """True: the kernel's general driver had the interface, and has let go. Any other holder is named (BR-020)."""
    try:
        is_taken = device.is_kernel_driver_active(interface)
    except (NotImplementedError, usb.core.USBError):
        return False  # the claim will tell
    if not is_taken:
        return False
    driver = _kernel_driver(device, interface)
    if driver == general:
        device.detach_kernel_driver(interface)
        return True
    if driver == "usbfs":  # another program that came by libusb, as we do
        raise _refusal_busy(device)
    raise LinkBusy(
        f"{_name(device)} is held by the kernel driver {driver}. Blacklist that driver for this device "
        f"(udev rule of the device), or unload it: modprobe -r {driver}"
    )


def _kernel_driver(device: Any, interface: int) -> str:
    link = usb_place.SYSFS / f"{_port(device)}:1.{interface}" / "driver"
    try:
        return Path(os.readlink(link)).name
    except OSError:
        return "of another program"


def _empty(pipe: UsbPipe) -> None:
    thrown = 0
    while thrown < STALE_LIMIT_BYTES:
        try:
            thrown += len(pipe.read(STALE_TIMEOUT_MS)) or 1
        except usb.core.USBError as error:
            match cause_of(error):
                case UsbCause.TIMEOUT:
                    return
                case UsbCause.STALLED:  # halted by whoever had it before
                    pipe.revive()
                    thrown += 1
                case _:
                    raise


def _name(device: Any) -> str:
    return f"USB device {device.idVendor:04x}:{device.idProduct:04x} ({_node(device)})"


def _port(device: Any) -> str:
    return f"{device.bus}-{'.'.join(map(str, device.port_numbers or ()))}"


def _node(device: Any) -> str:
    return f"/dev/bus/usb/{device.bus or 0:03d}/{device.address or 0:03d}"


def _refusal(device: Any, error: Exception) -> LinkRefused:
    cause = UsbCause.FORBIDDEN if isinstance(error, ValueError) else cause_of(error)
    if cause is UsbCause.BUSY:
        return _refusal_busy(device)
    if cause is UsbCause.FORBIDDEN:
        return LinkForbidden(f"{_name(device)} may not be opened: {rights_of(_node(device))}")
    if cause is UsbCause.GONE:
        return LinkAbsent(f"{_name(device)} went away while it was opened: plug it in anew")
    return LinkRefused(f"{_name(device)} cannot be opened: {error}. Plug it in anew")


def _refusal_busy(device: Any) -> LinkBusy:
    holder = holder_of(_node(device)) or "another program, which cannot be named from here"
    return LinkBusy(f"{_name(device)} is held by {holder}. End that, or ask it instead of the device")


def _refusal_unseen(place: UsbPlace, error: Exception) -> LinkRefused:
    """For a device that could not even be looked at."""
    if cause_of(error) is UsbCause.BUSY:
        return LinkBusy(
            f"USB device {place} is held by another program, which cannot be named from here. "
            "End that, or ask it instead of the device"
        )
    return LinkAbsent(f"USB device {place} is not there: plug it in and power it ({error})")
