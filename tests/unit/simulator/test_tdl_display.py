"""The simulated display frame by frame (tdl.md 11.3); what it says is held against the schema."""

from __future__ import annotations

import pytest

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import FaultCode, NoticeKind, Operation, Permit, Reason, Shown, Status
from firmware_bridge.wire.tdl.keys import FaultsKey, ShowKey, StateKey
from simulator.faces.memory import CommandRecord, Memory
from simulator.faces.tdl_display import new_display
from simulator.world.display import JackpotDisplay

from .bench import EPOCH, FaceBench
from .test_tdl_schema import assert_all_valid

AMOUNT: dict[int, Value] = {
    ShowKey.VERSION: 7,
    ShowKey.WHAT: Shown.AMOUNT,
    ShowKey.AMOUNT: 1_234_56,
    ShowKey.DECIMALS: 2,
    ShowKey.CURRENCY: "EUR",
    ShowKey.STALE_MS: 3_000,
}


class Still:
    """A display moves nothing."""

    def update(self, now_ns: int) -> int | None:
        """Never again."""
        return None


class DisplayBench(FaceBench):
    """A display whose glass the test reads."""

    def __init__(self, *, epoch: int = EPOCH) -> None:
        self.display = JackpotDisplay("sign")
        memory = Memory(commands=CommandRecord(epoch=epoch))
        super().__init__(new_display(self.display, memory), memory, Still())

    def show(self, **changes: Value) -> dict[int, Value]:
        body = {**AMOUNT, **{int(ShowKey[name.upper()]): value for name, value in changes.items()}}
        return dict(self.ask(Operation.SHOW, body).body)

    @property
    def text(self) -> str:
        return self.display.visible(self.now_ns)

    def state(self) -> tuple[Value, Value]:
        body = self.ask(Operation.STATE).body
        return body[StateKey.VERSION_SHOWN], body[StateKey.SHOWN]


@pytest.fixture
def bench() -> DisplayBench:
    bench = DisplayBench()
    bench.open()
    return bench


OK = {0: Status.OK}
ARGUMENT = {0: Status.REFUSED, 1: Reason.ARGUMENT}


def test_what_it_shows_and_says(bench: DisplayBench) -> None:
    assert (bench.text, bench.state()) == ("ONE MOMENT", (0, Shown.ONE_MOMENT))
    assert bench.show() == OK
    assert (bench.text, bench.state()) == ("EUR 1,234.56", (7, Shown.AMOUNT))
    bench.run(2.9)
    assert bench.text == "EUR 1,234.56"
    assert bench.show() == OK
    bench.run(2.9)
    assert bench.text == "EUR 1,234.56", "said again, it is not stale"
    bench.run(0.2)
    assert (bench.text, bench.state()) == ("ONE MOMENT", (7, Shown.ONE_MOMENT))
    assert bench.show(version=8, what=Shown.WON) == OK
    assert (bench.text, bench.state()) == ("JACKPOT WON", (8, Shown.WON))
    assert_all_valid(bench)


@pytest.mark.parametrize(
    "changes",
    [
        {"what": 9},
        {"decimals": 5},
        {"currency": "EURO"},
        {"currency": 978},
        {"stale_ms": 0},
        {"amount": 1_000_000_00},
    ],
)
def test_what_makes_no_sense_or_does_not_fit_changes_nothing(bench: DisplayBench, changes: dict[str, Value]) -> None:
    assert bench.show() == OK
    assert bench.show(version=8, **changes) == ARGUMENT
    assert (bench.text, bench.state()) == ("EUR 1,234.56", (7, Shown.AMOUNT))
    assert_all_valid(bench)


@pytest.mark.parametrize(
    "missing", [ShowKey.VERSION, ShowKey.AMOUNT, ShowKey.DECIMALS, ShowKey.CURRENCY, ShowKey.STALE_MS]
)
def test_half_an_amount_is_none(bench: DisplayBench, missing: ShowKey) -> None:
    body = {key: value for key, value in AMOUNT.items() if key != missing}
    assert bench.ask(Operation.SHOW, body).body == ARGUMENT
    assert bench.text == "ONE MOMENT"


def test_a_late_copy_is_old_and_a_new_session_begins_anew(bench: DisplayBench) -> None:
    assert bench.show(version=9) == OK
    assert bench.show(version=8, amount=1) == {0: Status.OLD}
    assert bench.text == "EUR 1,234.56"
    bench.session += 1
    bench.open()
    assert bench.show(version=1, amount=1) == OK
    assert bench.text == "EUR 0.01"
    assert_all_valid(bench)


def test_it_shows_nothing_for_a_host_that_it_does_not_obey() -> None:
    bench = DisplayBench(epoch=EPOCH + 1)
    bench.open()
    assert bench.show() == {0: Status.REFUSED, 1: Reason.EPOCH}
    assert bench.text == "ONE MOMENT"


def test_it_has_no_permits_and_no_lamp(bench: DisplayBench) -> None:
    assert bench.permit(Permit.DEAL, 1_000).body[1] == Reason.NOT_OFFERED
    assert bench.ask(Operation.LAMP, {0: 1, 1: 0}).body[1] == Reason.NOT_OFFERED
    assert bench.command(Operation.SELF_TEST).body[1] == Reason.NOT_OFFERED


def test_a_memory_that_takes_no_write_is_a_fault_and_shows_on(bench: DisplayBench) -> None:
    bench.memory.is_broken = True
    bench.command(Operation.SELF_TEST)
    bench.settle()
    assert bench.told(NoticeKind.FAULT)
    assert bench.ask(Operation.FAULTS).body[FaultsKey.STANDING] == (FaultCode.MEMORY, 0)
    assert bench.show() == OK
    assert bench.text == "EUR 1,234.56"
    bench.memory.is_broken = False
    bench.ask(Operation.CLEAR_FAULT, {0: FaultCode.MEMORY, 1: 0})
    bench.settle()
    assert bench.told(NoticeKind.FAULT_GONE)
    assert_all_valid(bench)
