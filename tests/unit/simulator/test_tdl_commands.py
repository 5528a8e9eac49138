"""Device side of moving commands against docs/protocols/tdl.md 7 (conformance D-10 to D-18)."""

from __future__ import annotations

import pytest

from firmware_bridge.wire.tdl.codes import NoticeKind, Operation, Permit, Reason, Status
from firmware_bridge.wire.tdl.frame import Frame
from simulator.faces.memory import CommandRecord
from simulator.world import hands
from simulator.world.happenings import Spot, Trouble

from .bench import EPOCH, Bench, Watched, small, status


def reason(reply: Frame) -> tuple[Status, Reason | None]:
    code = reply.body.get(1)
    assert code is None or isinstance(code, int)
    return status(reply), None if code is None else Reason(code)


def test_d11_the_same_number_twice_moves_once() -> None:
    bench = small()
    watched = Watched(bench)
    assert status(bench.command(Operation.COUNT_ALL, number=1)) is Status.STARTED
    assert status(bench.command(Operation.COUNT_ALL, number=1)) is Status.STARTED
    bench.run(60)
    again = bench.command(Operation.COUNT_ALL, number=1)
    assert (status(again), again.body[2]) == (Status.DONE, 0)
    assert watched.begun == [1]


def test_d12_passed_over_or_forgotten_numbers_are_old() -> None:
    bench = small()
    for number in range(10, 30, 2):
        bench.command(Operation.COUNT_ALL, number=number)
        bench.run(60)
    watched = Watched(bench)
    for number in (1, 9, 10, 12, 15, 27):
        assert status(bench.command(Operation.COUNT_ALL, number=number)) is Status.OLD
        assert status(bench.ask(Operation.OUTCOME, {0: EPOCH, 1: number})) is Status.OLD
    assert status(bench.ask(Operation.OUTCOME, {0: EPOCH, 1: 14})) is Status.DONE
    assert watched.begun == []


def test_d13_a_wrong_epoch_is_refused_and_stores_nothing() -> None:
    bench = small()
    refusal = bench.ask(Operation.COUNT_ALL, {0: EPOCH + 1, 1: 5})
    assert reason(refusal) == (Status.REFUSED, Reason.EPOCH)
    assert bench.memory.commands.highest == 0
    assert reason(bench.ask(Operation.OUTCOME, {0: EPOCH + 1, 1: 5})) == (Status.REFUSED, Reason.EPOCH)


def test_d14_a_question_fences() -> None:
    """BR-007: after *never* a copy that still travels does nothing, in this boot and the next."""
    bench = small()
    watched = Watched(bench)
    question = {0: EPOCH, 1: 5}
    assert status(bench.ask(Operation.OUTCOME, question)) is Status.NEVER
    assert status(bench.ask(Operation.OUTCOME, question)) is Status.NEVER
    assert status(bench.command(Operation.COUNT_ALL, number=5)) is Status.NEVER
    assert status(bench.command(Operation.COUNT_ALL, number=4)) is Status.OLD
    bench.face.reset(bench.now_ns)
    bench.open()
    assert status(bench.command(Operation.COUNT_ALL, number=5)) is Status.NEVER
    assert status(bench.command(Operation.COUNT_ALL, number=6)) is Status.STARTED
    assert watched.begun == [6]


def test_d15_a_boot_interrupts_what_had_started() -> None:
    """BR-015."""
    bench = small()
    bench.command(Operation.COUNT_ALL, number=1)
    bench.face.reset(bench.now_ns)
    bench.open()
    assert status(bench.ask(Operation.OUTCOME, {0: EPOCH, 1: 1})) is Status.INTERRUPTED
    watched = Watched(bench)
    assert status(bench.command(Operation.COUNT_ALL, number=1)) is Status.INTERRUPTED
    assert watched.begun == []
    assert bench.face.boot_number == 2


def test_d16_progress_each_second_and_command_ended_after_its_outcome() -> None:
    """BR-009: a host sees that a long command is alive."""
    bench = Bench(decks=2)
    bench.open()
    bench.load(104)
    bench.command(Operation.COUNT_ALL)
    start = bench.now_ns
    while bench.face.running is not None:
        heard = len(bench.progress)
        bench.run(1.0)
        assert bench.face.running is None or len(bench.progress) > heard
    assert (bench.now_ns - start) / 1e9 > 30
    assert bench.told(NoticeKind.COMMAND_ENDED)[-1] == {3: bench.number, 4: Status.DONE, 6: 104}
    assert bench.progress[-1].body[2] == 39


class TestAdopt:
    """D-17."""

    def test_a_new_device_takes_it_unarmed(self) -> None:
        bench = Bench(decks=0, epoch=0)
        bench.open(epoch=5)
        assert reason(bench.permit(Permit.FEED, 1_000)) == (Status.REFUSED, Reason.EPOCH)
        assert status(bench.ask(Operation.ADOPT, {0: 5, 1: 40})) is Status.DONE
        assert bench.memory.commands == CommandRecord(5, 40)
        assert status(bench.permit(Permit.FEED, 1_000)) is Status.OK
        assert status(bench.ask(Operation.COUNT_ALL, {0: 5, 1: 40})) is Status.OLD

    def test_one_that_obeys_somebody_must_be_armed(self) -> None:
        bench = small()
        bench.permit(Permit.FEED, 60_000)
        bench.run(6)
        bench.acknowledges = False
        bench.open(epoch=5)
        adopt = {0: 5, 1: 0}
        assert reason(bench.ask(Operation.ADOPT, adopt)) == (Status.REFUSED, Reason.NOT_ARMED)
        bench.ask(Operation.ARM, {0: Operation.ADOPT})
        bench.run(10.1)
        assert reason(bench.ask(Operation.ADOPT, adopt)) == (Status.REFUSED, Reason.NOT_ARMED)
        bench.ask(Operation.ARM, {0: Operation.ADOPT})
        assert status(bench.ask(Operation.ADOPT, adopt)) is Status.DONE
        assert bench.face.outcomes.epoch == 5
        assert not bench.face.permits.stands(Permit.FEED)

    def test_the_arming_is_used_up_whatever_the_answer(self) -> None:
        bench = small()
        bench.run(6)
        bench.open(epoch=5)
        bench.ask(Operation.ARM, {0: Operation.ADOPT})
        assert reason(bench.ask(Operation.ADOPT, {0: 6, 1: 0})) == (Status.REFUSED, Reason.ARGUMENT)
        assert reason(bench.ask(Operation.ADOPT, {0: 5, 1: 0})) == (Status.REFUSED, Reason.NOT_ARMED)

    def test_the_epoch_obeyed_already_changes_nothing(self) -> None:
        bench = small()
        bench.command(Operation.COUNT_ALL, number=3)
        kept = bench.memory.commands
        assert status(bench.ask(Operation.ADOPT, {0: EPOCH, 1: 99})) is Status.DONE
        assert bench.memory.commands == kept

    def test_not_while_a_command_runs(self) -> None:
        bench = small()
        bench.command(Operation.COUNT_ALL, number=1)
        bench.run(0.1)
        bench.face.disconnected()
        bench.open(epoch=5)
        bench.ask(Operation.ARM, {0: Operation.ADOPT})
        assert reason(bench.ask(Operation.ADOPT, {0: 5, 1: 0})) == (Status.REFUSED, Reason.COMMAND_RUNS)

    def test_only_maintenance_codes_can_be_armed(self) -> None:
        bench = small()
        for code in (Operation.COUNT_ALL, 0x81, 0xC0):
            assert reason(bench.ask(Operation.ARM, {0: code})) == (Status.REFUSED, Reason.NOT_OFFERED)


def test_d18_one_at_a_time_the_second_is_refused_and_stored() -> None:
    bench = small()
    bench.command(Operation.COUNT_ALL, number=1)
    assert reason(bench.command(Operation.SELF_TEST, number=2)) == (Status.REFUSED, Reason.COMMAND_RUNS)
    bench.run(60)
    assert reason(bench.command(Operation.SELF_TEST, number=2)) == (Status.REFUSED, Reason.COMMAND_RUNS)


def test_guards_in_their_order() -> None:
    """Table 7.3: what stands first in it is what is told."""
    bench = small(has_counted_deal=True)
    machine = bench.machine
    assert reason(bench.command(Operation.SHUFFLE, 52)) == (Status.REFUSED, Reason.NOT_OFFERED)
    assert reason(bench.command(Operation.DEAL)) == (Status.REFUSED, Reason.ARGUMENT)
    assert reason(bench.command(Operation.RECOVER, 5)) == (Status.REFUSED, Reason.ARGUMENT)
    assert reason(bench.command(Operation.DEAL, 1)) == (Status.REFUSED, Reason.CONTENT_UNVERIFIED)
    bench.count_all()
    assert reason(bench.command(Operation.DEAL, 1)) == (Status.REFUSED, Reason.PERMIT)
    bench.permit(Permit.DEAL, 60_000)
    assert reason(bench.command(Operation.DEAL, 1)) == (Status.REFUSED, Reason.NO_CARDS)
    hands.hurt(machine, Trouble.RANDOM_SOURCE)
    bench.run(0.1)
    assert reason(bench.command(Operation.DEAL, 1)) == (Status.REFUSED, Reason.FAULT_OR_JAM)
    assert reason(bench.command(Operation.COUNT_ALL)) == (Status.REFUSED, Reason.FAULT_OR_JAM)
    hands.open_lid(machine, with_key=True)
    bench.run(0.1)
    assert reason(bench.command(Operation.DEAL, 1)) == (Status.REFUSED, Reason.LID_OPEN)
    assert reason(bench.command(Operation.SELF_TEST)) == (Status.REFUSED, Reason.LID_OPEN)


@pytest.mark.parametrize("body", [{}, {0: EPOCH}, {1: 3}, {0: EPOCH, 1: 0}, {0: True, 1: 3}, {0: EPOCH, 1: "3"}])
def test_a_command_without_its_number_is_refused_and_not_stored(body: dict[int, int | str | bool]) -> None:
    bench = small()
    assert reason(bench.ask(Operation.COUNT_ALL, body)) == (Status.REFUSED, Reason.ARGUMENT)
    assert bench.memory.commands.highest == 0


def test_a_memory_that_cannot_be_written_moves_nothing() -> None:
    bench = small()
    watched = Watched(bench)
    bench.memory.is_broken = True
    assert reason(bench.command(Operation.COUNT_ALL, number=1)) == (Status.REFUSED, Reason.FAULT_OR_JAM)
    bench.run(1)
    assert bench.told(NoticeKind.FAULT) == [{3: 8, 4: 3}]
    assert watched.begun == []


def test_a_device_that_forgot_obeys_nobody_and_says_memory() -> None:
    bench = small()
    bench.command(Operation.COUNT_ALL, number=7)
    bench.face.power_off()
    bench.memory.wipe()
    bench.face.boot(bench.now_ns)
    bench.open()
    bench.run(1)
    assert bench.face.outcomes.epoch == 0
    assert bench.face.boot_number == 1
    assert bench.told(NoticeKind.FAULT) == [{3: 8, 4: 3}]


class TestEnds:
    """Table 7.4: what ends a running command before its goal."""

    def loaded(self) -> Bench:
        bench = Bench(decks=1)
        bench.open()
        bench.count_all()
        bench.load(52)
        bench.permit(Permit.DEAL, 60_000)
        return bench

    def ended(self, bench: Bench) -> dict[int, object]:
        bench.run(4)
        told = bench.told(NoticeKind.COMMAND_ENDED)[-1]
        stored = bench.ask(Operation.OUTCOME, {0: EPOCH, 1: bench.number})
        assert stored.body[0] == told[4]
        assert stored.body.get(1) == told.get(5)
        assert stored.body.get(2) == told.get(6)
        return dict(told)

    def test_permit_revoked_under_eject_all(self) -> None:
        bench = self.loaded()
        bench.command(Operation.EJECT_ALL)
        bench.run(4)
        bench.permit(Permit.DEAL, 0)
        told = self.ended(bench)
        assert (told[4], told[5]) == (Status.FAILED, Reason.PERMIT)
        assert told[6] == len(bench.machine.carousel.mouth)
        assert bench.kinds()[-2:] == [NoticeKind.PERMIT_ENDED, NoticeKind.COMMAND_ENDED]

    def test_permit_that_runs_out_under_eject_all(self) -> None:
        bench = self.loaded()
        bench.permit(Permit.DEAL, 3_000)
        bench.command(Operation.EJECT_ALL)
        told = self.ended(bench)
        assert (told[4], told[5]) == (Status.FAILED, Reason.PERMIT)

    def test_number_of_the_permit_reached_under_eject_all(self) -> None:
        bench = self.loaded()
        bench.permit(Permit.DEAL, 60_000, 5)
        bench.command(Operation.EJECT_ALL)
        told = self.ended(bench)
        assert (told[4], told[5], told[6]) == (Status.FAILED, Reason.PERMIT, 5)
        assert len(bench.machine.carousel.mouth) == 5

    def test_lid_opened(self) -> None:
        bench = self.loaded()
        bench.command(Operation.EJECT_ALL)
        bench.run(4)
        hands.open_lid(bench.machine, with_key=True)
        told = self.ended(bench)
        assert (told[4], told[5]) == (Status.FAILED, Reason.LID_OPEN)

    def test_jam(self) -> None:
        bench = self.loaded()
        bench.command(Operation.EJECT_ALL)
        bench.run(4)
        hands.crease(bench.machine.carousel.buffer.bottom)
        told = self.ended(bench)
        assert (told[4], told[5]) == (Status.FAILED, Reason.FAULT_OR_JAM)

    def test_count_that_fails_leaves_the_content_unverified(self) -> None:
        bench = self.loaded()
        bench.command(Operation.COUNT_ALL)
        bench.run(4)
        hands.hurt(bench.machine, Trouble.CAROUSEL_DRIVE)
        told = self.ended(bench)
        assert (told[4], told[5]) == (Status.FAILED, Reason.FAULT_OR_JAM)
        assert not bench.machine.book.is_verified
        assert not bench.face.permits.stands(Permit.DEAL)

    def test_recover_frees_what_it_can_and_gives_up_otherwise(self) -> None:
        bench = self.loaded()
        bench.run(5)
        hands.crease(bench.machine.carousel.buffer.bottom)
        hands.draw(bench.machine, bench.felt)
        bench.run(2)
        assert bench.machine.standing.jams == {Spot.EXIT}
        seen = set()
        for _ in range(20):
            bench.command(Operation.RECOVER, 2)
            told = self.ended(bench)
            seen.add(told[4])
            if told[4] == Status.DONE:
                break
            assert (told[4], told[5]) == (Status.FAILED, Reason.FAULT_OR_JAM)
        assert Status.DONE in seen
        assert bench.machine.standing.jams == set()
        bench.assert_conserved()
