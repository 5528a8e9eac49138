"""What changed at a watched shuffler from one look to the next, as the facts that every shuffler tells. Pure.

Facts come without their place in the order of notices: the driver numbers them.
"""

from __future__ import annotations

from collections.abc import Iterator

from drivers.counters import CounterReadings
from drivers.events import (
    CardJammed,
    CardsIn,
    CardsOut,
    DeviceFaulted,
    DeviceFaultGone,
    JamGone,
    LidClosed,
    LidOpened,
    Notice,
    NoticesLost,
    PacketEnded,
    Place,
    TrayLevel,
)
from drivers.shufflers.contacts import CounterCount, Debounced, LampDecoder, LampLight, PulseCount
from drivers.shufflers.reading import BoardReading
from drivers.shufflers.wiring import Contact, Gate, JamLight, Wiring

# From 128 on fault numbers are the maker's own (TDL 14.2): the lamp says something that is no jam.
LAMP_FAULT = 128
_MS_PER_S = 1_000
# A lamp of which nothing is known yet but that it is lit stays what it was.
_JAM_LIGHTS = {
    JamLight.LIT: frozenset({LampLight.LIT, LampLight.STEADY, LampLight.BLINKING}),
    JamLight.STEADY: frozenset({LampLight.STEADY}),
    JamLight.BLINKING: frozenset({LampLight.BLINKING}),
}
# An early gap of polls is told once; the next one only after so long without any.
GAP_FORGIVEN_S = 10.0


class Watching:
    """One run of looks at one board, from its first one on. Raises CounterReset where its counters went back."""

    def __init__(self, device: str, wiring: Wiring, reading: BoardReading, now_s: float) -> None:
        self.is_jammed = self.is_lamp_strange = False
        self.is_fed = False  # feeding is permitted: a packet goes in, or a round's cards
        self._device = device
        self._wiring = wiring
        self._contacts = {contact.input: Debounced(contact.debounce_ms / _MS_PER_S) for contact in wiring.contacts}
        self._lamp = LampDecoder()
        self._cards_in, self._cards_out = (_count_of(gate) for gate in wiring.gates)
        self._looked_s = now_s
        self._gap_s: float | None = None  # when a gap between looks was seen last
        self._fed_s: float | None = None  # when the last card of a packet that is not over went in
        self._fed = 0
        list(self.look(reading, now_s))
        self.counters = _readings_of(self._cards_in, self._cards_out)

    @property
    def meters(self) -> tuple[int, int]:
        """Cards in and out since the first look."""
        return self._cards_in.meter, self._cards_out.meter

    @property
    def is_lid_open(self) -> bool:
        """As the magnet says."""
        return self._level(self._wiring.lid)

    @property
    def tray_fill_percent(self) -> int | None:
        """0: nothing lies in it. None: not wired, or something lies in it, and nobody knows how much."""
        return None if self._wiring.tray is None or self._level(self._wiring.tray) else 0

    @property
    def faults(self) -> tuple[tuple[int, Place], ...]:
        """What stands; a jam is fault 0. Where in the machine it is, a lamp does not say."""
        standing = ((0, self.is_jammed), (LAMP_FAULT, self.is_lamp_strange))
        return tuple((fault, Place.UNKNOWN) for fault, stands in standing if stands)

    def look(self, reading: BoardReading, now_s: float) -> Iterator[Notice]:
        """What has changed since the last look."""
        yield from self._watch_gap(now_s)
        changed = {}
        for contact in self._wiring.contacts:
            level = reading.inputs[contact.input] is not contact.is_active_low
            changed[contact.input] = self._contacts[contact.input].look(level, now_s)
        yield from self._watch_lamp(now_s)
        if changed[self._wiring.lid.input] is not None:
            kind = LidOpened if changed[self._wiring.lid.input] else LidClosed
            yield kind(device=self._device, boot=0, number=0)
        if self._wiring.tray is not None and changed[self._wiring.tray.input] is not None:
            yield TrayLevel(device=self._device, boot=0, number=0, fill_percent=self.tray_fill_percent)
        yield from self._watch_gates(reading, now_s)

    # Inside

    def _watch_lamp(self, now_s: float) -> Iterator[Notice]:
        light = self._lamp.look(self._level(self._wiring.jam_lamp), now_s)
        means = self._wiring.jam_lamp.jam
        if light is None or (light is LampLight.LIT and means is not JamLight.LIT):
            return
        is_jam = light in _JAM_LIGHTS[means]
        is_strange = not is_jam and light is not LampLight.DARK
        if is_jam is not self.is_jammed:
            self.is_jammed = is_jam
            jam = CardJammed if is_jam else JamGone
            yield jam(device=self._device, boot=0, number=0, place=Place.UNKNOWN)
        if is_strange is not self.is_lamp_strange:
            self.is_lamp_strange = is_strange
            fault = DeviceFaulted if is_strange else DeviceFaultGone
            yield fault(device=self._device, boot=0, number=0, fault=LAMP_FAULT, place=Place.UNKNOWN)

    def _watch_gates(self, reading: BoardReading, now_s: float) -> Iterator[Notice]:
        cards_out = self._cards_out.look(_seen(reading, self._wiring.card_out))
        if cards_out:
            yield CardsOut(device=self._device, boot=0, number=0, meter=self._cards_out.meter)
        cards_in = self._cards_in.look(_seen(reading, self._wiring.card_in))
        if cards_in:
            self._fed, self._fed_s = self._fed + cards_in, now_s
            yield CardsIn(device=self._device, boot=0, number=0, meter=self._cards_in.meter)
        if not self.is_fed:
            self._fed, self._fed_s = 0, None
        elif self._fed_s is not None and now_s - self._fed_s >= self._wiring.packet_quiet_ms / _MS_PER_S:
            yield PacketEnded(device=self._device, boot=0, number=0, cards=self._fed)
            self._fed, self._fed_s = 0, None

    def _watch_gap(self, now_s: float) -> Iterator[Notice]:
        """A card at a terminal that nobody looked at is not counted, and nothing tells that it passed."""
        gap_s, self._looked_s = now_s - self._looked_s, now_s
        pulses = [gate.pulse_ms / _MS_PER_S for gate in self._wiring.gates if gate.input is not None]
        if not pulses or gap_s <= min(pulses):
            return
        is_told = self._gap_s is not None and now_s - self._gap_s < GAP_FORGIVEN_S
        self._gap_s = now_s
        if not is_told:
            yield NoticesLost(device=self._device, boot=0, number=0)

    def _level(self, contact: Contact) -> bool:
        return bool(self._contacts[contact.input].level)


def _count_of(gate: Gate) -> PulseCount | CounterCount:
    return PulseCount() if gate.counter is None else CounterCount(gate.counter_bits)


def _seen(reading: BoardReading, gate: Gate) -> int:
    if gate.input is None:
        return reading.counter(gate)
    return reading.inputs[gate.input] is not gate.is_active_low


def _readings_of(cards_in: PulseCount | CounterCount, cards_out: PulseCount | CounterCount) -> CounterReadings | None:
    """Where both ways have a counter of the board; they are of one width (`wiring_objection`)."""
    if not isinstance(cards_in, CounterCount) or not isinstance(cards_out, CounterCount):
        return None
    if cards_in.raw is None or cards_out.raw is None:
        return None
    return CounterReadings(cards_in=cards_in.raw, cards_out=cards_out.raw, modulus=cards_in.modulus)
