"""TDL profiles 1 and 2 over a shuffler's world: translates between the machine's words and the protocol's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import singledispatchmethod

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
    SuspectReason,
    TamperKind,
)
from firmware_bridge.wire.tdl.keys import (
    BootedKey,
    CardsKey,
    FaultKey,
    MeterKey,
    MetersKey,
    PlaceKey,
    StateKey,
    SuspectKey,
    TamperKey,
)
from simulator.world.batch import Shuffle
from simulator.world.happenings import (
    BoxSpot,
    Breach,
    BufferLevel,
    CardsIn,
    CardsOut,
    CardSuspected,
    Happening,
    Hindrance,
    HopperEmptied,
    JamGone,
    Jammed,
    JobEnded,
    LampChanged,
    LidMoved,
    Spot,
    Suspicion,
    Tampered,
    Trouble,
    TroubleBegan,
    TroubleGone,
)
from simulator.world.jobs import Count, Deal, Empty, Job, Recover, SelfTest
from simulator.world.lamp import DARK, Light
from simulator.world.machine import ShufflerMachine
from simulator.world.motions import Move
from simulator.world.troubles import ALL, DEALING, NOTHING, Side

from .equipment import Ended, Identity, Reporter
from .lamps import lamp_level, lamp_notice
from .memory import CountRecord, Memory
from .tdl_device import TdlDevice

PLACES: dict[Spot | BoxSpot, Place] = {Spot.FEED: Place.FEED, Spot.EXIT: Place.EXIT, Spot.CAROUSEL: Place.CAROUSEL}
SPOTS: dict[int, Spot] = {PLACES[spot]: spot for spot in Spot}
# The numbers of our own actuators in SELF_TEST (TDL 7.4: 0 is all, others are the maker's).
PARTS: dict[int, Trouble] = {
    1: Trouble.FEED_DRIVE,
    2: Trouble.CAROUSEL_DRIVE,
    3: Trouble.EXIT_DRIVE,
    4: Trouble.LAMP,
}
FAULTS = {trouble: FaultCode[trouble.name] for trouble in Trouble}
TROUBLES: dict[int, Trouble] = {code: trouble for trouble, code in FAULTS.items()}
REASONS = {
    Hindrance.FAULT: Reason.FAULT_OR_JAM,
    Hindrance.LID: Reason.LID_OPEN,
    Hindrance.PERMIT: Reason.PERMIT,
    Hindrance.NO_CARDS: Reason.NO_CARDS,
    Hindrance.NO_ROOM: Reason.NO_ROOM,
}
SUSPICIONS = {Suspicion.THICK: SuspectReason.THICK, Suspicion.BENT: SuspectReason.BENT}
BREACHES = {Breach.COVER: TamperKind.COVER, Breach.PORT: TamperKind.PORT}
SIDES = {Permit.DEAL: Side.DEAL, Permit.FEED: Side.FEED}

# What a command needs to be able to do (TDL 10.4).
SIDES_NEEDED: dict[int, frozenset[Side]] = {
    Operation.COUNT_ALL: ALL,
    Operation.EJECT_ALL: DEALING,
    Operation.DEAL: DEALING,
    Operation.SHUFFLE: ALL,
}

FIRMWARE_VERSION = "sim-1.0"
OPERATIONS = frozenset(
    {
        Operation.PERMIT,
        Operation.LAMP,
        Operation.METERS,
        Operation.COUNT_ALL,
        Operation.EJECT_ALL,
        Operation.RECOVER,
        Operation.SELF_TEST,
    }
)
# deal, feed, lid, lamp, count in, count out, count all, content by area
ABILITIES = (Holding.ENFORCES,) * 8


@dataclass(frozen=True, slots=True)
class Shape:
    """What a shuffler is: its model, its profile, what it offers beside every device's operations."""

    model: str
    profile: Profile
    operations: frozenset[Operation]


CONTINUOUS = Shape("CSM-SIM", Profile.CONTINUOUS, OPERATIONS)
# Offers DEAL beside its profile.
COUNTED = Shape("CSM-SIM", Profile.CONTINUOUS, OPERATIONS | {Operation.DEAL})
BATCH = Shape("BSM-SIM", Profile.BATCH, OPERATIONS | {Operation.DEAL, Operation.SHUFFLE})


class ShufflerEquipment:
    """A shuffler machine as TDL sees it."""

    def __init__(self, machine: ShufflerMachine, serial: str, shape: Shape = CONTINUOUS) -> None:
        self.machine = machine
        self.identity = Identity(
            model=shape.model,
            serial=serial,
            firmware_version=FIRMWARE_VERSION,
            digest=hashlib.sha256(FIRMWARE_VERSION.encode()).digest(),
            profiles=(shape.profile,),
            abilities=ABILITIES,
        )
        self.operations = shape.operations
        self.permits = frozenset({Permit.DEAL, Permit.FEED, Permit.LID})
        self._standing: list[tuple[int, int]] = []
        self._is_packet_begun = False

    @property
    def is_verified(self) -> bool:
        return self.machine.book.is_verified

    def boot(self, memory: Memory) -> dict[int, Value]:
        self._standing.clear()
        self._is_packet_begun = False
        kept = memory.counts
        self.machine.power_on(kept.slot_map if kept is not None else None)
        keys: dict[int, Value] = {BootedKey.CONTENT: self.machine.book.content.total}
        if kept is not None:
            keys |= {BootedKey.CARDS_IN: kept.cards_in, BootedKey.CARDS_OUT: kept.cards_out}
        return keys

    def power_off(self) -> None:
        self.machine.power_off()

    def look_around(self, reporter: Reporter) -> None:
        if self.machine.carousel.is_lid_open:
            reporter.notice(NoticeKind.LID_OPENED)

    # What happened

    def observe(self, reporter: Reporter, memory: Memory) -> bool:
        happenings = self.machine.take_happenings()
        if not happenings:
            return False
        for happening in happenings:
            self._tell(happening, reporter)
        meters = self.machine.meters
        memory.store_counts(CountRecord(meters.cards_in, meters.cards_out, self.machine.book.slot_map()))
        return True

    @singledispatchmethod
    def _tell(self, happening: Happening, reporter: Reporter) -> None:
        raise NotImplementedError(f"no notice for {happening!r}")

    @_tell.register
    def _(self, happening: CardsIn, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.CARDS_IN, {MeterKey.METER: happening.meter})
        self._is_packet_begun = True
        reporter.count(Permit.FEED, happening.cards)

    @_tell.register
    def _(self, happening: CardsOut, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.CARDS_OUT, {MeterKey.METER: happening.meter})
        reporter.count(Permit.DEAL, happening.cards)

    @_tell.register
    def _(self, happening: HopperEmptied, reporter: Reporter) -> None:
        self._end_packet(reporter)

    def limit_reached(self, what: Permit, reporter: Reporter) -> None:
        if what is Permit.FEED:
            self._end_packet(reporter)

    def _end_packet(self, reporter: Reporter) -> None:
        """One notice for each packet: none where no card came in since the last."""
        if self._is_packet_begun:
            self._is_packet_begun = False
            reporter.notice(NoticeKind.PACKET_END, {CardsKey.CARDS: reporter.counted(Permit.FEED)})

    @_tell.register
    def _(self, happening: Jammed, reporter: Reporter) -> None:
        place = PLACES[happening.spot]
        self._standing.append((FaultCode.JAM, place))
        reporter.notice(NoticeKind.JAM, {PlaceKey.PLACE: place})
        reporter.hinder()

    @_tell.register
    def _(self, happening: JamGone, reporter: Reporter) -> None:
        place = PLACES[happening.spot]
        self._standing.remove((FaultCode.JAM, place))
        reporter.notice(NoticeKind.JAM_GONE, {PlaceKey.PLACE: place})

    @_tell.register
    def _(self, happening: LidMoved, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.LID_OPENED if happening.is_open else NoticeKind.LID_CLOSED)
        reporter.hinder(by_lid=True)

    @_tell.register
    def _(self, happening: TroubleBegan, reporter: Reporter) -> None:
        pair = (FAULTS[happening.trouble], PLACES[happening.spot])
        self._standing.append(pair)
        reporter.notice(NoticeKind.FAULT, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})
        reporter.hinder()

    @_tell.register
    def _(self, happening: TroubleGone, reporter: Reporter) -> None:
        pair = (FAULTS[happening.trouble], PLACES[happening.spot])
        self._standing.remove(pair)
        reporter.notice(NoticeKind.FAULT_GONE, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})

    @_tell.register
    def _(self, happening: LampChanged, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.LAMP, lamp_notice(happening.light))

    @_tell.register
    def _(self, happening: BufferLevel, reporter: Reporter) -> None:
        kind = NoticeKind.BUFFER_LOW if happening.is_low else NoticeKind.BUFFER_NORMAL
        reporter.notice(kind, {CardsKey.CARDS: happening.cards})

    @_tell.register
    def _(self, happening: CardSuspected, reporter: Reporter) -> None:
        keys: dict[int, Value] = {
            SuspectKey.WHY: SUSPICIONS[happening.why],
            SuspectKey.PLACE: PLACES[happening.spot],
        }
        reporter.notice(NoticeKind.SUSPECT_CARD, keys)

    @_tell.register
    def _(self, happening: Tampered, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.TAMPER, {TamperKey.WHAT: BREACHES[happening.what]})

    @_tell.register
    def _(self, happening: JobEnded, reporter: Reporter) -> None:
        reason = REASONS[happening.hindrance] if happening.hindrance is not None else None
        reporter.command_ended(Ended(reason, None if isinstance(happening.job, SelfTest) else happening.moved))
        reporter.hinder()

    # Permits

    def is_still(self, what: Permit) -> bool:
        if what is Permit.FEED:
            return not self.machine.carousel.runs(Move.FEED)
        return what is not Permit.DEAL or not self.machine.carousel.runs(Move.ADVANCE, Move.PUSH)

    def permit_changed(self, what: Permit, *, stands: bool, remaining: int | None) -> None:
        if what is Permit.LID:
            self.machine.is_lid_released = stands
            return
        gate = self.machine.deal_gate if what is Permit.DEAL else self.machine.feed_gate
        if stands:
            gate.open(remaining)
        else:
            gate.close()

    def permit_hindrance(self, what: Permit) -> Reason | None:
        if what is Permit.LID:
            return None
        if self.machine.carousel.is_lid_open:
            return Reason.LID_OPEN
        if self.machine.standing.stops(SIDES[what]):
            return Reason.FAULT_OR_JAM
        is_unverified = what is Permit.DEAL and not self.is_verified
        return Reason.CONTENT_UNVERIFIED if is_unverified else None

    # Commands

    def argument_hindrance(self, operation: int, argument: int | None) -> Reason | None:
        limits: dict[int, Container[int | None]] = {
            Operation.DEAL: range(1, self.machine.figures.capacity + 1),
            Operation.SHUFFLE: range(1, self.machine.figures.capacity + 1),
            Operation.RECOVER: (None, 0, *SPOTS),
            Operation.SELF_TEST: (None, 0, *PARTS),
        }
        allowed = limits.get(operation)
        return Reason.ARGUMENT if allowed is not None and argument not in allowed else None

    def guard(self, operation: int, argument: int | None, *, has_deal_permit: bool) -> Reason | None:
        machine = self.machine
        deals = operation in (Operation.EJECT_ALL, Operation.DEAL)
        if machine.carousel.is_lid_open:
            return Reason.LID_OPEN
        if machine.standing.jams and operation != Operation.RECOVER:
            return Reason.FAULT_OR_JAM
        if machine.standing.stops_job(SIDES_NEEDED.get(operation, NOTHING)):
            return Reason.FAULT_OR_JAM
        if deals and not self.is_verified:
            return Reason.CONTENT_UNVERIFIED
        if deals and not has_deal_permit:
            return Reason.PERMIT
        if operation == Operation.DEAL and (argument or 0) > machine.book.content.total:
            return Reason.NO_CARDS
        if operation == Operation.SHUFFLE and not machine.book.content.total:
            return Reason.NO_CARDS
        return None

    def begin(self, operation: int, argument: int | None) -> None:
        jobs: dict[int, Callable[[], Job]] = {
            Operation.COUNT_ALL: Count,
            Operation.EJECT_ALL: Empty,
            Operation.DEAL: lambda: Deal(argument or 0),
            Operation.SHUFFLE: lambda: Shuffle(argument or 0),
            Operation.RECOVER: lambda: Recover((SPOTS[argument],) if argument else tuple(Spot)),
            Operation.SELF_TEST: lambda: SelfTest(PARTS.get(argument or 0)),
        }
        self.machine.begin(jobs[operation]())

    def progress(self) -> tuple[int, int]:
        return self.machine.job.progress

    # Levels

    def state(self) -> dict[int, Value]:
        content = self.machine.book.content
        return {
            StateKey.CONTENT: content.total,
            StateKey.CONTENT_BY_AREA: (content.feed, content.exit, content.carousel),
            StateKey.PATH_CLEAR: self.machine.is_path_clear,
            StateKey.LID_OPEN: self.machine.carousel.is_lid_open,
            StateKey.LAMP: lamp_level(self.machine.shown_light),
        }

    def faults(self) -> list[tuple[int, int]]:
        return list(self._standing)

    def meters(self) -> dict[int, Value]:
        meters = self.machine.meters
        return {
            MetersKey.CARDS_IN: meters.cards_in,
            MetersKey.CARDS_OUT: meters.cards_out,
            MetersKey.JAMS: meters.jams,
        }

    def light(self, light: Light) -> Reason | None:
        if light == DARK and self.machine.standing.jams:
            return Reason.FAULT_OR_JAM
        self.machine.set_lamp(light)
        return None

    def clear_fault(self, fault: int, place: int) -> bool:
        spot = SPOTS.get(place)
        if spot is None:
            return True
        if fault == FaultCode.JAM:
            return self.machine.clear_jam(spot)
        trouble = TROUBLES.get(fault)
        return trouble is None or self.machine.standing.clear(trouble, spot)

    def memory_failed(self) -> None:
        self.machine.standing.begin(Trouble.MEMORY, Spot.CAROUSEL)


def new_shuffler(
    machine: ShufflerMachine, memory: Memory, *, serial: str = "000123", shape: Shape = CONTINUOUS
) -> TdlDevice:
    """A TDL shuffler with this machine in it, switched off."""
    return TdlDevice(ShufflerEquipment(machine, serial, shape), memory)
