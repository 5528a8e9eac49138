"""A simulated USB device served over USB/IP: reached by pyusb from another process, or by a kernel's vhci-hcd.

One device a port. Who imports it has plugged it in: its link begins there, and ends with the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket

from firmware_bridge.links import usbip_codec as usbip
from firmware_bridge.links.base import Link
from firmware_bridge.links.usb_descriptors import TO_HOST, Setup
from firmware_bridge.links.usbip_codec import (
    IN,
    UNLINKED,
    BadUsbip,
    CommandReader,
    ExportedDevice,
    Submit,
    Submitted,
    Unlink,
    Unlinked,
)

from .device import UsbDevice, UsbDeviceLink
from .pipes import Transfer
from .shapes import VENDOR_STREAM, Shape, UsbIdentity

CHUNK_BYTES = 65_536
BUS = 1


class UsbipSocket:
    """A USB port on the network (loopback): a socket of `simulator/cables.py`."""

    sees_cable = True
    is_shared = True

    def __init__(self, host: str, port: int, identity: UsbIdentity, shape: Shape = VENDOR_STREAM) -> None:
        self.device = UsbDevice(identity, shape)
        self._host, self._port = host, port
        self._server: asyncio.Server | None = None
        self._links: asyncio.Queue[Link] = asyncio.Queue()
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._port

    async def open(self) -> None:
        """Listen. Raises `OSError`."""
        if self._server is None:
            self._server = await asyncio.start_server(self._connected, self._host, self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    async def next_link(self) -> Link:
        await self.open()
        return await self._links.get()

    async def shut(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for connection in tuple(self._connections):
            connection.cancel()
        if self._connections:
            await asyncio.wait(self._connections)
        while not self._links.empty():
            await self._links.get_nowait().close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, BadUsbip, asyncio.CancelledError):
            pass  # the host's end of the conversation, or ours: the device is unplugged from it
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        code, _ = usbip.read_operation(await reader.readexactly(usbip.OP_BYTES))
        if code == usbip.OP_REQ_DEVLIST:
            writer.write(usbip.list_reply([self._exported(self.device.bus_address % 127 + 1)]))
            await writer.drain()
            return
        if code != usbip.OP_REQ_IMPORT:
            raise BadUsbip(f"operation {code:04x} is none")
        busid = usbip.read_busid(await reader.readexactly(usbip.IMPORT_BYTES - usbip.OP_BYTES))
        if busid != self._exported(0).busid or self.device.is_plugged_in:
            writer.write(usbip.import_reply(None))
            await writer.drain()
            return
        link = self.device.plug_in()
        self._links.put_nowait(link)
        try:
            writer.write(usbip.import_reply(self._exported(self.device.bus_address)))
            await _Import(link, writer).run(reader)
        finally:
            await link.close()

    def _exported(self, address: int) -> ExportedDevice:
        identity, description = self.device.identity, self.device.description
        return ExportedDevice(
            busid=f"{BUS}-1",
            bus=BUS,
            address=address,
            vendor=identity.vendor,
            product=identity.product,
            release=description.release,
            device_class=description.kind,
            interfaces=tuple(interface.kind for interface in description.interfaces),
        )


class _Import:
    """One host that has the device."""

    def __init__(self, link: UsbDeviceLink, writer: asyncio.StreamWriter) -> None:
        self._link = link
        self._writer = writer
        self._waiting: dict[int, Transfer] = {}

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Until the host hangs up, or the cable is pulled."""
        commands = CommandReader()
        self._link.when_unplugged = self._writer.close
        while not self._link.is_gone and (chunk := await reader.read(CHUNK_BYTES)):
            for command in commands.feed(chunk):
                if isinstance(command, Submit):
                    self._submit(command)
                else:
                    self._unlink(command)
            await self._writer.drain()

    def _submit(self, asked: Submit) -> None:
        if asked.endpoint == 0:
            status, answer = self._link.control(Setup.parse(asked.setup), asked.data)
            length = len(answer) if asked.direction == IN else len(asked.data)
            self._answer(Submitted(asked.number, status, 0 if status else length, answer))
            return
        endpoint = asked.endpoint | (TO_HOST if asked.direction == IN else 0)

        def done(status: int, data: bytes) -> None:
            self._waiting.pop(asked.number, None)
            length = len(data) if asked.direction == IN else len(asked.data)
            self._answer(Submitted(asked.number, status, 0 if status else length, data))

        transfer = self._waiting[asked.number] = Transfer(endpoint, asked.length, asked.data, done)
        self._link.submit(transfer)

    def _unlink(self, asked: Unlink) -> None:
        transfer = self._waiting.pop(asked.victim, None)
        is_taken_back = transfer is not None and self._link.cancel(transfer)
        self._answer(Unlinked(asked.number, UNLINKED if is_taken_back else 0))

    def _answer(self, answer: Submitted | Unlinked) -> None:
        with contextlib.suppress(RuntimeError):  # the connection is being closed
            self._writer.write(answer.encode())
