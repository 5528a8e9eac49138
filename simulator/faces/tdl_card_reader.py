"""TDL profile 3 over a card reader: it tells each card that was dealt, and how many. It permits nothing."""

from __future__ import annotations

import hashlib

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import (
    FaultCode,
    Holding,
    NoticeKind,
    Operation,
    Permit,
    Place,
    Profile,
    Reason,
    TamperKind,
)
from firmware_bridge.wire.tdl.keys import CardReadKey, FaultKey, MeterKey, MetersKey, TamperKey
from simulator.world.card_reader import CardReader
from simulator.world.cards import Back, Card
from simulator.world.lamp import Light

from .equipment import Ended, Identity, Reporter
from .memory import Memory
from .still_equipment import StillEquipment
from .tdl_device import TdlDevice

FIRMWARE_VERSION = "sim-1.0"
ABILITIES = (
    Holding.CANNOT,  # deal
    Holding.CANNOT,  # feed
    Holding.CANNOT,  # lid
    Holding.CANNOT,  # lamp
    Holding.CANNOT,  # count in
    Holding.OBSERVES,  # count out
    Holding.CANNOT,  # count all
    Holding.CANNOT,  # content by area
)
UNREAD = 0
SUIT_FACTOR = 16  # TDL 14.2: a card is 16 × suit + rank
BACKS = {back: number for number, back in enumerate(Back, 1)}
DEAD_EYE = (int(FaultCode.SENSOR_STUCK), int(Place.EXIT))
MEMORY_FAULT = (int(FaultCode.MEMORY), 0)
PARTS = (None, 0, 1)  # all, or its eye


class CardReaderEquipment(StillEquipment):
    """A card reader as TDL sees it."""

    def __init__(self, reader: CardReader, serial: str) -> None:
        self.reader = reader
        self.identity = Identity(
            model="READER-SIM",
            serial=serial,
            firmware_version=FIRMWARE_VERSION,
            digest=hashlib.sha256(f"reader {FIRMWARE_VERSION}".encode()).digest(),
            profiles=(Profile.CARD_READER,),
            abilities=ABILITIES,
        )
        self.operations = frozenset({Operation.METERS, Operation.SELF_TEST})
        self.permits: frozenset[Permit] = frozenset()
        self.is_verified = True
        self._is_memory_broken = False
        self._standing: list[tuple[int, int]] = []
        self._was_open = False

    def boot(self, memory: Memory) -> dict[int, Value]:
        self._standing.clear()
        self._is_memory_broken = False
        self._was_open = self.reader.is_cover_open
        self.reader.power_on()
        return {}

    def power_off(self) -> None:
        self.reader.power_off()

    def look_around(self, reporter: Reporter) -> None:
        """Nothing stands that would have to be told; what cannot be seen it finds when it looks."""

    def observe(self, reporter: Reporter, memory: Memory) -> bool:
        has_happened = self._tell_faults(reporter)
        if self.reader.is_cover_open and not self._was_open:
            reporter.notice(NoticeKind.TAMPER, {TamperKey.WHAT: int(TamperKind.COVER)})
            has_happened = True
        self._was_open = self.reader.is_cover_open
        passed = self.reader.take_passed()
        for one in passed:
            body: dict[int, Value] = {CardReadKey.COUNT: one.count, CardReadKey.CARD: _code(one.card)}
            if one.card is not None:
                body[CardReadKey.BACK] = BACKS[one.card.back]
            reporter.notice(NoticeKind.CARD_READ, body)
        if passed:
            reporter.notice(NoticeKind.CARDS_OUT, {MeterKey.METER: passed[-1].meter})
        if self.reader.take_test_end():
            reporter.command_ended(Ended(Reason.FAULT_OR_JAM if self.reader.has_dead_eye else None, None))
            has_happened = True
        return has_happened or bool(passed)

    def _tell_faults(self, reporter: Reporter) -> bool:
        broken = {DEAD_EYE: self.reader.has_dead_eye, MEMORY_FAULT: self._is_memory_broken}
        before = list(self._standing)
        for pair, is_broken in broken.items():
            if is_broken and pair not in self._standing:
                self._standing.append(pair)
                reporter.notice(NoticeKind.FAULT, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})
            elif not is_broken and pair in self._standing:
                self._standing.remove(pair)
                reporter.notice(NoticeKind.FAULT_GONE, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})
        return before != self._standing

    # Its one motion

    def argument_hindrance(self, operation: int, argument: int | None) -> Reason | None:
        return None if argument in PARTS else Reason.ARGUMENT

    def guard(self, operation: int, argument: int | None, *, has_deal_permit: bool) -> Reason | None:
        return None

    def begin(self, operation: int, argument: int | None) -> None:
        self.reader.begin_test()

    # Levels and goals

    def state(self) -> dict[int, Value]:
        return {}

    def faults(self) -> list[tuple[int, int]]:
        return list(self._standing)

    def meters(self) -> dict[int, Value]:
        return {MetersKey.CARDS_OUT: self.reader.meter}

    def light(self, light: Light) -> Reason | None:
        return Reason.NOT_OFFERED

    def clear_fault(self, fault: int, place: int) -> bool:
        """A person says that it is mended; whether its eye sees again, it looks by itself."""
        if (fault, place) == MEMORY_FAULT:
            self._is_memory_broken = False
        return (fault, place) != DEAD_EYE or not self.reader.has_dead_eye

    def memory_failed(self) -> None:
        """Its memory holds an epoch and outcomes; what it sees does not depend on it."""
        self._is_memory_broken = True


def _code(card: Card | None) -> int:
    return UNREAD if card is None else SUIT_FACTOR * card.suit + card.rank


def new_card_reader(reader: CardReader, memory: Memory, *, serial: str = "000333") -> TdlDevice:
    """A TDL card reader, switched off."""
    return TdlDevice(CardReaderEquipment(reader, serial), memory)
