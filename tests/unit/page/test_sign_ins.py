"""Who is signed in at a screen: by the tap that follows, for as long as that tap holds, and never by anything else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import SightingKind
from firmware_bridge.clock import NS_PER_S, Instant, WallQuality
from tableside.inputs import AnyInput, BadgeSighted
from tableside.journal.store import Journal
from tableside.page.me import me_view
from tableside.page.sign_ins import TOLD_S, WAITS_S, SignIn, SignInRefused, SignIns, SignInState, Why
from tableside.state import TableState
from tests.support.session import connected
from tests.support.table import HOUSE, WALL_START_NS, Table

HOLDS_S = 60
READER = "reader"


class Clock:
    """Moves when the test says so."""

    boot = "boot-1"

    def __init__(self) -> None:
        self.at_ns = 0

    def monotonic_ns(self) -> int:
        return self.at_ns

    def now(self) -> Instant:
        return Instant(self.at_ns, WALL_START_NS + self.at_ns, WallQuality.SIMULATED)

    def wait(self, seconds: float) -> None:
        self.at_ns += round(seconds * NS_PER_S)


class Running:
    """A table of the host, as far as sign-ins look at it."""

    def __init__(self, table: Table) -> None:
        self.name = table.state.house.table
        self.table = table
        self.published = 0

    @property
    def state(self) -> TableState:
        return self.table.state

    @property
    def journal(self) -> Journal:
        raise AssertionError("no rows are read here")

    async def until_news(self, after: int) -> None:
        raise AssertionError("no rows are waited for here")

    async def tell(self, what: AnyInput) -> None:
        raise AssertionError("nothing is told here")


class Reader:
    """One table, its reader, and the screens that ask."""

    def __init__(self, table: Table | None = None) -> None:
        self.clock = Clock()
        self.running = Running(table or connected())
        self.changes = 0
        self.sign_ins = SignIns({self.running.name: self.running}, self.clock, HOLDS_S, self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def ask(self, token: str = "") -> str:
        return self.sign_ins.ask(self.running.name, token)

    def tap(self, staff: str, kind: SightingKind = SightingKind.TAP, reader: str = READER) -> None:
        self.sign_ins.take(self.running, BadgeSighted(reader=reader, staff=staff, kind=kind))

    def of(self, token: str) -> SignIn:
        found = self.sign_ins.of(token)
        assert found is not None
        return found


def refused(reader: Reader, token: str = "") -> Why:
    with pytest.raises(SignInRefused) as caught:
        reader.ask(token)
    return caught.value.why


def test_the_tap_that_follows_says_whose_screen_it_is() -> None:
    reader = Reader()
    token = reader.ask()
    assert reader.of(token).state is SignInState.WAITING
    before = reader.changes
    reader.tap("S1")
    one = reader.of(token)
    assert one.state is SignInState.IN
    assert one.person is not None
    assert one.person.staff == "S1"
    assert reader.changes > before, "the screen is told at once"


def test_a_tap_from_before_signs_nobody_in() -> None:
    reader = Reader()
    reader.tap("S1")
    assert reader.of(reader.ask()).state is SignInState.WAITING


def test_a_tap_at_another_reader_signs_nobody_in() -> None:
    reader = Reader()
    token = reader.ask()
    reader.tap("S1", reader="the neighbour's")
    assert reader.of(token).state is SignInState.WAITING


def test_one_screen_at_a_time_waits_at_a_reader_so_that_no_tap_is_another_ones() -> None:
    reader = Reader()
    mine = reader.ask()
    assert refused(reader) is Why.TAKEN
    reader.tap("S1")
    assert reader.of(mine).state is SignInState.IN
    other = reader.ask()
    reader.tap("S2")
    assert reader.of(other).person != reader.of(mine).person
    assert reader.of(mine).state is SignInState.IN


def test_a_screen_that_asks_again_waits_anew_under_another_token() -> None:
    reader = Reader()
    first = reader.ask()
    second = reader.ask(first)
    assert first != second
    assert reader.sign_ins.of(first) is None
    reader.tap("S1")
    assert reader.of(second).state is SignInState.IN


def test_nobody_waits_longer_than_somebody_takes_to_tap() -> None:
    reader = Reader()
    token = reader.ask()
    reader.clock.wait(WAITS_S)
    assert reader.of(token).why is Why.NOT_TAPPED
    reader.tap("S1")
    assert reader.of(token).state is SignInState.OVER
    assert reader.of(reader.ask()).state is SignInState.WAITING, "the reader is free again"


def test_a_tap_holds_for_its_time_and_another_one_prolongs_it() -> None:
    reader = Reader()
    token = reader.ask()
    reader.tap("S1")
    reader.clock.wait(HOLDS_S - 1)
    reader.tap("S1")
    reader.clock.wait(HOLDS_S - 1)
    assert reader.of(token).state is SignInState.IN
    reader.tap("S2")
    reader.clock.wait(1)
    assert reader.of(token).why is Why.TIME, "somebody else's tap prolongs nothing"


def test_a_badge_that_lies_there_holds_until_it_is_taken_away() -> None:
    reader = Reader()
    token = reader.ask()
    reader.tap("S1", SightingKind.HELD_FROM)
    reader.clock.wait(10 * HOLDS_S)
    assert reader.of(token).state is SignInState.IN
    reader.tap("S2", SightingKind.HELD_TO)
    assert reader.of(token).state is SignInState.IN
    reader.tap("S1", SightingKind.HELD_TO)
    assert reader.of(token).why is Why.LEFT


def test_taps_in_a_row_look_like_a_badge_that_was_held_and_hold_as_a_tap() -> None:
    """BR-033: the reader tells the second tap as *held*, and two seconds later that it is gone."""
    reader = Reader()
    token = reader.ask()
    reader.tap("S1")
    reader.clock.wait(1.5)
    reader.tap("S1", SightingKind.HELD_FROM)
    reader.clock.wait(2)
    reader.tap("S1", SightingKind.HELD_TO)
    assert reader.sign_ins.left_s(reader.of(token)) == HOLDS_S


def test_a_reader_that_goes_away_signs_out_whoever_stood_there() -> None:
    reader = Reader()
    token = reader.ask()
    reader.tap("S1")
    reader.sign_ins.take(reader.running, events.ReaderLost(device=READER, why="cable"))
    assert reader.of(token).why is Why.READER_LOST


def test_where_the_reader_is_away_nobody_waits_there() -> None:
    table = connected()
    table.give(events.ReaderLost(device=READER, why="cable"))
    assert refused(Reader(table)) is Why.READER_LOST
    assert refused(Reader(Table(replace(HOUSE, readers=())))) is Why.NO_READER


def test_a_badge_is_at_one_screen_at_a_time() -> None:
    reader = Reader()
    old = reader.ask()
    reader.tap("S1")
    new = reader.ask()
    reader.tap("S1")
    assert reader.of(new).state is SignInState.IN
    assert reader.of(old).why is Why.MOVED


def test_a_badge_that_does_not_count_is_named_and_the_screen_waits_on() -> None:
    revoked = replace(HOUSE.persons[3], is_revoked=True)
    late = replace(HOUSE.persons[4], valid_until_ns=1)
    reader = Reader(connected(replace(HOUSE, persons=(*HOUSE.persons[:3], revoked, late))))
    token = reader.ask()
    for staff, why in (("S2", Why.REVOKED), ("M1", Why.OUT_OF_DATE), ("", Why.UNKNOWN)):
        reader.tap(staff)
        assert (reader.of(token).state, reader.of(token).note) == (SignInState.WAITING, why)
    reader.tap("S1")
    assert (reader.of(token).state, reader.of(token).note) == (SignInState.IN, None)


def test_signing_out_is_at_once_and_told_for_a_while() -> None:
    reader = Reader()
    token = reader.ask()
    reader.tap("S1")
    reader.sign_ins.sign_out(token)
    assert me_view(reader.sign_ins, token)["why"] == Why.SIGNED_OUT
    reader.clock.wait(TOLD_S)
    assert me_view(reader.sign_ins, token) == {"state": "out"}


def test_no_token_but_the_one_given_is_anybodys() -> None:
    reader = Reader()
    token = reader.ask()
    reader.tap("S1")
    for wrong in ("", token[:-1], token.swapcase(), f"{token} "):
        assert me_view(reader.sign_ins, wrong) == {"state": "out"}
    assert token not in repr(reader.sign_ins.of(token))


def test_screens_without_end_are_refused_and_those_signed_out_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableside.page.sign_ins.MAX_SCREENS", 2)
    reader = Reader()
    reader.ask()
    reader.tap("S1")
    reader.ask()
    reader.tap("S2")
    assert refused(reader) is Why.FULL
    reader.clock.wait(HOLDS_S)
    assert reader.of(reader.ask()).state is SignInState.WAITING
