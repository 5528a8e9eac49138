"""The report on one session of a table, as a printable text: figures first, then what happened, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tableside.advice_happenings import Advised, Decided
from tableside.blackjack_happenings import HandsOver, HandsUnsure
from tableside.card_account import ASIDE, RESERVE
from tableside.counted import counted
from tableside.decisions import (
    AlertArrived,
    AlertEscalated,
    AlertRaised,
    AlertTaken,
    CardsBrought,
    CardsMoved,
    Decision,
    IncidentClosed,
    IncidentOpened,
    ReserveFetched,
)
from tableside.happenings import CardsToldLate, JamOpened, RoundEnded, SessionClosed, SessionOpened
from tableside.journal.chain import Finding
from tableside.reports import paper
from tableside.reports.lines import LINES
from tableside.reports.story import NoStory, Story, Told
from tableside.session_happenings import PacketLoaded

NS_PER_S = 1_000_000_000


@dataclass(slots=True)
class Session:
    """The rows of one session, from its opening to its close, or to the journal's end."""

    number: int
    told: list[Told]
    is_closed: bool


@dataclass(slots=True)
class Figures:
    """What is counted over a session."""

    rounds: int = 0
    dealt: int = 0
    loaded: int = 0
    packets: int = 0
    jams: Counter[str] = field(default_factory=Counter)
    alerts: Counter[int] = field(default_factory=Counter)
    escalated: int = 0
    answered_s: list[int] = field(default_factory=list)  # from raised to taken or arrived
    incidents: set[int] = field(default_factory=set)
    open_incidents: set[int] = field(default_factory=set)
    balances: Counter[str] = field(default_factory=Counter)
    brought: int = 0
    followed: int = 0  # rounds of blackjack whose hands were followed to their end
    counted_only: int = 0
    advised: int = 0
    decided: Counter[bool] = field(default_factory=Counter)  # by whether it was against the advice


def sessions(story: Story) -> list[Session]:
    """Every session of the journal, in order."""
    found: list[Session] = []
    turn: list[Told] = []  # since the last input: what opened the session belongs to it
    for told in story.told:
        turn = [*turn, told] if isinstance(told.what, Decision) else [told]
        is_between = not found or found[-1].is_closed
        if isinstance(told.what, SessionOpened):
            found.append(Session(told.what.session, list(turn), is_closed=False))
        elif not is_between:
            found[-1].told.append(told)
            found[-1].is_closed = isinstance(told.what, SessionClosed)
    return found


def session_report(story: Story, findings: Sequence[Finding] = (), number: int | None = None) -> str:
    """The document on a session, the last one where none is named. Raises `NoStory` where there is none."""
    known = sessions(story)
    wanted = [session for session in known if number in (None, session.number)]
    if not wanted:
        have = ", ".join(str(session.number) for session in known) or "none"
        raise NoStory(f"the journal has no session {number or ''}; it has {have}")
    session = wanted[-1]
    title = f"Session {session.number} of table {story.house.table}"
    lines = paper.head(title, story)
    lines += _figures(session, story)
    lines += paper.section("What happened")
    for told in session.told:
        sentence = LINES.get(type(told.what))
        if sentence is not None:
            lines += paper.entry(f"{story.time(told.wall_ns)} [{told.seq}]", sentence(story, told.what))
    if not session.is_closed:
        lines += ["", "The session is not closed: this report is of its beginning only."]
    lines += paper.foot(story, findings) + paper.signatures("Floor supervisor", "Room management")
    return "\n".join(lines) + "\n"


def _figures(session: Session, story: Story) -> list[str]:
    figures = figures_of(session)
    first, last = session.told[0], session.told[-1]
    lines = paper.section("Figures")
    lines += paper.field("From", story.time(first.wall_ns))
    lines += paper.field("Until", story.time(last.wall_ns) if session.is_closed else "not closed")
    lines += paper.field("Cards brought", str(figures.brought))
    lines += paper.field("Loaded", f"{counted(figures.loaded, 'card')} in {counted(figures.packets, 'packet')}")
    lines += paper.field("Rounds", f"{figures.rounds}, {counted(figures.dealt, 'card')} dealt")
    if figures.followed or figures.counted_only:
        lines += paper.field("Hands", f"{figures.followed} rounds followed, {figures.counted_only} counted only")
    if figures.advised:
        given = f"{figures.advised}, decided: {figures.decided.total()}, against it: {figures.decided[True]}"
        lines += paper.field("Advice", given)
    jams = ", ".join(f"{place} {times}" for place, times in sorted(figures.jams.items())) or "none"
    lines += paper.field("Jams", jams)
    lines += paper.field("Alerts", _alerts(figures))
    open_ = ", ".join(map(str, sorted(figures.open_incidents))) or "none"
    lines += paper.field("Incidents", f"{len(figures.incidents)}, open: {open_}")
    places = ", ".join(f"{place} {cards}" for place, cards in sorted(figures.balances.items()) if cards)
    total = sum(figures.balances.values())
    balance = "balanced" if total == figures.brought else f"NOT BALANCED: {total} of {figures.brought}"
    return lines + paper.field("Account at the end", f"{balance}: {places}")


def _alerts(figures: Figures) -> str:
    by_class = ", ".join(f"class {level}: {times}" for level, times in sorted(figures.alerts.items()) if level)
    if not by_class:
        return "none"
    answered = sorted(figures.answered_s)
    middle = f"; half of those taken were within {max(1, answered[len(answered) // 2])} s" if answered else ""
    passed_on = f"; {counted(figures.escalated, 'time')} the next in line was asked" if figures.escalated else ""
    return f"{by_class}{middle}{passed_on}"


def figures_of(session: Session) -> Figures:
    """Count over the rows of a session."""
    counting = _Counting()
    for told in session.told:
        act = _COUNTED.get(type(told.what))
        if act is not None:
            act(counting, told, told.what)
    return counting.figures


class _Counting:
    def __init__(self) -> None:
        self.figures = Figures()
        self._raised: dict[int, int] = {}

    def round_over(self, _told: Told, what: RoundEnded) -> None:
        self.figures.rounds += 1
        self.figures.dealt += what.cards

    def over(self, _told: Told, _what: HandsOver) -> None:
        self.figures.followed += 1

    def unsure(self, _told: Told, _what: HandsUnsure) -> None:
        self.figures.counted_only += 1

    def advised(self, _told: Told, _what: Advised) -> None:
        self.figures.advised += 1

    def decided(self, _told: Told, what: Decided) -> None:
        self.figures.decided[what.is_against] += 1

    def told_late(self, _told: Told, what: CardsToldLate) -> None:
        self.figures.dealt += what.cards

    def loaded(self, _told: Told, what: PacketLoaded) -> None:
        self.figures.packets += 1
        self.figures.loaded += what.cards

    def jammed(self, _told: Told, what: JamOpened) -> None:
        self.figures.jams[what.place.value] += 1

    def raised(self, told: Told, what: AlertRaised) -> None:
        self.figures.alerts[what.level] += 1
        self._raised[what.alert] = told.wall_ns

    def escalated(self, _told: Told, _what: AlertEscalated) -> None:
        self.figures.escalated += 1

    def answered(self, told: Told, what: AlertTaken | AlertArrived) -> None:
        if what.alert in self._raised:
            self.figures.answered_s.append((told.wall_ns - self._raised.pop(what.alert)) // NS_PER_S)

    def opened(self, _told: Told, what: IncidentOpened) -> None:
        self.figures.incidents.add(what.number)
        self.figures.open_incidents.add(what.number)

    def closed(self, _told: Told, what: IncidentClosed) -> None:
        self.figures.open_incidents.discard(what.number)

    def brought(self, _told: Told, what: CardsBrought) -> None:
        self.figures.balances = Counter({ASIDE: what.playing, RESERVE: what.reserve})
        self.figures.brought = what.playing + what.reserve

    def fetched(self, _told: Told, what: ReserveFetched) -> None:
        self.figures.balances[RESERVE] += what.cards
        self.figures.brought += what.cards

    def moved(self, _told: Told, what: CardsMoved) -> None:
        self.figures.balances[what.source] -= what.cards
        self.figures.balances[what.target] += what.cards


_COUNTED: Mapping[type, Callable[..., None]] = {
    RoundEnded: _Counting.round_over,
    CardsToldLate: _Counting.told_late,
    HandsOver: _Counting.over,
    HandsUnsure: _Counting.unsure,
    Advised: _Counting.advised,
    Decided: _Counting.decided,
    PacketLoaded: _Counting.loaded,
    JamOpened: _Counting.jammed,
    AlertRaised: _Counting.raised,
    AlertEscalated: _Counting.escalated,
    AlertTaken: _Counting.answered,
    AlertArrived: _Counting.answered,
    IncidentOpened: _Counting.opened,
    IncidentClosed: _Counting.closed,
    CardsBrought: _Counting.brought,
    CardsMoved: _Counting.moved,
    ReserveFetched: _Counting.fetched,
}
