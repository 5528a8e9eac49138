"""What a simulated cable's recording holds, and what is found in it."""

from __future__ import annotations

import asyncio
import json
import typing
from pathlib import Path

import pytest

from demo.check_wire import listen
from firmware_bridge.links.memory import memory_pair
from simulator.plan import Kind
from simulator.recorder import Recorder
from simulator.room import MAKERS
from tableside.diagnosis.speech import SPEECHES
from tests.support.plain_host import frame, stuffed
from tests.support.tdl_numbers import REQUEST

PING = 0x01


class Nobody:
    def chunk_received(self, chunk: bytes) -> None: ...

    def link_lost(self, reason: Exception) -> None: ...


async def record(folder: Path, *chunks: bytes) -> None:
    """What a host sends over one connection of a shuffler."""
    host, device = memory_pair("shuffler")
    recorded = Recorder(folder, "shuffler", "tdl").on(device)
    host.start(Nobody())
    recorded.start(Nobody())
    for chunk in chunks:
        await host.write(chunk)
    await asyncio.sleep(1)
    await recorded.close()
    await host.close()


@pytest.mark.virtual_time
async def test_every_connection_has_a_file_and_every_message_is_held_against_the_specification(tmp_path: Path) -> None:
    good, bad = stuffed(frame(REQUEST, PING, 1, 7, {})), stuffed(frame(REQUEST, PING, 2, 7, b"\x05"))
    await record(tmp_path, good[:3], good[3:], bad, good[:4])
    recording = (tmp_path / "shuffler-001.jsonl").read_text("utf-8")
    head, *entries = [json.loads(line) for line in recording.splitlines()]
    assert (head["device"], head["profile"]) == ("shuffler", "tdl")
    assert b"".join(bytes.fromhex(data) for _, way, data in entries if way == "in") == good + bad + good[:4]
    ear = listen(tmp_path)
    assert (ear.messages, len(ear.findings), ear.cut) == (1, 1, 1)
    assert "host" in ear.findings[0]


def test_what_no_host_and_no_device_speaks_in_tdl_is_left_alone(tmp_path: Path) -> None:
    head = {"recording": 1, "device": "badges", "profile": "osdp", "redaction": "", "is_message_based": False}
    (tmp_path / "badges-001.jsonl").write_text(json.dumps(head) + '\n[1, "in", "ff53"]\n', "utf-8")
    ear = listen(tmp_path)
    assert (ear.messages, ear.findings, ear.cut) == (0, [], 0)


@pytest.mark.parametrize("kind", [kind for kind, maker in MAKERS.items() if typing.get_type_hints(maker)])
def test_a_recording_says_what_is_spoken_so_that_it_can_be_read_again(kind: Kind) -> None:
    """`diag trace --recording` and `diag replay` go by that word."""
    face = typing.get_type_hints(MAKERS[kind])["return"]
    spoken = (face.profile,) if hasattr(face, "profile") else ("modbus-rtu", "modbus-tcp")
    assert set(spoken) <= set(SPEECHES), face
