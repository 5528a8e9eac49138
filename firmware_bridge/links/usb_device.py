"""Finding and claiming a USB device; everything here blocks and is called in threads."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import usb.core
import usb.util

from firmware_bridge.links.base import LinkAbsent, LinkBusy, LinkForbidden, LinkRefused
from firmware_bridge.links.holder import holder_of, rights_of

VENDOR_CLASS = 0xFF
BULK = usb.util.ENDPOINT_TYPE_BULK
# What lay in the device from before is thrown away at the opening (BR-006): so much at most, then it is not old.
STALE_LIMIT_BYTES = 4096
STALE_TIMEOUT_MS = 20
SYSFS = Path("/sys/bus/usb/devices")


@dataclass(frozen=True, slots=True)
class UsbStream:
    """A claimed device: bytes in, bytes out, both with a time limit in ms."""

    device: Any  # pyusb has no types
    interface: int
    incoming: Any
    outgoing: Any

    def read(self, timeout_ms: int) -> bytes:
        """One packet: a longer read would wait for a short packet that a stream need not send. Raises `USBError`."""
        return bytes(self.incoming.read(self.incoming.wMaxPacketSize, timeout_ms))

    def write(self, data: bytes, timeout_ms: int) -> int:
        """How many bytes the device took. Raises `USBError`."""
        return int(self.outgoing.write(data, timeout_ms))

    def release(self) -> None:
        """Give the device back."""
        usb.util.dispose_resources(self.device)


def claim(vendor: int, product: int, serial: str, backend: Any = None) -> UsbStream:
    """Find the device, claim its stream, empty it. Raises `LinkRefused` and its kinds."""
    device = _find(vendor, product, serial, backend)
    try:
        stream = _claim(device)
        _empty(stream)
    except usb.core.USBError as error:
        usb.util.dispose_resources(device)
        raise _refusal(device, error) from error
    except LinkRefused:
        usb.util.dispose_resources(device)
        raise
    return stream


def _find(vendor: int, product: int, serial: str, backend: Any) -> Any:
    wanted = f"{vendor:04x}:{product:04x}"
    try:
        found = list(usb.core.find(find_all=True, idVendor=vendor, idProduct=product, backend=backend))
    except usb.core.NoBackendError:
        raise LinkRefused("USB needs libusb: install it (Debian: libusb-1.0-0, or the extra `usb` from PyPI)") from None
    others = []
    for device in found:
        try:
            name = device.serial_number
        except (usb.core.USBError, ValueError) as error:  # ValueError: pyusb's word for strings that may not be read
            if len(found) == 1:
                raise _refusal(device, error) from error
            name = f"unreadable ({error})"
        if name == serial:
            return device
        others.append(str(name))
        usb.util.dispose_resources(device)
    there = f"; serial numbers of this kind here: {', '.join(others)}" if others else ""
    raise LinkAbsent(f"USB device {wanted} {serial} is not there: plug it in and power it{there}")


def _claim(device: Any) -> UsbStream:
    try:
        configuration = device.get_active_configuration()
    except usb.core.USBError:
        device.set_configuration()  # only where none is set: setting it anew would reset the endpoints
        configuration = device.get_active_configuration()
    for interface in configuration:
        if interface.bInterfaceClass != VENDOR_CLASS:
            continue
        ends = {_direction(end): end for end in interface if usb.util.endpoint_type(end.bmAttributes) == BULK}
        if {usb.util.ENDPOINT_IN, usb.util.ENDPOINT_OUT} <= ends.keys():
            _check_free(device, interface.bInterfaceNumber)
            usb.util.claim_interface(device, interface.bInterfaceNumber)
            return UsbStream(
                device, interface.bInterfaceNumber, ends[usb.util.ENDPOINT_IN], ends[usb.util.ENDPOINT_OUT]
            )
    raise LinkRefused(
        f"{_name(device)} has no interface of class FF with bulk IN and bulk OUT: it is no device of this kind"
    )


def _direction(endpoint: Any) -> int:
    return int(usb.util.endpoint_direction(endpoint.bEndpointAddress))


def _check_free(device: Any, interface: int) -> None:
    """A kernel driver that took the interface is named, not pushed aside: somebody installed it (BR-020)."""
    try:
        is_taken = device.is_kernel_driver_active(interface)
    except (NotImplementedError, usb.core.USBError):
        return  # the claim will tell
    if is_taken:
        driver = _kernel_driver(device, interface)
        raise LinkBusy(
            f"{_name(device)} is held by the kernel driver {driver}. Blacklist that driver for this device "
            f"(udev rule of the device), or unload it: modprobe -r {driver}"
        )


def _kernel_driver(device: Any, interface: int) -> str:
    port = ".".join(map(str, device.port_numbers or ()))
    link = SYSFS / f"{device.bus}-{port}:1.{interface}" / "driver"
    try:
        return Path(os.readlink(link)).name
    except OSError:
        return "of another program"


def _empty(stream: UsbStream) -> None:
    thrown = 0
    while thrown < STALE_LIMIT_BYTES:
        try:
            thrown += len(stream.read(STALE_TIMEOUT_MS)) or 1
        except usb.core.USBTimeoutError:
            return


def _name(device: Any) -> str:
    return f"USB device {device.idVendor:04x}:{device.idProduct:04x} ({_node(device)})"


def _node(device: Any) -> str:
    return f"/dev/bus/usb/{device.bus or 0:03d}/{device.address or 0:03d}"


def _refusal(device: Any, error: Exception) -> LinkRefused:
    node = _node(device)
    number = getattr(error, "errno", None)
    if number == errno.EBUSY:
        holder = holder_of(node) or "another program, which cannot be named from here"
        return LinkBusy(f"{_name(device)} is held by {holder}. End that, or ask it instead of the device")
    if number in (errno.EACCES, errno.EPERM) or isinstance(error, ValueError):
        return LinkForbidden(f"{_name(device)} may not be opened: {rights_of(node)}")
    if number in (errno.ENODEV, errno.ENOENT):
        return LinkAbsent(f"{_name(device)} went away while it was opened: plug it in anew")
    return LinkRefused(f"{_name(device)} cannot be opened: {error}. Plug it in anew")
