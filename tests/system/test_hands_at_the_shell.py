"""What a dealer and a supervisor type at a table that follows blackjack, through the real socket (BJ-15, BJ-16)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tableside.control.server import ControlServer
from tableside.daemon import Daemon
from tableside.exit_codes import ExitCode
from tests.support.config_files import Edit
from tests.support.simulated_host import DEADLINE_S, SimulatedTable, ground, host_in, new_clock

pytestmark = pytest.mark.system

LIMITS = '[blackjack]\ncurrency = "EUR"\nminimum = 1000\nmaximum = 30000\n\n[settings]'


async def typed(socket: Path, *words: str) -> tuple[int, str]:
    """The exit code of `tableside …`, and what stood on the screen."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tableside",
        *words,
        "--socket",
        str(socket),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(DEADLINE_S):
        said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_seats_bets_and_decisions_are_typed_and_refused_with_their_rule(tmp_path: Path) -> None:
    table = SimulatedTable()
    table.away.update(table.outlets)
    host = host_in(tmp_path, Edit("table", "[settings]", LIMITS))
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir()
    daemon = Daemon(host, ground(new_clock(), table.connect), "test")
    await daemon.open()
    server = ControlServer(daemon.desk, host.control_socket)
    await server.open()
    stop = asyncio.Event()
    task = asyncio.create_task(daemon.run(stop, {"control": server.run}))
    try:
        at = host.control_socket
        code, said = await typed(at, "blackjack", "bet", "--seat", "3", "--amount", "1500", "--as", "S-1")
        assert (code, "refused (BJ-15): a bet of 1500 at seat 3" in said) == (ExitCode.REFUSED, True), said
        code, said = await typed(at, "blackjack", "bet", "--seat", "3", "--amount", "2000", "--as", "S-1")
        assert (code, "accepted (BJ-15): the bet lies there" in said) == (ExitCode.DONE, True), said
        code, said = await typed(at, "blackjack", "seats", "--seats", "1", "--seats", "3", "--as", "S-1")
        assert (code, "these seats play" in said) == (ExitCode.DONE, True), said
        code, said = await typed(at, "blackjack", "card", "--seat", "1", "--card", "7C", "--as", "S-1")
        assert "accepted" in said, "a shuffler that cannot be heard proves nothing against the dealer's word"
        code, said = await typed(at, "status")
        assert "seat 1: 7 in 1 card, playing" in said
        code, said = await typed(at, "advice", "decide", "--number", "1", "--decision", "so be it", "--as", "S-1")
        assert (code, "advice 1 is not open" in said) == (ExitCode.REFUSED, True), said
    finally:
        stop.set()
        await task
        await table.close()
