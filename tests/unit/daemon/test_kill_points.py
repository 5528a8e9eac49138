"""The daemon killed at every point of a moving command, and of its own recovery (semantics: recovery, kill points).

Nothing is done twice, nothing is lost, and what is decided first after the restart is what the recovery table says.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from drivers.events import CommandAnswered, CommandEnded, Notice, Outcome
from tableside.daemon import Daemon
from tableside.decisions import (
    CommandAccepted,
    CommandFinished,
    CommandIntended,
    CommandNotDone,
    CommandRefused,
    CommandSettled,
    CommandUnknown,
    Decision,
)
from tableside.inputs import DaemonStarted
from tableside.journal.reader import JournalReader
from tableside.journal.record import RecordKind
from tableside.journal.verify import verify_journal
from tableside.replay import deviations
from tableside.requests import Request
from tableside.rows import what_of
from tests.support.jumping_loop import run_virtual
from tests.support.kill import MortalHost, Reaper
from tests.support.simulated_host import BADGES, SHUFFLER, Page, SimulatedTable, host_in, is_connected, new_clock

COUNT_ALL = 0x40
LIMIT_S = 600.0


class Run:
    """One table's life: a count is asked for, the daemon is killed at a point (or two), and goes on to the end."""

    def __init__(self, folder: Path) -> None:
        self.table = SimulatedTable()
        self.table.away.add(BADGES)  # not needed here, and its polls are most of the work
        self.host = MortalHost(host_in(folder), self.table.connect, new_clock())
        self.begun: list[int] = []
        self.journal = folder / "run" / "BJ-1.db"
        face = self.table.faces[SHUFFLER]
        begin = face.equipment.begin

        def counted(operation: int, argument: int | None) -> None:
            self.begun.append(operation)
            begin(operation, argument)

        face.equipment.begin = counted  # type: ignore[method-assign]  # a spy, for this run

    async def live(self, reaper: Reaper, monkeypatch: pytest.MonkeyPatch) -> bool:
        """One life, in which the person asks (again) for the count. Returns whether it was killed."""
        await self.host.start(reaper, monkeypatch)
        daemon = self.host.daemon
        assert daemon is not None
        asking = asyncio.create_task(_ask(daemon), name="person")
        try:
            async with asyncio.timeout(LIMIT_S):
                await self.host.until_dead(lambda: asking.done() and self._is_counted())
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        if not reaper.is_dead:
            await asyncio.sleep(10)  # whatever would still be done wrongly has the time to be done
        await (self.host.bury() if reaper.is_dead else self.host.stop())
        return reaper.is_dead

    def _is_counted(self) -> bool:
        assert self.host.daemon is not None
        table = self.host.daemon.tables["BJ-1"]
        state = table.state
        is_idle = not state.commands.open and state.procedures.counts.state == "idle"
        return is_idle and any(record.type == "CountEnded" for record in table.journal.records())


async def _ask(daemon: Daemon) -> None:
    """The person at the console: asks until answered, always under the same id."""
    page = Page(daemon)
    try:
        while not is_connected(daemon, "shuffler", "switches"):  # noqa: ASYNC110 - as `until`
            await asyncio.sleep(0.05)
        await page.ask(id="count-1", act="count-all", staff="S-1")
    finally:
        page.hang_up()


@dataclass
class Played:
    """A whole run: its table and journal, and the points that its last life passed."""

    run: Run
    passed: list[str]


def play(folder: Path, monkeypatch: pytest.MonkeyPatch, *kills: int, dead_s: float = 0) -> Played:
    """One life for each kill, so long dead after it, and a last one to the end."""
    folder.mkdir()

    async def main() -> Played:
        run, last = Run(folder), Reaper()
        for at in kills:
            if not await run.live(Reaper(at), monkeypatch):
                break  # it was done before that point came
            await asyncio.sleep(dead_s)
        else:
            assert not await run.live(last, monkeypatch)
        await run.table.close()
        return Played(run, last.passed)

    return run_virtual(main())


# What must be decided first when a device speaks of a command of which the journal knows so much (the recovery table).
# None: nothing new. A command that has ended, or that the journal has never heard of, is none of these.
ORACLE: Mapping[tuple[str, Outcome], type[Decision] | None] = {
    ("intended", Outcome.NEVER): CommandNotDone,
    ("intended", Outcome.STARTED): CommandAccepted,
    ("intended", Outcome.DONE): CommandFinished,
    ("intended", Outcome.REFUSED): CommandRefused,
    ("intended", Outcome.FAILED): CommandFinished,
    ("intended", Outcome.INTERRUPTED): CommandUnknown,
    ("accepted", Outcome.STARTED): None,
    ("accepted", Outcome.DONE): CommandFinished,
    ("accepted", Outcome.FAILED): CommandFinished,
    ("accepted", Outcome.REFUSED): CommandRefused,
    ("accepted", Outcome.INTERRUPTED): CommandUnknown,
    ("accepted", Outcome.NEVER): CommandUnknown,
}
STAGES: Mapping[type, str] = {
    CommandIntended: "intended",
    CommandAccepted: "accepted",
    CommandFinished: "ended",
    CommandRefused: "ended",
    CommandNotDone: "ended",
    CommandUnknown: "unknown",
    CommandSettled: "ended",
}
OF_A_COMMAND = tuple(STAGES)


@dataclass
class Story:
    """What a journal says of its commands: each word of a device with the stage it met and what was decided on it."""

    words: list[tuple[str, Outcome, bool, type | None]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    notices: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    starts: int = 0


def read(journal: Path) -> Story:
    """Row by row; the device is always the shuffler, whose commands are counts."""
    story, stages = Story(), dict[int, str]()
    word: tuple[int, Outcome, bool] | None = None
    decided: type | None = None

    def close() -> None:
        if word is not None and word[0] in stages_before:
            story.words.append((stages_before[word[0]], word[1], word[2], decided))

    stages_before: dict[int, str] = {}
    with JournalReader(journal) as reader:
        for record in reader.rows.records(0, {RecordKind.INPUT, RecordKind.DECISION}):
            what = what_of(record)
            if record.kind is RecordKind.INPUT:
                close()
                word, decided, stages_before = None, None, dict(stages)
                story.starts += isinstance(what, DaemonStarted)
                if isinstance(what, Request):
                    story.requests[what.id] += 1
                if isinstance(what, Notice):
                    story.notices[what.device, what.boot, what.number] += 1
                if isinstance(what, CommandAnswered | CommandEnded) and what.device == "shuffler":
                    word = what.command, what.outcome, getattr(what, "is_found", False)
            elif isinstance(what, OF_A_COMMAND) and what.device == "shuffler":  # type: ignore[attr-defined]  # each has
                number = what.number  # type: ignore[attr-defined]  # each of them has one
                stages[number] = STAGES[type(what)]
                if isinstance(what, CommandIntended):
                    story.numbers.append(number)
                elif word is not None and number == word[0]:
                    decided = decided or type(what)
        close()
    return story


def check(run: Run) -> Story:
    """Everything that must hold whenever and however often the daemon was killed."""
    assert run.begun.count(COUNT_ALL) == 1, "moved once"
    report = verify_journal(run.journal)
    assert report.is_sound, report.findings
    story = read(run.journal)
    assert len(story.numbers) == len(set(story.numbers)), "a number is never used again"
    assert story.requests["count-1"] == 1, "asked once, however often it was sent"
    assert set(story.notices.values()) <= {1}, "no notice twice"
    for device in {device for device, _, _ in story.notices}:
        numbers = sorted(number for name, _, number in story.notices if name == device)
        assert numbers == list(range(1, len(numbers) + 1)), "no notice lost"
    for stage, outcome, _, decided in story.words:
        if (stage, outcome) in ORACLE:
            assert decided is ORACLE[stage, outcome], (stage, outcome, decided)
        else:
            assert stage == "ended", (stage, outcome)
            assert decided is None
    with JournalReader(run.journal) as reader:
        assert list(deviations(reader.rows.records())) == []
    return story


def worth_killing(passed: Sequence[str], *, is_short: bool = False) -> list[int]:
    """Every point, but of those that come again and again (progress, pings) only the first, and mostly the last."""
    first: dict[tuple[str, str], int] = {}
    last: dict[tuple[str, str], int] = {}
    phase = ""
    for number, name in enumerate(passed):
        phase = name if "commit" in name else phase
        first.setdefault((phase, name), number)
        last[phase, name] = number
    return sorted({*first.values(), *(() if is_short else last.values())})


@pytest.mark.parametrize("dead_s", [0, 120])
def test_killed_at_every_point_nothing_is_done_twice_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead_s: float
) -> None:
    """Before, within and after each commit, before each order, before and after each write.

    Started again at once, while the machine still counts, and after it has long ended.
    """
    alive = play(tmp_path / "alive", monkeypatch)
    words = met(check(alive.run))
    for at in worth_killing(alive.passed):
        story = check(play(tmp_path / str(at), monkeypatch, at, dead_s=dead_s).run)
        assert story.starts <= 2
        words |= met(story)
    # The kills were where they should be: each of these rows of the recovery table was needed.
    for needed in NEEDED[bool(dead_s)]:
        assert needed in words, needed


NEEDED = {
    False: (
        ("intended", Outcome.NEVER, True),
        ("intended", Outcome.STARTED, False),
        ("intended", Outcome.STARTED, True),
        ("accepted", Outcome.STARTED, True),
        ("accepted", Outcome.DONE, False),
    ),
    True: (
        ("intended", Outcome.NEVER, True),
        ("intended", Outcome.DONE, False),  # the notice comes before the answer: the first word is taken
        ("accepted", Outcome.DONE, False),
        ("ended", Outcome.DONE, True),
    ),
}


def met(story: Story) -> set[tuple[str, Outcome, bool]]:
    """Which rows of the recovery table a run came to."""
    return {(stage, outcome, is_found) for stage, outcome, is_found, _ in story.words}


# First deaths from which a recovery has something to do: the row stands and nothing was sent; sent and not answered.
FIRST_DEATHS = ("before command of shuffler", "after a write")


@pytest.mark.parametrize("first", FIRST_DEATHS)
def test_killed_again_at_every_point_of_the_recovery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """During recovery itself: it begins anew, and comes to the same end."""
    alive = play(tmp_path / "alive", monkeypatch)
    command = alive.passed.index("before command of shuffler")
    death = alive.passed.index(first, command)
    recovering = play(tmp_path / "recovering", monkeypatch, death)
    check(recovering.run)
    for at in worth_killing(recovering.passed, is_short=True):
        story = check(play(tmp_path / str(at), monkeypatch, death, at).run)
        assert story.starts <= 3
