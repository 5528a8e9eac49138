"""The table-side daemon: one process, 1 to 32 tables, a control desk; started by `tableside run`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import MappingProxyType
from typing import NoReturn

import structlog

from tableside.badges import Enrolled
from tableside.cabling import SharedBus
from tableside.config import HostConfig
from tableside.control.desk import About, Desk
from tableside.control.pin_desk import PinDesk
from tableside.ground import Ground
from tableside.inputs import SpaceEnough, SpaceLow, UsbStrangers
from tableside.journal.space import SpaceFact, SpaceLevel, space_facts
from tableside.journal.store import JournalRefused
from tableside.loop_watch import LoopWatch
from tableside.neighbours import Neighbours, supervisors
from tableside.state import TableState
from tableside.table_host import TableHost
from tableside.usb_list import UsbList, watch_usb

# A disk fills in minutes at worst (BR-049); a look costs microseconds.
SPACE_PERIOD_S = 10.0

_log = structlog.get_logger("daemon")


Run = Callable[[], Coroutine[None, None, None]]


class Daemon:
    """All tables of a host. `open`, then `run` until `stop` is set."""

    def __init__(self, host: HostConfig, ground: Ground, version: str) -> None:
        buses: dict[str, SharedBus] = {}
        self.tables: dict[str, TableHost] = {}
        self.neighbours = Neighbours(self.tables, host.sections)
        enrolled = Enrolled()
        for table in host.tables:
            self.tables[table.name] = TableHost(
                table, host, ground, version=version, buses=buses, listen=self.neighbours.listen, enrolled=enrolled
            )
        self.refused: dict[str, str] = {}  # tables that could not be opened, and why
        self.loop_watch = LoopWatch()
        self._host = host
        self._look_at_usb = ground.look_at_usb
        self._left_behind = ground.left_behind
        self._space: dict[str, SpaceLevel] = {}
        hashes = {
            person.staff_id: person.pin_hash
            for person in (*host.staff, *(person for table in host.tables for person in table.staff))
            if person.pin_hash is not None
        }
        self.desk = Desk(
            self.tables,
            PinDesk(hashes, ground.compare_pin, ground.clock),
            ground.clock,
            About(host.name, version, host.profile.value, os.getpid()),
            self._health,
        )

    async def open(self) -> None:
        """Open every table's journal and replay it; a table whose journal is refused stands still, alone."""
        states: dict[str, TableState] = {}
        for name, table in tuple(self.tables.items()):
            try:
                states[name] = await table.open()
            except JournalRefused as refusal:
                self.refused[name] = str(refusal)
                del self.tables[name]
                _log.critical("table_refused", table=name, why=str(refusal))
        present = supervisors(states.values())
        for name, table in self.tables.items():
            await table.begin(states[name], present)
        self.neighbours.begin()

    async def run(self, stop: asyncio.Event, beside: Mapping[str, Run] = MappingProxyType({})) -> None:
        """Run every table until `stop` is set; then permits are revoked, devices told, journals closed.

        `beside`: what else runs meanwhile, by name, such as the control socket.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(table.run(), name=f"table {table.name}") for table in self.tables.values()]
                running.append(tasks.create_task(self.loop_watch.run(), name="loop watch"))
                running.append(tasks.create_task(self._watch_space(), name="space watch"))
                running.append(tasks.create_task(self.neighbours.run(), name="neighbours"))
                running.append(tasks.create_task(self._watch_brokers(), name="broker watch"))
                if self._host.usb_allowed is not None:
                    running.append(tasks.create_task(self._watch_usb(self._host.usb_allowed), name="USB watch"))
                running += [tasks.create_task(run(), name=name) for name, run in beside.items()]
                _log.info("daemon_started", tables=list(self.tables))
                await stop.wait()
                await asyncio.gather(*(table.stop() for table in self.tables.values()))
                for task in running:
                    task.cancel()
        finally:
            for table in self.tables.values():
                await table.close()
            _log.info("daemon_stopped")

    async def _watch_space(self) -> NoReturn:
        """Told once when it gets low, and once when it is enough again."""
        while True:
            for fact in space_facts({self._host.journal_directory, self._host.reserve_directory}):
                before = self._space.get(str(fact.path), SpaceLevel.ENOUGH)
                self._space[str(fact.path)] = fact.level
                if fact.level is not before:
                    await self._tell_space(fact)
            await asyncio.sleep(SPACE_PERIOD_S)

    async def _tell_space(self, fact: SpaceFact) -> None:
        percent = 100 * fact.free_bytes // fact.total_bytes if fact.total_bytes else 0
        _log.warning("space_changed", path=str(fact.path), level=fact.level.value, free_percent=percent)
        is_enough = all(level is SpaceLevel.ENOUGH for level in self._space.values())
        if fact.level is SpaceLevel.ENOUGH and not is_enough:
            return  # the other disk is still low
        for table in self.tables.values():
            await table.tell(SpaceEnough() if is_enough else SpaceLow(free_percent=percent))

    async def _watch_usb(self, allowed: Sequence[str]) -> NoReturn:
        """What is plugged in at the host, against the list."""
        addresses = [device.address for table in self._host.tables for device in table.devices]
        await watch_usb(UsbList(allowed, addresses), self._look_at_usb, self._tell_strangers)

    async def _tell_strangers(self, strangers: tuple[str, ...], new: tuple[str, ...]) -> None:
        _log.warning("usb_looked", strangers=strangers)
        for table in self.tables.values():
            await table.tell(UsbStrangers(devices=strangers, new=new))

    async def _watch_brokers(self) -> NoReturn:
        """What lies at a broker for a device: refused already, told to the device's table."""
        while True:
            left = await self._left_behind.next()
            _log.warning("frame_left_at_broker", topic=left.topic)
            for table in self._host.tables:
                for device in table.devices:
                    if device.address == left.address and table.name in self.tables:
                        await self.tables[table.name].tell(left.told_of(device.name))

    def is_well(self) -> bool:
        """Every table's hub makes progress; the loop does, or nobody would ask here."""
        return all(table.is_well for table in self.tables.values())

    def _health(self) -> dict[str, object]:
        return {
            "loop": self.loop_watch.health(),
            "space": {path: level.value for path, level in self._space.items()},
            "refused_tables": dict(self.refused),
        }
