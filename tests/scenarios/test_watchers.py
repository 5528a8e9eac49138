"""Each watcher of a day finds what it is there for: a watcher that cannot fire proves nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.card_events import CardPassed
from drivers.events import Holding, PermitKind, Verb
from tableside import card_account
from tableside.decisions import CommandIntended, Decision, LockAdded, LockRemoved, PermitGranted
from tableside.happenings import BadgeTapped, CardsEntered, CardsLeft
from tableside.inputs import DaemonStarted, Input
from tableside.jackpot_happenings import JackpotPaid, JackpotRaised
from tableside.journal.record import Record, RecordKind
from tableside.requests import PayJackpot
from tableside.state import TableState, reduce
from tests.scenarios.watchers import Attendance, Money, Secrets, Stops, Watcher
from tests.support.table import HOUSE, Table
from tests.unit.test_jackpot import TWO_ACES, jackpot_table, won

S = 1_000_000_000


def told(watcher: Watcher, table: Table, *decided: Decision, at_s: float = 0, what: object = None) -> list[str]:
    """One turn of a made-up day."""
    given = Input(round(at_s * S), 0, "simulated", what)  # type: ignore[arg-type]  # a watcher looks at kinds only
    watcher.turn(1, given, decided, table.state)
    return watcher.findings


@pytest.fixture
def table() -> Table:
    table = Table()
    table.ready("shuffler", content=312)
    return table


def replayed(money: Money, table: Table) -> None:
    """The day again, turn by turn, as a journal gives it."""
    first = table.given[0].what
    assert isinstance(first, DaemonStarted)
    state = TableState(house=first.house)
    for seq, given in enumerate(table.given):
        state, decided = reduce(state, given)
        money.turn(seq, given, decided, state)


def test_money_that_reconciles_is_no_finding_jp2() -> None:
    table = won((2, TWO_ACES))
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    money = Money()
    replayed(money, table)
    assert money.findings == []
    assert (money.paid, money.rows > 5) == (1, True)


@pytest.mark.parametrize("field", ["shown", "started", "contributed", "paid"])
def test_a_unit_too_many_anywhere_is_found_jp2(field: str) -> None:
    table, money = jackpot_table(), Money()
    replayed(money, table)
    procedures = table.state.procedures
    meters = procedures.jackpot.meters
    assert meters is not None
    wrong = replace(meters, **{field: getattr(meters, field) + 1})
    jackpot = replace(procedures.jackpot, meters=wrong)
    table.state = replace(table.state, procedures=replace(procedures, jackpot=jackpot))
    assert told(money, table)


def test_a_raise_by_another_sum_than_the_bets_make_and_a_wrong_rest_are_found_jp2_jp13() -> None:
    table, money = jackpot_table(), Money()
    replayed(money, table)
    shown = table.state.procedures.jackpot.meters
    assert shown is not None
    raised = JackpotRaised(seats=(1,), shown=shown.shown + 1_000, contributed=1_000)
    assert "raised to" in told(money, table, raised)[0]
    paid = JackpotPaid(seats=(1,), amounts=(100,), left=shown.shown, by="S1")
    assert any("left after" in finding for finding in told(money, table, paid))


LOADED = CardsEntered(device="shuffler", cards=1, source=card_account.HOPPER)
LID = PermitGranted(device="shuffler", what=PermitKind.LID, duration_ms=30_000)
EJECT = CommandIntended(
    device="shuffler",
    verb=Verb.EJECT_ALL,
    epoch=1,
    number=1,
    argument=None,
    step="unload.eject",
    is_resumable=True,
    expires_at_ns=0,
)


@pytest.mark.parametrize(("act", "late_s"), [(LOADED, 65), (LID, 61), (EJECT, 61)], ids=["load", "lid", "unload"])
def test_an_act_without_a_supervisor_seen_is_found_csm5(table: Table, act: Decision, late_s: float) -> None:
    watcher = Attendance()
    assert "no supervisor was seen" in told(watcher, table, act)[0]
    seen = BadgeTapped(staff="S1", reader="reader", way="tap")
    watcher = Attendance()
    told(watcher, table, BadgeTapped(staff="D1", reader="reader", way="tap"))
    told(watcher, table, seen, at_s=10)
    assert told(watcher, table, act, at_s=69) == []
    assert told(watcher, table, act, at_s=10 + late_s)
    watcher = Attendance()
    told(watcher, table, seen)
    started = DaemonStarted(version="test", clock_boot="b", house=HOUSE)
    assert told(watcher, table, act, at_s=1, what=started), "a new daemon knows nobody"


DEAL = LockAdded(scope="deal", reason="jam exit", rule="CSM-2", held=Holding.ENFORCES)
PERMIT = PermitGranted(device="shuffler", what=PermitKind.DEAL, duration_ms=60_000)
CARD = CardsLeft(device="shuffler", cards=1)


def test_a_permit_and_a_second_card_under_a_stop_are_found_csm2(table: Table) -> None:
    watcher = Stops()
    assert told(watcher, table, DEAL, CARD) == [], "one card may be on its way"
    assert "permitted while" in told(watcher, table, PERMIT)[0]
    assert "2 cards came out" in told(watcher, table, CARD)[1]
    watcher = Stops()
    told(watcher, table, DEAL, LockRemoved(scope="deal", reason="jam exit", by="S1"))
    assert told(watcher, table, PERMIT, CARD, CARD) == []


def record(body: bytes) -> Record:
    return Record(7, 1, RecordKind.DECISION, "Made", body, 0, 0, "simulated", "b", None, b"", b"")


KEY = bytes(range(32))


@pytest.mark.parametrize(
    "body", [b'{"badge":"26:00020140"}', b'{"pin":"200001"}', b'{"key":"' + KEY.hex().encode() + b'"}', KEY]
)
def test_a_secret_in_a_row_is_found(body: bytes) -> None:
    secrets = Secrets(KEY)
    secrets.row(record(b'{"staff":"S-201","ms":200001}'))
    assert secrets.findings == []
    secrets.row(record(body))
    assert len(secrets.findings) == 1


def test_a_card_that_is_not_sealed_is_found(table: Table) -> None:
    passed = CardPassed(device="eye", boot=1, number=1, count=1, card="sealed:00")
    assert told(Secrets(), table, what=passed) == []
    assert told(Secrets(), table, what=replace(passed, card="K♠"))
