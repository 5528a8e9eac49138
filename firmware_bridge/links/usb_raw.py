"""A backend for pyusb whose devices answer raw requests: everything about them is read from their own descriptors.

Used where no libusb is: a device behind USB/IP, a simulated one in the process.
"""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Protocol

import usb.backend
import usb.core

from firmware_bridge.links import usbip_codec as usbip
from firmware_bridge.links.usb_descriptors import (
    CLEAR_FEATURE,
    CONFIGURATION,
    DEVICE,
    GET_CONFIGURATION,
    GET_DESCRIPTOR,
    SET_CONFIGURATION,
    TO_HOST,
    Interface,
    Setup,
    interfaces_of,
)
from firmware_bridge.links.usb_errors import BUSY, NO_DEVICE, PIPE, TIMEOUT

_CONTROL_TIMEOUT_MS = 1000  # USB 2.0 §9.2.6.4 gives a device 500 ms for its data
_CONFIGURATION_BYTES = 4096
_ENDPOINT_RECIPIENT = 2
_DEVICE_FIELDS = (
    ("bLength", 1),
    ("bDescriptorType", 1),
    ("bcdUSB", 2),
    ("bDeviceClass", 1),
    ("bDeviceSubClass", 1),
    ("bDeviceProtocol", 1),
    ("bMaxPacketSize0", 1),
    ("idVendor", 2),
    ("idProduct", 2),
    ("bcdDevice", 2),
    ("iManufacturer", 1),
    ("iProduct", 1),
    ("iSerialNumber", 1),
    ("bNumConfigurations", 1),
)
_CONFIGURATION_FIELDS = (
    ("bLength", 1),
    ("bDescriptorType", 1),
    ("wTotalLength", 2),
    ("bNumInterfaces", 1),
    ("bConfigurationValue", 1),
    ("iConfiguration", 1),
    ("bmAttributes", 1),
    ("bMaxPower", 1),
)


class RawConnection(Protocol):
    """An opened device. Every call may raise what pyusb's own backends raise."""

    def control(self, setup: Setup, data: bytes, timeout_ms: int) -> bytes: ...

    def read(self, endpoint: int, length: int, timeout_ms: int) -> bytes: ...

    def write(self, endpoint: int, data: bytes, timeout_ms: int) -> int: ...

    def claim(self, interface: int) -> None: ...

    def release(self, interface: int) -> None: ...

    def close(self) -> None: ...


class RawDevice(Protocol):
    """A device that can be opened, and where it hangs."""

    @property
    def bus(self) -> int: ...

    @property
    def address(self) -> int: ...

    @property
    def port_numbers(self) -> tuple[int, ...]: ...

    @property
    def speed(self) -> int: ...

    def open(self) -> RawConnection: ...


def gone() -> usb.core.USBError:
    """What libusb says of a device that was pulled."""
    return usb.core.USBError("No such device (it may have been disconnected)", NO_DEVICE)


def busy() -> usb.core.USBError:
    """What libusb says of a device that somebody else has."""
    return usb.core.USBError("Resource busy", BUSY)


def timed_out() -> usb.core.USBTimeoutError:
    """What libusb says when a request was not done in time."""
    return usb.core.USBTimeoutError("Operation timed out", TIMEOUT)


def raise_for(status: int) -> None:
    """Raise what a request's status means, as Linux numbers it; 0 is none."""
    if status == usbip.STALLED:
        raise usb.core.USBError("Pipe error", PIPE)
    if status == usbip.GONE:
        raise gone()
    if status:
        raise usb.core.USBError(f"Input/Output Error ({status})", -1)


class RawBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """`listed` gives the devices that are plugged in now; it may raise `USBError`."""

    def __init__(self, listed: Callable[[], Sequence[RawDevice]]) -> None:
        self._listed = listed

    def enumerate_devices(self) -> Iterator[RawDevice]:
        return iter(self._listed())

    def get_parent(self, device: RawDevice) -> None:
        return None

    def get_device_descriptor(self, device: RawDevice) -> SimpleNamespace:
        told = _fields(_DEVICE_FIELDS, _described(device.open(), DEVICE, 18))
        where = {"bus": device.bus, "address": device.address, "speed": device.speed}
        ports = device.port_numbers
        return SimpleNamespace(**told, **where, port_number=ports[-1] if ports else None, port_numbers=ports)

    def get_configuration_descriptor(self, device: RawDevice, number: int) -> SimpleNamespace:
        return SimpleNamespace(**_fields(_CONFIGURATION_FIELDS, _configuration(device, number)), extra_descriptors=[])

    def get_interface_descriptor(self, device: RawDevice, number: int, alternate: int, config: int) -> SimpleNamespace:
        found = _interface(device, number, alternate, config)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=4,
            bInterfaceNumber=found.number,
            bAlternateSetting=0,
            bNumEndpoints=len(found.endpoints),
            bInterfaceClass=found.kind[0],
            bInterfaceSubClass=found.kind[1],
            bInterfaceProtocol=found.kind[2],
            iInterface=0,
            extra_descriptors=list(found.extra),
        )

    def get_endpoint_descriptor(
        self, device: RawDevice, number: int, interface: int, alternate: int, config: int
    ) -> SimpleNamespace:
        found = _interface(device, interface, alternate, config).endpoints[number]
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=5,
            bEndpointAddress=found.address,
            bmAttributes=found.kind,
            wMaxPacketSize=found.packet_bytes,
            bInterval=found.interval,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=[],
        )

    def open_device(self, device: RawDevice) -> RawConnection:
        return device.open()

    def close_device(self, handle: RawConnection) -> None:
        handle.close()

    def set_configuration(self, handle: RawConnection, value: int) -> None:
        handle.control(Setup(0, SET_CONFIGURATION, value, 0, 0), b"", _CONTROL_TIMEOUT_MS)

    def get_configuration(self, handle: RawConnection) -> int:
        return handle.control(Setup(TO_HOST, GET_CONFIGURATION, 0, 0, 1), b"", _CONTROL_TIMEOUT_MS)[0]

    def claim_interface(self, handle: RawConnection, number: int) -> None:
        handle.claim(number)

    def release_interface(self, handle: RawConnection, number: int) -> None:
        handle.release(number)

    def is_kernel_driver_active(self, handle: RawConnection, number: int) -> bool:
        return False  # no kernel knows these devices

    def clear_halt(self, handle: RawConnection, endpoint: int) -> None:
        handle.control(Setup(_ENDPOINT_RECIPIENT, CLEAR_FEATURE, 0, endpoint, 0), b"", _CONTROL_TIMEOUT_MS)

    def bulk_write(
        self, handle: RawConnection, endpoint: int, interface: int, data: array.array[int], timeout_ms: int
    ) -> int:
        return handle.write(endpoint, data.tobytes(), timeout_ms)

    def bulk_read(
        self, handle: RawConnection, endpoint: int, interface: int, buffer: array.array[int], timeout_ms: int
    ) -> int:
        return _into(buffer, handle.read(endpoint, len(buffer), timeout_ms))

    intr_write = bulk_write
    intr_read = bulk_read

    def ctrl_transfer(
        self,
        handle: RawConnection,
        request_type: int,
        request: int,
        value: int,
        index: int,
        data: array.array[int],
        timeout_ms: int,
    ) -> int:
        setup = Setup(request_type, request, value, index, len(data))
        if setup.is_to_host:
            return _into(data, handle.control(setup, b"", timeout_ms))
        handle.control(setup, data.tobytes(), timeout_ms)
        return len(data)


def _into(buffer: array.array[int], data: bytes) -> int:
    buffer[: len(data)] = array.array("B", data)
    return len(data)


def _fields(layout: Sequence[tuple[str, int]], data: bytes) -> dict[str, int]:
    fields, at = {}, 0
    for name, size in layout:
        fields[name] = int.from_bytes(data[at : at + size], "little")
        at += size
    return fields


def _described(connection: RawConnection, kind: int, length: int) -> bytes:
    return connection.control(Setup(TO_HOST, GET_DESCRIPTOR, kind << 8, 0, length), b"", _CONTROL_TIMEOUT_MS)


def _configuration(device: RawDevice, number: int) -> bytes:
    if number:
        raise IndexError("one configuration")  # how pyusb learns where the list ends
    return _described(device.open(), CONFIGURATION, _CONFIGURATION_BYTES)


def _interface(device: RawDevice, number: int, alternate: int, config: int) -> Interface:
    if alternate:
        raise IndexError("one setting")
    return interfaces_of(_configuration(device, config))[number]
