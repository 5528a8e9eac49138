"""What the journal tells of each damaged card: found, who was there, exchanged, whole again, reported. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tableside.card_account import ASIDE, RESERVE
from tableside.decisions import CardsBrought, CardsMoved, IncidentClosed, IncidentNoted, LockAdded, LockRemoved
from tableside.happenings import (
    CardReplaced,
    DamagedCardFound,
    DamageReported,
    DealerRelieved,
    PresenceShown,
    RoundEnded,
    RoundStarted,
    SessionOpened,
)
from tableside.presence import Operation
from tableside.procedures.damaged import REASON
from tableside.reports.story import Story, Told


@dataclass(slots=True)
class DamagedCard:
    """One incident. `balances` are cards by place right after the exchange, `brought` their sum."""

    incident: int
    how: str
    found: Told
    session: int
    round: int
    dealer: str
    stopped: Told | None
    freed: Told | None = None
    shown: list[Told] = field(default_factory=list)
    notes: list[Told] = field(default_factory=list)
    replaced: Told | None = None
    balances: dict[str, int] = field(default_factory=dict)
    brought: int = 0
    closed: Told | None = None
    reported: Told | None = None
    is_secret: bool = False  # the round in which it was exchanged is not over

    @property
    def exchange(self) -> CardReplaced | None:
        """Which card went out, and which came in."""
        what = self.replaced.what if self.replaced is not None else None
        return what if isinstance(what, CardReplaced) else None


def damaged_cards(story: Story) -> list[DamagedCard]:
    """Every incident of a damaged or suspected card, in order."""
    reader = _Reader()
    for told in story.told:
        act = _READ.get(type(told.what))
        if act is not None:
            act(reader, told, told.what)
    return list(reader.cards.values())


class _Reader:
    """Follows the rows and keeps what belongs to damaged cards."""

    def __init__(self) -> None:
        self.cards: dict[int, DamagedCard] = {}
        self._open: DamagedCard | None = None
        self._stopping: DamagedCard | None = None
        self._lock: Told | None = None
        self._session = self._round = 0
        self._is_round_open = False
        self._dealer = ""
        self._balances: Counter[str] = Counter()
        self._brought = 0

    def opened(self, _told: Told, what: SessionOpened) -> None:
        self._session, self._dealer, self._round = what.session, what.dealer, 0

    def relieved(self, _told: Told, what: DealerRelieved) -> None:
        self._dealer = what.dealer

    def started(self, _told: Told, what: RoundStarted) -> None:
        self._round, self._is_round_open = what.round, True

    def ended(self, _told: Told, _what: RoundEnded) -> None:
        self._is_round_open = False
        for card in self.cards.values():
            card.is_secret = False

    def brought(self, _told: Told, what: CardsBrought) -> None:
        self._balances = Counter({ASIDE: what.playing, RESERVE: what.reserve})
        self._brought = what.playing + what.reserve

    def moved(self, _told: Told, what: CardsMoved) -> None:
        self._balances[what.source] -= what.cards
        self._balances[what.target] += what.cards

    def locked(self, told: Told, what: LockAdded) -> None:
        if what.reason == REASON:
            self._lock = told

    def found(self, told: Told, what: DamagedCardFound) -> None:
        card = DamagedCard(what.incident, what.how, told, self._session, self._round, self._dealer, self._lock)
        self.cards[what.incident] = self._open = self._stopping = card

    def present(self, told: Told, what: PresenceShown) -> None:
        if self._open is not None and what.operation == Operation.REPLACE:
            self._open.shown.append(told)

    def noted(self, told: Told, what: IncidentNoted) -> None:
        if what.number in self.cards:
            self.cards[what.number].notes.append(told)

    def unlocked(self, told: Told, what: LockRemoved) -> None:
        if what.reason == REASON and self._stopping is not None:
            self._stopping.freed = told  # it may come after the incident's end

    def exchanged(self, told: Told, what: CardReplaced) -> None:
        card = self.cards[what.incident]
        card.replaced, card.is_secret = told, self._is_round_open
        card.balances = {place: cards for place, cards in self._balances.items() if cards}
        card.brought = self._brought
        self._open = None

    def closed(self, told: Told, what: IncidentClosed) -> None:
        if what.number in self.cards:
            self.cards[what.number].closed = told
            self._open = None

    def reported(self, told: Told, what: DamageReported) -> None:
        self.cards[what.incident].reported = told


_READ: Mapping[type, Callable[..., None]] = {
    SessionOpened: _Reader.opened,
    DealerRelieved: _Reader.relieved,
    RoundStarted: _Reader.started,
    RoundEnded: _Reader.ended,
    CardsBrought: _Reader.brought,
    CardsMoved: _Reader.moved,
    LockAdded: _Reader.locked,
    LockRemoved: _Reader.unlocked,
    DamagedCardFound: _Reader.found,
    PresenceShown: _Reader.present,
    IncidentNoted: _Reader.noted,
    IncidentClosed: _Reader.closed,
    CardReplaced: _Reader.exchanged,
    DamageReported: _Reader.reported,
}
