"""The batch shuffler (TDL 11.5): a batch in, mixed and counted, packets out, the stub mixed again; jams in its lift."""

from __future__ import annotations

from collections import Counter

import pytest

from firmware_bridge.wire.tdl.codes import NoticeKind, Operation, Permit, Profile, Reason, Status
from firmware_bridge.wire.tdl.frame import Frame
from simulator.world import hands
from simulator.world.happenings import Spot
from simulator.world.hazards import PINNED
from tests.unit.simulator.bench import Bench, status

DECK = 52


@pytest.fixture
def bench() -> Bench:
    """One deck in, nothing counted since the boot."""
    made = Bench(decks=2, is_batch=True)
    made.open()
    made.load(DECK)
    return made


def ended(bench: Bench) -> Frame:
    return [frame for frame in bench.notices if frame.code == NoticeKind.COMMAND_ENDED][-1]


def shuffle(bench: Bench, expected: int = DECK) -> tuple[Status, Reason | None, int]:
    """SHUFFLE to its end: outcome, reason, cards moved."""
    assert status(bench.command(Operation.SHUFFLE, expected)) is Status.STARTED
    bench.run(120)
    body = ended(bench).body
    reason = body.get(5)
    return Status(int(str(body[4]))), Reason(int(str(reason))) if reason is not None else None, int(str(body.get(6, 0)))


def order(bench: Bench) -> list[str]:
    return [card.face for pile in bench.machine.piles for card in pile]


def out(bench: Bench, operation: Operation, cards: int | None = None) -> None:
    bench.permit(Permit.DEAL, 60_000)
    bench.command(operation, cards)
    bench.run(50)


def test_it_says_what_it_is(bench: Bench) -> None:
    assert bench.ask(Operation.IDENTITY).body[5] == (Profile.BATCH,)


def test_a_batch_is_mixed_and_counted(bench: Bench) -> None:
    before = order(bench)
    assert shuffle(bench) == (Status.DONE, None, DECK)
    after = order(bench)
    assert Counter(after) == Counter(before)
    assert sum(one == other for one, other in zip(before, after, strict=True)) < 12
    assert bench.machine.book.is_verified
    state = bench.ask(Operation.STATE).body
    assert (state[2], state[3]) == (DECK, (0, 0, DECK))


def test_each_order_is_as_likely_as_any_other() -> None:
    """The gaps are drawn so that every card ends anywhere alike: the first card's place, over many mixings."""
    bench = Bench(decks=1, is_batch=True)
    bench.open()
    bench.load(8)
    places: Counter[int] = Counter()
    stack = bench.machine.carousel.compartments[0]
    for _ in range(400):
        face = stack.bottom.face
        shuffle(bench, 8)
        places[[card.face for card in stack].index(face)] += 1
    assert len(places) == 8
    assert min(places.values()) > 20  # 50 expected, seven standard deviations off


@pytest.mark.parametrize(("expected", "reason"), [(DECK + 1, Reason.NO_CARDS), (DECK - 1, Reason.NO_ROOM)])
def test_another_number_than_expected_is_told_and_counted(bench: Bench, expected: int, reason: Reason) -> None:
    """A card too few, a card too many: mixed all the same, failed by the count, and the content is what was counted."""
    assert shuffle(bench, expected) == (Status.FAILED, reason, DECK)
    assert bench.machine.book.is_verified
    assert bench.ask(Operation.STATE).body[2] == DECK


def test_packets_are_dealt_and_the_stub_is_mixed_again(bench: Bench) -> None:
    shuffle(bench)
    out(bench, Operation.DEAL, 5)
    assert status_of(ended(bench)) == (Status.DONE, 5)
    assert len(bench.machine.carousel.mouth) == 5
    stub = [card.face for card in bench.machine.carousel.buffer]
    assert shuffle(bench, DECK - 5) == (Status.DONE, None, DECK - 5)
    assert Counter(order(bench)) - Counter(card.face for card in bench.machine.carousel.mouth) == Counter(stub)
    out(bench, Operation.EJECT_ALL)
    assert len(bench.machine.carousel.mouth) == DECK
    assert bench.ask(Operation.STATE).body[2] == 0
    bench.assert_conserved()


def status_of(frame: Frame) -> tuple[Status, int]:
    return Status(int(str(frame.body[4]))), int(str(frame.body.get(6, 0)))


def test_cards_come_back_to_the_stub(bench: Bench) -> None:
    """The lift goes down before a card is taken in: nothing is laid on what stands before the exit."""
    shuffle(bench)
    out(bench, Operation.DEAL, 5)
    for card in bench.machine.carousel.mouth:
        card.move_to(bench.machine.carousel.hopper)
    bench.permit(Permit.DEAL, 0)
    bench.permit(Permit.FEED, 0)
    bench.permit(Permit.FEED, 60_000, 5)
    bench.run(10)
    assert shuffle(bench) == (Status.DONE, None, DECK)


def test_nothing_comes_out_unasked(bench: Bench) -> None:
    """A deal permit alone moves no card, and the dealer cannot draw (profile 2)."""
    shuffle(bench)
    bench.permit(Permit.DEAL, 60_000)
    bench.run(30)
    assert hands.draw(bench.machine, bench.felt) == 0
    assert not bench.machine.carousel.mouth


def test_nothing_goes_in_or_out_while_it_mixes(bench: Bench) -> None:
    """TDL 7.4, with both permits standing."""
    meters = bench.ask(Operation.METERS).body
    for card in list(bench.felt)[:3]:
        card.move_to(bench.machine.carousel.hopper)
    assert status(bench.command(Operation.SHUFFLE, DECK)) is Status.STARTED
    bench.permit(Permit.FEED, 60_000)
    bench.permit(Permit.DEAL, 60_000)
    bench.run(5)
    assert bench.face.running is not None
    assert bench.ask(Operation.METERS).body == meters


def test_an_empty_machine_has_nothing_to_mix() -> None:
    bench = Bench(decks=1, is_batch=True)
    bench.open()
    reply = bench.command(Operation.SHUFFLE, DECK)
    assert (status(reply), reply.body[1]) == (Status.REFUSED, Reason.NO_CARDS)


def test_a_card_that_hangs_in_the_gripper_is_a_jam_and_recover_frees_it(bench: Bench) -> None:
    """The lift's jam is place 3; the content is unverified until it has been counted or mixed again."""
    stack = bench.machine.carousel.compartments[0]
    hands.turn_askew(list(stack)[20])
    assert status(bench.command(Operation.SHUFFLE, DECK)) is Status.STARTED
    bench.run(60)
    assert status_of(ended(bench)) == (Status.FAILED, 20)
    jam = next(frame for frame in bench.notices if frame.code == NoticeKind.JAM)
    assert jam.body[3] == 3
    assert not bench.machine.book.is_verified
    bench.machine.carousel.deep_jams.clear()
    for _ in range(20):  # every second try frees it
        bench.command(Operation.RECOVER, 3)
        bench.run(10)
        if not bench.machine.standing.jams:
            break
    assert not bench.machine.standing.jams
    assert shuffle(bench) == (Status.DONE, None, DECK)


def test_a_card_taken_out_by_hand_is_missing_in_the_count(bench: Bench) -> None:
    stack = bench.machine.carousel.compartments[0]
    hands.turn_askew(list(stack)[20])
    bench.command(Operation.SHUFFLE, DECK)
    bench.run(60)
    bench.permit(Permit.LID, 30_000)
    assert hands.open_lid(bench.machine)
    bench.settle()
    assert hands.take_stuck(bench.machine, Spot.CAROUSEL, bench.felt, hands.Skill.TECHNICIAN) == 1
    hands.close_lid(bench.machine)
    bench.run(5)
    assert not bench.machine.standing.jams
    assert shuffle(bench) == (Status.FAILED, Reason.NO_CARDS, DECK - 1)
    assert shuffle(bench, DECK - 1) == (Status.DONE, None, DECK - 1)


def test_the_lid_ends_it_and_no_card_is_lost(bench: Bench) -> None:
    bench.command(Operation.SHUFFLE, DECK)
    bench.run(5)
    assert hands.open_lid(bench.machine, with_key=True)
    bench.run(1)
    assert Reason(int(str(ended(bench).body[5]))) is Reason.LID_OPEN
    hands.close_lid(bench.machine)
    bench.run(5)
    assert shuffle(bench) == (Status.DONE, None, DECK)


def test_a_cut_of_power_while_it_mixes(bench: Bench) -> None:
    """Interrupted; the card in the gripper is a jam; what is inside is unverified."""
    bench.command(Operation.SHUFFLE, DECK)
    bench.run(5.1)
    bench.face.power_off()
    bench.face.boot(bench.now_ns)
    bench.settle()
    assert not bench.machine.book.is_verified
    assert bench.machine.cards_inside == DECK
    bench.assert_conserved()


def test_a_hundred_batches_at_the_pinned_rates() -> None:
    """No card is lost and no count is wrong without a cause that the machine or the world shows."""
    bench = Bench(decks=1, is_batch=True, rates=PINNED, seed=5)
    bench.open()
    bench.load(DECK)
    done = 0
    for _ in range(100):
        if bench.machine.standing.jams or bench.machine.standing.troubles:
            break
        outcome, _reason, moved = shuffle(bench, DECK)
        done += outcome is Status.DONE
        assert (outcome is Status.DONE) == (moved == DECK)
        bench.assert_conserved()
    assert done > 10
