"""Contacts, lamps and gates from one look to the next: bouncing, blinking, counters that wrap and that go back."""

from __future__ import annotations

import pytest

from drivers.shufflers.contacts import (
    STEADY_S,
    CounterCount,
    CounterReset,
    Debounced,
    LampDecoder,
    LampLight,
    PulseCount,
)
from drivers.shufflers.reading import BoardReading, questions_of
from drivers.shufflers.wiring import Contact, Gate, Lamp, Wiring
from firmware_bridge.wire.modbus.codes import Function
from firmware_bridge.wire.modbus.messages import Bits, Read, Words


def test_a_bouncing_contact_counts_once_it_is_the_same_for_long_enough() -> None:
    contact = Debounced(0.03)
    assert contact.look(False, 0.0) is False, "the first look counts at once"
    told = [contact.look(level, at / 100) for at, level in enumerate((True, False, True, True, True, True, True), 1)]
    assert told == [None, None, None, None, None, True, None]


@pytest.mark.parametrize("half_s", [0.1, 0.25, 0.5, 1.0])
def test_a_lamp_that_blinks_is_told_once_however_quickly(half_s: float) -> None:
    lamp, step_s = LampDecoder(), 0.02
    told = []
    for tick in range(round(10 / step_s)):
        now_s = tick * step_s
        light = lamp.look(now_s < 8 and int(now_s / half_s) % 2 == 0, now_s)
        told += [] if light is None else [light]
    assert told == [LampLight.LIT, LampLight.BLINKING, LampLight.DARK]


def test_a_lamp_that_stays_lit_is_steady() -> None:
    lamp = LampDecoder()
    assert lamp.look(True, 0.0) is LampLight.LIT
    assert lamp.look(True, STEADY_S - 0.01) is None
    assert lamp.look(True, STEADY_S) is LampLight.STEADY
    assert lamp.look(False, 5.0) is None
    assert lamp.look(False, 5.0 + STEADY_S) is LampLight.DARK


def test_a_card_at_a_terminal_counts_once_while_it_is_there() -> None:
    count = PulseCount()
    assert [count.look(seen) for seen in (1, 1, 0, 1, 1, 0, 0, 1)] == [0, 0, 0, 1, 0, 0, 0, 1]
    assert count.meter == 2, "what lay in the gate when we came is nobody's card"


@pytest.mark.parametrize("bits", [16, 32])
def test_a_counter_goes_over_its_top_and_its_meter_does_not(bits: int) -> None:
    """BR-057."""
    count, top = CounterCount(bits), 1 << bits
    assert [count.look(raw) for raw in (top - 2, top - 1, 0, 5)] == [0, 1, 1, 5]
    assert count.meter == 7


def test_a_counter_that_goes_back_has_lost_its_power() -> None:
    count = CounterCount(16)
    count.look(40_000)
    with pytest.raises(CounterReset):
        count.look(3)


def test_one_question_for_the_terminals_and_one_for_neighbouring_counters() -> None:
    wiring = Wiring(
        jam_lamp=Lamp(input=2),
        lid=Contact(input=7),
        card_in=Gate(counter=10, is_counter_wide=True),
        card_out=Gate(counter=12, is_counter_wide=True),
    )
    inputs, counters = questions_of(wiring)
    assert inputs == Read(Function.READ_INPUTS, 2, 6)
    assert counters == Read(Function.READ_INPUT_WORDS, 10, 4)
    reading = BoardReading()
    reading.take(inputs, Bits(Function.READ_INPUTS, (True, False, False, False, False, True, False, False)))
    reading.take(counters, Words(Function.READ_INPUT_WORDS, (1, 2, 0, 9)))
    assert (reading.inputs[2], reading.inputs[7]) == (True, True)
    assert (reading.counter(wiring.card_in), reading.counter(wiring.card_out)) == (0x1_0002, 9)


def test_counters_far_apart_are_asked_for_apart() -> None:
    wiring = Wiring(
        jam_lamp=Lamp(input=0),
        lid=Contact(input=1),
        card_in=Gate(counter=0),
        card_out=Gate(counter=900, counter_in="holding registers"),
    )
    assert questions_of(wiring)[1:] == (
        Read(Function.READ_INPUT_WORDS, 0, 1),
        Read(Function.READ_HOLDING, 900, 1),
    )
