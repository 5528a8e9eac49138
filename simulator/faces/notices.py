"""Notices until the host has them in its journal (TDL 8): numbered, one at a time, merged, never lost silently."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import NoticeKind, Permit
from firmware_bridge.wire.tdl.keys import MeterKey, NoticesLostKey, PermitEndedKey
from firmware_bridge.wire.tdl.read import uint

EDGES_KEPT = 16
# Beside the edges' there is one place for the end of each permit and one for *notices lost*, so that a full queue can
# still say that it stopped, and why.
OwnPlace = tuple[NoticeKind, int]
LEVELS = frozenset({NoticeKind.CARDS_OUT, NoticeKind.CARDS_IN, NoticeKind.TRAY, NoticeKind.CHIPS_IN})
# Again after 0.5, 1, 2, 4, 4 … s.
FIRST_RESEND_NS = 500 * NS_PER_MS
LAST_RESEND_NS = 4_000 * NS_PER_MS


@dataclass(slots=True)
class Notice:
    """One notice as it waits. `keys` from 3 on; `at_ns` on the device's clock."""

    kind: NoticeKind
    number: int
    keys: dict[int, Value]
    at_ns: int
    own_place: OwnPlace | None = None  # where it lies in one; None: among the edges
    is_sent: bool = False


class Notices:
    """The queue of one boot."""

    def __init__(self) -> None:
        self._queue: list[Notice] = []
        self._newest = 0
        self._dropped = 0
        self._resend_ns = FIRST_RESEND_NS
        self._due_ns: int | None = None
        self.is_mute = False
        self.is_lost = False
        self.lost_since_boot = 0

    @property
    def newest(self) -> int:
        return self._newest

    @property
    def oldest(self) -> int:
        """The oldest one kept; nothing kept: newest + 1."""
        return self._queue[0].number if self._queue else self._newest + 1

    @property
    def is_full(self) -> bool:
        """An edge has been dropped, and nothing has made room since."""
        return self._dropped > 0

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, kind: NoticeKind, keys: dict[int, Value], now_ns: int) -> bool:
        """Queue one. False: no room, it is dropped and counted. A mute queue takes nothing at all (TDL 10.3)."""
        if self.is_mute:
            return True
        if kind in LEVELS:
            for waiting in self._queue:
                if not waiting.is_sent and _level(waiting.kind, waiting.keys) == _level(kind, keys):
                    waiting.keys, waiting.at_ns = keys, now_ns
                    return True
        elif self._has_no_room(kind, keys):
            self._dropped += 1
            self.lost_since_boot += 1
            self.is_lost = True
            return False
        self._append(kind, keys, now_ns)
        return True

    def acknowledge(self, number: int, now_ns: int) -> None:
        """Drop what was sent, up to this number; room made is first used to say what was lost."""
        kept = [notice for notice in self._queue if not (notice.is_sent and notice.number <= number)]
        done = self._queue[: len(self._queue) - len(kept)]
        if not done:
            return
        self._queue = kept
        self._due_ns, self._resend_ns = now_ns, FIRST_RESEND_NS
        if any(notice.kind is NoticeKind.NOTICES_LOST for notice in done) and not self._dropped:
            self.is_lost = any(notice.kind is NoticeKind.NOTICES_LOST for notice in kept)
        if self._dropped and self._edges < EDGES_KEPT:
            lost, self._dropped = self._dropped, 0
            self._append(NoticeKind.NOTICES_LOST, {NoticesLostKey.COUNT: lost}, now_ns)

    def has_place_for_end(self, what: Permit) -> bool:
        """Whether the end of this permit could be told whatever happens."""
        return not self._is_taken((NoticeKind.PERMIT_ENDED, what))

    def restart(self, now_ns: int) -> None:
        """A session has opened: the oldest goes at once."""
        self._due_ns, self._resend_ns = now_ns, FIRST_RESEND_NS

    def due_ns(self) -> int | None:
        """When the oldest is to be sent (again), while a session is open."""
        if not self._queue:
            return None
        return self._due_ns if self._due_ns is not None else self._queue[0].at_ns

    def take_due(self, now_ns: int) -> Notice | None:
        """The notice to send now, if one is due."""
        due_ns = self.due_ns()
        if due_ns is None or due_ns > now_ns:
            return None
        head = self._queue[0]
        head.is_sent = True
        self._due_ns = now_ns + self._resend_ns
        self._resend_ns = min(2 * self._resend_ns, LAST_RESEND_NS)
        return head

    @property
    def _edges(self) -> int:
        return sum(notice.kind not in LEVELS and notice.own_place is None for notice in self._queue)

    def _has_no_room(self, kind: NoticeKind, keys: dict[int, Value]) -> bool:
        place = _own_place(kind, keys)
        return self._edges >= EDGES_KEPT and (place is None or self._is_taken(place))

    def _is_taken(self, place: OwnPlace) -> bool:
        return any(notice.own_place == place for notice in self._queue)

    def _place(self, kind: NoticeKind, keys: dict[int, Value]) -> OwnPlace | None:
        """Where it goes: *notices lost* into its own place first, the end of a permit only where no other is free."""
        place = _own_place(kind, keys)
        is_wanted = kind is NoticeKind.NOTICES_LOST or self._edges >= EDGES_KEPT
        return place if place is not None and is_wanted and not self._is_taken(place) else None

    def _append(self, kind: NoticeKind, keys: dict[int, Value], now_ns: int) -> None:
        if not self._queue and (self._due_ns is None or self._due_ns < now_ns):
            self._due_ns, self._resend_ns = now_ns, FIRST_RESEND_NS
        self._newest += 1
        self._queue.append(Notice(kind, self._newest, keys, now_ns, self._place(kind, keys)))


def _own_place(kind: NoticeKind, keys: dict[int, Value]) -> OwnPlace | None:
    if kind is NoticeKind.NOTICES_LOST:
        return kind, 0
    return (kind, uint(keys, PermitEndedKey.WHAT)) if kind is NoticeKind.PERMIT_ENDED else None


def _level(kind: NoticeKind, keys: dict[int, Value]) -> tuple[NoticeKind, Value | None]:
    """Which meter a level notice speaks of: chips have one for each seat."""
    return kind, keys.get(MeterKey.SEAT) if kind is NoticeKind.CHIPS_IN else None
