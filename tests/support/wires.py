"""Wires between a simulated device and its host, one of each kind that an address can name; the real thing each time.

The device's end is the simulator's own socket, as `tableside-sim serve` has it. USB is there twice: behind USB/IP, as
from another process, and within the host's process, by pyusb's backend in the place of libusb.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware_bridge.links.address_kinds import Surroundings
from firmware_bridge.links.base import Link
from simulator.cables import MemorySocket, Socket, socket_for
from simulator.usb.backend import UsbBackend
from simulator.usb.device import UsbDevice
from simulator.usb.shapes import UsbIdentity
from tests.support.mosquitto import Mosquitto, free_port


@dataclass(frozen=True, slots=True)
class Wire:
    """An address, and what both ends need beside it. Without a `socket` the address alone says how to plug in."""

    address: str
    socket: Socket | None = None
    surroundings: Surroundings = field(default_factory=Surroundings)

    def plug(self, boot: Callable[[], int]) -> Socket:
        """Where the device is plugged in; `boot` tells its boot number."""
        return self.socket or socket_for(self.address, boot)


class UsbSocket:
    """A USB port: one device, plugged in anew each time."""

    sees_cable = True
    is_shared = False

    def __init__(self, serial: str) -> None:
        self._device = UsbDevice(UsbIdentity(serial=serial))
        self.backend = UsbBackend([self._device])
        self.address = self._device.address

    async def next_link(self) -> Link:
        return self._device.plug_in()

    async def shut(self) -> None:
        """Pull it out."""
        if self._device.link is not None:
            await self._device.link.close()


def memory_wire() -> Wire:
    """Within the process, by name."""
    socket = MemorySocket("rig")
    return Wire("memory://rig", socket, Surroundings(memory={"rig": socket.answer}))


def serial_wire(node: Path) -> Wire:
    """A pseudo-terminal under this name."""
    return Wire(f"serial://{node}")


def tcp_wire() -> Wire:
    """A free port of the loopback."""
    return Wire(f"tcp://127.0.0.1:{free_port()}")


def usb_wire(serial: str) -> Wire:
    """pyusb, its reader thread and its descriptors; only libusb is ours."""
    socket = UsbSocket(serial)
    return Wire(socket.address, socket, Surroundings(usb_backend=socket.backend))


def usbip_wire(serial: str) -> Wire:
    """pyusb over USB/IP on a free port of the loopback."""
    return Wire(f"usb://1209:0001/{serial}?usbip=127.0.0.1:{free_port()}")


def mqtt_wire(broker: Mosquitto) -> Wire:
    """Behind a real broker."""
    return Wire(f"mqtt://{broker.host}:{broker.port}/rigs/shuffler")
