"""USB/IP against a program that nobody here wrote: our host at its device, and its host at ours."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drivers.badges.keyboard_reader import KeyboardReader, TypingReaderSettings
from drivers.events import BadgeSeen, Fact, ReaderReady
from firmware_bridge.links.address import open_link
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.keyboard.reports import ENTER, Stroke, reports_of
from simulator.usb.shapes import UsbIdentity
from simulator.usb.usbip import UsbipSocket
from tests.support.collector import Collector, until
from tests.support.mosquitto import free_port
from tests.support.peer_environment import peer_python
from tests.support.peer_process import running_peer

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).with_name("usbip_peer.py")
CODE = "AB-0123456789@"


@pytest.fixture(scope="session")
def usbip() -> Path:
    """The interpreter of its own environment."""
    return peer_python("usbip==0.7.0")


async def test_our_driver_reads_its_keyboard(usbip: Path) -> None:
    """Its descriptors, its HID requests, its reports; by pyusb through our USB/IP."""
    port, facts = free_port(), list[Fact]()

    async def report(fact: Fact) -> None:
        facts.append(fact)

    address = f"usb://1209:0002/PEER1?usbip=127.0.0.1:{port}"
    settings = TypingReaderSettings("badges", address, "PEER1", "us", len(CODE))
    reader = KeyboardReader(settings, lambda: open_link(address), report, random.Random(1))
    async with running_peer(usbip, SCRIPT, "keyboard", str(port)) as peer:
        await peer.until_said("serving", True)

        async def check() -> None:
            await until(lambda: any(isinstance(fact, ReaderReady) for fact in facts), "the reader")
            strokes = [*MAPS["us"].strokes(CODE), Stroke(ENTER)]
            peer.tell(reports=[each.hex() for each in reports_of(strokes)])
            await until(lambda: any(isinstance(fact, BadgeSeen) for fact in facts), "the badge")
            raise Done

        with pytest.raises(Done):
            await run_together(reader.run(), check())
    seen = next(fact for fact in facts if isinstance(fact, BadgeSeen))
    assert bytes.fromhex(seen.badge.partition(":")[2]) == CODE.encode()


class Done(Exception):
    """All was seen."""


async def test_its_host_takes_our_device(usbip: Path) -> None:
    socket = UsbipSocket("127.0.0.1", 0, UsbIdentity(serial="SN0001"))
    await socket.open()
    async with running_peer(usbip, SCRIPT, "host", str(socket.port)) as peer:
        link, got = await socket.next_link(), Collector()
        link.start(got)
        assert (await peer.until_said("serial"))["serial"] == "SN0001"
        await got.until_bytes(17)
        assert bytes(got.text) == b"asked by the peer"
        await link.write(b"answered by us")
        assert (await peer.until_said("answer"))["answer"] == "answered by us"
        await peer.until_said("stalled", True)
        await peer.until_said("closed", True)
        await got.until_lost()
    await socket.shut()
