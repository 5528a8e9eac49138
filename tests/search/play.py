"""Play a story: make it up from a seed, or play a given one again; then judge whether the table comes back to play."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from tableside.journal import opening
from tests.search.chance import Chance
from tests.search.checkers import Checkers
from tests.search.crew import Crew, is_idle
from tests.search.deeds import carry_out
from tests.search.house import House, NoAnswer, house_of
from tests.search.story import Act, Story, setting_of
from tests.support import jumping_loop
from tests.support.jumping_loop import DeadLock, Standstill, run_virtual

ACTS = 120
# Sensible people need no more acts than this from anywhere; closing, unload, sort, opening and load take about 90.
ACTS_TO_IDLE = 400
# Who has done so much without anything moving is stuck.
ACTS_WITHOUT_PROGRESS = 40
# Engineers' lines that tell of a fault of ours.
FAULTS_OF_OURS = frozenset({"task_crashed", "hub_crashed", "daemon_failed", "stop_late"})


@dataclass(slots=True)
class Played:
    """A story as it was played, and what did not hold."""

    story: Story
    findings: list[str] = field(default_factory=list)
    done: list[Act] = field(default_factory=list)
    healing: list[Act] = field(default_factory=list)
    rows: int = 0
    seen: dict[str, int] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What sort of thing was found first."""
        return self.findings[0].partition(":")[0] if self.findings else ""


def play_seed(seed: int, acts: int = ACTS) -> Played:
    """The story of a seed, made while it is played."""
    return _run(Story(setting_of(seed)), acts)


def play_story(story: Story) -> Played:
    """A story again, act by act."""
    return _run(story, None)


def _run(story: Story, acts: int | None) -> Played:
    played = Played(story)
    with tempfile.TemporaryDirectory(prefix="story-") as folder, _small_reserve(), _impatient_loop():
        try:
            run_virtual(_play(played, acts, Path(folder)), seed=story.setting.seed)
        except (DeadLock, Standstill) as stuck:
            played.findings.append(f"{type(stuck).__name__}: {stuck}")
        except Exception as error:
            played.findings.append(f"exception {type(error).__name__}: {error}\n{traceback.format_exc()}")
    played.story = Story(story.setting, tuple(played.done))
    return played


async def _play(played: Played, acts: int | None, folder: Path) -> None:
    setting = played.story.setting
    with _heard_log(played):
        asyncio.get_running_loop().set_exception_handler(lambda _loop, what: _unheard(played, what))
        async with house_of(setting, folder) as house:
            checkers = Checkers(house)
            try:
                await _act(house, checkers, played, acts)
                if not checkers.findings:
                    await _come_back(house, checkers, played)
                if not checkers.findings:
                    checkers.replayed()
                await _leave(house)
                if not checkers.findings:
                    checkers.read_journal()
            except NoAnswer as silence:
                checkers.find("no answer", str(silence))
            finally:
                played.findings[:0] = checkers.findings
                played.seen = dict(checkers.seen)
                played.rows = len(house.watch.rows)


async def _act(house: House, checkers: Checkers, played: Played, acts: int | None) -> None:
    await asyncio.sleep(2)  # devices connect
    chance = Chance(house, house.setting.seed)
    script: Iterator[Act] = iter(played.story.acts) if acts is None else (chance.next() for _ in range(acts))
    for act in script:
        played.done.append(act)
        if act.does in ("crash", "restart"):
            checkers.replayed()
        await carry_out(house, act)
        house.left = [task for task in house.left if not task.done()]
        checkers.after_act(act.then_s)
        if checkers.findings or played.findings:
            return


async def _come_back(house: House, checkers: Checkers, played: Played) -> None:
    """Liveness: everything that is broken is mended, and sensible people do what is to be done."""
    crew = Crew(house)
    await carry_out(house, Act("heal", {}, 10))
    for _ in range(ACTS_TO_IDLE):
        act = crew.next() if crew.idle_turns < ACTS_WITHOUT_PROGRESS else None
        if act is None:
            break
        played.healing.append(act)
        await carry_out(house, act)
        checkers.after_act(act.then_s)
        if checkers.findings or played.findings:
            return
    state = house.state
    if state is None or not is_idle(state):
        checkers.find("not idle", _stands(house))


def _stands(house: House) -> str:
    state = house.state
    if state is None:
        return "the daemon is dead"
    states = {
        name: str(getattr(part, "state", "")) for name in state.procedures.__struct_fields__
        if (part := getattr(state.procedures, name)) is not None and hasattr(part, "state")
    }  # fmt: skip
    return f"locks {sorted(state.locks.standing)}, {states}, account {state.account}, open {list(state.commands.open)}"


async def _leave(house: House) -> None:
    for task in house.left:
        task.cancel()
    await asyncio.gather(*house.left, return_exceptions=True)
    if house.host.daemon is not None:
        await house.host.stop()
        house.host.daemon = None


def _unheard(played: Played, what: dict[str, Any]) -> None:
    error = what.get("exception")
    trace = "".join(traceback.format_exception(error)) if error is not None else ""
    played.findings.append(f"task failed {type(error).__name__}: {what.get('message')}\n{trace}")


@contextmanager
def _heard_log(played: Played) -> Iterator[None]:
    """The daemon's own log: kept from the screen, and a fault of ours in it is a finding."""

    def hear(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        if event.get("event") in FAULTS_OF_OURS:
            error = event.get("exc_info")
            trace = "".join(traceback.format_exception(error)) if isinstance(error, BaseException) else ""
            played.findings.append(f"{event['event']} {type(error).__name__}: {error}\n{trace}")
        raise structlog.DropEvent

    before = structlog.get_config()["processors"]
    structlog.configure(processors=[hear])
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        structlog.configure(processors=before)


@contextmanager
def _impatient_loop() -> Iterator[None]:
    """A story is small: what turns so often at one instant will turn for ever."""
    before = jumping_loop.STANDSTILL_TURNS
    jumping_loop.STANDSTILL_TURNS = 20_000
    try:
        yield
    finally:
        jumping_loop.STANDSTILL_TURNS = before


@contextmanager
def _small_reserve() -> Iterator[None]:
    """Thousands of reserves are made: the real size would only wear the disk."""
    before = opening.RESERVE_BYTES
    opening.RESERVE_BYTES = 262_144
    try:
        yield
    finally:
        opening.RESERVE_BYTES = before


def shortened(story: Story, kind: str, tries: int = 400) -> Story:
    """Fewer acts with the same kind of finding: whole stretches are left out first, then single ones."""
    acts = list(story.acts)
    stretch = max(1, len(acts) // 2)
    while tries > 0:
        at, has_shrunk = 0, False
        while at < len(acts) and tries > 0:
            rest = acts[:at] + acts[at + stretch :]
            tries -= 1
            if play_story(Story(story.setting, tuple(rest))).kind == kind:
                acts, has_shrunk = rest, True
            else:
                at += stretch
        if stretch == 1 and not has_shrunk:
            break
        stretch = max(1, stretch // 2)
    return Story(story.setting, tuple(acts))


__all__: Sequence[str] = ("ACTS", "Played", "play_seed", "play_story", "shortened")
