"""A warning lamp at the coils of an I/O board: one coil a colour. Goals are written, read back, and written again.

A coil cannot blink by itself: the driver switches it (`HALF_BLINK_S`), or a flasher in the lamp does, where the table's
file names its coil. A board has no watchdog that we may count on: when the hub is silent the driver shows red and
blinking, and when the whole process is dead the coils stay as they were (docs/protocols/modbus-retrofit.md says which
setting of a board helps).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, NoReturn

import msgspec
from msgspec import Meta

from drivers.device import Report
from drivers.events import LampColour, LampLost, LampPattern, LampReady, LampShowed, LampTroubled
from drivers.lamps.goal import HALF_BLINK_S, LampGoal, Shown
from firmware_bridge.session.endings import SessionOver
from firmware_bridge.session.modbus import BoardRefused, ModbusBus, Unanswered
from firmware_bridge.session.modbus.bus import Rests
from firmware_bridge.wire.modbus.codes import Function
from firmware_bridge.wire.modbus.messages import Bits, Read, WriteCoil

Coil = Annotated[int, Meta(ge=0, le=255)]
# How often a lamp that changes nothing is read back: a board that lost its power shows no other way.
LOOK_S = 1.0
_BREATH_S = 0.05


class LampCoils(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[devices.coils]` of a lamp: the coil of each colour; `flasher`, where there is one, makes what is on blink."""

    unit: Annotated[int, Meta(ge=1, le=247)] = 1
    red: Coil
    amber: Coil
    blue: Coil
    flasher: Coil | None = None

    @property
    def all(self) -> tuple[int, ...]:
        """Every coil that is ours."""
        return tuple(coil for coil in (self.red, self.amber, self.blue, self.flasher) if coil is not None)


class ModbusLampSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One lamp of the configuration."""

    name: str
    model: str
    serial: str
    coils: LampCoils
    is_simulated: bool = False


def levels_of(shown: Shown, coils: LampCoils, *, is_bright: bool) -> dict[int, bool]:
    """What each coil is for this goal; `is_bright`: the half of a blink in which the lamp is lit."""
    colour, pattern = shown
    by_colour: Mapping[LampColour, int] = {
        LampColour.RED: coils.red,
        LampColour.AMBER: coils.amber,
        LampColour.BLUE: coils.blue,
    }
    is_blinking = pattern is LampPattern.BLINKING
    is_lit = is_bright or not is_blinking or coils.flasher is not None
    levels = {coil: name is colour and is_lit for name, coil in by_colour.items()}
    if coils.flasher is not None:
        levels[coils.flasher] = is_blinking and colour is not LampColour.OFF
    return levels


class ModbusLamp:
    """Keeps what the lamp shall show at its coils. A `Lamp`; its bus runs beside it."""

    def __init__(self, settings: ModbusLampSettings, bus: ModbusBus, report: Report) -> None:
        self.name = settings.name
        self.why_away = ""
        self.is_connected = False
        self._settings = settings
        self._bus = bus
        self._report = report
        self._goal = LampGoal()
        self._news = asyncio.Event()
        self._showed: Shown | None = None  # as last reported
        self._is_troubled = False
        lowest, highest = min(settings.coils.all), max(settings.coils.all)
        self._question = Read(Function.READ_COILS, lowest, highest - lowest + 1)

    @property
    def has_orders(self) -> bool:
        """The coils do not show yet what was said last."""
        return self.is_connected and not self._is_troubled and self._goal.wanted(_now()) != self._showed

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """Show this; dropped while the board is away: the hub says what holds once it is back."""
        if self.is_connected and self._goal.say(colour, pattern, _now()):
            self._news.set()

    async def run(self) -> NoReturn:
        """Report it as away, then keep it until cancelled."""
        self.is_connected = False
        await self._report(LampLost(device=self.name, why="not connected since the start"))
        rests = Rests()
        while True:
            await self._bus.connected()
            try:
                await self._serve(rests)
            except (Unanswered, BoardRefused) as error:
                await self._gone(str(error))
                await asyncio.sleep(rests.next_s())
            except SessionOver as over:
                await self._gone(str(over))
                await asyncio.sleep(_BREATH_S)

    async def _serve(self, rests: Rests) -> NoReturn:
        settings = self._settings
        await self._bus.read(settings.coils.unit, self._question)
        rests.over()
        self._goal.forget()
        self._showed, self._is_troubled = None, False
        self.is_connected, self.why_away = True, ""
        is_simulated = settings.is_simulated or self._bus.is_simulated
        await self._report(
            LampReady(device=self.name, model=settings.model, serial=settings.serial, is_simulated=is_simulated)
        )
        began_s = _now()
        while True:
            self._news.clear()
            wanted = self._goal.wanted(_now())
            halves = int((_now() - began_s) / HALF_BLINK_S)
            levels = levels_of(wanted, settings.coils, is_bright=halves % 2 == 0)
            is_kept = await self._keep(levels)
            await self._tell(wanted, is_kept=is_kept)
            await self._until(began_s + (halves + 1) * HALF_BLINK_S if self._is_blinked(wanted) else _now() + LOOK_S)

    def _is_blinked(self, shown: Shown) -> bool:
        """By us, coil by coil."""
        return shown[1] is LampPattern.BLINKING and self._settings.coils.flasher is None

    async def _keep(self, levels: Mapping[int, bool]) -> bool:
        """Write what differs, read it back. False: a coil does not take what it is told."""
        differing = await self._differing(levels)
        for coil in differing:
            await self._bus.ask(self._settings.coils.unit, WriteCoil(coil, levels[coil]))
        return not differing or not await self._differing(levels)

    async def _differing(self, levels: Mapping[int, bool]) -> list[int]:
        answer = await self._bus.read(self._settings.coils.unit, self._question)
        assert isinstance(answer, Bits), "the line gives nothing else for a read of bits"
        return [coil for coil, level in levels.items() if answer.values[coil - self._question.address] is not level]

    async def _tell(self, shown: Shown, *, is_kept: bool) -> None:
        if not is_kept:
            if not self._is_troubled:
                self._is_troubled, self._showed = True, None
                await self._report(LampTroubled(device=self.name, why="a coil does not stay as it is switched"))
            return
        self._is_troubled = False
        if shown != self._showed:
            self._showed = shown
            await self._report(LampShowed(device=self.name, colour=shown[0], pattern=shown[1]))

    async def _until(self, at_s: float) -> None:
        """Until something else shall be shown, or this time, or the goal is too old."""
        stale_s = self._goal.stale_s()
        due_s = at_s if stale_s is None or stale_s <= _now() else min(at_s, stale_s)
        try:
            async with asyncio.timeout(max(0.0, due_s - _now())):
                await self._news.wait()
        except TimeoutError:
            pass  # time to look

    async def _gone(self, why: str) -> None:
        was_connected, self.is_connected, self.why_away = self.is_connected, False, why
        if was_connected:
            await self._report(LampLost(device=self.name, why=why))


def _now() -> float:
    return asyncio.get_running_loop().time()
