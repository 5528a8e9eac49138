"""What the shuffler does by itself, in frames, against docs/protocols/tdl.md 10 and 11.1 (D-26 to D-29)."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.wire.tdl.codes import (
    FaultCode,
    HelloFlag,
    NoticeKind,
    Operation,
    Permit,
    PermitEnd,
    Place,
    Reason,
    Status,
    SuspectReason,
)
from simulator.world import hands
from simulator.world.cards import BENT_UM
from simulator.world.happenings import Spot, Trouble
from simulator.world.lamp import JAM_LIGHT

from .bench import Bench, status


def in_play(decks: int = 6) -> Bench:
    bench = Bench(decks=decks)
    bench.open()
    bench.count_all()
    bench.load(52 * decks)
    bench.permit(Permit.DEAL, 60_000)
    bench.run(5)
    return bench


def provoke(bench: Bench, spot: Spot) -> None:
    """A creased card, or a drum out of line, jams at this place."""
    if spot is Spot.EXIT:
        hands.crease(bench.machine.carousel.buffer.bottom)
        hands.draw(bench.machine, bench.felt)
    else:
        for _ in range(3):
            hands.draw(bench.machine, bench.felt)
            bench.run(0.5)
        if spot is Spot.FEED:
            hands.crease(bench.felt.bottom)
        else:
            hands.hurt(bench.machine, Trouble.ALIGNMENT)
        hands.put_packet(bench.machine, bench.felt)
        bench.permit(Permit.FEED, 60_000)
    bench.run(2)


@pytest.mark.parametrize("spot", list(Spot))
def test_d26_a_jam_at_each_place_and_its_clearing_by_hand(spot: Spot) -> None:
    """CSM-2: the mechanism itself stops and lights its lamp."""
    bench = in_play()
    provoke(bench, spot)
    place = Place[spot.name]
    assert bench.told(NoticeKind.JAM) == [{3: place}]
    assert bench.machine.visible_light == JAM_LIGHT
    assert not bench.face.permits.stands(Permit.DEAL)
    assert bench.told(NoticeKind.PERMIT_ENDED)[-1][4] == PermitEnd.FAULT
    assert (bench.ask(Operation.METERS).body[4], bench.ask(Operation.FAULTS).body[2]) == (1, (0, place))
    off = bench.ask(Operation.LAMP, {0: 0, 1: 0})
    assert (status(off), off.body[1]) == (Status.REFUSED, Reason.FAULT_OR_JAM)
    bench.machine.carousel.broken.clear()
    bench.permit(Permit.LID, 60_000)
    hands.open_lid(bench.machine)
    taken = hands.take_stuck(bench.machine, spot, bench.felt, hands.Skill.TECHNICIAN)
    assert taken == 1
    cleared = bench.ask(Operation.CLEAR_FAULT, {0: FaultCode.JAM, 1: place})
    assert status(cleared) is Status.REFUSED, "never while the lid is open"
    hands.close_lid(bench.machine)
    bench.run(5)
    assert bench.told(NoticeKind.JAM_GONE) == [{3: place}]
    assert bench.machine.visible_light == JAM_LIGHT, "the host puts it out"
    assert status(bench.ask(Operation.LAMP, {0: 0, 1: 0})) is Status.OK
    state = bench.ask(Operation.STATE)
    assert state.body[2] == bench.machine.cards_inside
    bench.assert_conserved()


def test_a_lid_closed_over_the_stuck_card_leaves_the_jam_standing() -> None:
    bench = in_play()
    provoke(bench, Spot.EXIT)
    bench.permit(Permit.LID, 60_000)
    hands.open_lid(bench.machine)
    bench.run(1)
    hands.close_lid(bench.machine)
    bench.run(5)
    assert bench.told(NoticeKind.JAM_GONE) == []
    assert bench.ask(Operation.FAULTS).body[2] == (0, Place.EXIT)


def test_a_deep_jam_needs_a_technician() -> None:
    bench = in_play()
    provoke(bench, Spot.CAROUSEL)
    bench.machine.carousel.deep_jams.add(Spot.CAROUSEL)
    hands.open_lid(bench.machine, with_key=True)
    assert hands.take_stuck(bench.machine, Spot.CAROUSEL, bench.felt, hands.Skill.SUPERVISOR) == 0
    assert hands.take_stuck(bench.machine, Spot.CAROUSEL, bench.felt, hands.Skill.TECHNICIAN) == 1


def test_d26_an_opened_lid_stops_deal_and_feed() -> None:
    bench = in_play()
    hands.put_packet(bench.machine, list(bench.felt))
    bench.permit(Permit.FEED, 60_000)
    hands.open_lid(bench.machine, with_key=True)
    bench.run(1)
    assert bench.told(NoticeKind.LID_OPENED) == [{}]
    ends = bench.told(NoticeKind.PERMIT_ENDED)[-2:]
    assert [(said[3], said[4]) for said in ends] == [
        (Permit.DEAL, PermitEnd.LID),
        (Permit.FEED, PermitEnd.LID),
    ]
    meters = (bench.machine.meters.cards_in, bench.machine.meters.cards_out)
    hands.close_lid(bench.machine)
    bench.run(30)
    assert (bench.machine.meters.cards_in, bench.machine.meters.cards_out) == meters


def test_d27_nothing_is_dealt_after_a_boot_until_counted() -> None:
    bench = in_play(1)
    bench.face.reset(bench.now_ns)
    bench.open()
    bench.run(5)
    assert bench.ask(Operation.STATE).body[9] == HelloFlag.CONTENT_UNVERIFIED
    assert bench.permit(Permit.DEAL, 1_000).body[1] == Reason.CONTENT_UNVERIFIED
    assert hands.draw(bench.machine, bench.felt) == 0
    bench.count_all()
    assert bench.ask(Operation.STATE).body[9] == 0
    assert status(bench.permit(Permit.DEAL, 1_000)) is Status.OK


def test_d28_levels_agree_with_what_notices_told() -> None:
    bench = in_play(1)
    for _ in range(7):
        hands.draw(bench.machine, bench.felt)
        bench.run(1)
    meters = bench.ask(Operation.METERS).body
    assert meters[2] == bench.told(NoticeKind.CARDS_IN)[-1][3] == 52
    assert meters[3] == bench.told(NoticeKind.CARDS_OUT)[-1][3] == 7
    state = bench.ask(Operation.STATE).body
    areas = state[3]
    assert isinstance(areas, tuple)
    assert state[2] == sum(areas) == 45


def test_d29_counts_agree_with_the_cards_over_a_day_of_rounds() -> None:
    """CSM-9 to CSM-11 in miniature: 60 rounds, one held over."""
    bench = in_play()
    for round_number in range(60):
        bench.permit(Permit.DEAL, 60_000)
        for _ in range(23):
            bench.run(0.4)
            assert hands.draw(bench.machine, bench.felt) == 1
        if round_number % 10 != 3:
            hands.put_packet(bench.machine, bench.felt)
            bench.permit(Permit.FEED, 0)
            bench.permit(Permit.FEED, 60_000, len(bench.machine.carousel.hopper))
            bench.run(20)
        assert bench.ask(Operation.STATE).body[2] == bench.machine.cards_inside
    assert bench.machine.meters.cards_out == 60 * 23
    bench.assert_conserved()


def test_power_lost_in_mid_feed_leaves_a_jam_that_is_told_after_booted() -> None:
    bench = Bench()
    bench.open()
    bench.run(5)
    hands.put_packet(bench.machine, list(bench.felt)[:52])
    bench.permit(Permit.FEED, 60_000)
    bench.run(3.05)
    while bench.machine.carousel.is_path_clear(Spot.FEED):
        bench.run(0.01)
    bench.face.reset(bench.now_ns)
    bench.open()
    bench.run(1)
    assert bench.kinds()[-3:] == [NoticeKind.BOOTED, NoticeKind.JAM, NoticeKind.LAMP]
    bench.assert_conserved()


def test_a_full_machine_stops_feeding_and_says_over_capacity() -> None:
    bench = Bench(decks=8)
    bench.open()
    bench.run(5)
    while bench.machine.book.content.total < bench.machine.figures.capacity:
        hands.put_packet(bench.machine, list(bench.felt)[:100])
        bench.permit(Permit.FEED, 60_000)
        bench.run(40)
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.OVER_CAPACITY, 4: Place.FEED}]
    assert bench.ask(Operation.STATE).body[2] == 380
    assert len(bench.machine.carousel.hopper) > 0
    bench.count_all()  # 10.4: it takes no card in, so a full machine can be counted, and made emptier
    bench.assert_conserved()


def test_a_machine_that_runs_dry_warns_and_is_normal_again() -> None:
    bench = Bench(decks=1)
    bench.open()
    bench.count_all()
    bench.load(30)
    bench.permit(Permit.DEAL, 60_000)
    bench.run(5)
    for _ in range(28):
        hands.draw(bench.machine, bench.felt)
        bench.run(0.5)
    assert len(bench.told(NoticeKind.BUFFER_LOW)) == 1
    hands.put_packet(bench.machine, list(bench.felt)[:40])
    bench.permit(Permit.FEED, 60_000)
    bench.run(30)
    assert len(bench.told(NoticeKind.BUFFER_NORMAL)) == 1


def test_a_double_feed_that_is_noticed_stops_everything_until_cleared() -> None:
    bench = Bench()
    bench.open()
    bench.run(5)
    for card in bench.felt:
        hands.spill(card)
    hands.put_packet(bench.machine, list(bench.felt)[:60])
    bench.permit(Permit.FEED, 60_000)
    bench.run(40)
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.DOUBLE_FEED, 4: Place.FEED}]
    assert bench.told(NoticeKind.SUSPECT_CARD) == [{3: SuspectReason.THICK, 4: Place.FEED}]
    assert bench.machine.cards_inside > bench.machine.book.content.total
    assert status(bench.ask(Operation.CLEAR_FAULT, {0: FaultCode.DOUBLE_FEED, 1: Place.FEED})) is Status.OK
    bench.count_all()
    assert bench.machine.book.content.total == bench.machine.cards_inside


def test_a_bent_card_is_called_suspect_at_the_exit() -> None:
    bench = in_play(1)
    for card in bench.machine.carousel.buffer:
        hands.bend(card, BENT_UM)
    for _ in range(10):
        hands.draw(bench.machine, bench.felt)
        bench.run(0.5)
    assert bench.told(NoticeKind.SUSPECT_CARD)[0] == {3: SuspectReason.BENT, 4: Place.EXIT}


@pytest.mark.parametrize(
    ("trouble", "goes_by_itself"),
    [
        (Trouble.MEMORY, False),
        (Trouble.SUPPLY, True),
        (Trouble.TEMPERATURE, True),
        (Trouble.RANDOM_SOURCE, False),
    ],
)
def test_faults_of_the_electronics_and_how_they_go(trouble: Trouble, goes_by_itself: bool) -> None:
    """Table 10.4."""
    bench = in_play(1)
    code = FaultCode[trouble.name]
    question = {0: code, 1: Place.CAROUSEL}
    hands.hurt(bench.machine, trouble)
    bench.run(1)
    assert bench.ask(Operation.FAULTS).body[2] == (code, Place.CAROUSEL)
    assert status(bench.ask(Operation.CLEAR_FAULT, question)) is Status.REFUSED
    hands.mend(bench.machine, trouble)
    bench.run(1)
    assert bool(bench.told(NoticeKind.FAULT_GONE)) is goes_by_itself
    assert status(bench.ask(Operation.CLEAR_FAULT, question)) is Status.OK
    bench.run(1)
    assert bench.told(NoticeKind.FAULT_GONE) == [{3: code, 4: Place.CAROUSEL}]


@pytest.mark.parametrize("spot", [Spot.FEED, Spot.EXIT])
def test_a_stuck_counter_is_found_after_three_cards(spot: Spot) -> None:
    bench = in_play(1)
    bench.machine.carousel.counter(spot).is_stuck = True
    if spot is Spot.FEED:
        for _ in range(6):
            hands.draw(bench.machine, bench.felt)
            bench.run(0.5)
        hands.put_packet(bench.machine, bench.felt)
        bench.permit(Permit.FEED, 60_000)
        bench.run(10)
    else:
        for _ in range(6):
            hands.draw(bench.machine, bench.felt)
            bench.run(0.5)
    question = {0: FaultCode.SENSOR_STUCK, 1: Place[spot.name]}
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.SENSOR_STUCK, 4: Place[spot.name]}]
    assert bench.machine.cards_inside != bench.machine.book.content.total
    assert status(bench.ask(Operation.CLEAR_FAULT, question)) is Status.REFUSED
    bench.machine.carousel.counter(spot).is_stuck = False
    assert status(bench.ask(Operation.CLEAR_FAULT, question)) is Status.OK


@pytest.mark.parametrize("trouble", [Trouble.HOMING, Trouble.CAROUSEL_DRIVE, Trouble.FEED_DRIVE, Trouble.EXIT_DRIVE])
def test_a_drive_shows_its_failure_when_it_runs(trouble: Trouble) -> None:
    bench = in_play(1)
    hands.hurt(bench.machine, trouble)
    for _ in range(12):
        hands.draw(bench.machine, bench.felt)
        bench.run(0.5)
    hands.put_packet(bench.machine, bench.felt)
    bench.permit(Permit.FEED, 60_000)
    bench.run(20)  # one deck in 38 compartments: the refill takes many ejections before the feed has its turn
    if trouble is Trouble.HOMING:
        hands.open_lid(bench.machine, with_key=True)
        hands.close_lid(bench.machine)
        bench.run(5)
    assert bench.told(NoticeKind.FAULT)[0][3] == FaultCode[trouble.name]
    bench.assert_conserved()


def test_a_burnt_lamp_is_told_when_it_should_light() -> None:
    bench = in_play(1)
    hands.hurt(bench.machine, Trouble.LAMP)
    bench.ask(Operation.LAMP, {0: 2, 1: 0})
    bench.run(1)
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.LAMP, 4: Place.EXIT}]


def test_self_test_finds_what_is_broken() -> None:
    bench = in_play(1)
    assert status(bench.command(Operation.SELF_TEST)) is Status.STARTED
    bench.run(20)
    assert bench.told(NoticeKind.COMMAND_ENDED)[-1] == {3: bench.number, 4: Status.DONE}
    hands.dust(bench.machine, Spot.EXIT)
    bench.command(Operation.SELF_TEST)
    bench.run(20)
    assert bench.told(NoticeKind.COMMAND_ENDED)[-1] == {3: bench.number, 4: Status.FAILED, 5: Reason.FAULT_OR_JAM}
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.SENSOR_MARGIN, 4: Place.EXIT}]


def test_counted_deal_brings_out_exactly_so_many() -> None:
    bench = Bench(decks=1, has_counted_deal=True)
    bench.open()
    bench.count_all()
    bench.load(52)
    bench.permit(Permit.DEAL, 60_000)
    bench.command(Operation.DEAL, 5)
    bench.run(10)
    assert len(bench.machine.carousel.mouth) == 5
    assert bench.told(NoticeKind.COMMAND_ENDED)[-1] == {3: bench.number, 4: Status.DONE, 6: 5}
    assert bench.told(NoticeKind.CARDS_OUT)[-1] == {3: 5}


def test_a_card_torn_out_against_the_brake_is_counted() -> None:
    bench = in_play(1)
    bench.permit(Permit.DEAL, 0)
    bench.run(1)
    assert hands.draw(bench.machine, bench.felt) == 0
    assert hands.tear_out(bench.machine, bench.felt) == 1
    bench.run(1)
    assert bench.told(NoticeKind.CARDS_OUT)[-1] == {3: 1}
    assert bench.felt.top.is_bent


def test_no_message_names_a_card() -> None:
    """11.1: rank, suit or order of a card in any message: never."""
    bench = in_play(1)
    before = [dict(frame.body) for frame in bench.heard]
    other = Bench(decks=1)
    other.felt.wash(random.Random(9))
    other.open()
    other.count_all()
    other.load(52)
    other.permit(Permit.DEAL, 60_000)
    other.run(5)
    assert [dict(frame.body) for frame in other.heard] == before
