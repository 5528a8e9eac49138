"""A whole daemon in virtual time: real configuration, real journal files, simulated devices on memory links."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.clock import NS_PER_S, LoopClock
from firmware_bridge.links.base import Link, LinkAbsent, LinkClosed
from firmware_bridge.links.memory import memory_pair
from simulator.faces.memory import Memory
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.faces.osdp_bus import OsdpReaders
from simulator.faces.osdp_security import Security
from simulator.faces.tdl_device import TdlDevice
from simulator.faces.tdl_shuffler import new_shuffler
from simulator.faces.tdl_switch_box import new_switch_box
from simulator.runner import Outlet, Stage
from simulator.world.badges import Badge, BadgeHead
from simulator.world.cards import Pile
from simulator.world.hazards import NEVER, Hazards
from simulator.world.lamp import Colour, Light, Pattern
from simulator.world.machine import ShufflerMachine
from simulator.world.switch_box import SwitchBox
from tableside.config import HostConfig, load_host
from tableside.configuration.ledger import LedgerPlace
from tableside.control.conversation import Conversation
from tableside.daemon import Daemon
from tableside.ground import Ground
from tableside.jackpot.ledger import Store
from tableside.jackpot.ledger_sqlite import SqliteStore
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.journal.store import Journal
from tableside.outputs.northbound.broker import Access, Connection, OpenBroker
from tableside.outputs.northbound.cursors import write_whole
from tableside.pins import is_pin
from tests.support.config_files import TABLE, Edit, write_config
from tests.support.ledger import in_loop
from tests.support.table import WALL_START_NS

DEADLINE_S = 60.0
SHUFFLER = "serial:///dev/serial/by-id/shuffler?baud=115200"
BADGES = "serial:///dev/serial/by-id/badges?baud=9600"
SWITCHES = "serial:///dev/serial/by-id/switches?baud=115200"
# The second one belongs to another table, where the bus is shared; at a single table nobody speaks to it.
STATIONS = (1, 2)
# The addresses and names of the devices that `world` builds.
MATCHING = (
    Edit("table", 'model = "CSM"', 'model = "CSM-SIM"'),
    Edit("table", 'address = "usb://1234:abcd/000777"', f'address = "{SWITCHES}"'),
    Edit("table", 'model = "BOX"', 'model = "BOX-SIM"'),
)


class ReaderOutlet:
    """The cable of badge readers: bytes to them, their answers back when they are due."""

    def __init__(self, reader: OsdpReaders) -> None:
        self.reader = reader
        self._link: Link | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answers: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(self, link: Link) -> None:
        """Until the link ends."""
        self.reader.connected(is_message_based=False)
        link.start(self)
        try:
            while True:
                await link.write(await self._answers.get())
        except LinkClosed:
            pass
        finally:
            await link.close()

    def chunk_received(self, chunk: bytes) -> None:
        """From the panel."""
        self.reader.receive(chunk, now_ns())
        self.play()

    def link_lost(self, reason: Exception) -> None:
        """The panel is gone."""
        self._answers.put_nowait(b"")

    def play(self) -> None:
        """Let the reader do what is due, and come back when it wants."""
        if self._timer is not None:
            self._timer.cancel()
        wake_ns = self.reader.update(now_ns())
        for answer in self.reader.take_output():
            self._answers.put_nowait(answer)
        self._timer = None
        if wake_ns is not None:
            self._timer = asyncio.get_running_loop().call_at(wake_ns / NS_PER_S, self.play)


def now_ns() -> int:
    """The running loop's time."""
    return round(asyncio.get_running_loop().time() * NS_PER_S)


class SimulatedTable:
    """One table's devices. They outlive the daemon, as they do in a house."""

    def __init__(self, *, key: bytes | None = None, pace: float = 1.0) -> None:
        """`key` is that of the badge reader's secure channel; `pace` how much quicker the mechanics are."""
        self.stage = Stage(pace=pace)
        self.felt = Pile("felt")
        self.tray = Pile("tray")
        self.machine = ShufflerMachine("shuffler", 1, hazards=Hazards(1, NEVER))
        self.box = SwitchBox("switches", self.tray, lambda: False)
        self.memories = {SHUFFLER: Memory(), SWITCHES: Memory()}
        self.faces: dict[str, TdlDevice] = {
            SHUFFLER: new_shuffler(self.machine, self.memories[SHUFFLER]),
            SWITCHES: new_switch_box(self.box, self.memories[SWITCHES]),
        }
        self.heads = [BadgeHead(station) for station in STATIONS]
        self.readers = [
            OsdpReader(
                head, station, ReaderModel(serial=0x900 + station), Security(random.Random(station).randbytes, key=key)
            )
            for station, head in zip(STATIONS, self.heads, strict=True)
        ]
        self.bus = ReaderOutlet(OsdpReaders(self.readers))
        self.bus.reader.boot(now_ns())
        self.outlets: dict[str, Outlet | ReaderOutlet] = {BADGES: self.bus}
        self.away: set[str] = set()
        self.links: dict[str, Link] = {}
        self._serving: set[asyncio.Task[None]] = set()
        for world in (self.machine, self.box):
            self.stage.add_world(world)
        for address, face in self.faces.items():
            self.outlets[address] = self.stage.add_face(face)
            face.boot(self.stage.now_ns)

    def restart(self, address: str) -> None:
        """The device's power fails for a moment."""
        face = self.faces[address]
        face.power_off()
        face.boot(self.stage.now_ns)
        self.stage.settle()

    def tap(self, badge: str, station: int = 1) -> None:
        """Somebody taps a badge at the reader, or at the one that another table has on the same bus."""
        self.heads[station - 1].tap(Badge.printed(badge), now_ns())
        self.bus.play()

    async def connect(self, address: str) -> Link:
        """What the daemon's ground is given."""
        if address not in self.outlets or address in self.away:
            raise LinkAbsent(f"{address}: unplugged in this test")
        near, far = memory_pair(address)
        self.links[address] = near
        task = asyncio.create_task(self.outlets[address].serve(far), name=f"outlet {address}")
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        return near

    async def close(self) -> None:
        """Unplug everything and stop the clockwork."""
        self.stage.close()
        for link in self.links.values():
            await link.close()
        await asyncio.gather(*self._serving, return_exceptions=True)


async def compare_pin_at_once(pin: str, stored: str) -> bool:
    """The in-loop twin of the thread that compares PINs."""
    return is_pin(pin, stored)


async def write_at_once(path: Path, content: bytes) -> None:
    """The in-loop twin of the thread that writes files."""
    write_whole(path, content)


def ledger_in_loop(place: LedgerPlace) -> Store:
    """A real file, and no thread."""
    assert place.file is not None, "no server in virtual time"
    return SqliteStore(place.file, in_loop)


async def nobody_there(access: Access) -> Connection:
    """No broker."""
    raise LinkAbsent(f"{access.address}: no broker in this test")


async def nobody_takes(url: str, body: bytes) -> None:
    """No HTTP server."""
    raise LinkAbsent(f"{url}: no server in this test")


def ground(
    clock: LoopClock,
    connect: Callable[[str], Awaitable[Link]],
    numbers: list[int] | None = None,
    *,
    is_in_memory: bool = False,
    open_broker: OpenBroker | None = None,
    post: Callable[[str, bytes], Awaitable[None]] | None = None,
) -> Ground:
    """The in-loop twins of everything under a daemon; the journal in its file, or in memory."""
    used = [] if numbers is None else numbers

    def next_session() -> int:
        used.append(len(used) + 1)
        return used[-1]

    async def open_journal(place: Place) -> Journal:
        return InLoopJournal.open(Place(place.table, None, None) if is_in_memory else place, clock, epoch=0xA1B2C3D4)

    return Ground(
        clock=clock,
        open_journal=open_journal,
        connect=connect,
        next_session=next_session,
        compare_pin=compare_pin_at_once,
        digest_key=bytes(32),
        seal_key=bytes(32),
        open_broker=open_broker or nobody_there,
        write_file=write_at_once,
        post=post or nobody_takes,
        new_ledger=ledger_in_loop,
        jitter=lambda: random.Random(7),
    )


def host_in(folder: Path, *edits: Edit) -> HostConfig:
    """A checked configuration whose devices are those of `SimulatedTable`."""
    return load_host(write_config(folder, *MATCHING, *edits))


@asynccontextmanager
async def running(host: HostConfig, table: SimulatedTable, clock: LoopClock) -> AsyncIterator[Daemon]:
    """A daemon from start to clean stop."""
    daemon = Daemon(host, ground(clock, table.connect), "test")
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir(exist_ok=True)
    await daemon.open()
    stop = asyncio.Event()
    task = asyncio.create_task(daemon.run(stop), name="daemon")
    try:
        await until(lambda: not any(table_.stopped for table_ in daemon.tables.values()))
        yield daemon
    finally:
        stop.set()
        await task


def new_clock() -> LoopClock:
    """The running loop's clock."""
    return LoopClock(asyncio.get_running_loop(), wall_start_ns=WALL_START_NS)


async def until(is_so: Callable[[], bool]) -> None:
    """Wait in virtual time for a named state."""
    async with asyncio.timeout(DEADLINE_S):
        while not is_so():  # noqa: ASYNC110 - the state may be a device's, which tells nobody that it changed
            await asyncio.sleep(0.01)


def is_connected(daemon: Daemon, *devices: str, table: str = "BJ-1") -> bool:
    """All these devices have been told of as connected."""
    known = daemon.tables[table].state.devices.known
    return all(name in known and known[name].is_connected for name in devices)


RED_BLINKING = Light(Colour.RED, Pattern.BLINKING)


def second_table() -> str:
    """The file of a table like the first one, its devices nowhere."""
    text = TABLE.replace('"BJ-1"', '"BJ-2"').replace('"000777"', '"000778"').replace('"000123"', '"000124"')
    text = text.replace("usb://1234:abcd/000777", "usb://1234:abcd/000778").replace('"901"', '"902"')
    text = text.replace("by-id/shuffler", "by-id/shuffler-2").replace("by-id/badges", "by-id/badges-2")
    return text.replace('"D-1"', '"D-2"').replace("26:00000340", "26:00000440")


TWO_TABLES = Edit("host", '["table.toml"]', '["table.toml", "second.toml"]')


def two_tables_in(folder: Path) -> HostConfig:
    """A host whose second table, BJ-2 of the same section, never finds a device."""
    (folder / "second.toml").write_text(second_table(), "utf-8")
    return host_in(folder, TWO_TABLES)


def one_bus_in(folder: Path) -> HostConfig:
    """The same, but the readers of both tables are on one bus."""
    second = second_table().replace("by-id/badges-2", "by-id/badges").replace("osdp_address = 1", "osdp_address = 2")
    (folder / "second.toml").write_text(second, "utf-8")
    return host_in(folder, TWO_TABLES)


class Page:
    """One conversation with the desk, as a page or a console has it."""

    def __init__(self, daemon: Daemon) -> None:
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._conversation = Conversation(daemon.desk, self._write)
        self._task = asyncio.create_task(self._conversation.run(self._chunks.get), name="page")

    async def _write(self, line: bytes) -> None:
        self.lines.put_nowait(line)

    def send(self, data: bytes) -> None:
        """Bytes, as they come."""
        self._chunks.put_nowait(data)

    async def ask(self, **message: object) -> dict[str, Any]:
        """One message and its answer; rows of subscriptions that come before it are left out."""
        self.send(msgspec.json.encode(message) + b"\n")
        while "answer" not in (answer := await self.next()):
            pass
        return answer

    async def next(self) -> dict[str, Any]:
        """The next line."""
        async with asyncio.timeout(DEADLINE_S):
            line: dict[str, Any] = msgspec.json.decode(await self.lines.get())
            return line

    def hang_up(self) -> None:
        """Gone in the middle."""
        self._task.cancel()

    async def end(self) -> None:
        """Hang up."""
        self._chunks.put_nowait(b"")
        await self._task
