"""The control socket with real connections: many, slow, rude, foreign; no table waits for any of them."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tableside.control import server as serving
from tableside.control.server import ControlServer, SocketRefused
from tableside.daemon import Daemon
from tests.support.simulated_host import DEADLINE_S, SimulatedTable, ground, host_in, new_clock

pytestmark = pytest.mark.system
NOBODY = 65_534


@dataclass
class Served:
    """A daemon without devices behind a socket."""

    daemon: Daemon
    server: ControlServer
    path: Path


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Served]:
    table = SimulatedTable()
    table.away.update(table.outlets)
    host = host_in(folder)
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir()
    daemon = Daemon(host, ground(new_clock(), table.connect), "test")
    await daemon.open()
    server = ControlServer(daemon.desk, host.control_socket)
    await server.open()
    stop = asyncio.Event()
    task = asyncio.create_task(daemon.run(stop, {"control": server.run}))
    try:
        yield Served(daemon, server, host.control_socket)
    finally:
        stop.set()
        await task
        await table.close()


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def at(cls, path: Path) -> Client:
        return cls(*await asyncio.open_unix_connection(str(path)))

    async def ask(self, **message: object) -> dict[str, Any]:
        self.writer.write(json.dumps(message).encode() + b"\n")
        return await self.next()

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE_S):
            line: dict[str, Any] = json.loads(await self.reader.readline())
            return line

    async def close(self) -> None:
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


async def test_a_hundred_connections_are_all_answered(tmp_path: Path) -> None:
    async with served(tmp_path) as it:
        clients = [await Client.at(it.path) for _ in range(100)]
        answers = await asyncio.gather(
            *(client.ask(id=f"c-{number}", act="call-supervisor") for number, client in enumerate(clients))
        )
        assert {answer["answer"] for answer in answers} == {"accepted"}
        assert it.server.connections == 100
        await asyncio.gather(*(client.close() for client in clients))


async def test_one_connection_too_many_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MAX_CONNECTIONS", 2)
    async with served(tmp_path) as it:
        clients = [await Client.at(it.path) for _ in range(2)]
        for client in clients:
            await client.ask(id="1", act="hello")
        late = await Client.at(it.path)
        assert (await late.next())["answer"] == "mistaken"
        assert await late.reader.read() == b""
        await clients[0].close()
        await late.close()
        again = await Client.at(it.path)
        async with asyncio.timeout(DEADLINE_S):
            while (await again.ask(id="2", act="hello"))["answer"] != "told":
                again = await Client.at(it.path)
        await again.close()
        await clients[1].close()


async def test_a_subscriber_that_does_not_read_holds_nobody_up_and_misses_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as it:
        slow, quick = await Client.at(it.path), await Client.at(it.path)
        assert (await slow.ask(id="s", act="subscribe", after=0))["answer"] == "told"
        for number in range(600):
            assert (await quick.ask(id=f"q-{number}", act="call-supervisor"))["answer"] == "accepted"
        last = it.daemon.tables["BJ-1"].published
        numbers: list[int] = []
        while not numbers or numbers[-1] < last:
            numbers.append((await slow.next())["entry"]["seq"])
        assert numbers == list(range(2, last + 1))  # row 1 is the journal's own first row
        await slow.close()
        await quick.close()


async def test_a_reader_that_stalls_is_hung_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "STALLED_S", 0.05)
    async with served(tmp_path) as it:
        slow, quick = await Client.at(it.path), await Client.at(it.path)
        slow.writer.write(b'{"id":"s","act":"subscribe","after":0}\n')
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]  # a real transport has it
        number = 0
        async with asyncio.timeout(DEADLINE_S):
            while it.server.connections == 2:
                number += 1
                await quick.ask(id=f"q-{number}", act="call-supervisor")
        assert (await quick.ask(id="last", act="hello"))["answer"] == "told"
        await slow.close()
        await quick.close()


async def test_a_line_without_end_and_nonsense_leave_the_connection_usable(tmp_path: Path) -> None:
    async with served(tmp_path) as it:
        client = await Client.at(it.path)
        for _ in range(100):
            client.writer.write(b"x" * 65_536)
            await client.writer.drain()
        client.writer.write(b"\n")
        assert "longer than" in (await client.next())["mistakes"][0]
        client.writer.write(b"\xff\xfe{]\n\n\n")
        assert "not JSON" in (await client.next())["mistakes"][0]
        assert (await client.ask(id="1", act="hello"))["answer"] == "told"
        await client.close()


async def test_who_stops_writing_still_gets_his_answers(tmp_path: Path) -> None:
    async with served(tmp_path) as it:
        client = await Client.at(it.path)
        client.writer.write(b'{"id":"1","act":"call-supervisor"}\n{"id":"2","act":"hello"}\n')
        client.writer.write_eof()
        async with asyncio.timeout(DEADLINE_S):
            lines = (await client.reader.read()).splitlines()
        assert [json.loads(line)["id"] for line in lines] == ["1", "2"]
        await client.close()


async def test_a_connection_that_breaks_in_the_middle_ends_alone(tmp_path: Path) -> None:
    async with served(tmp_path) as it:
        for _ in range(20):
            client = await Client.at(it.path)
            client.writer.write(b'{"id":"s","act":"subscribe","after":0}\n{"id":"1","act":"call-su')
            await client.next()
            client.writer.transport.abort()
        other = await Client.at(it.path)
        assert (await other.ask(id="2", act="hello"))["answer"] == "told"
        await other.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can try it as somebody else")
async def test_only_the_daemons_own_account_may_ask(tmp_path: Path) -> None:
    """Also where the file's mode was opened by mistake: the kernel says who is there."""
    async with served(tmp_path) as it:
        assert it.path.stat().st_mode & 0o777 == 0o600
        foreign = _connected_as(NOBODY, it.path)
        reader, writer = await asyncio.open_unix_connection(sock=foreign)
        writer.write(b'{"id":"1","act":"hello"}\n')
        async with asyncio.timeout(DEADLINE_S):
            with suppress(ConnectionResetError):  # hung up before it was read
                assert await reader.read() == b""
        assert it.server.refused == 1
        await Client(reader, writer).close()


def _connected_as(account: int, path: Path) -> socket.socket:
    """A connection whose other end has this account; root may open the file whatever its mode."""
    connection = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_PATH)
    path.chmod(0o666)
    path.parent.chmod(0o711)
    os.setegid(account)
    os.seteuid(account)
    try:
        connection.connect(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.close(folder)
    connection.setblocking(False)
    return connection


def test_a_file_that_is_no_socket_is_never_removed(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    path.write_text("precious")
    with pytest.raises(SocketRefused, match="is no socket"):
        asyncio.run(ControlServer(None, path).open())  # type: ignore[arg-type]  # nobody comes as far as the desk
    assert path.read_text() == "precious"
