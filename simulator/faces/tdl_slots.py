"""TDL profile 5 over chip slots: open under a permit, chips told by meter, collected by command (tdl.md 11.3)."""

from __future__ import annotations

import hashlib
from functools import singledispatchmethod

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import (
    ChipReturn,
    FaultCode,
    Holding,
    NoticeKind,
    Operation,
    Permit,
    PermitEnd,
    Place,
    Profile,
    Reason,
)
from firmware_bridge.wire.tdl.keys import ChipReturnedKey, FaultKey, MeterKey, MetersKey, StateKey
from simulator.world.chip_slots import (
    ChipGivenBack,
    ChipSlots,
    ChipTaken,
    Collected,
    GateStuck,
    GivenBack,
    SlotHappening,
)
from simulator.world.lamp import Light

from .equipment import Ended, Identity, Reporter
from .memory import Memory
from .tdl_device import TdlDevice

FIRMWARE_VERSION = "sim-1.0"
RETURNS = {
    GivenBack.LATE: ChipReturn.LATE,
    GivenBack.SECOND: ChipReturn.SECOND,
    GivenBack.VALUE: ChipReturn.VALUE,
}
STUCK = (int(FaultCode.SENSOR_STUCK), int(Place.SLOT))
MEMORY_FAULT = (int(FaultCode.MEMORY), 0)  # at no place in particular
NO_SLOTS = (Holding.CANNOT,) * 8  # of the eight abilities that every device states


class SlotEquipment:
    """Chip slots as TDL sees them."""

    def __init__(self, slots: ChipSlots, serial: str) -> None:
        self.slots = slots
        self.identity = Identity(
            model="SLOT-SIM",
            serial=serial,
            firmware_version=FIRMWARE_VERSION,
            digest=hashlib.sha256(f"slots {FIRMWARE_VERSION}".encode()).digest(),
            profiles=(Profile.CHIP_SLOT,),
            abilities=(*NO_SLOTS, Holding.ENFORCES),
        )
        self.operations = frozenset({Operation.PERMIT, Operation.METERS, Operation.COLLECT, Operation.SELF_TEST})
        self.permits = frozenset({Permit.SLOTS})
        self.is_verified = True
        self._standing: list[tuple[int, int]] = []
        self._self_test: Ended | None = None
        self._of = 0
        self._is_memory_broken = False

    def boot(self, memory: Memory) -> dict[int, Value]:
        self._standing.clear()
        self._self_test = None
        self._is_memory_broken = False
        self.slots.power_on()
        return {}

    def power_off(self) -> None:
        self.slots.power_off()

    def look_around(self, reporter: Reporter) -> None:
        """A gate that is dark now is found when it has been so for a while."""

    # What happened

    def observe(self, reporter: Reporter, memory: Memory) -> bool:
        happenings = self.slots.take_happenings()
        for happening in happenings:
            self._tell(happening, reporter)
        has_memory_news = self._tell_memory(reporter)
        if self._self_test is not None:
            ended, self._self_test = self._self_test, None
            reporter.command_ended(ended)
            return True
        return bool(happenings) or has_memory_news

    @singledispatchmethod
    def _tell(self, happening: SlotHappening, reporter: Reporter) -> None:
        raise NotImplementedError(f"no notice for {happening!r}")

    @_tell.register
    def _(self, happening: ChipTaken, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.CHIPS_IN, {MeterKey.METER: happening.meter, MeterKey.SEAT: happening.seat})
        reporter.count(Permit.SLOTS, 1)

    @_tell.register
    def _(self, happening: ChipGivenBack, reporter: Reporter) -> None:
        keys: dict[int, Value] = {ChipReturnedKey.SEAT: happening.seat, ChipReturnedKey.WHY: RETURNS[happening.why]}
        reporter.notice(NoticeKind.CHIP_RETURNED, keys)

    @_tell.register
    def _(self, happening: GateStuck, reporter: Reporter) -> None:
        self._stand(STUCK, reporter, is_standing=happening.is_stuck)

    @_tell.register
    def _(self, happening: Collected, reporter: Reporter) -> None:
        reporter.command_ended(Ended(None if happening.is_whole else Reason.FAULT_OR_JAM, happening.chips))

    def _tell_memory(self, reporter: Reporter) -> bool:
        if self._is_memory_broken is (MEMORY_FAULT in self._standing):
            return False
        self._stand(MEMORY_FAULT, reporter, is_standing=self._is_memory_broken)
        return True

    def _stand(self, pair: tuple[int, int], reporter: Reporter, *, is_standing: bool) -> None:
        if is_standing:
            self._standing.append(pair)
            reporter.end_permits(PermitEnd.FAULT, Permit.SLOTS)
        else:
            self._standing.remove(pair)
        kind = NoticeKind.FAULT if is_standing else NoticeKind.FAULT_GONE
        reporter.notice(kind, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})

    # Permits

    def is_still(self, what: Permit) -> bool:
        return True  # a chip that has passed the gate is decided upon in that moment

    def permit_changed(self, what: Permit, *, stands: bool, remaining: int | None) -> None:
        self.slots.is_open = stands

    def limit_reached(self, what: Permit, reporter: Reporter) -> None:
        raise AssertionError("a limit is ignored for slots (TDL 9.2)")

    def permit_hindrance(self, what: Permit) -> Reason | None:
        return Reason.FAULT_OR_JAM if self._standing else None

    # Commands

    def argument_hindrance(self, operation: int, argument: int | None) -> Reason | None:
        seats = self.slots.slots if operation == Operation.COLLECT else ()
        return None if argument in (None, 0, *seats) else Reason.ARGUMENT

    def guard(self, operation: int, argument: int | None, *, has_deal_permit: bool) -> Reason | None:
        return Reason.FAULT_OR_JAM if operation == Operation.COLLECT and self._standing else None

    def begin(self, operation: int, argument: int | None) -> None:
        if operation == Operation.COLLECT:
            seats = [argument] if argument else list(self.slots.slots)
            self._of = len(seats)
            self.slots.collect(seats)
        else:
            self._self_test = Ended(Reason.FAULT_OR_JAM if self._standing else None, None)

    def progress(self) -> tuple[int, int]:
        return self._of - self.slots.collecting, self._of

    # Levels

    def state(self) -> dict[int, Value]:
        return {StateKey.CHIPS_LYING: self._by_seat(self.slots.lying)}

    def meters(self) -> dict[int, Value]:
        return {MetersKey.CHIPS_IN: self._by_seat({seat: slot.meter for seat, slot in self.slots.slots.items()})}

    def _by_seat(self, numbers: dict[int, int]) -> tuple[int, ...]:
        """From seat 1; a seat without a slot has 0."""
        return tuple(numbers.get(seat, 0) for seat in range(1, max(numbers) + 1))

    def faults(self) -> list[tuple[int, int]]:
        return list(self._standing)

    def light(self, light: Light) -> Reason | None:
        return Reason.NOT_OFFERED

    def clear_fault(self, fault: int, place: int) -> bool:
        if (fault, place) == MEMORY_FAULT:
            self._is_memory_broken = False
        return (fault, place) != STUCK or self.slots.clear_stuck()

    def memory_failed(self) -> None:
        self._is_memory_broken = True


def new_slots(slots: ChipSlots, memory: Memory, *, serial: str = "000555") -> TdlDevice:
    """TDL chip slots, switched off."""
    return TdlDevice(SlotEquipment(slots, serial), memory)
