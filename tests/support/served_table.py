"""A table with simulated devices behind a real control socket, in a thread of its own: for real commands."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tableside.config import HostConfig
from tableside.control.server import ControlServer
from tableside.daemon import Daemon
from tests.support.config_files import Edit
from tests.support.simulated_host import SimulatedTable, ground, host_in, is_connected, new_clock, until

DEADLINE_S = 30.0
PACE = 20.0  # a count takes a second
ALL = ("shuffler", "switches", "badges")
T = TypeVar("T")


@dataclass
class Served:
    """`config` and `socket` are what a command is given; `do` runs something in the table's own loop."""

    config: Path
    socket: Path
    daemon: Daemon
    table: SimulatedTable
    loop: asyncio.AbstractEventLoop = field(repr=False)

    def do(self, what: Callable[[], Awaitable[T] | T]) -> T:
        """Run it in the loop of the table and wait for it."""

        async def doing() -> T:
            done = what()
            return await done if isinstance(done, Awaitable) else done

        return asyncio.run_coroutine_threadsafe(doing(), self.loop).result(DEADLINE_S)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for a named state of the table."""
        self.do(lambda: until(is_so))


@contextmanager
def served(folder: Path, *edits: Edit, devices: tuple[str, ...] = ALL) -> Iterator[Served]:
    """From a table whose devices answer to a clean stop."""
    ready: list[Served] = []
    failed: list[BaseException] = []
    is_up, stop = threading.Event(), asyncio.Event()

    def thread() -> None:
        try:
            asyncio.run(_serve(folder, edits, devices, stop, lambda made: (ready.append(made), is_up.set())))
        except BaseException as error:  # told to whoever waits
            failed.append(error)
        finally:
            is_up.set()

    runner = threading.Thread(target=thread, name="served table")
    runner.start()
    try:
        assert is_up.wait(DEADLINE_S)
        if failed:
            raise failed[0]
        yield ready[0]
    finally:
        if ready and not failed:
            ready[0].loop.call_soon_threadsafe(stop.set)
        runner.join(DEADLINE_S)
    if failed:
        raise failed[0]


async def _serve(
    folder: Path,
    edits: tuple[Edit, ...],
    devices: tuple[str, ...],
    stop: asyncio.Event,
    tell: Callable[[Served], object],
) -> None:
    table = SimulatedTable(pace=PACE)
    host: HostConfig = host_in(folder, *edits)
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir(exist_ok=True)
    daemon = Daemon(host, ground(new_clock(), table.connect), "test")
    await daemon.open()
    server = ControlServer(daemon.desk, host.control_socket)
    await server.open()
    running: Coroutine[Any, Any, None] = daemon.run(stop, {"control": server.run})
    task = asyncio.create_task(running)
    try:
        await until(lambda: is_connected(daemon, *devices))
        tell(Served(folder / "host.toml", host.control_socket, daemon, table, asyncio.get_running_loop()))
        await stop.wait()
    finally:
        stop.set()
        await task
        await table.close()
