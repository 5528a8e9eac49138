"""Device side of notices against docs/protocols/tdl.md 8 (conformance D-19 to D-22)."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import NS_PER_MS, NS_PER_S
from firmware_bridge.wire.tdl.codes import (
    HelloFlag,
    MessageType,
    NoticeKind,
    Operation,
    Permit,
    PermitEnd,
    Reason,
    Status,
)
from simulator.faces.notices import EDGES_KEPT, Notices
from simulator.world import hands
from simulator.world.happenings import Breach, Spot, Trouble

from .bench import Bench, status


def opened() -> Bench:
    bench = Bench()
    bench.open()
    bench.count_all()
    bench.run(1)
    return bench


def edge(bench: Bench) -> None:
    """One edge: somebody opens the cover."""
    hands.tamper(bench.machine, Breach.COVER)
    bench.settle()


def test_d19_booted_is_number_one_and_numbers_have_no_gaps() -> None:
    bench = opened()
    bench.load(52)
    numbers = [frame.body[1] for frame in bench.notices]
    assert numbers == list(range(1, len(numbers) + 1))
    assert bench.kinds()[0] is NoticeKind.BOOTED


def test_booted_tells_content_and_the_meters_of_the_boot_before() -> None:
    bench = opened()
    bench.load(52)
    bench.face.reset(bench.now_ns)
    bench.open()
    bench.run(1)
    assert bench.told(NoticeKind.BOOTED)[-1] == {3: 2, 4: 52, 5: 52, 6: 0}
    assert bench.ask(Operation.METERS).body[2] == 0


def test_d20_sent_again_after_half_a_second_then_slower_until_acknowledged() -> None:
    bench = opened()
    bench.acknowledges = False
    edge(bench)
    edge(bench)
    times = []
    for _ in range(2_000):
        heard = len(bench.heard)
        bench.run(0.01)
        times += [bench.now_ns for _ in bench.heard[heard:]]
    gaps = [round((after - before) / 1e9, 1) for before, after in itertools.pairwise(times)]
    assert gaps[:6] == [1.0, 2.0, 4.0, 4.0, 4.0, 4.0][: len(gaps)]
    sent = {frame.body[1] for frame in bench.heard if frame.code == NoticeKind.TAMPER}
    assert len(sent) == 1, "only the oldest is sent"
    bench.acknowledges = True
    bench.run(5)
    assert len(bench.told(NoticeKind.TAMPER)) == 2
    heard = len(bench.heard)
    bench.run(20)
    assert len(bench.heard) == heard, "never after its acknowledgement"


def test_an_acknowledgement_never_drops_what_was_not_sent() -> None:
    bench = opened()
    bench.acknowledges = False
    edge(bench)
    edge(bench)
    newest = bench.face.notices.newest
    bench.acknowledge(newest + 100)
    assert len(bench.face.notices) == 1
    bench.acknowledges = True
    bench.run(5)
    assert len(bench.told(NoticeKind.TAMPER)) == 2


def test_d21_an_unsent_level_is_replaced_and_a_sent_one_is_not() -> None:
    """BR-057: the meter counts on; the host takes the difference."""
    bench = opened()
    bench.acknowledges = False
    hands.put_packet(bench.machine, list(bench.felt)[:104])
    bench.permit(Permit.FEED, 60_000)
    bench.run(60)
    bench.acknowledges = True
    bench.run(5)
    meters = [said[3] for said in bench.told(NoticeKind.CARDS_IN)]
    assert meters == [1, 104]


def test_d22_sixteen_edges_are_kept() -> None:
    bench = opened()
    bench.acknowledges = False
    for _ in range(EDGES_KEPT):
        edge(bench)
    assert not bench.face.notices.is_full
    bench.acknowledges = True
    bench.run(5)
    assert len(bench.told(NoticeKind.TAMPER)) == EDGES_KEPT
    assert bench.told(NoticeKind.NOTICES_LOST) == []


def test_d22_more_close_deal_and_feed_and_are_counted() -> None:
    bench = opened()
    bench.load(104)
    bench.run(5)
    bench.permit(Permit.DEAL, 60_000)
    bench.permit(Permit.FEED, 60_000)
    bench.acknowledges = False
    for _ in range(EDGES_KEPT + 3):
        edge(bench)
    bench.run(2)
    assert not bench.face.permits.stands(Permit.DEAL)
    refusal = bench.permit(Permit.FEED, 1_000)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.NOTICES_FULL)
    refusal = bench.command(Operation.COUNT_ALL)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.NOTICES_FULL)
    assert bench.ask(Operation.STATE).body[9] == HelloFlag.NOTICES_LOST
    bench.acknowledges = True
    bench.run(10)
    ends = bench.told(NoticeKind.PERMIT_ENDED)[-2:]
    assert {(said[3], said[4]) for said in ends} == {
        (Permit.DEAL, PermitEnd.NOTICES_FULL),
        (Permit.FEED, PermitEnd.NOTICES_FULL),
    }
    assert bench.told(NoticeKind.NOTICES_LOST) == [{3: 3}]
    assert bench.ask(Operation.STATE).body[9] == 0
    assert status(bench.permit(Permit.DEAL, 1_000)) is Status.OK


def test_notices_wait_for_the_next_session() -> None:
    bench = opened()
    bench.face.disconnected()
    edge(bench)
    bench.run(60)
    bench.open()
    bench.run(1)
    assert len(bench.told(NoticeKind.TAMPER)) == 1


def test_ms_is_the_time_of_the_happening() -> None:
    bench = opened()
    bench.face.disconnected()
    bench.run(100)
    edge(bench)
    happened = bench.now_ns // NS_PER_MS
    bench.run(60)
    bench.open()
    assert bench.notices[-1].body[2] == happened


def test_no_notice_goes_out_in_answer_to_a_request_before_its_reply() -> None:
    bench = opened()
    bench.machine.standing.begin(Trouble.SENSOR_STUCK, Spot.FEED)
    bench.run(1)
    frames = bench.send(MessageType.REQUEST, Operation.CLEAR_FAULT, bench.seq + 1, {0: 6, 1: 1})
    kinds = [frame.type for frame in frames]
    assert kinds.index(MessageType.REPLY) < kinds.index(MessageType.NOTICE)


Act = tuple[str, int]
ACTS = st.tuples(st.sampled_from(["edge", "level", "send", "ack", "late ack", "restart"]), st.integers(0, 3))


class Listener:
    """Hears a queue notice by notice, and keeps what each said."""

    def __init__(self) -> None:
        self.queue = Notices()
        self.now_ns = 0
        self.numbers: list[int] = []
        self.edges = 0
        self.lost = 0
        self.level = 0

    def hear(self) -> None:
        self.now_ns += 5 * NS_PER_S
        notice = self.queue.take_due(self.now_ns)
        if notice is None or notice.number in self.numbers:
            return
        self.numbers.append(notice.number)
        said = notice.keys[3]
        assert isinstance(said, int)
        if notice.kind is NoticeKind.TAMPER:
            self.edges += 1
        elif notice.kind is NoticeKind.NOTICES_LOST:
            self.lost += said
        else:
            assert said >= self.level
            self.level = said

    def acknowledge(self, back: int) -> None:
        if self.numbers:
            self.queue.acknowledge(self.numbers[max(0, len(self.numbers) - 1 - back)], self.now_ns)


@given(st.lists(ACTS, max_size=120))
def test_queue_against_a_model(acts: list[Act]) -> None:
    """Whatever the order: numbers rise by one, every edge is heard or counted as lost, levels end at their last."""
    listener = Listener()
    edges = level = 0
    for act, amount in acts:
        listener.now_ns += NS_PER_MS
        if act == "edge":
            edges += amount
            for _ in range(amount):
                listener.queue.add(NoticeKind.TAMPER, {3: 1}, listener.now_ns)
        elif act == "level":
            level += amount
            listener.queue.add(NoticeKind.CARDS_OUT, {3: level}, listener.now_ns)
        elif act == "send":
            for _ in range(amount):
                listener.hear()
        elif act == "restart":
            listener.queue.restart(listener.now_ns)
        else:
            listener.acknowledge(0 if act == "ack" else amount)
    for _ in range(60):
        listener.hear()
        listener.acknowledge(0)
    assert listener.numbers == list(range(1, len(listener.numbers) + 1))
    assert listener.edges + listener.lost == edges
    assert listener.level == level
    assert len(listener.queue) == 0
    assert not listener.queue.is_lost
