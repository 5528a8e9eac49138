"""What a table's page shows of its journal: the last rows that say something, rounds of the hour, the cards' age."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from firmware_bridge.clock import NS_PER_S, Clock
from tableside.control.curtain import Curtain
from tableside.control.views import entry_view
from tableside.decisions import CardsBrought
from tableside.happenings import RoundEnded
from tableside.journal.record import Record, RecordKind
from tableside.journal.store import Journal
from tableside.outputs.texts import Texts, local_time
from tableside.page.words import happened

# The last rows of a table that its page shows.
ROWS = 40
HOUR_NS = 3_600 * NS_PER_S
# How far the page looks back when it starts: a table-day has fewer rows. A set of cards from before is of unknown age.
LOOK_BACK_ROWS = 300_000
# So many at a time, so that nothing else waits for the page.
CHUNK_ROWS = 2_000


class Table(Protocol):
    """What is read of a table."""

    name: str
    texts: Texts
    curtain: Curtain
    published: int

    @property
    def journal(self) -> Journal: ...


class Rows:
    """One table's rows. `read` takes in what is new; rounds and age are as far as it has come."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._after = max(0, table.journal.tail.seq - LOOK_BACK_ROWS)
        self._ended_ns: deque[int] = deque()
        self._brought_ns: int | None = None
        self._last: deque[Record] = deque(maxlen=ROWS)
        self._shown: list[dict[str, object]] | None = None

    def read(self) -> bool:
        """Take in what was published since, so many rows at most; returns whether there is more."""
        rows = self._table.journal.records(self._after, {RecordKind.INPUT, RecordKind.DECISION})
        for taken, record in enumerate(rows, 1):
            if record.seq > self._table.published:
                return False
            self._after = record.seq
            self._take(record)
            if taken >= CHUNK_ROWS:
                return True
        return False

    def _take(self, record: Record) -> None:
        if record.type == RoundEnded.__name__:
            self._ended_ns.append(record.wall_ns)
            self._forget()
        elif record.type == CardsBrought.__name__:
            self._brought_ns = record.wall_ns
        if record.type in happened():
            self._last.append(record)
            self._shown = None

    def _forget(self) -> None:
        since_ns = self._clock.now().wall_ns - HOUR_NS
        while self._ended_ns and self._ended_ns[0] < since_ns:
            self._ended_ns.popleft()

    def rounds_this_hour(self) -> int:
        """Rounds that have ended within the last sixty minutes."""
        self._forget()
        return len(self._ended_ns)

    def cards_age_s(self) -> int | None:
        """Since when the cards are at the table; None where that is not among the rows."""
        if self._brought_ns is None:
            return None
        return max(0, (self._clock.now().wall_ns - self._brought_ns) // NS_PER_S)

    def last(self) -> list[dict[str, object]]:
        """The last rows that say something, each with its time as people at the table read a clock."""
        if self._shown is None:
            self._shown = [self._told(record) for record in self._last]
        return self._shown

    def _told(self, record: Record) -> dict[str, object]:
        """Of a row what its line names, and nothing else leaves."""
        table = self._table
        view = entry_view(record, table.name, table.curtain, table.texts)
        body = view["body"]
        named = happened()[record.type]
        fields = {name: value for name, value in body.items() if name in named} if isinstance(body, dict) else {}
        told = {"seq": record.seq, "type": record.type, "body": fields}
        if "lines" in view:
            told["lines"] = view["lines"]
        return {**told, "local": local_time(record.wall_ns, table.texts.zone)}
