"""TDL profile 4 over a jackpot display: SHOW is a goal, STATE says what stands there. It permits and moves nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import (
    FaultCode,
    Holding,
    NoticeKind,
    Operation,
    Permit,
    Profile,
    Reason,
    Shown,
    Status,
)
from firmware_bridge.wire.tdl.keys import FaultKey, ShowKey, StateKey
from firmware_bridge.wire.tdl.read import U8, opt_text, opt_uint, uint
from simulator.world.display import JackpotDisplay, Order, Picture
from simulator.world.lamp import Light

from .equipment import Identity, Reporter
from .memory import Memory
from .session import OK, Answer, refused
from .still_equipment import StillEquipment
from .tdl_device import TdlDevice

FIRMWARE_VERSION = "sim-1.0"
MAX_DECIMALS = 4  # TDL 14.2
CURRENCY_LETTERS = 3
PICTURES = {
    Shown.NOTHING: Picture.DARK,
    Shown.AMOUNT: Picture.AMOUNT,
    Shown.PENDING: Picture.PENDING,
    Shown.WON: Picture.WON,
    Shown.ONE_MOMENT: Picture.WAIT,
}
MEMORY_FAULT = (int(FaultCode.MEMORY), 0)  # at no place in particular
CODES = {picture: code for code, picture in PICTURES.items()}


class DisplayEquipment(StillEquipment):
    """A jackpot display as TDL sees it."""

    def __init__(self, display: JackpotDisplay, serial: str) -> None:
        self.display = display
        self.identity = Identity(
            model="SIGN-SIM",
            serial=serial,
            firmware_version=FIRMWARE_VERSION,
            digest=hashlib.sha256(f"sign {FIRMWARE_VERSION}".encode()).digest(),
            profiles=(Profile.DISPLAY,),
            abilities=(Holding.CANNOT,) * 8,
        )
        self.operations = frozenset({Operation.SHOW})
        self.permits: frozenset[Permit] = frozenset()
        self.is_verified = True
        self._session = 0
        self._now_ns = 0
        self._is_memory_broken = False
        self._is_fault_told = False

    def boot(self, memory: Memory) -> dict[int, Value]:
        self._session = 0
        self._is_memory_broken = self._is_fault_told = False
        self.display.power_on()
        return {}

    def power_off(self) -> None:
        self.display.power_off()

    def look_around(self, reporter: Reporter) -> None:
        """Nothing stands that would have to be told."""

    def observe(self, reporter: Reporter, memory: Memory) -> bool:
        self._now_ns = reporter.now_ns
        if self._is_fault_told is self._is_memory_broken:
            return False
        self._is_fault_told = self._is_memory_broken
        kind = NoticeKind.FAULT if self._is_memory_broken else NoticeKind.FAULT_GONE
        reporter.notice(kind, {FaultKey.FAULT: MEMORY_FAULT[0], FaultKey.PLACE: MEMORY_FAULT[1]})
        return True

    def makes_sense(self, body: Mapping[int, Value]) -> bool:
        """A word that there is, an amount whole. Raises BadBody."""
        return _order_of(body) is not None and uint(body, ShowKey.STALE_MS) > 0

    def show(self, body: Mapping[int, Value], session: int) -> Answer:
        """SHOW. Versions rise within a session; a lower one is a late copy, and changes nothing."""
        order, stale_ms = _order_of(body), uint(body, ShowKey.STALE_MS)
        assert order is not None, "it makes sense"
        standing = self.display.order
        if session == self._session and standing is not None and order.version < standing.version:
            return Answer(Status.OLD)
        if not self.display.show(order, stale_ms, self._now_ns):
            return refused(Reason.ARGUMENT)
        self._session = session
        return OK

    # Levels and goals

    def state(self) -> dict[int, Value]:
        version = self.display.order.version if self.display.order is not None else 0
        return {
            StateKey.VERSION_SHOWN: version,
            StateKey.SHOWN: CODES[self.display.picture(self._now_ns)],
        }

    def faults(self) -> list[tuple[int, int]]:
        return [MEMORY_FAULT] if self._is_memory_broken else []

    def meters(self) -> dict[int, Value]:
        return {}

    def light(self, light: Light) -> Reason | None:
        return Reason.NOT_OFFERED

    def clear_fault(self, fault: int, place: int) -> bool:
        """A person says that it is mended; whether it can be, the face has looked (TDL 10.4)."""
        if (fault, place) == MEMORY_FAULT:
            self._is_memory_broken = False
        return True

    def memory_failed(self) -> None:
        """Its memory holds an epoch and outcomes; what it shows does not depend on it."""
        self._is_memory_broken = True


def _order_of(body: Mapping[int, Value]) -> Order | None:
    """What is to be shown; None: it makes no sense. Raises BadBody."""
    version, what = uint(body, ShowKey.VERSION), uint(body, ShowKey.WHAT)
    if what not in PICTURES:
        return None
    picture = PICTURES[Shown(what)]
    if picture is not Picture.AMOUNT:
        return Order(version, picture)
    amount, decimals = opt_uint(body, ShowKey.AMOUNT), opt_uint(body, ShowKey.DECIMALS, U8)
    currency = opt_text(body, ShowKey.CURRENCY)
    if amount is None or decimals is None or decimals > MAX_DECIMALS:
        return None
    if currency is None or len(currency) != CURRENCY_LETTERS:
        return None
    return Order(version, picture, amount, decimals, currency)


def new_display(display: JackpotDisplay, memory: Memory, *, serial: str = "000888") -> TdlDevice:
    """A TDL display, switched off."""
    return TdlDevice(DisplayEquipment(display, serial), memory)
