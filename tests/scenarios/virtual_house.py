"""A house in one process and in virtual time: the demo's configuration, the room, the daemon, the cast.

The same parts as in `make run`, joined by memory links and in-loop pipes; only the processes are missing.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from firmware_bridge.clock import LoopClock
from firmware_bridge.links.base import Link, LinkAbsent, LinkClosed, Receiver
from simulator.control import SideDesk
from simulator.director import Director, Outcome, gather_cast
from simulator.hands_voice import SideVoice, voice_of
from simulator.kinds import KINDS
from simulator.people import Scene
from simulator.plan import RATES, Chance, Plan, read_plan
from simulator.room import Room
from simulator.scenario import read_scenario
from simulator.speaking import ChannelLost
from simulator.watch import Row, Watch
from tableside.config import HostConfig, load_host
from tableside.control.conversation import Conversation
from tableside.daemon import Daemon
from tableside.ground import Ground
from tableside.state import encode_state
from tests.support.cddl_ear import CddlEar
from tests.support.simulated_host import ground
from tests.support.table import WALL_START_NS

ROOT = Path(__file__).parents[2]
TABLE = "BJ-07"
RETRY_S = 0.2
# Devices that stand at this house beside the demo's.
More = Callable[[Plan, HostConfig], tuple[Plan, HostConfig]]


class MortalLink:
    """The host's end of a cable, of a process that may be killed: from then on nothing goes out."""

    def __init__(self, link: Link, is_dead: Callable[[], bool]) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self._link = link
        self._is_dead = is_dead

    def start(self, receiver: Receiver) -> None:
        self._link.start(receiver)

    async def write(self, data: bytes) -> None:
        if self._is_dead():
            raise LinkClosed("the process is dead")
        await self._link.write(data)

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    async def close(self) -> None:
        await self._link.close()


class Pipe:
    """The control socket's twin: one conversation with the desk of a living daemon."""

    def __init__(self, daemon: Daemon, hear: Callable[[bytes], None]) -> None:
        self._hear = hear
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        conversation = Conversation(daemon.desk, self._take)
        self.task = asyncio.create_task(conversation.run(self._chunks.get), name="control pipe")
        self.task.add_done_callback(lambda _: self._lines.put_nowait(b""))

    async def _take(self, line: bytes) -> None:
        self._hear(line)
        self._lines.put_nowait(line)

    async def write(self, line: bytes) -> None:
        if self.task.done():
            raise ChannelLost("the daemon is dead")
        self._chunks.put_nowait(line + b"\n")

    async def read(self) -> bytes:
        line = await self._lines.get()
        if not line:
            raise ChannelLost("the daemon is dead")
        return line[:-1]

    async def close(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})


class VirtualHost:
    """The daemon, which can be killed and started again; its files, and the room, stay."""

    def __init__(self, config: HostConfig, room: Room, clock: LoopClock, *, is_in_memory: bool = False) -> None:
        self.config = config
        self._is_in_memory = is_in_memory
        self.starts = 0
        self.daemon: Daemon | None = None
        self.hears: list[Callable[[bytes], None]] = []
        self.findings: list[str] = []
        self._killed_at: bytes = b""  # the state of the last turn that was durable
        self._room = room
        self._clock = clock
        self._sessions: list[int] = []
        self._addresses: dict[str, str] = {}
        for device in (device for table in config.tables for device in table.devices):
            self._addresses.setdefault(device.address, device.name)  # what shares a bus stands at its first device
        self._tdl = {
            device.name for table in config.tables for device in table.devices if device.driver.startswith("tdl-")
        }
        self.ear = CddlEar()
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._pipes: list[Pipe] = []

    async def start(self) -> None:
        """A new process."""
        self.starts += 1
        life = self.starts
        self._stop = asyncio.Event()
        daemon = Daemon(self.config, self.ground(life), "test")
        for path in (self.config.journal_directory, self.config.reserve_directory):
            path.mkdir(parents=True, exist_ok=True)
        await daemon.open()
        if self._killed_at and encode_state(daemon.tables[TABLE].state) != self._killed_at:
            self.findings.append(f"start {life}: replay gives another state than the one that was killed")
        self.daemon = daemon
        self._task = asyncio.create_task(daemon.run(self._stop), name="daemon")

    def ground(self, life: int) -> Ground:
        """What stands under the daemon in one of its lives."""
        return ground(
            self._clock,
            lambda address: self._connect(address, life),
            self._sessions,
            is_in_memory=self._is_in_memory,
        )

    async def kill(self) -> None:
        """At once: nothing more goes out, nobody is told."""
        daemon, self.daemon = self.daemon, None
        assert daemon is not None
        assert self._task is not None
        for pipe in self._pipes:
            await pipe.close()
        self._pipes.clear()
        self._task.cancel()
        await asyncio.wait({self._task})
        self._killed_at = encode_state(daemon.tables[TABLE].state)

    async def stop(self) -> None:
        """A clean end."""
        self._stop.set()
        if self._task is not None:
            await self._task
        self.daemon = None  # whoever talked to it finds nobody when he tries again
        for pipe in self._pipes:
            await pipe.close()
        self._pipes.clear()

    async def talk(self) -> Pipe:
        """A new connection to the control socket."""
        if self.daemon is None:
            raise ChannelLost("the daemon is dead")
        pipe = Pipe(self.daemon, self._hear)
        self._pipes.append(pipe)
        return pipe

    def _hear(self, line: bytes) -> None:
        for ear in self.hears:
            ear(line)

    async def _connect(self, address: str, life: int) -> Link:
        answer = self._room.memory_answers.get(self._addresses[address])
        if answer is None:
            raise LinkAbsent(f"{address}: no such device in the room")
        link = MortalLink(answer(), lambda: self.daemon is None or self.starts != life)
        return self.ear.on(link) if self._addresses[address] in self._tdl else link


@dataclasses.dataclass(slots=True)
class House:
    """Everything of one run."""

    room: Room
    host: VirtualHost
    side: SideVoice
    hears: list[Callable[[Row], None]] = dataclasses.field(default_factory=list)
    last_seq: int = 0

    async def play(self, path: Path) -> Outcome:
        """Play a scenario to its end or first mismatch, after those before it."""
        scenario = read_scenario(path, KINDS)
        scene = Scene(
            watch=Watch(self.host.talk, table=TABLE, retry_s=RETRY_S),
            side=self.side,
            connect=self.host.talk,
            pace=1.0,
            seed=scenario.seed,
            token=path.stem,
            retry_s=RETRY_S,
            lapse_chance=RATES[self.room.plan.simulation.chance].lapses,
        )
        gather_cast(scenario, scene, KINDS)
        scene.watch.listeners.append(self._hear)
        return await Director(scenario, scene, self.host).run()

    def _hear(self, row: Row) -> None:
        """Each row once: the next scenario's people read the journal from its beginning."""
        if row.seq > self.last_seq:
            self.last_seq = row.seq
            for ear in self.hears:
                ear(row)


def virtual_plan(*, seed: int, chance: Chance = Chance.NEVER) -> Plan:
    """The demo's room on memory links, at the pace of a real table."""
    plan = read_plan(ROOT / "demo" / "simulation.toml")
    return msgspec.structs.replace(
        plan,
        simulation=msgspec.structs.replace(
            plan.simulation, pace=1.0, seed=seed, chance=chance, is_lab=True, side_channel="", recordings=""
        ),
        devices=tuple(msgspec.structs.replace(device, address=f"memory://{device.name}") for device in plan.devices),
    )


def house_config(folder: Path) -> HostConfig:
    """The demo's host and table, with the times of a house instead of those of a demo; journals in `folder`."""
    demo = ROOT / "demo"
    config = load_host(demo / "host.toml")
    table = config.tables[0]
    times = type(table.alerts)()
    settings = msgspec.structs.replace(table.settings, presence_s=60)
    return dataclasses.replace(
        config,
        journal_directory=folder,
        reserve_directory=folder / "reserve",
        tables=(dataclasses.replace(table, alerts=times, settings=settings),),
    )


@asynccontextmanager
async def house(
    folder: Path,
    *,
    seed: int = 7,
    chance: Chance = Chance.NEVER,
    is_in_memory: bool = False,
    more: More | None = None,
) -> AsyncIterator[House]:
    """A house with the daemon running; at the end a clean stop. A journal in memory dies with its daemon."""
    plan, config = virtual_plan(seed=seed, chance=chance), house_config(folder)
    if more is not None:
        plan, config = more(plan, config)
    room = Room(plan)
    room.power_up()
    cables = asyncio.create_task(room.run(), name="room")
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=WALL_START_NS)
    host = VirtualHost(config, room, clock, is_in_memory=is_in_memory)
    await host.start()
    try:
        yield House(room, host, voice_of(SideDesk(room)))
    finally:
        if host.daemon is not None:
            await host.stop()
        cables.cancel()
        await asyncio.wait({cables})
