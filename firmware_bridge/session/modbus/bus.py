"""One Modbus cable with its boards, for the life of the daemon: the keeper makes connections, the boards take turns.

Nothing is polled here: each driver asks in its own rhythm, one question at a time, first come, first served. A board
that is silent costs the others one limit and one turnaround for each try, so whoever asks a silent board waits longer
each time (`Rests`, BR-019).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from firmware_bridge.links.base import Link, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.modbus.counts import ModbusCounts
from firmware_bridge.session.modbus.line import BoardRefused, ModbusLine, Unanswered
from firmware_bridge.session.modbus.profile import LineProfile
from firmware_bridge.wire.modbus.messages import Answer, Question, Read

# Opening a port or a socket takes seconds at worst; a call that hangs is given up.
CONNECT_LIMIT_S = 15.0
# Nothing at all was answered for so long although boards were asked: a half-open connection looks like this.
SILENT_LINK_S = 60.0
# A read without an answer is asked so often: reads change nothing.
TRIES = 3
# A silent board is tried again after so long.
RESTS_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)


class Rests:
    """How long to leave a silent board alone; the next try comes later each time."""

    def __init__(self) -> None:
        self._step = 0

    def next_s(self) -> float:
        """Before the next try."""
        rest_s = RESTS_S[self._step]
        self._step = min(self._step + 1, len(RESTS_S) - 1)
        return rest_s

    def over(self) -> None:
        """It answered."""
        self._step = 0


@dataclass(frozen=True, slots=True)
class BusSettings:
    """One cable: its name in the log, where it is, and how it is spoken on."""

    name: str
    address: str
    line: LineProfile


class ModbusBus:
    """Ask through it; `run` it beside. `connect` opens a new link each time, or raises `LinkRefused`."""

    def __init__(
        self, settings: BusSettings, connect: Callable[[], Awaitable[Link]], jitter: random.Random | None = None
    ) -> None:
        self.settings = settings
        self.counts = ModbusCounts()
        self.is_simulated = False  # what the present link says of itself
        backoff = Backoff(table_for(settings.address), jitter or random.Random())
        self.keeper = Keeper(settings.name, self._attempt, backoff)
        self.answered_s: dict[int, float] = {}  # by board, when its last answer came, in loop time
        self._connect = connect
        self._line: ModbusLine | None = None
        self._has_line = asyncio.Event()
        self._up: Up | None = None
        self._silent_since_s: float | None = None  # when somebody asked into a silence that still lasts

    async def run(self) -> NoReturn:
        """Keep the cable connected until cancelled."""
        await self.keeper.run()

    async def connected(self) -> None:
        """Return once the cable stands."""
        await self._has_line.wait()

    async def ask(self, unit: int, question: Question) -> Answer:
        """As `ModbusLine.ask`; while the cable is away it raises SessionOver at once."""
        line, asked_s = self._standing(), _now()
        try:
            answer = await line.ask(unit, question)
        except Unanswered:
            self._is_silent(line, asked_s)
            raise
        except BoardRefused:
            self._is_heard(unit)
            raise
        self._is_heard(unit)
        return answer

    async def read(self, unit: int, question: Read) -> Answer:
        """As `ask`; a read that the line lost is asked again. Raises Unanswered once the board stays silent."""
        for _ in range(TRIES - 1):
            try:
                return await self.ask(unit, question)
            except Unanswered:
                self.counts.repeats += 1
        return await self.ask(unit, question)

    async def learn_echo(self, unit: int) -> bool:
        """As `ModbusLine.learn_echo`; a board that does not answer to it has none. Raises SessionOver."""
        try:
            return await self._standing().learn_echo(unit)
        except Unanswered:
            return False

    def _standing(self) -> ModbusLine:
        if self._line is None:
            raise SessionOver(Ending.LINK_LOST, f"{self.settings.address}: not connected")
        return self._line

    def _is_heard(self, unit: int) -> None:
        self.answered_s[unit] = _now()
        self._silent_since_s = None
        if self._up is not None:
            up, self._up = self._up, None
            up()

    def _is_silent(self, line: ModbusLine, asked_s: float) -> None:
        """Boards may be dead; a link on which nobody answers any more is made anew, which costs little."""
        self._silent_since_s = asked_s if self._silent_since_s is None else self._silent_since_s
        if _now() - self._silent_since_s >= SILENT_LINK_S:
            text = f"{self.settings.address}: no board answered for {SILENT_LINK_S:g} s; check cable, power and speed"
            line.link_lost(SessionOver(Ending.SILENT, text))

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self.settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        line = ModbusLine(link, self.settings.line, self.counts)
        self.is_simulated, self._up, self._silent_since_s = link.is_simulated, up, None
        self._line = line
        self._has_line.set()
        try:
            await line.run()
        finally:
            self._line, self._up = None, None
            self._has_line.clear()


def _now() -> float:
    return asyncio.get_running_loop().time()
