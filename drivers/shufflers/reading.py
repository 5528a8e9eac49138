"""One look at an I/O board: which questions it takes, and what their answers say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from drivers.shufflers.wiring import Gate, Wiring
from firmware_bridge.wire.modbus.codes import MAX_BITS_READ, MAX_WORDS_READ, Function
from firmware_bridge.wire.modbus.messages import Answer, Bits, Read, Words

_TABLES: Mapping[str, Function] = {
    "input registers": Function.READ_INPUT_WORDS,
    "holding registers": Function.READ_HOLDING,
}
_WORD_BITS = 16


@dataclass(frozen=True, slots=True)
class BoardReading:
    """Levels by terminal, and words by (function, register)."""

    inputs: dict[int, bool] = field(default_factory=dict)
    words: dict[tuple[Function, int], int] = field(default_factory=dict)

    def take(self, question: Read, answer: Answer) -> None:
        """What this question was answered with."""
        if isinstance(answer, Bits):
            for place in range(question.count):
                self.inputs[question.address + place] = answer.values[place]
        elif isinstance(answer, Words):
            for place, word in enumerate(answer.values):
                self.words[question.function, question.address + place] = word

    def counter(self, gate: Gate) -> int:
        """A gate's counter; of two registers the first is the higher half, as the standard's own tables have it."""
        function, value = _TABLES[gate.counter_in], 0
        for register in _registers(gate):
            value = value << _WORD_BITS | self.words[function, register]
        return value


def questions_of(wiring: Wiring) -> tuple[Read, ...]:
    """As few as it takes: all terminals at once, and neighbouring counters together."""
    terminals = [contact.input for contact in wiring.contacts]
    terminals += [gate.input for gate in wiring.gates if gate.input is not None]
    counters = {function: set[int]() for function in _TABLES.values()}
    for gate in wiring.gates:
        counters[_TABLES[gate.counter_in]] |= set(_registers(gate))
    return (
        *_spans(Function.READ_INPUTS, terminals, MAX_BITS_READ),
        *(read for function, registers in counters.items() for read in _spans(function, registers, MAX_WORDS_READ)),
    )


def _registers(gate: Gate) -> tuple[int, ...]:
    if gate.counter is None:
        return ()
    return tuple(gate.counter + place for place in range(gate.counter_bits // _WORD_BITS))


def _spans(function: Function, places: Iterable[int], longest: int) -> Iterator[Read]:
    """Questions that cover these places, each from a lowest to a highest one within `longest`."""
    first: int | None = None
    last = 0
    for place in sorted(places):
        if first is not None and place - first >= longest:
            yield Read(function, first, last - first + 1)
            first = None
        first = place if first is None else first
        last = place
    if first is not None:
        yield Read(function, first, last - first + 1)
