"""What the table tells: its rows as they become durable, and how things stand. The pager and panel of all people.

Built from the control socket's subscription alone, so a run can ask about the past: which rows came since.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .speaking import Connect, Conversation, Said

T = TypeVar("T")
SUBSCRIPTION = "watch"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table's journal, as the control socket shows it."""

    seq: int
    type: str
    body: Mapping[str, Any]
    at: str
    lines: Mapping[str, Any] = field(default_factory=dict)  # of an alert: fact and next step by language


@dataclass(slots=True)
class StandingAlert:
    """One alert as people know it; `asked` are the staff ids whose pagers it has rung."""

    number: int
    text: str
    place: str
    level: int
    asked: list[str] = field(default_factory=list)
    taken_by: str = ""
    has_arrived: bool = False


class Watch:
    """Follows one table. `alerts` are those that stand; `rows` everything put in or decided since the start."""

    def __init__(self, connect: Connect, *, table: str, retry_s: float) -> None:
        self.table = table
        self.rows: list[Row] = []
        self.alerts: dict[int, StandingAlert] = {}
        self.alert_texts: dict[int, str] = {}  # of all that ever stood, by number
        self.round = 0
        self.is_in_session = False
        self.dealt = 0
        self.listeners: list[Callable[[Row], None]] = []
        self._by_type: dict[str, list[Row]] = {}
        self._news = asyncio.Event()
        self._asked = 0
        self.line = Conversation(connect, retry_s=retry_s, heard=self._heard, greeting=self._subscribe)

    @property
    def last_seq(self) -> int:
        return self.rows[-1].seq if self.rows else 0

    async def run(self) -> None:
        """Follow until cancelled."""
        await self.line.run()

    async def told(self, act: str) -> Any:
        """The answer to a read, such as `state`."""
        self._asked += 1
        said = await self.line.ask({"id": f"read-{self._asked}", "act": act, "table": self.table})
        return said["what"]

    def since(self, seq: int, kind: str) -> list[Row]:
        """Rows of one type above this number, oldest first."""
        rows = self._by_type.get(kind, [])
        return rows[bisect_right(rows, seq, key=lambda row: row.seq) :]

    def has(self, kind: str, since: int, **has: object) -> bool:
        """Whether a row of this type, with these fields, came above that number."""
        return any(all(row.body.get(name) == value for name, value in has.items()) for row in self.since(since, kind))

    async def next_news(self) -> None:
        """Wait for another row."""
        await self._news.wait()

    def find_alert(self, text: str) -> StandingAlert | None:
        """The standing alert of this text, the latest one."""
        return next((alert for alert in reversed(self.alerts.values()) if alert.text == text), None)

    def _subscribe(self) -> Said:
        return {"id": SUBSCRIPTION, "act": "subscribe", "table": self.table, "after": self.last_seq}

    def _heard(self, said: Said) -> None:
        entry = said.get("entry")
        if entry is None or entry["seq"] <= self.last_seq:
            return
        row = Row(entry["seq"], entry["type"], entry["body"], entry["at"], entry.get("lines", {}))
        self.rows.append(row)
        self._by_type.setdefault(row.type, []).append(row)
        follow = FOLLOWED.get(row.type)
        if follow is not None:
            follow(self, row.body)
        for listener in self.listeners:
            listener(row)
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _raised(self, body: Mapping[str, Any]) -> None:
        alert = StandingAlert(body["alert"], body["text"], body["place"], body["level"], list(body["asked"]))
        self.alerts[alert.number] = alert
        self.alert_texts[alert.number] = alert.text

    def _escalated(self, body: Mapping[str, Any]) -> None:
        if body["alert"] in self.alerts:
            alert = self.alerts[body["alert"]]
            alert.asked += body["asked"]
            alert.taken_by = ""

    def _taken(self, body: Mapping[str, Any]) -> None:
        if body["alert"] in self.alerts:
            self.alerts[body["alert"]].taken_by = body["by"]

    def _arrived(self, body: Mapping[str, Any]) -> None:
        if body["alert"] in self.alerts:
            self.alerts[body["alert"]].has_arrived = True

    def _cleared(self, body: Mapping[str, Any]) -> None:
        self.alerts.pop(body["alert"], None)

    def _round_started(self, body: Mapping[str, Any]) -> None:
        """The card that began it is counted already: its row comes first."""
        self.round = body["round"]

    def _opened(self, _body: Mapping[str, Any]) -> None:
        self.is_in_session = True

    def _closed(self, _body: Mapping[str, Any]) -> None:
        self.is_in_session = False

    def _round_ended(self, body: Mapping[str, Any]) -> None:
        self.dealt = 0

    def _left(self, body: Mapping[str, Any]) -> None:
        self.dealt += body["cards"]


FOLLOWED: dict[str, Callable[[Watch, Mapping[str, Any]], None]] = {
    "AlertRaised": Watch._raised,
    "AlertEscalated": Watch._escalated,
    "AlertTaken": Watch._taken,
    "AlertArrived": Watch._arrived,
    "AlertCleared": Watch._cleared,
    "RoundStarted": Watch._round_started,
    "SessionOpened": Watch._opened,
    "SessionClosed": Watch._closed,
    "RoundEnded": Watch._round_ended,
    "CardsLeft": Watch._left,
}
