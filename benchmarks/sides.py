"""One side of a comparison, opened once and then measured in short slices, on an event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, ExitStack

from benchmarks.compare import Measure

Slice = Callable[[], Awaitable[float]]


def open_side(context: AbstractAsyncContextManager[Slice], end: ExitStack) -> Measure:
    """The side stays open until `end`; each call of the result runs one slice and returns its figure."""
    runner = end.enter_context(asyncio.Runner())

    async def enter() -> Slice:
        return await context.__aenter__()

    async def leave() -> None:
        await context.__aexit__(None, None, None)

    take = runner.run(enter())
    end.callback(lambda: runner.run(leave()))

    async def once() -> float:
        return await take()

    return lambda: runner.run(once())
