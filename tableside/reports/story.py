"""A journal read as what happened: rows with the house and the people as they were then. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from tableside.decisions import Decision
from tableside.house import House
from tableside.inputs import AnyInput, DaemonStarted
from tableside.journal.record import Genesis, Record, RecordKind
from tableside.rows import what_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NS_PER_US = 1_000


class NoStory(ValueError):
    """A journal from which no report can be made; its text says why."""


@dataclass(frozen=True, slots=True)
class Told:
    """One row: its number, UTC ns, and what it says."""

    seq: int
    wall_ns: int
    what: AnyInput | Decision


@dataclass(slots=True)
class Story:
    """All rows that can be read, in order, with the last house told of and the end of the chain."""

    genesis: Genesis
    house: House
    told: list[Told] = field(default_factory=list)
    last_seq: int = 0
    last_hash: bytes = b""
    unreadable: int = 0
    is_simulated: bool = False

    def time(self, wall_ns: int) -> str:
        """A moment as the house's clocks showed it, with the offset from UTC (BR-053)."""
        local = (_EPOCH + timedelta(microseconds=wall_ns // _NS_PER_US)).astimezone(ZoneInfo(self.house.time_zone))
        offset = local.strftime("%z")
        return f"{local:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:]}"

    def person(self, staff: str) -> str:
        """Name and staff id."""
        person = self.house.person(staff)
        return staff or "nobody" if person is None else f"{person.name} ({staff})"


def read_story(records: Iterable[Record]) -> Story:
    """Read a journal from its first row. Raises `NoStory` where it names no house."""
    story: Story | None = None
    genesis: Genesis | None = None
    for record in records:
        if record.kind is RecordKind.GENESIS:
            genesis = Genesis.of(record)
        elif record.kind in (RecordKind.INPUT, RecordKind.DECISION):
            story = story or _begun(genesis, record)
            if story is not None:
                _take(story, record)
        if story is not None:
            story.last_seq, story.last_hash = record.seq, record.hash
    if story is None:
        raise NoStory("the journal names no house: no daemon has begun it")
    return story


def _begun(genesis: Genesis | None, record: Record) -> Story | None:
    if genesis is None or record.type != DaemonStarted.__name__:
        return None
    what = what_of(record)
    return Story(genesis, what.house) if isinstance(what, DaemonStarted) else None


def _take(story: Story, record: Record) -> None:
    try:
        what = what_of(record)
    except msgspec.MsgspecError:
        story.unreadable += 1
        return
    if isinstance(what, DaemonStarted):
        story.house = what.house
    story.is_simulated = story.is_simulated or bool(getattr(what, "is_simulated", False))
    story.told.append(Told(record.seq, record.wall_ns, what))
