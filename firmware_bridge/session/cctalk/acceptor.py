"""One coin acceptor as its host sees it: set up shut, then asked for its events; goals between. Sans I/O.

`next_command` says what is to be asked now, `take` what the reply was, `missed` that none could be read. What it tells
waits in `notices`. An acceptor is shut before anything else is asked of it, and each time that it comes back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from firmware_bridge.wire.cctalk import acceptor as wire
from firmware_bridge.wire.cctalk.acceptor import BadReply, News
from firmware_bridge.wire.cctalk.codes import Header
from firmware_bridge.wire.cctalk.frame import Frame

# So many turns without a reply: it is away, and is asked more and more seldom, so that it costs its neighbours nothing.
LOST_AFTER = 3
# No acceptor is read more often than this: five events fit into its buffer, and no hand drops fifty coins a second.
POLL_S = 0.1
PROBE_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
# A coin that was on its way when the acceptor was shut is credited within this (assumed: validation takes 0.2 s).
SETTLE_S = 0.5
_IDENTITY = (Header.MANUFACTURER, Header.PRODUCT, Header.SOFTWARE, Header.SERIAL)


@dataclass(frozen=True, slots=True)
class AcceptorProfile:
    """Where it is on the bus, and which coin positions it is to take."""

    address: int
    coins: frozenset[int]


@dataclass(frozen=True, slots=True)
class AcceptorReady:
    """It is set up and shut. `counter`: of its events, with those that are told next."""

    manufacturer: str
    product: str
    software: str
    serial: int
    counter: int


@dataclass(frozen=True, slots=True)
class AcceptorLost:
    """It does not answer, or nothing that can be understood."""

    why: str


@dataclass(frozen=True, slots=True)
class EventsTold:
    """What happened since its buffer was read last. `was_open`: coins were taken meanwhile."""

    news: News
    counter: int
    was_open: bool


@dataclass(frozen=True, slots=True)
class AcceptorOpened:
    """It takes coins now."""


@dataclass(frozen=True, slots=True)
class AcceptorShut:
    """It takes no coins, and none is on its way any more."""


@dataclass(frozen=True, slots=True)
class AcceptorChecked:
    """The result of its check of itself; 0 is well."""

    fault: int


AcceptorNotice = AcceptorReady | AcceptorLost | EventsTold | AcceptorOpened | AcceptorShut | AcceptorChecked


@dataclass(slots=True)
class StationCounts:
    """What one acceptor counted over the life of the daemon."""

    commands: int = 0
    repeats: int = 0  # reads that were asked once more in the same turn
    answers: int = 0
    misses: int = 0  # turns without a reply that could be read
    malformed: int = 0  # checked replies without sense
    events_lost: int = 0
    resets: int = 0


@dataclass(slots=True)
class Acceptor:
    """See the module. Times in seconds of one clock."""

    profile: AcceptorProfile
    notices: deque[AcceptorNotice] = field(default_factory=deque)
    counts: StationCounts = field(default_factory=StationCounts)
    wants_open: bool = False
    wants_check: bool = False
    wants_word: bool = False  # that it is shut, once more
    is_ready: bool = False
    due_s: float = 0.0
    answered_s: float | None = None  # when its last reply with sense came
    _setup: deque[Frame] = field(default_factory=deque)
    _identity: dict[int, bytes] = field(default_factory=dict)
    _counter: int | None = None
    _is_open: bool = False
    _was_open: bool = False
    _shut_s: float | None = None
    _misses: int = 0
    _probes: int = 0
    _is_away_told: bool = False

    @property
    def is_behind(self) -> bool:
        """It answers, and does not stand yet as it is wanted: open or shut."""
        return self.is_ready and self.wants_open is not self._is_open

    def begin(self, why: str = "") -> None:
        """A new line, or it is away: everything is asked anew. `why`: it was here before."""
        if self.is_ready or (why and not self._is_away_told):
            self.notices.append(AcceptorLost(why))
            self._is_away_told = True
        self.is_ready = False
        self.wants_open = self._is_open = False
        self._shut_s = None
        self._misses = 0
        self._setup.clear()

    def next_command(self) -> Frame:
        """What to ask now."""
        station = self.profile.address
        if not self.is_ready:
            if not self._setup:
                self._setup.extend(self._set_up())
            return self._setup[0]
        if self.is_behind:
            return wire.set_master_inhibit(station, accepts=self.wants_open)
        if self.wants_check:
            return wire.command(station, Header.SELF_CHECK)
        return wire.command(station, Header.READ_CREDIT)

    def take(self, asked: Frame, data: bytes, now_s: float) -> None:
        """A checked reply to `asked`."""
        self._misses = self._probes = 0
        self.due_s = now_s
        try:
            self._take(asked, data, now_s)
            self.counts.answers += 1
            self.answered_s = now_s
            is_read = asked.header == Header.READ_CREDIT and self.is_ready
            self.due_s = now_s + POLL_S if is_read else now_s
        except BadReply as bad:
            self.counts.malformed += 1
            self._missed(now_s, str(bad))

    def missed(self, now_s: float, why: str) -> None:
        """No reply that could be read came in this turn."""
        self.counts.misses += 1
        self._missed(now_s, why)

    def _missed(self, now_s: float, why: str) -> None:
        self._misses += 1
        if self._misses < LOST_AFTER and not self._probes:
            self.due_s = now_s
            return
        self.begin(why)
        self.due_s = now_s + PROBE_S[min(self._probes, len(PROBE_S) - 1)]
        self._probes += 1

    def _set_up(self) -> list[Frame]:
        station = self.profile.address
        return [
            wire.set_master_inhibit(station, accepts=False),
            *(wire.command(station, header) for header in _IDENTITY),
            wire.set_inhibits(station, self.profile.coins),
            wire.command(station, Header.READ_CREDIT),
        ]

    def _take(self, asked: Frame, data: bytes, now_s: float) -> None:
        if asked.header == Header.READ_CREDIT:
            self._credit(data, now_s)
        elif asked.header == Header.SET_MASTER_INHIBIT:
            wire.read_acknowledgement(data)
            self._inhibited(accepts=asked.data != b"\x00", now_s=now_s)
        elif asked.header == Header.SET_INHIBITS:
            wire.read_acknowledgement(data)
        elif asked.header == Header.SELF_CHECK:
            self.notices.append(AcceptorChecked(wire.read_check(data)))
            self.wants_check = False
        else:
            self._identity[asked.header] = data
            if asked.header == Header.SERIAL:
                wire.read_serial(data)
        if self._setup and self._setup[0] == asked:
            self._setup.popleft()

    def _inhibited(self, *, accepts: bool, now_s: float) -> None:
        self._was_open |= self._is_open or accepts
        self._is_open = accepts
        self._shut_s = None if accepts else now_s
        if accepts:
            self.notices.append(AcceptorOpened())

    def _credit(self, data: bytes, now_s: float) -> None:
        now = wire.read_credit(data)
        before, self._counter = self._counter, now.counter
        told = News() if before is None else wire.news(before, now)
        if not self.is_ready:
            self._now_ready(now.counter)
        if told != News():
            self.counts.events_lost += told.lost
            self.counts.resets += told.is_reset
            self.notices.append(EventsTold(told, now.counter, self._was_open))
        if told.is_reset:
            self._restarted()
        elif not self._is_open and self._is_settled(now_s):
            is_news = self._shut_s is not None or self.wants_word
            self._shut_s, self._was_open, self.wants_word = None, False, False
            if is_news:
                self.notices.append(AcceptorShut())

    def _is_settled(self, now_s: float) -> bool:
        return self._shut_s is None or now_s >= self._shut_s + SETTLE_S

    def _restarted(self) -> None:
        """After a reset an acceptor is as its maker leaves it: it is set up anew, shut first."""
        was_open = self.wants_open
        self.is_ready, self._is_open = False, False
        self._shut_s = None
        self._setup.clear()
        self._setup.extend(self._set_up())
        self.wants_open = was_open
        self._was_open = False

    def _now_ready(self, counter: int) -> None:
        self.is_ready, self._is_away_told = True, False
        said = {header: wire.read_text(self._identity.get(header, b"")) for header in _IDENTITY}
        serial = wire.read_serial(self._identity[Header.SERIAL])
        self.notices.append(
            AcceptorReady(said[Header.MANUFACTURER], said[Header.PRODUCT], said[Header.SOFTWARE], serial, counter)
        )
