"""Everything that the simulated devices say follows docs/protocols/tdl.cddl, by a validator that nobody here wrote."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pycddl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.wire.tdl.cbor import encode_map
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, Permit, Status
from firmware_bridge.wire.tdl.frame import Frame
from simulator.world import hands
from simulator.world.happenings import Breach, DealerKey, Spot, Trouble

from .bench import EPOCH, Bench, FaceBench
from .test_switch_box import BoxBench

SCHEMA = (Path(__file__).parents[3] / "docs" / "protocols" / "tdl.cddl").read_text(encoding="utf-8")


@cache
def schema(rule: str) -> pycddl.Schema:
    return pycddl.Schema(f"root = {rule}\n{SCHEMA}")


def rule_of(frame: Frame) -> str:
    if frame.type is MessageType.NOTICE:
        return f"notice-{_words(NoticeKind(frame.code).name)}"
    if frame.type is MessageType.REPLY:
        is_known = frame.code in set(Operation)
        return f"reply-{_words(Operation(frame.code).name)}" if is_known else "reply-ping"
    return _words(frame.type.name)


def _words(name: str) -> str:
    return name.lower().replace("_", "-")


def assert_all_valid(bench: FaceBench) -> None:
    for frame in bench.heard:
        schema(rule_of(frame)).validate_cbor(encode_map(frame.body))


def test_a_shufflers_day_with_everything_that_it_can_say() -> None:
    bench = Bench(decks=2, has_counted_deal=True)
    bench.open()
    bench.count_all()
    bench.load(104)
    bench.permit(Permit.DEAL, 60_000)
    bench.run(5)
    for spot in (Spot.EXIT, Spot.FEED):
        hands.dust(bench.machine, spot, 0.3)
    for card in bench.machine.carousel.buffer:
        hands.bend(card)
    for _ in range(10):
        hands.draw(bench.machine, bench.felt)
        bench.run(0.5)
    hands.tamper(bench.machine, Breach.PORT)
    bench.command(Operation.DEAL, 3)
    bench.run(5)
    hands.crease(bench.machine.carousel.buffer.bottom)
    hands.draw(bench.machine, bench.felt)
    bench.run(2)
    bench.command(Operation.RECOVER, 2)
    bench.run(5)
    hands.open_lid(bench.machine, with_key=True)
    hands.take_stuck(bench.machine, Spot.EXIT, bench.felt)
    hands.close_lid(bench.machine)
    hands.hurt(bench.machine, Trouble.SUPPLY)
    bench.run(5)
    hands.mend(bench.machine, Trouble.SUPPLY)
    bench.permit(Permit.DEAL, 60_000)
    bench.command(Operation.EJECT_ALL)
    bench.run(60)
    bench.acknowledges = False
    for _ in range(20):
        hands.tamper(bench.machine, Breach.COVER)
        bench.settle()
    bench.acknowledges = True
    bench.run(10)
    for operation in Operation:
        bench.ask(operation, {0: EPOCH, 1: 5})
    bench.face.reset(bench.now_ns)
    bench.open()
    bench.run(5)
    assert_all_valid(bench)
    others = {NoticeKind.TRAY, NoticeKind.CHIPS_IN, NoticeKind.KEY, NoticeKind.CARD_READ, NoticeKind.CHIP_RETURNED}
    assert set(NoticeKind) - set(bench.kinds()) == others | {NoticeKind.BUFFER_LOW, NoticeKind.BUFFER_NORMAL}


def test_a_machine_that_runs_dry_and_is_filled_again() -> None:
    bench = Bench(decks=1)
    bench.open()
    bench.count_all()
    bench.load(30)
    bench.permit(Permit.DEAL, 60_000)
    for _ in range(56):
        bench.run(0.5)
        hands.draw(bench.machine, bench.felt)
    bench.load(40)
    assert {NoticeKind.BUFFER_LOW, NoticeKind.BUFFER_NORMAL} <= set(bench.kinds())
    assert_all_valid(bench)


def test_a_switch_boxs_day() -> None:
    bench = BoxBench()
    bench.open()
    for key in DealerKey:
        bench.box.press(key)
        bench.run(0.3)
    bench.cards[0].move_to(bench.tray)
    bench.is_lid_open = True
    bench.box.is_lamp_burnt = True
    bench.run(1)
    for operation in Operation:
        bench.ask(operation, {0: 1, 1: 0})
    bench.run(5)
    assert_all_valid(bench)


VALUES = st.one_of(
    st.integers(0, 2**32 - 1),
    st.integers(0, 20),
    st.booleans(),
    st.binary(max_size=9),
    st.text("ab", max_size=3),
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    st.just(EPOCH),
)
BODIES = st.dictionaries(st.integers(0, 6), VALUES, max_size=4)


@pytest.mark.parametrize("make", [lambda: Bench(decks=1), BoxBench], ids=["shuffler", "switch box"])
@given(requests=st.lists(st.tuples(st.integers(1, 0xFE), BODIES), max_size=25))
@settings(max_examples=60)
def test_any_request_gets_one_reply_of_a_known_status(make, requests) -> None:  # type: ignore[no-untyped-def]
    """Whatever a host asks: one reply, a status of the list, and no card is lost."""
    bench = make()
    bench.open()
    for code, body in requests:
        reply = bench.ask(code, body)
        assert reply.body[0] in set(Status)
        assert (reply.body[0] in (Status.REFUSED, Status.FAILED)) == (1 in reply.body)
        bench.run(0.5)
    assert_all_valid(bench)
    if isinstance(bench, Bench):
        bench.assert_conserved()
