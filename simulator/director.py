"""Plays a scenario: lets the cast act, the world happen, and holds what comes of it against what was expected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .conditions import Condition, Outlook
from .hands_voice import CannotDo
from .people import Person, Scene
from .scenario import HOST_DEEDS, Scenario, Step, person_deeds
from .speaking import Said

# Whatever the pace: processes, links and disks need their own time before something counts as missing.
REAL_TIME_S = 15.0
# No act of people takes longer than this, in people's time; sixty rounds take one hour.
ACT_LIMIT_S = 3_600.0
# How many of the last rows a failure shows.
ROWS_SHOWN = 25


class HostProcess(Protocol):
    """The daemon, or the broker, as something that can be killed."""

    async def kill(self) -> None:
        """As by kill -9, or a power cut of the table host."""

    async def start(self) -> None:
        """Start it again; returns once it has begun."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A step that did not come out as expected."""

    step: Step
    why: str
    rows: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = "".join(f"\n    {row}" for row in self.rows)
        return f"line {self.step.line}: {self.step.says or self.step.does or self.step.world}: {self.why}{shown}"


@dataclass(slots=True)
class Outcome:
    """What became of a scenario: steps that came out right, the first that did not, causes that never fired."""

    steps: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not self.mismatches


class Director:
    """Plays one scenario with a cast that is there already."""

    def __init__(self, scenario: Scenario, scene: Scene, host: HostProcess, broker: HostProcess | None = None) -> None:
        self.outcome = Outcome()
        self._scenario = scenario
        self._scene = scene
        self._processes = {"daemon": host, "broker": broker}
        self._causes: dict[int, Step] = {}
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._failed = asyncio.Event()
        self._since = 0  # the last row before the latest step began

    async def run(self) -> Outcome:
        """Play it, the cast beside; ends at the first mismatch."""
        async with asyncio.TaskGroup() as people:
            running = [people.create_task(self._scene.watch.run(), name="watch")]
            running += [people.create_task(person.run(), name=person.name) for person in self._scene.cast.values()]
            playing = asyncio.create_task(self._play(), name="steps")
            failing = asyncio.create_task(self._failed.wait(), name="first mismatch")
            try:
                await asyncio.wait({playing, failing}, return_when=asyncio.FIRST_COMPLETED)
                if playing.done():
                    playing.result()
            finally:
                rest = [playing, failing, *self._busy.values(), *running]
                for task in rest:
                    task.cancel()
                await asyncio.wait(rest)
        return self.outcome

    async def _play(self) -> None:
        await self._scene.watch.line.until_open()
        for step in self._scenario.steps:
            if not await self._may_begin(step):
                return
            running = self._busy.get(step.person)
            if running is not None and not running.done() and self._is_skill(step):
                await asyncio.wait({running})
            self._since = self._scene.watch.last_seq
            task = asyncio.create_task(self._run(step), name=f"line {step.line}")
            if step.goes_on:
                self._busy[step.person or f"world {step.line}"] = task
            else:
                await task
        await asyncio.gather(*self._busy.values())
        await self._prove()

    async def _may_begin(self, step: Step) -> bool:
        """What is waited for may have come while the step before was still at it: a daemon speaks before it is up."""
        scene = self._scene
        if step.when:
            outlook = Outlook(scene.watch, scene, since=self._since)
            unmet = await outlook.until(step.when, self._act_limit_s())
            if unmet:
                self._fail(step, f"never came to begin: {_listed(unmet)}")
                return False
        await scene.wait(step.after_s)
        await asyncio.sleep(step.after_real_s)
        return True

    async def _run(self, step: Step) -> None:
        scene = self._scene
        if step.says:
            scene.tell(step.says)
        outlook = Outlook(scene.watch, scene, since=scene.watch.last_seq)
        try:
            async with asyncio.timeout(self._act_limit_s()):
                outlook.answer = await self._act(step)
        except TimeoutError:
            self._fail(step, "it came to no end")
            return
        except CannotDo as why:
            outlook.answer = {"answer": "impossible", "text": str(why)}
            if not any(condition.answer for condition in step.expect):
                self._fail(step, f"could not be done: {why}")
                return
        unmet = await outlook.until(step.expect, self._patience_s(step))
        if unmet:
            answered = f"; the answer was {dict(outlook.answer)}" if outlook.answer else ""
            self._fail(step, f"expected, and did not come: {_listed(unmet)}{answered}")
        else:
            self.outcome.steps += 1

    async def _act(self, step: Step) -> Said | None:
        if step.world:
            return await self._let_happen(step)
        if not step.person:
            return None
        person = self._scene.cast[step.person]
        if step.does in person.skills:
            said: Said | None = await getattr(person, person.skills[step.does])(**step.with_)
            return {"answer": "done"} if said is None else said
        if step.does in person_deeds():
            await person.do(step.does, **step.with_)
            return {"answer": "done"}
        return await person.say(step.does, **step.with_)

    async def _let_happen(self, step: Step) -> Said:
        if step.world in HOST_DEEDS:
            deed, program = HOST_DEEDS[step.world]
            process = self._processes[program]
            if process is None:
                raise CannotDo(f"there is no {program} here")
            await (process.kill() if deed == "kill" else process.start())
            return {"answer": "done"}
        self._causes[await self._scene.side.world({"does": step.world, **step.with_})] = step
        return {"answer": "done"}

    async def _prove(self) -> None:
        """A scenario counts only if each cause has had its effect."""
        for proof in await self._scene.side.proofs():
            step = self._causes.get(proof["cause"])
            if step is not None and not proof["fired"]:
                self._fail(step, f"never fired: {proof['deed']}")

    def _is_skill(self, step: Step) -> bool:
        person = self._scene.cast.get(step.person)
        return person is not None and step.does in person.skills

    def _act_limit_s(self) -> float:
        return ACT_LIMIT_S / self._scene.pace + REAL_TIME_S

    def _patience_s(self, step: Step) -> float:
        return max(step.within_s / self._scene.pace, REAL_TIME_S)

    def _fail(self, step: Step, why: str) -> None:
        rows = tuple(f"{row.seq} {row.type} {dict(row.body)}" for row in self._scene.watch.rows[-ROWS_SHOWN:])
        self.outcome.mismatches.append(Mismatch(step, why, rows))
        self._failed.set()


def gather_cast(scenario: Scenario, scene: Scene, kinds: dict[str, type[Person]]) -> None:
    """Let everybody of the scenario's cast come into the scene."""
    for member in scenario.cast:
        scene.cast[member.name] = kinds[member.as_](member, scene)


def _listed(conditions: Sequence[Condition]) -> str:
    return "; ".join(str(condition) for condition in conditions)
