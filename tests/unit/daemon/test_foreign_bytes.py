"""Another device's protocol on a cable of the table: counted, named in `diag status`, and never a fact of a table."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.garbage import GarbageReason
from tableside.cli.asking import status_lines
from tests.support.simulated_host import (
    BADGES,
    SHUFFLER,
    Page,
    SimulatedTable,
    host_in,
    is_connected,
    new_clock,
    running,
)

pytestmark = pytest.mark.virtual_time
EVERY_S = 0.2  # a device that talks by itself, several times within each of our deadlines
LISTENED_S = 20.0  # longer than the handshake's deadline, and than the 8 s after which a reader is lost

# Each is a whole and valid message of its own protocol, or what a line brings that carries none.
FOREIGN = {
    "OSDP": bytes.fromhex("ff 53 01 08 00 05 60 c7 85"),  # a poll with its header; our own framing on the wrong port
    "Modbus RTU": bytes.fromhex("01 03 02 00 05 78 47"),  # slave 1 answers a read with one register of 5
    "ccTalk": bytes.fromhex("01 00 02 00 fd"),  # an acknowledgement of address 2 to the host
    "boot console": b"U-Boot 2021.04\r\nHit any key to stop autoboot:  3\r\n",
    "all zero": bytes(64),
    "all FF": b"\xff" * 64,
    "wrong speed": random.Random(9600).randbytes(90),
    "oversized length": bytes.fromhex("53 81 ff ff 04") + bytes(range(1, 60)),
    "echo": b"",  # of whatever we send
}
# Delimiters alone are an idle line of TDL: received, and nothing to throw away.
UNMARKED = ("echo", "all zero")
FACTS_OF_A_DEVICE = ("DeviceReady", "ReaderReady", "BadgeTapped", "LevelsRead", "CommandAnswered", "CardsEntered")


class Stranger:
    """Something else on the cable: it sends its own bytes, or ours back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._back: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(self, link: Link) -> None:
        """Until the link ends."""
        link.start(self)
        try:
            while True:
                if self._data:
                    await link.write(self._data)
                    await asyncio.sleep(EVERY_S)
                else:
                    await link.write(await self._back.get())
        except LinkClosed:
            pass
        finally:
            await link.close()

    def chunk_received(self, chunk: bytes) -> None:
        """From the host."""
        self._back.put_nowait(chunk)

    def link_lost(self, reason: Exception) -> None:
        """The host is gone."""
        self._back.put_nowait(b"")


class StrangeTable(SimulatedTable):
    """A table at which one cable leads to a stranger."""

    def __init__(self, address: str, data: bytes) -> None:
        super().__init__()
        self._at, self._data = address, data

    async def connect(self, address: str) -> Link:
        if address != self._at:
            return await super().connect(address)
        near, far = memory_pair(address)
        self.links[address] = near
        task = asyncio.create_task(Stranger(self._data).serve(far), name="stranger")
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        return near


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize(
    ("device", "address", "other"), [("shuffler", SHUFFLER, "badges"), ("badges", BADGES, "shuffler")]
)
async def test_bytes_of_another_protocol_are_named_and_are_no_facts(
    tmp_path: Path, device: str, address: str, other: str, what: str
) -> None:
    table = StrangeTable(address, FOREIGN[what])
    async with running(host_in(tmp_path), table, new_clock()) as daemon:
        await asyncio.sleep(LISTENED_S)
        page = Page(daemon)
        answer = await page.ask(id="s", act="status")
        page.hang_up()
        rows = [row for row in daemon.tables["BJ-1"].journal.records() if f'"{device}"' in str(row.body)]
        assert not {row.type for row in rows} & set(FACTS_OF_A_DEVICE)
        assert not is_connected(daemon, device)
        assert is_connected(daemon, other), "the others go on"
        health: dict[str, Any] = answer["what"]["tables"]["BJ-1"]["devices"][device]
        told = "\n".join(status_lines(answer["what"], has_counts=True))
        assert health["counts"]["bytes_received"] > 0
        assert (health["silent_ms"] is None) is (device == "badges"), "on a bus a station's own answers count"
        if what == "echo":
            assert "echo" in health["why_away"] or health["counts"]["garbage"]["echo"] == health["counts"]["echoes"]
            assert "echo" in told
        else:
            assert "no valid frame" in health["why_away"]
            assert f"{device} is away: {health['why_away']}" in told
        if what not in UNMARKED:
            assert set(health["counts"]["garbage"]) <= {reason.value for reason in GarbageReason}
    await table.close()
