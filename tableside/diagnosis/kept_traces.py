"""What went over the cables of a table around an incident, kept as recordings: 60 s before it and 15 s after.

One folder an incident, `<journal directory>/traces/<table>/<number>/`, one recording a cable. What would prove a person
or carry a key is left out before anything reaches the disk. The oldest incidents' folders go.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

import structlog

from firmware_bridge.clock import NS_PER_S, Clock
from firmware_bridge.links.recording import Direction, Entry, Head
from tableside.decisions import IncidentOpened
from tableside.diagnosis.speech import REDACTION, speech_of
from tableside.diagnosis.traces import Cable

BEFORE_S, AFTER_S = 60, 15
# Some hundred kilobytes each; a year of them on a table that has one a week.
INCIDENTS_KEPT = 50
FOLDER = "traces"
SUFFIX = ".trace"
FOLDER_MODE = 0o700

# Runs what writes files, where it holds nobody up.
Write = Callable[[Callable[[], None]], Awaitable[None]]

_log = structlog.get_logger("traces")


class Published(Protocol):
    """A row that was written."""

    @property
    def what(self) -> object: ...


class TraceKeeper:
    """Keeps the traces of one table's incidents. `listen` to its rows and `run` it; `finish` at the end."""

    def __init__(self, folder: Path, cables: Mapping[str, Cable], clock: Clock, write: Write) -> None:
        """`folder` is the table's; `cables` by device."""
        self.lost = 0  # incidents whose traces could not be written
        self._folder = folder
        self._cables = cables
        self._clock = clock
        self._write = write
        self._due: list[tuple[int, int]] = []  # when (monotonic ns), and the incident's number
        self._news = asyncio.Event()

    def listen(self, entries: Sequence[Published]) -> None:
        """Rows of the table's record."""
        for entry in entries:
            if isinstance(entry.what, IncidentOpened):
                self._due.append((self._clock.monotonic_ns(), entry.what.number))
                self._news.set()

    async def run(self) -> NoReturn:
        """Keep each once its 15 s are over, until cancelled."""
        while True:
            while not self._due:
                self._news.clear()
                await self._news.wait()
            left_ns = self._due[0][0] + AFTER_S * NS_PER_S - self._clock.monotonic_ns()
            await asyncio.sleep(max(0, left_ns) / NS_PER_S)
            await self._keep(*self._due.pop(0))

    async def finish(self) -> None:
        """The daemon ends: what there is of those whose time is not over yet."""
        while self._due:
            await self._keep(*self._due.pop(0))

    async def _keep(self, at_ns: int, number: int) -> None:
        begin_ns, end_ns = at_ns - BEFORE_S * NS_PER_S, at_ns + AFTER_S * NS_PER_S
        now = self._clock.now()
        offset_ns = now.wall_ns - now.at_ns
        rings = {device: (cable, cable.ring.entries()) for device, cable in self._cables.items()}

        def write() -> None:
            place = self._folder / str(number)
            place.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            for device, (cable, entries) in rings.items():
                lines = recording_lines(device, cable, entries, begin_ns, end_ns, offset_ns)
                (place / f"{device}{SUFFIX}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
            prune(self._folder)

        try:
            await self._write(write)
        except (OSError, TimeoutError) as error:
            self.lost += 1
            _log.warning("trace_not_kept", incident=number, why=str(error))


def recording_lines(
    device: str, cable: Cable, entries: Sequence[Entry], begin_ns: int, end_ns: int, wall_offset_ns: int
) -> Iterator[str]:
    """A recording of what lies in the window. All entries are fed, so that the first one there is a whole one."""
    head = Head(device, cable.profile, REDACTION, cable.is_message_based, wall_offset_ns)
    yield head.encode()
    speech = speech_of(cable.profile, is_message_based=cable.is_message_based)
    for entry in entries:
        if entry.direction is Direction.END:
            said = [entry.data]
        else:
            said = [spoken.data for spoken in speech.feed(entry.direction, entry.data) if spoken.data]
        if begin_ns <= entry.at_ns <= end_ns:
            yield from (Entry(entry.at_ns, entry.direction, data).encode() for data in said)


def prune(folder: Path) -> None:
    """Let the oldest incidents' folders go."""
    numbered = sorted((place for place in folder.iterdir() if place.name.isdigit()), key=lambda place: int(place.name))
    for place in numbered[:-INCIDENTS_KEPT]:
        shutil.rmtree(place, ignore_errors=True)
