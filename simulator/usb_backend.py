"""Simulated USB devices for pyusb: a backend in the place of libusb, so that drivers run pyusb itself.

Each device has one configuration with one interface of class FF, one bulk IN and one bulk OUT endpoint, and joins
the simulator's loop by an ordinary link.
"""

from __future__ import annotations

import array
import errno
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import usb.backend
import usb.core
import usb.util

from simulator.usb_cable import PACKET_SIZE, UsbDeviceLink, raise_gone

BULK_OUT, BULK_IN = 0x01, 0x82
US_ENGLISH = 0x0409
GET_DESCRIPTOR, STRING = 6, 3  # USB 2.0 §9.4.3, table 9-5

BULK_ENDPOINTS = (BULK_OUT, BULK_IN)


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """What a device tells of itself before anybody speaks its protocol."""

    serial: str
    vendor: int = 0x1209  # pid.codes; product numbers 0001 to 0010 are kept for tests
    product: int = 0x0001
    maker: str = "Tableside simulator"
    name: str = "Table device"


class UsbDevice:
    """One simulated device, plugged in or not."""

    def __init__(self, identity: UsbIdentity) -> None:
        self.identity = identity
        self.link: UsbDeviceLink | None = None
        self.claimed = False
        self.configuration = 0

    def plug_in(self) -> UsbDeviceLink:
        """Plug it in anew: a new cable, whose link the simulated device holds. Needs a running loop."""
        self.claimed, self.configuration = False, 0
        identity = self.identity
        self.link = UsbDeviceLink(f"usb://{identity.vendor:04x}:{identity.product:04x}/{identity.serial}")
        return self.link

    @property
    def is_plugged_in(self) -> bool:
        """True while the host's system would list it."""
        return self.link is not None and not self.link.is_gone


class UsbBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """What pyusb asks of libusb, answered by simulated devices. Handles are the devices' links."""

    def __init__(self, devices: Iterable[UsbDevice]) -> None:
        self._devices = list(devices)

    def enumerate_devices(self) -> Iterator[UsbDevice]:
        return iter([device for device in self._devices if device.is_plugged_in])

    def get_parent(self, device: UsbDevice) -> None:
        return None

    def get_device_descriptor(self, device: UsbDevice) -> SimpleNamespace:
        return SimpleNamespace(
            bLength=18,
            bDescriptorType=1,
            bcdUSB=0x0200,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=PACKET_SIZE,
            idVendor=device.identity.vendor,
            idProduct=device.identity.product,
            bcdDevice=0x0100,
            iManufacturer=1,
            iProduct=2,
            iSerialNumber=3,
            bNumConfigurations=1,
            bus=1,
            address=self._devices.index(device) + 1,
            port_number=self._devices.index(device) + 1,
            port_numbers=(self._devices.index(device) + 1,),
            speed=usb.util.SPEED_FULL,
        )

    def get_configuration_descriptor(self, device: UsbDevice, number: int) -> SimpleNamespace:
        _only_first(number)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=2,
            wTotalLength=32,
            bNumInterfaces=1,
            bConfigurationValue=1,
            iConfiguration=0,
            bmAttributes=0x80,
            bMaxPower=50,
            extra_descriptors=[],
        )

    def get_interface_descriptor(self, device: UsbDevice, number: int, alternate: int, config: int) -> SimpleNamespace:
        _only_first(number, alternate, config)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=4,
            bInterfaceNumber=0,
            bAlternateSetting=0,
            bNumEndpoints=len(BULK_ENDPOINTS),
            bInterfaceClass=0xFF,
            bInterfaceSubClass=0,
            bInterfaceProtocol=0,
            iInterface=0,
            extra_descriptors=[],
        )

    def get_endpoint_descriptor(
        self, device: UsbDevice, number: int, interface: int, alternate: int, config: int
    ) -> SimpleNamespace:
        _only_first(interface, alternate, config)
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=5,
            bEndpointAddress=BULK_ENDPOINTS[number],
            bmAttributes=usb.util.ENDPOINT_TYPE_BULK,
            wMaxPacketSize=PACKET_SIZE,
            bInterval=0,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=[],
        )

    def open_device(self, device: UsbDevice) -> tuple[UsbDevice, UsbDeviceLink]:
        if device.link is None:
            raise_gone()
        return device, device.link

    def close_device(self, handle: tuple[UsbDevice, UsbDeviceLink]) -> None:
        """Nothing stays open at the device."""

    def set_configuration(self, handle: tuple[UsbDevice, UsbDeviceLink], value: int) -> None:
        _alive(handle).configuration = value

    def get_configuration(self, handle: tuple[UsbDevice, UsbDeviceLink]) -> int:
        return _alive(handle).configuration

    def claim_interface(self, handle: tuple[UsbDevice, UsbDeviceLink], number: int) -> None:
        device = _alive(handle)
        if device.claimed:
            raise usb.core.USBError("Resource busy", -6, errno.EBUSY)
        device.claimed = True

    def release_interface(self, handle: tuple[UsbDevice, UsbDeviceLink], number: int) -> None:
        _alive(handle).claimed = False

    def is_kernel_driver_active(self, handle: tuple[UsbDevice, UsbDeviceLink], number: int) -> bool:
        return False

    def bulk_write(
        self,
        handle: tuple[UsbDevice, UsbDeviceLink],
        endpoint: int,
        interface: int,
        data: array.array[int],
        timeout_ms: int,
    ) -> int:
        return handle[1].host_writes(bytes(data), timeout_ms)

    def bulk_read(
        self,
        handle: tuple[UsbDevice, UsbDeviceLink],
        endpoint: int,
        interface: int,
        buffer: array.array[int],
        timeout_ms: int,
    ) -> int:
        packet = handle[1].host_reads(len(buffer), timeout_ms)
        buffer[: len(packet)] = array.array("B", packet)
        return len(packet)

    def ctrl_transfer(
        self,
        handle: tuple[UsbDevice, UsbDeviceLink],
        request_type: int,
        request: int,
        value: int,
        index: int,
        data: array.array[int],
        timeout_ms: int,
    ) -> int:
        identity = _alive(handle).identity
        if (request_type, request, value >> 8) != (usb.util.ENDPOINT_IN, GET_DESCRIPTOR, STRING):
            raise usb.core.USBError("Pipe error", -9, errno.EPIPE)  # a stall: the device knows no other request
        texts = (None, identity.maker, identity.name, identity.serial)
        text = texts[value & 0xFF]
        body = US_ENGLISH.to_bytes(2, "little") if text is None else text.encode("utf-16-le")
        answer = bytes([len(body) + 2, STRING]) + body
        count = min(len(answer), len(data))
        data[:count] = array.array("B", answer[:count])
        return count


def _alive(handle: tuple[UsbDevice, UsbDeviceLink]) -> UsbDevice:
    device, link = handle
    if link.is_gone:
        raise_gone()
    return device


def _only_first(*numbers: int) -> None:
    if any(numbers):
        raise IndexError("one configuration, one interface, one setting")  # how pyusb learns where the list ends
