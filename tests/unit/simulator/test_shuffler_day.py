"""A shuffler through load, deal, return, jam, count and unload, spoken to in frames only."""

from __future__ import annotations

from firmware_bridge.wire.tdl.codes import NoticeKind, Operation, Permit, PermitEnd, Place, Reason, Status
from simulator.world import hands
from simulator.world.happenings import Spot

from .bench import Bench, status


def ready_bench(cards: int = 312) -> Bench:
    """Open session, counted empty, loaded, counted."""
    bench = Bench()
    bench.open()
    bench.count_all()
    bench.load(cards)
    return bench


def test_hello_shows_who_it_is() -> None:
    bench = Bench()
    reply = bench.hello()
    assert reply.body[4] == "CSM-SIM"
    assert reply.body[7] is True
    assert reply.body[2] == 1


def test_load_in_three_packets_counts_every_card() -> None:
    bench = ready_bench()
    assert [said[3] for said in bench.told(NoticeKind.PACKET_END)] == [104, 104, 104]
    assert bench.told(NoticeKind.PERMIT_ENDED) == [{3: Permit.FEED, 4: PermitEnd.NUMBER, 5: 104}] * 3
    state = bench.ask(Operation.STATE)
    assert state.body[2] == 312
    assert state.body[3] == (0, 0, 312)
    assert state.body[4] is True
    bench.assert_conserved()


def test_deal_by_hand_under_a_standing_permit() -> None:
    bench = ready_bench()
    bench.permit(Permit.DEAL, 60_000)
    bench.run(5)
    drawn = 0
    for _ in range(23):
        drawn += hands.draw(bench.machine, bench.felt)
        bench.run(1)
    assert drawn == 23
    assert bench.told(NoticeKind.CARDS_OUT)[-1] == {3: 23}
    assert bench.ask(Operation.METERS).body[3] == 23
    bench.permit(Permit.DEAL, 0)
    bench.run(1)
    assert hands.draw(bench.machine, bench.felt) == 0
    assert bench.told(NoticeKind.PERMIT_ENDED)[-1] == {3: Permit.DEAL, 4: PermitEnd.REVOKED, 5: 23}
    bench.assert_conserved()


def test_a_permit_that_is_not_renewed_stops_the_feed_within_its_time() -> None:
    bench = Bench()
    bench.open()
    bench.run(5)  # the drum finds its mark
    hands.put_packet(bench.machine, list(bench.felt)[:104])
    bench.permit(Permit.FEED, 0)
    bench.permit(Permit.FEED, 2_000, 104)
    bench.run(10)
    ended = bench.told(NoticeKind.PERMIT_ENDED)[-1]
    assert ended[4] == PermitEnd.TIME
    counted = bench.machine.meters.cards_in
    assert ended[5] == counted
    assert 0 < counted < 104
    renewed = bench.permit(Permit.FEED, 2_000, 104)
    assert renewed.body[2] == counted


def test_jam_at_the_exit_is_told_lit_and_stopped_by_the_machine_itself() -> None:
    bench = ready_bench()
    bench.permit(Permit.DEAL, 60_000)
    bench.run(5)
    for card in bench.machine.carousel.buffer:
        hands.crease(card)
    hands.draw(bench.machine, bench.felt)
    bench.run(2)
    kinds = bench.kinds()
    at = kinds.index(NoticeKind.JAM)
    assert kinds[at : at + 3] == [NoticeKind.JAM, NoticeKind.LAMP, NoticeKind.PERMIT_ENDED]
    assert bench.told(NoticeKind.JAM) == [{3: Place.EXIT}]
    assert bench.ask(Operation.FAULTS).body[2] == (0, Place.EXIT)
    refusal = bench.permit(Permit.DEAL, 60_000)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.FAULT_OR_JAM)
    assert not hands.open_lid(bench.machine)
    bench.permit(Permit.LID, 30_000)
    assert hands.open_lid(bench.machine)
    assert hands.take_stuck(bench.machine, Spot.EXIT, bench.felt) == 1
    hands.close_lid(bench.machine)
    bench.run(5)
    assert bench.kinds()[-3:] == [NoticeKind.LID_OPENED, NoticeKind.LID_CLOSED, NoticeKind.JAM_GONE]
    assert status(bench.permit(Permit.DEAL, 60_000)) is Status.OK
    bench.assert_conserved()


def test_count_all_takes_about_two_minutes_and_tells_progress() -> None:
    bench = ready_bench()
    start = bench.now_ns
    bench.command(Operation.COUNT_ALL)
    while bench.face.running is not None:
        bench.run(1)
    assert 100e9 < bench.now_ns - start < 140e9
    assert bench.told(NoticeKind.COMMAND_ENDED)[-1] == {3: bench.number, 4: Status.DONE, 6: 312}
    done = [frame.body[1] for frame in bench.progress[-100:]]
    assert done == sorted(done)


def test_eject_all_brings_out_every_card() -> None:
    bench = ready_bench()
    refusal = bench.command(Operation.EJECT_ALL)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.PERMIT)
    bench.permit(Permit.DEAL, 60_000)
    assert status(bench.command(Operation.EJECT_ALL)) is Status.STARTED
    for _ in range(6):
        bench.run(20)
        bench.permit(Permit.DEAL, 60_000)
    assert hands.take_from_mouth(bench.machine, bench.felt) == 312
    assert bench.told(NoticeKind.COMMAND_ENDED)[-1] == {3: bench.number, 4: Status.DONE, 6: 312}
    state = bench.ask(Operation.STATE)
    assert (state.body[2], state.body[3], state.body[4]) == (0, (0, 0, 0), True)
    bench.assert_conserved()
