"""OSDP against libosdp 3.2.9, in real time: our panel with its peripheral, its panel with our simulated reader.

Only states are asserted (on-line, card seen, key wrong): its timing and ours share a busy machine.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest

from drivers.badges.osdp_reader import OsdpBadgeReader, ReaderSettings
from drivers.events import BadgeSeen, CodeKeyed, Fact, ReaderLost, ReaderReady, SightingKind
from firmware_bridge.links.address import open_link
from firmware_bridge.session.osdp import BusSettings, OsdpBus
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.osdp.secure import BaseKey
from simulator.world.badges import Badge, Colour
from tests.support.osdp_served import SERIAL, served_reader
from tests.support.peer_environment import peer_python
from tests.support.peer_process import DEADLINE_S, PeerProcess, running_peer

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).with_name("libosdp_ends.py")
ADDRESS = 0x65
KEY = bytes(range(0x10, 0x20))
OTHER_KEY = bytes(range(0x20, 0x30))
CARD = {"card": 26, "data": "2d0a2280"}
BADGE = "26:00B4288A"
T = TypeVar("T", bound=Fact)


@pytest.fixture(scope="session")
def libosdp() -> Path:
    """The interpreter of libosdp's own environment."""
    return peer_python("libosdp==3.2.9")


async def until(is_so: Callable[[], bool], peer: PeerProcess) -> None:
    """Wait for a named state in real time."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():
                assert not peer.is_over, f"the peer ended: {peer.said}; {peer.noise}"
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"it never was so; the peer said {peer.said}; {peer.noise}") from None


class Reader:
    """Our driver on our bus, with libosdp as the peripheral."""

    def __init__(self, address: str, key: bytes | None, *, is_install_mode: bool) -> None:
        self.facts: list[Fact] = []
        self.bus = OsdpBus(BusSettings("bus", address), lambda: open_link(address), jitter=random.Random(1))
        settings = ReaderSettings("reader", ADDRESS, "DEADBEAF", BaseKey(key) if key else None, is_install_mode)
        self.driver = OsdpBadgeReader(settings, self.bus, self._report)

    async def _report(self, fact: Fact) -> None:
        self.facts.append(fact)

    def of(self, kind: type[T]) -> list[T]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


@asynccontextmanager
async def read_by_us(
    python: Path,
    kind: str,
    ours: bytes | None,
    theirs: bytes | None,
    *flags: str,
    is_install_mode: bool = False,
) -> AsyncIterator[tuple[Reader, PeerProcess]]:
    """Our driver, running, and the peer."""
    async with running_peer(python, SCRIPT, "peripheral", kind, theirs.hex() if theirs else "-", *flags) as peer:
        where = await peer.until_said("port" if kind == "tcp" else "pty")
        address = f"tcp://127.0.0.1:{where['port']}" if kind == "tcp" else f"serial://{where['pty']}?baud=9600"
        reader = Reader(address, ours, is_install_mode=is_install_mode)
        task = asyncio.create_task(run_together(reader.bus.run(), reader.driver.run()))
        try:
            yield reader, peer
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@pytest.mark.parametrize("kind", ["tcp", "pty"])
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "secure"])
async def test_our_panel_reads_its_identity_a_card_and_keys_and_prompts(
    libosdp: Path, kind: str, key: bytes | None
) -> None:
    flags = ("needs-security",) if key else ()
    async with read_by_us(libosdp, kind, key, key, *flags) as (reader, peer):
        await until(lambda: bool(reader.of(ReaderReady)), peer)
        ready = reader.of(ReaderReady)[0]
        assert (ready.vendor, ready.model, ready.serial) == ("BEBAFE", "1.1", "DEADBEAF")
        assert ready.firmware == "173.222.173"
        assert ready.is_secure is (key is not None)
        peer.tell(**CARD)
        await until(lambda: bool(reader.of(BadgeSeen)), peer)
        assert reader.of(BadgeSeen) == [BadgeSeen(device="reader", badge=BADGE, kind=SightingKind.TAP)]
        peer.tell(keys="12")
        peer.tell(keys="34\r")
        await until(lambda: bool(reader.of(CodeKeyed)), peer)
        assert reader.of(CodeKeyed) == [CodeKeyed(device="reader", code="1234")]
        reader.driver.prompt(is_amber=True, beeps=2)
        await until(lambda: {"led", "buzzer", "text"} <= told(peer), peer)
        assert shown(peer) == ["TAP BADGE"]
        reader.driver.prompt(is_amber=False, beeps=0)
        await until(lambda: len(shown(peer)) > 1, peer)
        assert shown(peer)[1].strip() == ""
        assert len(reader.of(ReaderLost)) == 1  # that of the start
        assert reader.bus.station_counts(ADDRESS).refusals.total() == 0


def told(peer: PeerProcess) -> set[str]:
    """Which commands reached the peer's application."""
    kinds = {"rep_count": "buzzer", "led_number": "led", "offset_row": "text"}
    return {kinds[key] for line in peer.said for key in line.get("command", {}) if key in kinds}


def shown(peer: PeerProcess) -> list[str]:
    """The texts that reached the peer's application."""
    return [line["command"]["data"] for line in peer.said if "offset_row" in line.get("command", {})]


async def test_a_fresh_reader_is_given_its_key_in_install_mode(libosdp: Path) -> None:
    async with read_by_us(libosdp, "tcp", KEY, None, is_install_mode=True) as (reader, peer):
        await until(lambda: bool(reader.of(ReaderReady)), peer)
        assert reader.of(ReaderReady)[0].is_secure
        peer.tell(**CARD)
        await until(lambda: bool(reader.of(BadgeSeen)), peer)


@pytest.mark.parametrize("theirs", [OTHER_KEY, None], ids=["another key", "no key of its own"])
async def test_a_wrong_key_is_seen_as_such(libosdp: Path, theirs: bytes | None) -> None:
    async with read_by_us(libosdp, "tcp", KEY, theirs) as (reader, peer):
        await until(lambda: len(reader.of(ReaderLost)) == 2, peer)
        assert "key" in reader.of(ReaderLost)[1].why
        peer.tell(**CARD)
        await asyncio.sleep(1)
        assert not reader.of(ReaderReady)
        assert not reader.of(BadgeSeen)


async def test_a_reader_that_needs_security_says_so_to_a_plain_panel(libosdp: Path) -> None:
    async with read_by_us(libosdp, "tcp", None, KEY, "needs-security") as (reader, peer):
        await until(lambda: len(reader.of(ReaderLost)) == 2, peer)
        assert "configure its key" in reader.of(ReaderLost)[1].why


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "secure"])
async def test_its_panel_reads_our_simulated_reader(libosdp: Path, key: bytes | None) -> None:
    async with (
        served_reader(key) as (served, port),
        running_peer(libosdp, SCRIPT, "panel", port, key.hex() if key else "-") as peer,
    ):
        await peer.until_said("state", [True, key is not None])
        peer.tell(ask="identity")
        assert (await peer.until_said("serial"))["serial"] == SERIAL
        served.face.head.tap(Badge.printed(BADGE), served.now_ns())
        event = (await peer.until_said("event"))["event"]
        assert (event["length"], event["data"]) == (CARD["card"], CARD["data"])
        peer.tell(ask="text")
        await until(lambda: served.face.head.display.visible_text(served.now_ns()) == "TABLE 7", peer)
        peer.tell(ask="amber")
        await until(lambda: served.face.head.visible_colour(served.now_ns()) is Colour.AMBER, peer)
