"""The simulator's process: a room, its cables, its side channel, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

from .control import SideChannel, SideDesk
from .keeping import Keeper, lay_out, read_kept
from .plan import Plan
from .room import Room


async def serve(plan: Plan, ready: Callable[[Room], None] = lambda room: None) -> None:
    """Simulate until SIGTERM or SIGINT. `ready` is called once every cable is offered and the side channel listens.

    Raises `KeepingRefused`, `CableRefused`, `OSError`.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    settings = plan.simulation
    kept = read_kept(Path(settings.memory)) if settings.memory else None
    room = Room(plan, memories=kept.memories if kept is not None else None)
    if kept is not None:
        lay_out(room, kept)
    room.power_up()
    async with asyncio.TaskGroup() as parts:
        tasks = [parts.create_task(room.run(), name="cables")]
        if settings.memory:
            tasks.append(parts.create_task(Keeper(room, Path(settings.memory)).run(), name="memory"))
        if settings.side_channel:
            channel = SideChannel(SideDesk(room), Path(settings.side_channel))
            await channel.open()
            tasks.append(parts.create_task(channel.run(), name="side channel"))
        ready(room)
        await stop.wait()
        for task in tasks:
            task.cancel()
