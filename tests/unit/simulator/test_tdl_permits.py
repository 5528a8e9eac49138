"""Device side of permits against docs/protocols/tdl.md 9 (conformance D-23 to D-25)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.wire.tdl.codes import NoticeKind, Operation, Permit, PermitEnd, Reason, Status
from simulator.faces.permits import Lease
from simulator.world import hands
from simulator.world.happenings import Spot, Trouble

from .bench import Bench, status


def ready(cards: int = 104) -> Bench:
    bench = Bench()
    bench.open()
    bench.count_all()
    if cards:
        bench.load(cards)
    bench.permit(Permit.FEED, 0)
    return bench


def feed_until(bench: Bench, cards: int) -> None:
    target = bench.machine.meters.cards_in + cards
    while bench.machine.meters.cards_in < target:
        bench.run(0.01)


def test_the_example_of_the_text() -> None:
    """9.2, word for word: revoke, 104 in three grants, a fourth that does not stand, revoke, the next packet."""
    bench = ready(0)
    hands.put_packet(bench.machine, list(bench.felt)[:115])
    start = len(bench.told(NoticeKind.PERMIT_ENDED))
    assert bench.permit(Permit.FEED, 60_000, 104).body[2] == 0
    feed_until(bench, 60)
    assert bench.permit(Permit.FEED, 60_000, 104).body[2] == 60
    feed_until(bench, 1)
    assert bench.permit(Permit.FEED, 1, 104).body[2] == 61
    bench.run(2)
    ended = bench.told(NoticeKind.PERMIT_ENDED)[start:]
    assert (ended[0][4], ended[0][5]) in {(PermitEnd.TIME, 61), (PermitEnd.TIME, 62)}
    bench.permit(Permit.FEED, 60_000, 104)
    bench.run(60)
    assert bench.told(NoticeKind.PERMIT_ENDED)[-1] == {3: Permit.FEED, 4: PermitEnd.NUMBER, 5: 104}
    assert bench.told(NoticeKind.PACKET_END)[-1] == {3: 104}
    assert bench.machine.meters.cards_in == 104
    again = bench.permit(Permit.FEED, 60_000, 104)
    assert (status(again), again.body[2]) == (Status.OK, 104)
    assert not bench.face.permits.stands(Permit.FEED)
    bench.run(5)
    assert len(bench.told(NoticeKind.PERMIT_ENDED)) == start + 2, "no second notice"
    assert bench.permit(Permit.FEED, 0).body[2] == 104
    assert bench.permit(Permit.FEED, 60_000, 52).body[2] == 0
    bench.run(10)
    assert bench.machine.meters.cards_in == 115


@pytest.mark.parametrize(("what", "ms"), [(Permit.FEED, 2_000), (Permit.DEAL, 5_000), (Permit.LID, 3_000)])
def test_d23_a_permit_ends_at_its_time_without_the_host(what: Permit, ms: int) -> None:
    bench = ready()
    if what is Permit.FEED:
        hands.put_packet(bench.machine, list(bench.felt)[:104])
    bench.permit(what, ms)
    granted_ns = bench.now_ns
    bench.face.disconnected()
    bench.run(ms / 1000)
    assert not bench.face.permits.stands(what)
    meters = bench.machine.meters.cards_in + bench.machine.meters.cards_out
    bench.run(30)
    assert bench.machine.meters.cards_in + bench.machine.meters.cards_out - meters <= 1
    assert hands.draw(bench.machine, bench.felt) == 0
    assert not hands.open_lid(bench.machine)
    bench.open()
    bench.run(1)
    ended = bench.told(NoticeKind.PERMIT_ENDED)[-1]
    assert (ended[3], ended[4]) == (what, PermitEnd.TIME)
    told = next(frame for frame in reversed(bench.notices) if frame.code == NoticeKind.PERMIT_ENDED)
    at_ms = told.body[2]
    assert isinstance(at_ms, int)
    assert 0 <= at_ms - (granted_ns // 1_000_000 + ms) <= 1_000


@pytest.mark.parametrize("limit", [1, 2, 23])
def test_d24_no_card_beyond_the_limit(limit: int) -> None:
    bench = ready()
    before = bench.machine.meters.cards_in
    hands.put_packet(bench.machine, list(bench.felt)[:50])
    bench.permit(Permit.FEED, 60_000, limit)
    bench.run(30)
    assert bench.machine.meters.cards_in == before + limit
    assert bench.told(NoticeKind.PERMIT_ENDED)[-1] == {3: Permit.FEED, 4: PermitEnd.NUMBER, 5: limit}
    bench.permit(Permit.DEAL, 60_000, limit)
    drawn = 0
    for _ in range(60):
        bench.run(0.5)
        drawn += hands.draw(bench.machine, bench.felt)
    assert drawn == limit
    bench.assert_conserved()


def test_a_late_renewal_counts_on() -> None:
    bench = ready(0)
    hands.put_packet(bench.machine, list(bench.felt)[:104])
    bench.permit(Permit.FEED, 2_000, 104)
    bench.run(5)
    counted = bench.told(NoticeKind.PERMIT_ENDED)[-1][5]
    assert bench.permit(Permit.FEED, 60_000, 104).body[2] == counted
    bench.run(60)
    assert bench.machine.meters.cards_in == 104


def test_busy_while_the_last_card_of_the_one_before_still_moves() -> None:
    bench = ready(0)
    hands.put_packet(bench.machine, list(bench.felt)[:104])
    bench.permit(Permit.FEED, 60_000, 104)
    bench.run(0.1)
    bench.permit(Permit.FEED, 0)
    assert status(bench.permit(Permit.FEED, 60_000, 104)) is Status.BUSY
    bench.run(1)
    assert bench.told(NoticeKind.PERMIT_ENDED)[-1] == {3: Permit.FEED, 4: PermitEnd.REVOKED, 5: 1}
    assert bench.permit(Permit.FEED, 60_000, 104).body[2] == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({0: Permit.FEED, 1: 60_001}, Reason.ARGUMENT),
        ({0: Permit.FEED, 1: 1_000, 2: 0}, Reason.ARGUMENT),
        ({0: Permit.FEED}, Reason.ARGUMENT),
        ({1: 1_000}, Reason.ARGUMENT),
        ({0: Permit.FEED, 1: True}, Reason.ARGUMENT),
        ({0: Permit.SLOTS, 1: 1_000}, Reason.NOT_OFFERED),
        ({0: 9, 1: 0}, Reason.NOT_OFFERED),
    ],
)
def test_what_makes_no_sense_is_refused(body: dict[int, int], expected: Reason) -> None:
    bench = ready(0)
    refusal = bench.ask(Operation.PERMIT, body)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, expected)


def test_refused_by_lid_fault_and_unverified_content() -> None:
    bench = Bench()
    bench.open()
    refusal = bench.permit(Permit.DEAL, 1_000)
    assert refusal.body[1] == Reason.CONTENT_UNVERIFIED
    assert status(bench.permit(Permit.FEED, 1_000)) is Status.OK
    hands.hurt(bench.machine, Trouble.SUPPLY)
    bench.run(0.1)
    assert bench.told(NoticeKind.PERMIT_ENDED) == [{3: Permit.FEED, 4: PermitEnd.FAULT, 5: 0}]
    assert bench.permit(Permit.FEED, 1_000).body[1] == Reason.FAULT_OR_JAM
    hands.mend(bench.machine, Trouble.SUPPLY)
    bench.run(0.1)
    assert status(bench.permit(Permit.FEED, 1_000)) is Status.OK
    bench.permit(Permit.LID, 10_000)
    hands.open_lid(bench.machine)
    bench.run(0.1)
    assert bench.told(NoticeKind.PERMIT_ENDED)[-1] == {3: Permit.FEED, 4: PermitEnd.LID, 5: 0}
    assert bench.permit(Permit.FEED, 1_000).body[1] == Reason.LID_OPEN
    assert status(bench.permit(Permit.LID, 10_000)) is Status.OK


def test_a_boot_ends_permits_without_a_notice_and_begins_the_count_anew() -> None:
    bench = ready(0)
    hands.put_packet(bench.machine, list(bench.felt)[:50])
    bench.permit(Permit.FEED, 60_000, 104)
    bench.run(5)
    bench.face.reset(bench.now_ns)
    bench.open()
    bench.run(1)
    booted = bench.kinds()[::-1].index(NoticeKind.BOOTED)
    assert NoticeKind.PERMIT_ENDED not in bench.kinds()[len(bench.kinds()) - booted :]
    for spot in Spot:
        bench.machine.carousel.jammed.discard(spot)
    assert bench.face.permits[Permit.FEED].counted == 0


def test_the_lid_locks_when_its_permit_has_ended() -> None:
    """CSM-2: without a supervisor's permit the machine itself holds it; only the room's key opens it then."""
    bench = ready(0)
    bench.permit(Permit.LID, 2_000)
    assert hands.open_lid(bench.machine)
    bench.run(5)
    hands.close_lid(bench.machine)
    bench.run(1)
    assert not hands.open_lid(bench.machine)
    assert hands.open_lid(bench.machine, with_key=True)


class Model:
    """The table of 9.1 to 9.3 in its own words."""

    def __init__(self) -> None:
        self.stands = False
        self.fresh = True
        self.counted = 0
        self.limit: int | None = None
        self.deadline = 0

    def grant(self, now: int, ms: int, limit: int | None) -> None:
        if self.fresh:
            self.counted, self.fresh = 0, False
        self.deadline, self.limit = now + ms, limit
        self.stands = limit is None or self.counted < limit

    def card(self) -> None:
        if self.stands:
            self.counted += 1
            if self.limit is not None and self.counted >= self.limit:
                self.stands = False


STEPS = st.one_of(
    st.tuples(st.just("grant"), st.integers(1, 50), st.none() | st.integers(1, 6)),
    st.tuples(st.just("revoke"), st.just(0), st.none()),
    st.tuples(st.just("card"), st.just(0), st.none()),
    st.tuples(st.just("time"), st.integers(1, 60), st.none()),
)


@given(st.lists(STEPS, max_size=60))
def test_a_lease_against_the_table(steps: list[tuple[str, int, int | None]]) -> None:
    lease, model, now = Lease(Permit.FEED), Model(), 0
    for step, amount, limit in steps:
        if lease.ending is not None:
            lease.ending = None  # the machine stands at once here
        if step == "grant":
            lease.grant(now + amount, limit)
            model.grant(now, amount, limit)
        elif step == "revoke":
            lease.revoke()
            model.stands, model.fresh = False, True
        elif step == "card":
            lease.count(1)
            model.card()
        else:
            now += amount
            if model.deadline <= now:
                model.stands = False
            if lease.stands and lease.deadline_ns <= now:
                lease.end(PermitEnd.TIME)
        assert (lease.stands, lease.counted) == (model.stands, model.counted)
        assert lease.limit is None or lease.counted <= max(lease.limit, model.counted)


def test_deadlines_hold_to_the_nanosecond() -> None:
    bench = ready(0)
    bench.permit(Permit.FEED, 2_000)
    bench.now_ns += 2 * NS_PER_S - 1
    bench.settle()
    assert bench.face.permits.stands(Permit.FEED)
    bench.now_ns += 1
    bench.settle()
    assert not bench.face.permits.stands(Permit.FEED)
