"""What rows become for each kind of output: events, bookmarks, pages. Pure, save that pages look at what stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import msgspec

from tableside import alerts
from tableside.control.curtain import Curtain
from tableside.control.views import entry_view
from tableside.decisions import AlertEscalated, AlertRaised
from tableside.journal.export import utc_text
from tableside.journal.record import Record, RecordKind
from tableside.outputs.northbound.bookmarks import Marking, follow
from tableside.outputs.northbound.messages import BookmarkTold, EventTold, PageTold, row_id
from tableside.outputs.texts import Texts
from tableside.rows import decode_decision, what_of
from tableside.state import TableState

_json = msgspec.json.Encoder()
_marking = msgspec.json.Decoder(Marking)
_PAGED = frozenset({AlertRaised.__name__, AlertEscalated.__name__})
_ROWS = frozenset({RecordKind.INPUT, RecordKind.DECISION})


class About:
    """What every message says of its table."""

    def __init__(self, table: str, epoch: int, is_simulated: Callable[[], bool]) -> None:
        self.table = table
        self.epoch = epoch
        self.is_simulated = is_simulated

    def id(self, row: int) -> str:
        """The id of what this row makes."""
        return row_id(self.table, self.epoch, row)


class Events:
    """Every row, what is secret left out."""

    output = "events"

    def __init__(self, about: About, curtain: Callable[[], Curtain]) -> None:
        self._about = about
        self._curtain = curtain

    def take(self, memory: str, record: Record, follows: int) -> tuple[str, bytes | None]:
        """See `window.Shaper`."""
        if record.kind not in _ROWS:
            return memory, None
        view = entry_view(record, self._about.table, self._curtain())
        told = EventTold(
            table=self._about.table,
            id=self._about.id(record.seq),
            row=record.seq,
            follows=follows,
            at=utc_text(record.wall_ns),
            is_simulated=self._about.is_simulated(),
            kind=cast(Literal["input", "decision"], record.kind.value),
            type=record.type,
            quality=record.quality,
            body=cast(dict[str, object], view["body"]),
        )
        return memory, _json.encode(told)


class Bookmarks:
    """Where surveillance is to look."""

    output = "bookmarks"

    def __init__(self, about: About) -> None:
        self._about = about

    def take(self, memory: str, record: Record, follows: int) -> tuple[str, bytes | None]:
        """See `window.Shaper`."""
        if record.kind not in _ROWS:
            return memory, None
        before = _marking.decode(memory)
        try:
            after, mark = follow(before, record.seq, utc_text(record.wall_ns), what_of(record))
        except msgspec.MsgspecError:  # a row of another version marks nothing
            return memory, None
        kept = memory if after is before else _json.encode(after).decode()
        if mark is None:
            return kept, None
        told = BookmarkTold(
            table=self._about.table,
            id=self._about.id(record.seq),
            row=record.seq,
            follows=follows,
            at=utc_text(record.wall_ns),
            is_simulated=self._about.is_simulated(),
            bookmark=self._about.id(mark.row),
            what=mark.what,
            detail=mark.detail,
            round=mark.round,
            start=mark.start,
            end=mark.end,
        )
        return kept, _json.encode(told)


class Pages:
    """Alerts for those who carry a pager. One that was taken or cleared meanwhile is of no use any more: left out."""

    output = "pages"

    def __init__(self, about: About, state: Callable[[], TableState], texts: Texts) -> None:
        self._about = about
        self._state = state
        self._texts = texts

    def take(self, memory: str, record: Record, follows: int) -> tuple[str, bytes | None]:
        """See `window.Shaper`."""
        if record.kind is not RecordKind.DECISION or record.type not in _PAGED:
            return memory, None
        decision = cast(AlertRaised | AlertEscalated, decode_decision(record.body))
        alert = alerts.find(self._state(), decision.alert)
        if not decision.asked or alert is None or alert.progress is not alerts.Progress.NEW:
            return memory, None
        told = PageTold(
            table=self._about.table,
            id=self._about.id(record.seq),
            row=record.seq,
            follows=follows,
            at=utc_text(record.wall_ns),
            is_simulated=self._about.is_simulated(),
            alert=alert.number,
            level=decision.level,
            to=decision.asked,
            line=self._texts.page(alert.number, decision.level, alert.text, alert.fields),
        )
        return memory, _json.encode(told)
