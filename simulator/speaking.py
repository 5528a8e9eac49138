"""JSON lines with somebody else: the daemon's control socket, the room's side channel.

Lines go over a *channel*: a unix socket between processes, a queue within one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

Said = Mapping[str, Any]
# The control socket's lines are at most 64 KiB, its views of a whole table are longer.
LINE_LIMIT_BYTES = 16 * 1024 * 1024


class ChannelLost(ConnectionError):
    """The other side is gone, or was never there."""


class Channel(Protocol):
    """Whole lines, both ways."""

    async def write(self, line: bytes) -> None:
        """Send one line, given without its end. Raises `ChannelLost`."""

    async def read(self) -> bytes:
        """The next line without its end. Raises `ChannelLost` at the end."""

    async def close(self) -> None: ...


Connect = Callable[[], Awaitable[Channel]]


class UnixChannel:
    """A unix socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, path: Path) -> UnixChannel:
        """Raises `ChannelLost` where nobody listens."""
        try:
            return cls(*await asyncio.open_unix_connection(path, limit=LINE_LIMIT_BYTES))
        except OSError as error:
            raise ChannelLost(f"nobody answers at {path}: {error.strerror or error}") from error

    async def write(self, line: bytes) -> None:
        try:
            self._writer.write(line + b"\n")
            await self._writer.drain()
        except OSError as error:
            raise ChannelLost(str(error)) from error

    async def read(self) -> bytes:
        try:
            line = await self._reader.readline()
        except OSError as error:
            raise ChannelLost(str(error)) from error
        if not line.endswith(b"\n"):
            raise ChannelLost("the other side has hung up")
        return line[:-1]

    async def close(self) -> None:
        self._writer.transport.abort()


class Conversation:
    """Asks over one channel after the other and hears what comes unasked.

    A question whose answer the loss of a channel has swallowed is asked again under the same id on the next one:
    the other side does nothing twice.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        retry_s: float,
        heard: Callable[[Said], None] = lambda said: None,
        greeting: Callable[[], Said | None] = lambda: None,
    ) -> None:
        self.losses = 0
        self._connect = connect
        self._retry_s = retry_s
        self._heard = heard
        self._greeting = greeting
        self._channel: Channel | None = None
        self._is_open = asyncio.Event()
        self._waiting: dict[str, tuple[bytes, asyncio.Future[Said]]] = {}

    @property
    def is_open(self) -> bool:
        """A channel stands."""
        return self._channel is not None

    async def until_open(self) -> None:
        """Wait for a channel."""
        await self._is_open.wait()

    async def ask(self, message: Said) -> Said:
        """The answer to a message; it names its own `id`, which is no other's."""
        line = json.dumps(message, ensure_ascii=False).encode()
        answer: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        self._waiting[message["id"]] = line, answer
        try:
            if self._channel is not None:
                await self._send(self._channel, line)
            return await answer
        finally:
            self._waiting.pop(message["id"], None)

    async def run(self) -> None:
        """Keep a channel open until cancelled."""
        while True:
            try:
                channel = await self._connect()
            except ChannelLost:
                await asyncio.sleep(self._retry_s)
                continue
            try:
                await self._converse(channel)
            except ChannelLost:
                self.losses += 1
            finally:
                self._channel = None
                self._is_open.clear()
                await channel.close()

    async def _converse(self, channel: Channel) -> None:
        self._channel = channel
        again = [line for line, _ in self._waiting.values()]  # what is asked from here on is sent by `ask`
        greeting = self._greeting()
        if greeting is not None:
            await channel.write(json.dumps(greeting, ensure_ascii=False).encode())
        for line in again:
            await channel.write(line)
        self._is_open.set()
        while True:
            said = json.loads(await channel.read())
            waiting = self._waiting.get(said.get("id", "")) if "answer" in said else None
            if waiting is None:
                self._heard(said)
            elif not waiting[1].done():
                waiting[1].set_result(said)

    @staticmethod
    async def _send(channel: Channel, line: bytes) -> None:
        try:
            await channel.write(line)
        except ChannelLost:
            return  # asked again on the next channel
