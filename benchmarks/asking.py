"""Our side of the rows that ask a prepared shuffler for its meters: a session on a link, whatever carries its bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from benchmarks import prepared
from firmware_bridge.links.base import Link
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.tdl import Expected, Opening, Ready, Request, Said, TdlSession
from firmware_bridge.wire.tdl.codes import Operation, Profile
from firmware_bridge.wire.tdl.keys import MetersKey

Ask = Callable[[], Awaitable[None]]


@asynccontextmanager
async def asking(link: Link) -> AsyncIterator[Ask]:
    """Open a session on the link; each call is one question with its answer checked."""
    ready = asyncio.Event()

    async def report(said: Said) -> None:
        if isinstance(said, Ready):
            ready.set()

    expected = Expected(prepared.SERIAL, prepared.MODEL, Profile.CONTINUOUS)
    opening = Opening(1, bytes(range(8)), prepared.EPOCH, expected)
    session = TdlSession(link, opening, report, LinkCounts())
    running = asyncio.create_task(session.run())
    await ready.wait()

    async def ask() -> None:
        reply = await session.ask(Request(Operation.METERS))
        assert reply.body[MetersKey.JAMS] == prepared.JAMS

    yield ask
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
