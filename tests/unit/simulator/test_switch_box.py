"""The switch box in frames: keys, tray, lid, lamp; profile 6 of docs/protocols/tdl.md."""

from __future__ import annotations

import pytest

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.tdl.codes import (
    FaultCode,
    Key,
    LampColour,
    LampPattern,
    MessageType,
    NoticeKind,
    Operation,
    Permit,
    Place,
    Reason,
    Status,
)
from simulator.faces.memory import CommandRecord, Memory
from simulator.faces.tdl_switch_box import new_switch_box
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.happenings import DealerKey
from simulator.world.lamp import DARK, Colour, Light, Pattern
from simulator.world.switch_box import SwitchBox

from .bench import EPOCH, FaceBench, status


class BoxBench(FaceBench):
    """A switch box with a lid that the test opens and a tray that it fills."""

    def __init__(self) -> None:
        self.tray = Pile("tray")
        self.spread = Pile("spread")
        self.cards = new_deck(1, Back.RED, self.spread)
        self.is_lid_open = False
        self.box = SwitchBox("box", self.tray, lambda: self.is_lid_open)
        memory = Memory(commands=CommandRecord(epoch=EPOCH))
        super().__init__(new_switch_box(self.box, memory), memory, self.box)


@pytest.fixture
def bench() -> BoxBench:
    bench = BoxBench()
    bench.open()
    bench.run(1)
    return bench


@pytest.mark.parametrize("key", list(DealerKey))
def test_each_key_is_told_once_and_within_100_ms(bench: BoxBench, key: DealerKey) -> None:
    bench.box.press(key)
    bench.run(0.1)
    assert bench.told(NoticeKind.KEY) == [{3: Key[key.name]}]
    bench.run(5)
    assert len(bench.told(NoticeKind.KEY)) == 1


def test_two_presses_are_two_notices_and_a_touch_is_none(bench: BoxBench) -> None:
    bench.box.press(DealerKey.CALL)
    bench.run(0.3)
    bench.box.press(DealerKey.CALL)
    bench.run(0.3)
    bench.box.press(DealerKey.CALL, for_ns=10 * NS_PER_MS)
    bench.run(1)
    assert len(bench.told(NoticeKind.KEY)) == 2


def test_a_worn_key_is_told_twice_for_one_press(bench: BoxBench) -> None:
    bench.box.worn_keys.add(DealerKey.DONE)
    bench.box.press(DealerKey.DONE)
    bench.run(1)
    assert bench.told(NoticeKind.KEY) == [{3: Key.DONE}] * 2


def test_the_tray_is_told_when_it_has_been_steady(bench: BoxBench) -> None:
    for card in bench.cards[:3]:
        card.move_to(bench.tray)
        bench.run(0.1)
    assert bench.told(NoticeKind.TRAY) == []
    bench.run(0.2)
    assert bench.told(NoticeKind.TRAY) == [{3: 3, 4: 2}]
    assert bench.ask(Operation.STATE).body[10] == 3


def test_a_blinded_tray_sensor_reports_its_margin_and_keeps_its_reading(bench: BoxBench) -> None:
    bench.box.margin = 0.1
    bench.cards[0].move_to(bench.tray)
    bench.run(1)
    assert bench.told(NoticeKind.TRAY) == []
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.SENSOR_MARGIN, 4: Place.TRAY}]
    refusal = bench.ask(Operation.CLEAR_FAULT, {0: FaultCode.SENSOR_MARGIN, 1: Place.TRAY})
    assert status(refusal) is Status.REFUSED
    bench.box.margin = 1.0
    bench.run(1)
    assert bench.told(NoticeKind.FAULT_GONE) == [{3: FaultCode.SENSOR_MARGIN, 4: Place.TRAY}]
    assert bench.told(NoticeKind.TRAY) == [{3: 1, 4: 0}]


def test_the_lid_is_told_and_found_at_boot(bench: BoxBench) -> None:
    bench.is_lid_open = True
    bench.run(0.1)
    bench.is_lid_open = False
    bench.run(0.1)
    bench.is_lid_open = True
    bench.run(0.1)
    assert bench.kinds()[-3:] == [NoticeKind.LID_OPENED, NoticeKind.LID_CLOSED, NoticeKind.LID_OPENED]
    bench.face.reset(bench.now_ns)
    bench.open()
    bench.run(1)
    assert bench.kinds()[-2:] == [NoticeKind.BOOTED, NoticeKind.LID_OPENED]


def test_the_lamp_is_a_goal_and_is_off_after_a_boot(bench: BoxBench) -> None:
    lit = {0: LampColour.RED, 1: LampPattern.BLINKING}
    assert status(bench.ask(Operation.LAMP, lit)) is Status.OK
    assert status(bench.ask(Operation.LAMP, lit)) is Status.OK
    bench.run(1)
    assert bench.told(NoticeKind.LAMP) == [{3: LampColour.RED, 4: LampPattern.BLINKING}]
    assert bench.box.visible_light == Light(Colour.RED, Pattern.BLINKING)
    bench.face.reset(bench.now_ns)
    assert bench.box.visible_light == DARK


@pytest.mark.parametrize(("colour", "pattern"), [(0, 1), (4, 0), (1, 2)])
def test_a_lamp_that_does_not_exist_is_refused(bench: BoxBench, colour: int, pattern: int) -> None:
    refusal = bench.ask(Operation.LAMP, {0: colour, 1: pattern})
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.ARGUMENT)


def test_a_burnt_lamp_is_a_fault_in_no_particular_place(bench: BoxBench) -> None:
    bench.box.is_lamp_burnt = True
    bench.ask(Operation.LAMP, {0: LampColour.BLUE, 1: LampPattern.STEADY})
    bench.run(1)
    assert bench.told(NoticeKind.FAULT) == [{3: FaultCode.LAMP, 4: 0}]
    assert bench.box.visible_light == DARK


def test_it_permits_nothing_and_stores_the_refusal_of_a_command(bench: BoxBench) -> None:
    refusal = bench.permit(Permit.DEAL, 1_000)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.NOT_OFFERED)
    for number in (1, 1):
        refusal = bench.command(Operation.COUNT_ALL, number=number)
        assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.NOT_OFFERED)
    assert bench.face.outcomes.highest == 1


def test_identity_says_what_it_cannot(bench: BoxBench) -> None:
    assert bench.ask(Operation.IDENTITY).body[6] == (0, 0, 1, 2, 0, 0, 0, 0)


def test_seventeen_keys_unacknowledged_lose_one_and_say_so(bench: BoxBench) -> None:
    bench.acknowledges = False
    for _ in range(17):
        bench.box.press(DealerKey.CALL)
        bench.run(0.2)
    bench.acknowledges = True
    bench.run(10)
    assert len(bench.told(NoticeKind.KEY)) == 16
    assert bench.told(NoticeKind.NOTICES_LOST) == [{3: 1}]
    assert all(frame.type is not MessageType.PROGRESS for frame in bench.heard)
