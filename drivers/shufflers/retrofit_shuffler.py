"""Any shuffler, watched through an I/O board: its lamp, its lid, a gate before it and one behind it.

It obeys nothing: every stop is asked of people, and no rule is ever said to be enforced (what cannot be known stands in
docs/protocols/modbus-retrofit.md). What the wires tell becomes the facts that every shuffler tells. The board keeps no
notices, so their numbers are this driver's, and a run of looks without a break of the counters is their boot.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from msgspec.structs import replace

from drivers.device import Report
from drivers.events import (
    Ability,
    CommandAnswered,
    DeviceLost,
    DeviceReady,
    Fact,
    Holding,
    LampColour,
    LampPattern,
    LevelsRead,
    Notice,
    Outcome,
    PermitKind,
    Reason,
    Verb,
)
from drivers.shufflers.contacts import CounterReset
from drivers.shufflers.reading import BoardReading, questions_of
from drivers.shufflers.watching import Watching
from drivers.shufflers.wiring import Wiring
from firmware_bridge.session.endings import SessionOver
from firmware_bridge.session.modbus import BoardRefused, ModbusBus, Unanswered
from firmware_bridge.session.modbus.bus import Rests
from firmware_bridge.session.supervised import run_together

# A cable that has just ended is not asked again before its keeper knows.
_BREATH_S = 0.05
_MS_PER_S = 1_000

# What wires can see, and nothing that they can do.
ABILITIES = {
    **dict.fromkeys(Ability, Holding.CANNOT),
    **dict.fromkeys((Ability.DEAL, Ability.FEED, Ability.LID, Ability.COUNT_IN, Ability.COUNT_OUT), Holding.OBSERVES),
}


@dataclass(frozen=True, slots=True)
class RetrofitSettings:
    """One shuffler of the configuration. Serial number and model are on its plate: no wire tells them."""

    name: str
    serial: str
    model: str
    wiring: Wiring
    epoch: int
    is_simulated: bool = False


class RetrofitShuffler:
    """A `TdlDevice` that carries nothing out: permits and stops are people's. Its bus runs beside it."""

    def __init__(
        self, settings: RetrofitSettings, bus: ModbusBus, report: Report, next_session: Callable[[], int]
    ) -> None:
        self.name = settings.name
        self.why_away = ""
        self.is_connected = False
        self._settings = settings
        self._bus = bus
        self._report = report
        self._next_session = next_session
        self._questions = questions_of(settings.wiring)
        self._watching: Watching | None = None
        self._boot = 0
        self._number = 0
        self._answers: deque[Fact] = deque()
        self._asked = asyncio.Event()

    async def run(self) -> NoReturn:
        """Report it as away, then watch it until cancelled."""
        self.is_connected = False
        await self._report(DeviceLost(device=self.name, why="not connected since the start"))
        await run_together(self._watch(), self._report_answers())

    # What the table asks for. People do it, or nobody.

    def resume_notices(self, boot: int, number: int) -> None:
        """Nothing is kept at the board: what a look shows is told at once."""

    def acknowledge(self, boot: int, number: int) -> None:
        """A contact forgets nothing and remembers nothing."""

    def permit(self, what: PermitKind, duration_ms: int, limit_cards: int | None) -> None:
        """No wire lets a card pass: people are told. While feeding is permitted, its end is listened for."""
        if what is PermitKind.FEED:
            self._feeds(is_fed=True)

    def revoke(self, what: PermitKind) -> None:
        """As above: the stop is asked of people (tableside/asked_stops.py)."""
        if what is PermitKind.FEED:
            self._feeds(is_fed=False)

    def _feeds(self, *, is_fed: bool) -> None:
        if self._watching is not None:
            self._watching.is_fed = is_fed

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """The machine's lamp is its own; the table's stands beside it."""

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Refused: nothing can be moved from here."""
        self._answer(number, Outcome.REFUSED)

    def ask_outcome(self, epoch: int, number: int) -> None:
        """Refused still: it never moved."""
        self._answer(number, Outcome.REFUSED, is_found=True)

    def read_levels(self) -> None:
        """As the last look had them; how many cards are inside no wire tells."""
        watching = self._watching
        if watching is not None and self.is_connected:
            cards_in, cards_out = watching.meters
            self._tell(
                LevelsRead(
                    device=self.name,
                    boot=self._boot,
                    is_lid_open=watching.is_lid_open,
                    meter_in=cards_in,
                    meter_out=cards_out,
                )
            )

    def clear_fault(self, fault: int) -> None:
        """The machine's own lamp says when it is gone."""

    def _answer(self, number: int, outcome: Outcome, *, is_found: bool = False) -> None:
        self._tell(
            CommandAnswered(
                device=self.name, command=number, outcome=outcome, reason=Reason.NOT_OFFERED, moved=0, is_found=is_found
            )
        )

    def _tell(self, fact: Fact) -> None:
        self._answers.append(fact)
        self._asked.set()

    async def _report_answers(self) -> NoReturn:
        while True:
            await self._asked.wait()
            self._asked.clear()
            while self._answers:
                await self._report(self._answers.popleft())

    # Looking

    async def _watch(self) -> NoReturn:
        rests = Rests()
        while True:
            await self._bus.connected()
            try:
                await self._serve(rests)
            except CounterReset as reset:
                self._watching = None  # what passed meanwhile nobody knows: the meters begin anew
                await self._gone(f"the board lost its power: {reset}")
            except (Unanswered, BoardRefused) as error:
                await self._gone(str(error))
                await asyncio.sleep(rests.next_s())
            except SessionOver as over:
                await self._gone(str(over))
                await asyncio.sleep(_BREATH_S)

    async def _serve(self, rests: Rests) -> NoReturn:
        reading = await self._look()
        await self._bus.learn_echo(self._settings.wiring.unit)
        rests.over()
        missed = self._found(reading)
        self.is_connected, self.why_away = True, ""
        await self._report(self._ready())
        for fact in missed:
            await self._report(self._numbered(fact))
        period_s = self._settings.wiring.poll_ms / _MS_PER_S
        while True:
            due_s = _now() + period_s
            for fact in self._standing().look(await self._look(), _now()):
                await self._report(self._numbered(fact))
            await asyncio.sleep(max(0.0, due_s - _now()))

    def _found(self, reading: BoardReading) -> list[Notice]:
        """Go on where the last look ended, or begin; returns what changed while nobody looked. Raises CounterReset."""
        if self._watching is None:
            self._boot, self._number = self._next_session(), 0
            self._watching = Watching(self.name, self._settings.wiring, reading, _now())
            return []
        return list(self._watching.look(reading, _now()))

    async def _look(self) -> BoardReading:
        """One look at everything that is wired. Raises Unanswered, BoardRefused, SessionOver."""
        reading = BoardReading()
        for question in self._questions:
            reading.take(question, await self._bus.read(self._settings.wiring.unit, question))
        return reading

    async def _gone(self, why: str) -> None:
        was_connected, self.is_connected, self.why_away = self.is_connected, False, why
        if was_connected:
            await self._report(DeviceLost(device=self.name, why=why))

    def _ready(self) -> DeviceReady:
        settings, watching = self._settings, self._standing()
        cards_in, cards_out = watching.meters
        return DeviceReady(
            device=self.name,
            maker="",
            model=settings.model,
            serial=settings.serial,
            firmware="",
            digest="",
            is_simulated=settings.is_simulated or self._bus.is_simulated,
            boot=self._boot,
            boot_cause="unknown",
            epoch=settings.epoch,
            highest_number=0,
            oldest_notice=self._number + 1,
            newest_notice=self._number,
            abilities=ABILITIES,
            is_content_unverified=watching.counters is None,
            is_lid_open=watching.is_lid_open,
            tray_fill_percent=watching.tray_fill_percent,
            faults=watching.faults,
            meter_in=cards_in,
            meter_out=cards_out,
            counters=watching.counters,
        )

    def _numbered(self, fact: Notice) -> Notice:
        self._number += 1
        return replace(fact, boot=self._boot, number=self._number)

    def _standing(self) -> Watching:
        assert self._watching is not None, "a look comes before whatever is told"
        return self._watching


def _now() -> float:
    return asyncio.get_running_loop().time()
