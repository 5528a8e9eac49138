"""The house of a story: room, daemon, people's voices, in one process and in virtual time; the daemon may die."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.clock import LoopClock
from simulator.control import SideDesk
from simulator.hands_voice import SideVoice, voice_of
from simulator.line import LineFault
from simulator.room import Room
from simulator.speaking import ChannelLost, Conversation, Said
from simulator.watch import Watch
from simulator.world.table import ELSEWHERE, RESERVE, SPREAD
from tableside.config import HostConfig
from tableside.ground import Ground
from tableside.journal.opening import Place, open_file
from tableside.journal.schema import Synchronous
from tableside.journal.store import Journal
from tableside.state import TableState
from tests.scenarios.virtual_house import TABLE, VirtualHost, house_config, virtual_plan
from tests.search.journal import DiskTrouble, TroubledJournal
from tests.search.story import Setting
from tests.support.table import WALL_START_NS

RETRY_S = 0.2
# The desk itself says *unknown* after 30 s; who hears nothing for so long has found a hang.
ANSWER_WITHIN_S = 90.0
EPOCH = 0xA1B2C3D4
# The demo's PINs stand beside their hashes; comparing them really is slow on purpose.
PINS = {"S-201": "200001", "S-202": "200002", "R-401": "400001", "D-101": "100001", "T-501": "300001"}
# In this house the technician has a PIN too: some acts take two who both prove who they are.
TECHNICIAN, TECHNICIANS_PIN = "T-501", "the technician's PIN, hashed"


class NoAnswer(Exception):
    """A request was never answered."""


class MortalHost(VirtualHost):
    """A daemon that dies as by kill -9, on a disk with troubles."""

    def __init__(self, config: HostConfig, room: Room, clock: LoopClock) -> None:
        super().__init__(config, room, clock)
        self.trouble = DiskTrouble()
        self.clock = clock
        self._pins = {person.pin_hash: PINS.get(person.staff_id) for person in config.tables[0].staff}

    def ground(self, life: int) -> Ground:
        """What stands under one life of the daemon."""
        return dataclasses.replace(
            super().ground(life), clock=self.clock, open_journal=self._open, compare_pin=self._compare
        )

    async def kill(self) -> None:
        """At once; the files are left as they are."""
        daemon = self.daemon
        if daemon is None:
            return
        for table in daemon.tables.values():
            journal = table.journal
            assert isinstance(journal, TroubledJournal)
            journal.abandon()
        await super().kill()

    async def _open(self, place: Place) -> Journal:
        file, opening = open_file(place, clock=self.clock, synchronous=Synchronous.OFF, epoch=EPOCH)
        return TroubledJournal(file, opening, self.clock, self.trouble)

    async def _compare(self, pin: str, stored: str) -> bool:
        return self._pins.get(stored) == pin


@dataclasses.dataclass(slots=True)
class House:
    """Everything of one story. `taken`: cards taken out by hand at the open lid and not yet answered for."""

    setting: Setting
    room: Room
    host: MortalHost
    watch: Watch
    side: SideVoice
    voices: tuple[Conversation, Conversation]
    taken: int = 0
    answers: dict[str, list[Said]] = dataclasses.field(default_factory=dict)
    asked: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    last_answer: Said = dataclasses.field(default_factory=dict)
    causes: list[str] = dataclasses.field(default_factory=list)
    left: list[asyncio.Task[Said]] = dataclasses.field(default_factory=list)
    numbers: itertools.count[int] = dataclasses.field(default_factory=itertools.count)

    @property
    def state(self) -> TableState | None:
        """The daemon's state of the table, None while it is dead."""
        daemon = self.host.daemon
        return None if daemon is None or TABLE not in daemon.tables else daemon.tables[TABLE].state

    def message(self, act: str, staff: str, fields: Mapping[str, Any], pins: Mapping[str, str]) -> dict[str, Any]:
        """A request under a fresh id."""
        message: dict[str, Any] = {"id": f"r{next(self.numbers)}", "act": act, "table": TABLE, "fields": dict(fields)}
        if staff:
            message["staff"] = staff
        if pins:
            message["pins"] = dict(pins)
        return message

    async def ask(self, message: dict[str, Any], voice: int = 0) -> Said:
        """Ask, and keep the answer. Raises `NoAnswer`."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                said = await self.voices[voice].ask(message)
        except TimeoutError:
            raise NoAnswer(f"{message} was not answered within {ANSWER_WITHIN_S:g} s") from None
        self.answers.setdefault(message["id"], []).append(said)
        self.last_answer = said
        return said


def config_of(setting: Setting, folder: Path) -> HostConfig:
    """The demo's table, smaller: the same rules with fewer cards."""
    config = house_config(folder)
    table = config.tables[0]
    decks = tuple(msgspec.structs.replace(group, count=setting.decks) for group in table.decks)
    settings = msgspec.structs.replace(table.settings, presence_s=setting.has_presence_s, reinsert=setting.reinsert)
    staff = tuple(
        msgspec.structs.replace(person, pin_hash=TECHNICIANS_PIN) if person.staff_id == TECHNICIAN else person
        for person in table.staff
    )
    table = dataclasses.replace(table, decks=decks, settings=settings, staff=staff)
    return dataclasses.replace(config, tables=(table,))


def room_of(setting: Setting) -> Room:
    """Its room; each cable may be a bad line."""
    plan = virtual_plan(seed=setting.seed)
    noise = {fault: setting.noise for fault in LineFault if fault is not LineFault.CUT} if setting.noise else {}
    plan = msgspec.structs.replace(
        plan,
        simulation=msgspec.structs.replace(plan.simulation, pace=setting.pace),
        decks=tuple(msgspec.structs.replace(decks, count=setting.decks) for decks in plan.decks),
        devices=tuple(msgspec.structs.replace(device, bad_line=noise) for device in plan.devices),
    )
    room = Room(plan)
    for machine in room.table.machines.values():
        carousel = machine.carousel
        for sensor in (carousel.in_sensor, carousel.out_sensor, carousel.look_sensor):
            sensor.misreads_per_card = 0.0  # else one card in 5,200 is missed by chance
    new_decks(room, setting)
    return room


def new_decks(room: Room, setting: Setting) -> None:
    """Whole decks for a session lie on the felt, and in the reserve; nothing else does."""
    felt = room.table.felt

    def renew() -> None:
        for card in room.table.cards:
            if "shuffler" in card.pile.name:
                continue
            is_reserve = (card.deck - 1) % (setting.decks + 1) == setting.decks
            card.move_to(felt[ELSEWHERE if not card.deck else RESERVE if is_reserve else SPREAD])

    room.stage.act(renew)


@asynccontextmanager
async def house_of(setting: Setting, folder: Path) -> AsyncIterator[House]:
    """The house, the daemon running, people ready to speak."""
    room = room_of(setting)
    room.power_up()
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=WALL_START_NS)
    host = MortalHost(config_of(setting, folder), room, clock)
    tasks = [asyncio.create_task(room.run(), name="room")]
    await host.start()
    voices = (Conversation(host.talk, retry_s=RETRY_S), Conversation(host.talk, retry_s=RETRY_S))
    watch = Watch(host.talk, table=TABLE, retry_s=RETRY_S)
    tasks += [asyncio.create_task(voice.run(), name="voice") for voice in (*voices, watch.line)]
    house = House(setting, room, host, watch, voice_of(SideDesk(room)), voices)
    try:
        yield house
    finally:
        if host.daemon is not None:
            await host.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


__all__ = ["ChannelLost", "House", "MortalHost", "NoAnswer", "house_of", "new_decks"]
