"""TDL profile 6 over a switch box: lamp, lid contact, tray, keys. It permits nothing and moves nothing."""

from __future__ import annotations

import hashlib
from functools import singledispatchmethod

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import (
    FaultCode,
    Holding,
    Key,
    NoticeKind,
    Operation,
    Permit,
    Place,
    Profile,
    Reason,
    TamperKind,
)
from firmware_bridge.wire.tdl.keys import FaultKey, KeyKey, StateKey, TamperKey, TrayKey
from simulator.world.happenings import (
    BoxHappening,
    BoxSpot,
    DealerKey,
    KeyPressed,
    LampChanged,
    LidMoved,
    Spot,
    Tampered,
    TrayRead,
    Trouble,
    TroubleBegan,
    TroubleGone,
)
from simulator.world.lamp import Light
from simulator.world.switch_box import SwitchBox

from .equipment import Identity, Reporter
from .lamps import lamp_level, lamp_notice
from .memory import Memory
from .still_equipment import StillEquipment
from .tdl_device import TdlDevice

FIRMWARE_VERSION = "sim-1.0"
# It has no particular place but the tray's: TDL 14.2, place 0.
NOWHERE = 0
PLACES: dict[Spot | BoxSpot, int] = {BoxSpot.TRAY: Place.TRAY, BoxSpot.NOWHERE: NOWHERE}
KEYS = {key: Key[key.name] for key in DealerKey}
ABILITIES = (
    Holding.CANNOT,  # deal
    Holding.CANNOT,  # feed
    Holding.OBSERVES,  # lid
    Holding.ENFORCES,  # lamp
    *(Holding.CANNOT,) * 4,
)


class SwitchBoxEquipment(StillEquipment):
    """A switch box as TDL sees it."""

    def __init__(self, box: SwitchBox, serial: str) -> None:
        self.box = box
        self.identity = Identity(
            model="BOX-SIM",
            serial=serial,
            firmware_version=FIRMWARE_VERSION,
            digest=hashlib.sha256(f"box {FIRMWARE_VERSION}".encode()).digest(),
            profiles=(Profile.SWITCH_BOX,),
            abilities=ABILITIES,
        )
        self.operations = frozenset({Operation.LAMP})
        self.permits: frozenset[Permit] = frozenset()
        self.is_verified = True
        self._standing: list[tuple[int, int]] = []

    def boot(self, memory: Memory) -> dict[int, Value]:
        self._standing.clear()
        self.box.power_on()
        return {}

    def power_off(self) -> None:
        self.box.power_off()

    def look_around(self, reporter: Reporter) -> None:
        if self.box.lid_is_open:
            reporter.notice(NoticeKind.LID_OPENED)

    def observe(self, reporter: Reporter, memory: Memory) -> bool:
        happenings = self.box.take_happenings()
        for happening in happenings:
            self._tell(happening, reporter)
        return bool(happenings)

    @singledispatchmethod
    def _tell(self, happening: BoxHappening, reporter: Reporter) -> None:
        raise NotImplementedError(f"no notice for {happening!r}")

    @_tell.register
    def _(self, happening: LidMoved, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.LID_OPENED if happening.is_open else NoticeKind.LID_CLOSED)

    @_tell.register
    def _(self, happening: TrayRead, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.TRAY, {TrayKey.CARDS: happening.cards, TrayKey.FILL: happening.fill_percent})

    @_tell.register
    def _(self, happening: KeyPressed, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.KEY, {KeyKey.KEY: KEYS[happening.key]})

    @_tell.register
    def _(self, happening: LampChanged, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.LAMP, lamp_notice(happening.light))

    @_tell.register
    def _(self, happening: TroubleBegan, reporter: Reporter) -> None:
        pair = (FaultCode[happening.trouble.name], PLACES[happening.spot])
        self._standing.append(pair)
        reporter.notice(NoticeKind.FAULT, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})

    @_tell.register
    def _(self, happening: TroubleGone, reporter: Reporter) -> None:
        pair = (FaultCode[happening.trouble.name], PLACES[happening.spot])
        self._standing.remove(pair)
        reporter.notice(NoticeKind.FAULT_GONE, {FaultKey.FAULT: pair[0], FaultKey.PLACE: pair[1]})

    @_tell.register
    def _(self, happening: Tampered, reporter: Reporter) -> None:
        reporter.notice(NoticeKind.TAMPER, {TamperKey.WHAT: TamperKind[happening.what.name]})

    # Levels and goals

    def state(self) -> dict[int, Value]:
        return {
            StateKey.LID_OPEN: self.box.lid_is_open,
            StateKey.LAMP: lamp_level(self.box.shown_light),
            StateKey.TRAY_CARDS: self.box.tray_cards,
            StateKey.TRAY_FILL: self.box.tray_fill_percent,
        }

    def faults(self) -> list[tuple[int, int]]:
        return list(self._standing)

    def meters(self) -> dict[int, Value]:
        return {}

    def light(self, light: Light) -> Reason | None:
        self.box.set_lamp(light)
        return None

    def clear_fault(self, fault: int, place: int) -> bool:
        if (fault, place) not in self._standing:
            return True
        return self.box.clear_trouble(Trouble[FaultCode(fault).name])

    def memory_failed(self) -> None:
        self.box.begin_trouble(Trouble.MEMORY)


def new_switch_box(box: SwitchBox, memory: Memory, *, serial: str = "000777") -> TdlDevice:
    """A TDL switch box, switched off."""
    return TdlDevice(SwitchBoxEquipment(box, serial), memory)
