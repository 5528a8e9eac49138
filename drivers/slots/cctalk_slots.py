"""One jackpot chip slot with a ccTalk coin acceptor: open while its permit is renewed, shut by us when it is not.

An acceptor keeps no lease: this driver closes it when the permit runs out and when the daemon stops, and before
anything else at each start and reconnect; a daemon that is killed leaves it as it stands until then. It numbers what
the acceptor tells, and says where its own event counter stands, so that the next start finds what nobody heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from drivers.device import Report
from drivers.events import (
    Ability,
    ChipReturn,
    ChipReturned,
    ChipsIn,
    CommandAnswered,
    DeviceFaulted,
    DeviceFaultGone,
    DeviceLost,
    DeviceReady,
    DeviceRejected,
    Fact,
    Holding,
    LampColour,
    LampPattern,
    LevelsRead,
    Outcome,
    PermitAnswered,
    PermitEnded,
    PermitEnding,
    PermitKind,
    Place,
    Reason,
    SlotEvents,
    SlotTroubled,
    Verb,
)
from firmware_bridge.session.cctalk import Acceptor, AcceptorNotice, AcceptorProfile, CctalkBus
from firmware_bridge.session.cctalk.acceptor import (
    AcceptorChecked,
    AcceptorLost,
    AcceptorReady,
    AcceptorShut,
    EventsTold,
    StationCounts,
)
from firmware_bridge.session.endings import Ending
from firmware_bridge.wire.cctalk.acceptor import Event
from firmware_bridge.wire.cctalk.codes import (
    ALARMS,
    BLOCKED,
    CHECKED_OK,
    COIN_RETURN,
    FIRST_INHIBITED_COIN,
    INHIBITED,
    LAST_INHIBITED_COIN,
    NULL_EVENT,
    REJECT,
)

SENSOR_STUCK = 6  # TDL 14.2 *Faults*
_MS_PER_S = 1_000
NEVER_HEARD = "no answer since the start: see its power, its address on the bus, and the wire"


@dataclass(frozen=True, slots=True)
class CctalkSlotSettings:
    """One acceptor of the configuration: the seat whose slot it is, its address, the coin position that is the chip."""

    name: str
    seat: int
    address: int
    position: int
    serial: str
    model: str = ""
    is_simulated: bool = False


class CctalkSlot:
    """A `TdlDevice` in all that slots are asked; it collects nothing, since a chip falls into the box by itself."""

    def __init__(
        self,
        settings: CctalkSlotSettings,
        bus: CctalkBus,
        report: Report,
        *,
        next_boot: Callable[[], int],
        epoch: int,
    ) -> None:
        """`next_boot` counts for ever, so that what is told of one connection is never taken for another's."""
        self.name = settings.name
        self.why_away = NEVER_HEARD
        self.ended_by = ""  # "wrong_device", or that nothing is known beyond `why_away`
        self._settings = settings
        self._bus = bus
        self._report = report
        self._next_boot = next_boot
        self._epoch = epoch
        self._boot = 0
        self._number = 0
        self._meter = 0
        self._ending = PermitEnding.REVOKED
        self._is_open_told = False
        self._is_asked = False
        self._is_ready = False
        self._is_stuck = False
        self._lease: asyncio.TimerHandle | None = None
        self._own: asyncio.Queue[Fact] = asyncio.Queue()
        self.acceptor = Acceptor(AcceptorProfile(settings.address, frozenset({settings.position})))
        bus.add(self.acceptor, self._told)

    @property
    def is_connected(self) -> bool:
        """It answers and is set up."""
        return self._is_ready

    @property
    def has_orders(self) -> bool:
        """It is to be shut (or opened) and has not acknowledged that: a daemon that stops waits for it."""
        return self.acceptor.is_behind

    @property
    def counts(self) -> StationCounts:
        """What this station counted."""
        return self.acceptor.counts

    async def run(self) -> NoReturn:
        """Report it as away, then what it refuses itself; the bus runs by itself."""
        await self._report(DeviceLost(device=self.name, why="not connected since the start"))
        while True:
            await self._report(await self._own.get())

    # --- orders -------------------------------------------------------------------------------------------

    def permit(self, what: PermitKind, duration_ms: int, limit_cards: int | None) -> None:
        """Open, or stay open, for so long from now."""
        if what is not PermitKind.SLOTS:
            self._own.put_nowait(PermitAnswered(device=self.name, what=what, reason=Reason.NOT_OFFERED))
            return
        if self._is_stuck:
            self._own.put_nowait(PermitAnswered(device=self.name, what=what, reason=Reason.FAULT))
            return
        if not self._is_ready:
            return
        self._end_lease()
        loop = asyncio.get_running_loop()
        self._lease = loop.call_later(duration_ms / _MS_PER_S, self._shut, PermitEnding.TIME)
        self.acceptor.wants_open = True
        self._bus.wake(self.acceptor)

    def revoke(self, what: PermitKind) -> None:
        """Shut now."""
        if what is PermitKind.SLOTS:
            self._shut(PermitEnding.REVOKED)

    def read_levels(self) -> None:
        """Answered when it is open, or shut with no coin on its way."""
        if self._is_ready and self.acceptor.wants_open:
            self._own.put_nowait(self._levels())
            return
        self._is_asked = self.acceptor.wants_word = True
        self._bus.wake(self.acceptor)

    def clear_fault(self, fault: int) -> None:
        """Somebody has looked: it checks itself, and what is gone is told."""
        self.acceptor.wants_check = True
        self._bus.wake(self.acceptor)

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Nothing moves here by command."""
        answer = CommandAnswered(device=self.name, command=number, outcome=Outcome.REFUSED, reason=Reason.NOT_OFFERED)
        self._own.put_nowait(answer)

    def ask_outcome(self, epoch: int, number: int) -> None:
        """It never had a command."""
        self._own.put_nowait(CommandAnswered(device=self.name, command=number, outcome=Outcome.NEVER, is_found=True))

    def resume_notices(self, boot: int, number: int) -> None:
        """It keeps none."""

    def acknowledge(self, boot: int, number: int) -> None:
        """It keeps none."""

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """It has no lamp."""

    # --- what the acceptor tells --------------------------------------------------------------------------

    async def _told(self, notice: AcceptorNotice) -> None:
        match notice:
            case AcceptorReady():
                await self._ready(notice)
            case AcceptorLost():
                await self._lost(notice)
            case EventsTold():
                await self._events(notice)
            case AcceptorShut():
                await self._was_shut()
            case AcceptorChecked():
                await self._checked(notice)
            case _:
                self._is_open_told = True  # it takes coins from here on

    async def _ready(self, ready: AcceptorReady) -> None:
        is_first, self._boot = self._boot == 0, self._boot or self._next_boot()
        if self._settings.serial not in ("", str(ready.serial)):
            why = f"serial number {ready.serial} answers at address {self._settings.address}; see which slot it is"
            self.why_away, self.ended_by = why, Ending.WRONG_DEVICE.value
            serial = str(ready.serial)
            await self._report(DeviceRejected(device=self.name, why=why, serial=serial, model=ready.product))
            return
        self._is_ready, self.why_away, self.ended_by = True, "", ""
        await self._report(
            DeviceReady(
                device=self.name,
                maker=ready.manufacturer,
                model=ready.product,
                serial=str(ready.serial),
                firmware=ready.software,
                digest="",
                is_simulated=self._settings.is_simulated or self._bus.is_simulated,
                boot=self._boot,
                boot_cause="unknown",
                epoch=self._epoch,
                highest_number=0,
                oldest_notice=self._number + 1,
                newest_notice=self._number,
                abilities={Ability.SLOTS: Holding.ENFORCES},
                chips_in=self._by_seat(),
                slot_events=ready.counter if is_first else None,  # later ones it knows itself what was missed
            )
        )

    async def _lost(self, lost: AcceptorLost) -> None:
        self._end_lease()
        self._is_ready = self._is_asked = self._is_open_told = False
        self.why_away, self.ended_by = lost.why, ""
        await self._report(DeviceLost(device=self.name, why=lost.why))

    async def _events(self, told: EventsTold) -> None:
        if not self._is_ready:
            return
        if told.news.is_reset:
            await self._reset(was_open=told.was_open)
            return
        if told.news.lost:
            await self._trouble(f"{told.news.lost} event(s) came too quickly to be read; chips may be among them")
        for event in told.news.events:
            await self._event(event)
        await self._report(SlotEvents(device=self.name, counter=told.counter))

    async def _reset(self, *, was_open: bool) -> None:
        """Meter and counter begin anew; what it took between the last look and its restart nobody knows."""
        self._boot, self._number, self._meter = self._next_boot(), 0, 0
        self._is_open_told = False
        await self._report(DeviceLost(device=self.name, why="it has restarted"))
        self._is_ready = False
        if was_open:
            await self._trouble("it restarted while it took chips; what it took last it cannot tell")

    async def _event(self, event: Event) -> None:
        if event.coin == self._settings.position:
            self._meter += 1
            await self._notice(ChipsIn, seat=self._settings.seat, meter=self._meter)
        elif event.is_credit:
            await self._trouble(f"it took in a coin of position {event.coin}, which is no chip")
        elif event.code in RETURNS or FIRST_INHIBITED_COIN <= event.code <= LAST_INHIBITED_COIN:
            why = RETURNS.get(event.code, ChipReturn.VALUE)
            await self._notice(ChipReturned, seat=self._settings.seat, why=why)
        elif event.code in BLOCKED:
            await self._blocked()
        elif event.code != NULL_EVENT:
            await self._trouble(ALARMS.get(event.code, f"event {event.code}"))

    async def _blocked(self) -> None:
        if not self._is_stuck:
            self._is_stuck = True
            self._shut(PermitEnding.FAULT)
            await self._notice(DeviceFaulted, fault=SENSOR_STUCK, place=Place.SLOT)

    async def _checked(self, checked: AcceptorChecked) -> None:
        if checked.fault == CHECKED_OK and self._is_stuck:
            self._is_stuck = False
            await self._notice(DeviceFaultGone, fault=SENSOR_STUCK, place=Place.SLOT)

    async def _was_shut(self) -> None:
        if self._is_open_told:
            self._is_open_told = False
            await self._notice(PermitEnded, what=PermitKind.SLOTS, why=self._ending, counted=0)
        if self._is_asked:
            self._is_asked = False
            await self._report(self._levels())

    async def _trouble(self, why: str) -> None:
        await self._notice(SlotTroubled, why=why)

    async def _notice(self, kind: Callable[..., Fact], **fields: object) -> None:
        self._number += 1
        await self._report(kind(device=self.name, boot=self._boot, number=self._number, **fields))

    # --- inside -------------------------------------------------------------------------------------------

    def _shut(self, why: PermitEnding) -> None:
        if self.acceptor.wants_open:
            self._ending = why
        self._end_lease()
        self.acceptor.wants_open = False
        self._bus.wake(self.acceptor)

    def _end_lease(self) -> None:
        if self._lease is not None:
            self._lease.cancel()
            self._lease = None

    def _levels(self) -> LevelsRead:
        permits = (PermitKind.SLOTS,) if self.acceptor.wants_open else ()
        return LevelsRead(device=self.name, boot=self._boot, permits=permits, chips_in=self._by_seat())

    def _by_seat(self) -> tuple[int, ...]:
        """As TDL's METERS: from seat 1 on, 0 where another slot is."""
        return (0,) * (self._settings.seat - 1) + (self._meter,)


# What an event without credit says of a coin that was given back.
RETURNS = {REJECT: ChipReturn.UNREAD, INHIBITED: ChipReturn.LATE, COIN_RETURN: ChipReturn.UNREAD}
