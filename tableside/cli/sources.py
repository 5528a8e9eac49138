"""Where a technician's command reads what has happened: the daemon, journals where none runs, or files. Slow to import.

All of them give the same rows, so that a command says the same of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from firmware_bridge.clock import SystemClock
from tableside.cli.answered import told
from tableside.cli.connection import Connection, Line, new_id, socket_path
from tableside.cli.failing import Failed
from tableside.cli.plain import warn
from tableside.control.message import HISTORY
from tableside.diagnosis.service_rows import TYPES, of_service, record_of_line
from tableside.exit_codes import ExitCode
from tableside.journal.reader import JournalReader
from tableside.journal.record import Record
from tableside.journal.store import JournalRefused, JournalUnavailable
from tableside.reports.story import NoStory, Story, read_story

DAEMON, JOURNAL = "daemon", "journal"


@dataclass(frozen=True, slots=True)
class Source:
    """What was read, and where: *daemon* or *journal*."""

    kind: str
    stories: tuple[Story, ...]

    @property
    def until_ns(self) -> int:
        """Up to when it tells, in UTC ns: a daemon up to now, a journal up to its last row."""
        if self.kind == DAEMON:
            return SystemClock().now().wall_ns
        return max((story.told[-1].wall_ns for story in self.stories if story.told), default=0)


@dataclass(frozen=True, slots=True)
class Asked:
    """Where to read, as the command line has it."""

    files: tuple[Path, ...]
    table: str
    socket: str | None
    config: str


def source_of(asked: Asked) -> Source:
    """Files where some are named; else the daemon; else, where none runs, the journals that the host's file names."""
    if asked.files:
        return Source(JOURNAL, tuple(_of_file(file) for file in asked.files))
    try:
        return Source(DAEMON, tuple(_of_daemon(asked)))
    except Failed as failed:
        if failed.code is not ExitCode.NO_DAEMON or asked.socket is not None:
            raise
        return Source(JOURNAL, tuple(_of_file(file, reserve) for file, reserve in _journals(asked)))


def _of_daemon(asked: Asked) -> Iterator[Story]:
    with Connection(socket_path(asked.socket, asked.config)) as daemon:
        hello = cast(dict[str, Any], told(daemon.ask({"id": new_id(), "act": "hello"}), as_json=False))
        names = [one["table"] for one in hello["tables"] if asked.table in ("", one["table"])]
        for name in names or [asked.table]:
            yield _story(_history(daemon, name), f"table {name}")


def _history(daemon: Connection, table: str) -> Iterator[Record]:
    message: Line = {"id": new_id(), "act": HISTORY, "table": table, "types": sorted(TYPES)}
    told(daemon.ask(message), as_json=False)
    for line in daemon.follow():
        if "end" in line:
            return
        yield record_of_line(cast(dict[str, Any], line["entry"]))
    raise Failed(ExitCode.NO_DAEMON, "the daemon has hung up in the middle of the table's history")


def _journals(asked: Asked) -> list[tuple[Path, Path | None]]:
    """The journals of the host's tables, each with its reserve where there is one. Raises `Failed`."""
    from tableside.cli.configured import host_of

    warn("no daemon answers: read from the journals")
    host = host_of(Path(asked.config))
    tables = [each.name for each in host.tables if asked.table in ("", each.name)]
    if not tables:
        known = ", ".join(each.name for each in host.tables)
        raise Failed(ExitCode.USAGE, f'there is no table "{asked.table}": name one of {known}')
    found = []
    for name in tables:
        reserve = host.reserve_directory / f"{name}.reserve"
        found.append((host.journal_directory / f"{name}.db", reserve if reserve.exists() else None))
    return found


def _of_file(file: Path, reserve: Path | None = None) -> Story:
    try:
        with JournalReader(file, reserve) as reader:
            return _story(reader.rows.records(), str(file))
    except (JournalRefused, JournalUnavailable) as refused:
        raise Failed(ExitCode.DATA if file.exists() else ExitCode.NO_INPUT, str(refused)) from refused


def _story(records: Iterator[Record], of: str) -> Story:
    try:
        story = read_story(of_service(records))
    except NoStory as none:
        raise Failed(ExitCode.DATA, f"{of}: {none}") from none
    if story.unreadable:
        warn(f"{of}: {story.unreadable} rows are of another version and were left out")
    return story


def tables_of(stories: Sequence[Story]) -> str:
    """Their names, for a heading."""
    return ", ".join(story.house.table for story in stories)
