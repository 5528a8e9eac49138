"""Cables to test links on: both ends of each kind, the real thing wherever it can be had."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge.clock import LoopClock
from firmware_bridge.links.address import open_link
from firmware_bridge.links.address_kinds import Surroundings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.links.mqtt import open_mqtt_device
from firmware_bridge.links.mqtt_tls import Certificates
from firmware_bridge.links.pty import open_pty
from firmware_bridge.links.recording import Head, RecordingWriter
from firmware_bridge.links.serial import open_serial
from firmware_bridge.links.tap import TapLink
from firmware_bridge.links.tcp import TcpLink, TcpListener, open_tcp
from simulator.line import FaultyLine
from simulator.usb.backend import UsbBackend
from simulator.usb.device import UsbDevice
from simulator.usb.shapes import UsbIdentity
from simulator.usb.usbip import UsbipSocket
from tests.support.collector import until
from tests.support.mosquitto import PROGRAM, running_mosquitto, secure_mosquitto


@dataclass
class Cable:
    """Both ends, not started yet.

    `open_again`: a second opening of the host's side, where one can be tried; `holder`: whom its refusal names.
    `is_through`: one end's pausing holds the other end's writer (through a broker it does not).
    """

    host: Link
    device: Link
    open_again: Callable[[], Awaitable[Link]] | None = None
    holder: str = f"process {os.getpid()}"
    is_through: bool = True


CableKind = Callable[[Path], AbstractAsyncContextManager[Cable]]


@contextlib.asynccontextmanager
async def memory_cable(directory: Path) -> AsyncIterator[Cable]:
    host, device = memory_pair("test")
    yield Cable(host, device)
    await host.close()
    await device.close()


@contextlib.asynccontextmanager
async def memory_message_cable(directory: Path) -> AsyncIterator[Cable]:
    host, device = memory_pair("test", is_message_based=True)
    yield Cable(host, device)
    await host.close()
    await device.close()


@contextlib.asynccontextmanager
async def serial_cable(directory: Path) -> AsyncIterator[Cable]:
    name = directory / "shuffler"
    pty = open_pty(name)
    host = await open_serial(str(name))
    yield Cable(host, pty.link, lambda: open_serial(str(name)))
    await host.close()
    await pty.link.close()


@contextlib.asynccontextmanager
async def tcp_cable(directory: Path) -> AsyncIterator[Cable]:
    accepted: list[TcpLink] = []
    listener = TcpListener(accepted.append)
    await listener.open()
    port = int(listener.address.rpartition(":")[2])
    host = await open_tcp("127.0.0.1", port)
    await until(lambda: accepted, "the connection on the device's side")
    yield Cable(host, accepted[0])
    await host.close()
    await listener.close()


@contextlib.asynccontextmanager
async def usb_cable(directory: Path) -> AsyncIterator[Cable]:
    device = UsbDevice(UsbIdentity(serial="SN0001"))
    link = device.plug_in()
    surroundings = Surroundings(usb_backend=UsbBackend([device]))
    host = await open_link(link.address, surroundings)
    yield Cable(host, link, lambda: open_link(link.address, surroundings), holder="another program")
    await host.close()
    await link.close()


@contextlib.asynccontextmanager
async def usbip_cable(directory: Path) -> AsyncIterator[Cable]:
    server = UsbipSocket("127.0.0.1", 0, UsbIdentity(serial="SN0001"))
    await server.open()
    address = f"{server.device.address}?usbip=127.0.0.1:{server.port}"
    host = await open_link(address)
    yield Cable(host, await server.next_link(), lambda: open_link(address), holder="another program")
    await host.close()
    await server.shut()


@contextlib.asynccontextmanager
async def mqtt_cable(directory: Path) -> AsyncIterator[Cable]:
    if PROGRAM is None:
        pytest.skip("mosquitto is not installed (Debian: apt-get install mosquitto)")
    with running_mosquitto(directory) as broker:
        device = await open_mqtt_device(broker.host, broker.port, "test", "csm", boot=3, connection=1)
        host = await open_link(device.address)
        yield Cable(host, device, is_through=False)
        await host.close()
        await device.close()


@contextlib.asynccontextmanager
async def mqtts_cable(directory: Path) -> AsyncIterator[Cable]:
    if PROGRAM is None:
        pytest.skip("mosquitto is not installed (Debian: apt-get install mosquitto)")
    with secure_mosquitto(directory, "host", "device") as broker:
        files = Certificates.of(directory, "device")
        device = await open_mqtt_device(
            broker.host, broker.port, "test", "csm", boot=3, connection=1, certificates=files
        )
        address = f"mqtts://{broker.host}:{broker.port}/test/csm?certificates={directory}&name=host"
        host = await open_link(address)
        yield Cable(host, device, is_through=False)
        await host.close()
        await device.close()


@contextlib.asynccontextmanager
async def tapped_cable(directory: Path) -> AsyncIterator[Cable]:
    async with memory_cable(directory) as cable:
        clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=0)
        head = Head("CSM-SIM 000123", "test", "none", is_message_based=False)
        tap = TapLink(cable.host, RecordingWriter(io.StringIO(), head, clock))
        yield Cable(tap, cable.device)


@contextlib.asynccontextmanager
async def sound_line_cable(directory: Path) -> AsyncIterator[Cable]:
    async with memory_cable(directory) as cable:
        yield Cable(FaultyLine(cable.host, seed=1), cable.device)


CABLES: dict[str, CableKind] = {
    "memory": memory_cable,
    "memory messages": memory_message_cable,
    "serial on a pty": serial_cable,
    "tcp": tcp_cable,
    "usb": usb_cable,
    "usb behind usbip": usbip_cable,
    "mqtt": mqtt_cable,
    "mqtts": mqtts_cable,
    "tap over memory": tapped_cable,
    "simulated line over memory": sound_line_cable,
}
