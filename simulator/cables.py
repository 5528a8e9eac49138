"""The cable between a simulated device and whoever drives it; it can be pulled out and put back in.

One kind for each kind of address. A cable is run beside the device; `pull` and `plug_in` are what hands do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, Protocol

from firmware_bridge.links.address import parse_address
from firmware_bridge.links.address_kinds import MemoryAddress, SerialAddress, TcpAddress, UsbAddress
from firmware_bridge.links.base import Link, LinkAbsent, LinkRefused
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.links.mqtt import open_mqtt_device
from firmware_bridge.links.mqtt_address import MqttAddress, MqttsAddress
from firmware_bridge.links.pty import open_pty
from firmware_bridge.links.tcp import TcpListener

from .line import FaultyLine, LineQuality
from .recorder import Recorder
from .runner import Outlet
from .usb.shapes import VENDOR_STREAM, Shape, UsbIdentity
from .usb.usbip import UsbipSocket

# A broker that is not there yet is asked again after so long.
BROKER_RETRY_S = 1.0


class CableRefused(ValueError):
    """No device can be simulated behind this address: says why and what can."""


class Socket(Protocol):
    """Where links come from while the cable is in. One at a time is asked for."""

    @property
    def sees_cable(self) -> bool:
        """Whether the device notices the end of a connection."""

    @property
    def is_shared(self) -> bool:
        """Whether a second host can connect while one is there."""

    async def next_link(self) -> Link:
        """The device's end of the next connection; waits for the host where the host opens it."""

    async def shut(self) -> None:
        """The cable is out: nobody can connect."""


class Cable:
    """One device's cable, in or out."""

    def __init__(
        self,
        name: str,
        socket: Socket,
        quality: LineQuality | None = None,
        seed: int = 0,
        recorder: Recorder | None = None,
    ) -> None:
        self.name = name
        self.socket = socket
        # The bad line of the newest connection, where the plan wants one.
        self.line: FaultyLine | None = None
        self._quality = quality
        self._seed = seed
        self._recorder = recorder
        self._connections = 0
        self._is_in = asyncio.Event()
        self._is_in.set()
        self._serving: asyncio.Task[None] | None = None

    @property
    def is_in(self) -> bool:
        return self._is_in.is_set()

    async def run(self, outlet: Outlet) -> NoReturn:
        """Serve one connection after the other while the cable is in, until cancelled."""
        try:
            while True:
                await self._is_in.wait()
                self._serving = asyncio.create_task(self._serve(outlet), name=f"cable of {self.name}")
                await asyncio.wait([self._serving])
                if not self._serving.cancelled():
                    self._serving.result()
        finally:
            if self._serving is not None:
                self._serving.cancel()
            await self.socket.shut()

    async def pull(self) -> bool:
        """Take it out. False: it is out already."""
        was_in = self.is_in
        self._is_in.clear()
        if self._serving is not None and not self._serving.done():
            self._serving.cancel()
            await asyncio.wait([self._serving])
        await self.socket.shut()
        return was_in

    def plug_in(self) -> bool:
        """Put it back. False: it is in already."""
        was_in = self.is_in
        self._is_in.set()
        return not was_in

    async def _serve(self, outlet: Outlet) -> None:
        async with asyncio.TaskGroup() as connections:
            while self.is_in:
                link = await self.socket.next_link()
                link = self._line(self._recorder.on(link) if self._recorder is not None else link)
                serving = connections.create_task(outlet.offer(link), name=f"connection of {self.name}")
                if not self.socket.is_shared:
                    await serving

    def _line(self, link: Link) -> Link:
        """The link as this cable leaves it."""
        if self._quality is None:
            return link
        self.line = FaultyLine(link, self._seed + self._connections, self._quality)
        self._connections += 1
        return self.line


class SerialSocket:
    """A pseudo-terminal under a name: it stands there as long as the cable is in, whoever opens it."""

    sees_cable = False
    is_shared = False

    def __init__(self, name: Path) -> None:
        self._name = name

    async def next_link(self) -> Link:
        self._name.parent.mkdir(parents=True, exist_ok=True)
        return open_pty(self._name).link

    async def shut(self) -> None:
        """The name goes with the link that stood behind it."""


class TcpSocket:
    """A port on the network, one host at a time."""

    sees_cable = True
    is_shared = True

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._accepted: asyncio.Queue[Link] = asyncio.Queue()
        self._listener: TcpListener | None = None

    async def next_link(self) -> Link:
        if self._listener is None:
            listener = TcpListener(self._accepted.put_nowait)
            await listener.open(self._host, self._port)
            self._listener = listener
        return await self._accepted.get()

    async def shut(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            await listener.close()
        while not self._accepted.empty():
            await self._accepted.get_nowait().close()


class MqttSocket:
    """A client at a broker: it comes back by itself, numbered within the device's boot."""

    sees_cable = True
    is_shared = False

    def __init__(self, address: MqttAddress | MqttsAddress, boot: Callable[[], int], serial: str) -> None:
        self._address = address
        self._boot = boot
        self._serial = serial
        self._last = (0, 0)

    async def next_link(self) -> Link:
        where = self._address
        while True:
            boot, before = self._boot(), self._last
            connection = before[1] + 1 if before[0] == boot else 1
            self._last = boot, connection
            try:
                return await open_mqtt_device(
                    where.host,
                    where.port,
                    where.prefix,
                    where.device,
                    boot=boot,
                    connection=connection,
                    serial=self._serial,
                    certificates=where.files if isinstance(where, MqttsAddress) else None,
                )
            except LinkRefused:
                await asyncio.sleep(BROKER_RETRY_S)

    async def shut(self) -> None:
        """The connection went with its link."""


class MemorySocket:
    """Both ends within the process: the host asks for its end by `answer`."""

    sees_cable = False
    is_shared = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._far_ends: asyncio.Queue[Link] = asyncio.Queue()
        self._is_in = False

    def answer(self) -> Link:
        """The host's end of a new cable. Raises `LinkAbsent` while it is out."""
        if not self._is_in:
            raise LinkAbsent(f"memory://{self.name}: the cable is out; plug it in")
        near, far = memory_pair(self.name)
        self._far_ends.put_nowait(far)
        return near

    async def next_link(self) -> Link:
        self._is_in = True
        return await self._far_ends.get()

    async def shut(self) -> None:
        self._is_in = False
        while not self._far_ends.empty():
            await self._far_ends.get_nowait().close()


def socket_for(address: str, boot: Callable[[], int], serial: str = "", shape: Shape = VENDOR_STREAM) -> Socket:
    """Where the device behind this address is plugged in; `boot` tells its boot number. Raises `CableRefused`.

    By its `serial` number a broker knows a device; without one by its topic. `shape`: what it is on USB.
    """
    match parse_address(address):
        case SerialAddress(node=node):
            return SerialSocket(Path(node))
        case TcpAddress(host=host, port=port):
            return TcpSocket(host, port)
        case MqttAddress() | MqttsAddress() as where:
            return MqttSocket(where, boot, serial)
        case MemoryAddress(name=name):
            return MemorySocket(name)
        case UsbAddress(server=(host, port), vendor=vendor, product=product, serial=number):
            return UsbipSocket(host, port, UsbIdentity(number, vendor, product), shape)
    raise CableRefused(
        f"{address}: a simulated USB device is reached over USB/IP: put ?usbip=127.0.0.1:3240 behind the address, and "
        "another port for each device"
    )
