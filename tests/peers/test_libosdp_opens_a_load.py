"""A badge that libosdp reads opens a load (CSM-5): daemon, simulated shuffler and libosdp are processes of their own.

The reader is libosdp 3.2.9 in the peripheral role, plain and in the secure channel, on a pseudo-terminal and over TCP.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from simulator.play import Where, play
from tableside.exit_codes import ExitCode
from tests.support.peer_environment import peer_python
from tests.support.peer_process import DEADLINE_S, PeerProcess, running_peer
from tests.support.processes import Running, daemon, simulated_table, tableside

pytestmark = [pytest.mark.peer, pytest.mark.timeout(300)]

HERE = Path(__file__).parent
PACE = 20
KEY = bytes(range(0x10, 0x20))  # visibly a test's
FOUR_DECKS = {"count = 3\nreserve": "count = 2\nreserve"}
# The reader of the demo's table, up to the line that the simulation's file does not have.
READER = """\
address = "serial://../run/dev/badges?baud=9600"
serial_number = "00000901"
model = "PD-SIM"
osdp_address = 1
is_simulated = true # OSDP has no way to say so
"""
# 26 bits, 00020140 as they are printed on the badge of S-201, the first bit first.
SUPERVISOR = {"card": 26, "data": "00805000"}
STRANGER = {"card": 26, "data": "3fffc000"}
# Shorter than the presence of the demo's table (10 s), longer than the two seconds after which a badge has gone.
TAPS_EVERY_S = 3.0


@pytest.fixture(scope="session")
def libosdp() -> Path:
    """The interpreter of libosdp's own environment."""
    return peer_python("libosdp==3.2.9")


def is_text(said: dict[str, Any]) -> bool:
    """The peer was told to show a text."""
    return "offset_row" in said.get("command", {})


class Table:
    """The running table, and its reader's hand."""

    def __init__(self, folder: Path, running: Running, peer: PeerProcess) -> None:
        self.folder = folder
        self.running = running
        self.peer = peer

    async def play(self, name: str) -> None:
        where = Where(self.folder / "run" / "control.sock", self.folder / "run" / "simulator.sock", "BJ-07", PACE)
        told: list[str] = []
        outcome = await play(HERE / name, where, told.append)
        assert outcome.is_right, "\n".join([*told, *map(str, outcome.mismatches), self.running.log, *self.peer.noise])

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """What the rows of one type say, in order."""
        reading = sqlite3.connect(f"file:{self.folder / 'run' / 'BJ-07.db'}?mode=ro", uri=True)
        try:
            found = reading.execute("SELECT body FROM record WHERE type = ? ORDER BY seq", (kind,))
            return [json.loads(body) for (body,) in found]
        finally:
            reading.close()

    async def until_row(self, kind: str) -> dict[str, Any]:
        """The first row of this type, once it is there."""
        async with asyncio.timeout(DEADLINE_S):
            while not (found := self.rows(kind)):
                assert not self.peer.is_over, self.peer.noise
                await asyncio.sleep(0.05)
        return found[0]

    async def until_shown(self, text: str) -> None:
        """The last text that the reader was given is this one; blanks are nothing."""
        async with asyncio.timeout(DEADLINE_S):
            while [said["command"]["data"].strip() for said in self.peer.said if is_text(said)][-1:] != [text]:
                assert not self.peer.is_over, self.peer.noise
                await asyncio.sleep(0.05)

    async def keep_tapping(self) -> None:
        """Whoever stands there shows that they still do."""
        while True:
            await asyncio.sleep(TAPS_EVERY_S)
            self.peer.tell(**SUPERVISOR)


@asynccontextmanager
async def table(folder: Path, python: Path, kind: str, key: bytes | None) -> AsyncIterator[Table]:
    """The demo's table with libosdp where its badge reader was."""
    theirs = (key.hex(), "needs-security") if key else ("-",)
    async with running_peer(python, HERE / "libosdp_ends.py", "peripheral", kind, *theirs) as peer:
        where = await peer.until_said("port" if kind == "tcp" else "pty")
        address = f"tcp://127.0.0.1:{where['port']}" if kind == "tcp" else f"serial://{where['pty']}?baud=9600"
        reader = f'address = "{address}"\nserial_number = "DEADBEAF"\nmodel = "1.1"\nosdp_address = {0x65}\n'
        if key:
            key_file = folder / "reader.key"
            key_file.write_text(key.hex(), "ascii")
            key_file.chmod(0o600)
            reader += 'osdp_key_file = "../reader.key"\n'
        with (
            simulated_table(folder, pace=PACE, edits=FOUR_DECKS | {READER: reader}) as config,
            daemon(config, folder / "run" / "control.sock", folder / "daemon.log") as running,
        ):
            yield Table(folder, running, peer)


@pytest.mark.parametrize(("kind", "key"), [("pty", KEY), ("tcp", None)], ids=["pty, secure", "tcp, plain"])
async def test_a_badge_read_by_libosdp_opens_a_load(
    libosdp: Path, tmp_path: Path, kind: str, key: bytes | None
) -> None:
    async with table(tmp_path, libosdp, kind, key) as here:
        await here.play("table_opened.toml")
        await here.until_shown("TAP BADGE")
        here.peer.tell(**STRANGER)
        await here.until_row("BadgeRefused")
        assert here.rows("BadgeTapped") == here.rows("PresenceShown") == []
        refused = await asyncio.to_thread(here.running.ask, "load", "begin", "--packets", "2", "--as", "D-101")
        assert (refused["answer"], refused["rule"]) == ("refused", "CSM-5")
        here.peer.tell(**SUPERVISOR)
        assert (await here.until_row("BadgeTapped"))["staff"] == "S-201"
        await here.until_shown("")
        tapping = asyncio.create_task(here.keep_tapping())
        try:
            await here.play("load_begun.toml")
        finally:
            tapping.cancel()
            await asyncio.wait({tapping})
        (ready,) = here.rows("ReaderReady")
        assert ready["is_secure"] is (key is not None)
        assert await asyncio.to_thread(here.running.end) == ExitCode.DONE, here.running.log
    verified = await asyncio.to_thread(tableside, "journal", "verify", str(tmp_path / "run" / "BJ-07.db"), "--explain")
    assert verified.returncode == ExitCode.DONE, verified.stdout + verified.stderr
