"""Jackpot chips by device and seat: what the meters told, and what lies in the windows until it is collected.

Only a meter posts a chip. What a level shows and no meter told is not guessed at: it is found, and somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers import events
from drivers.events import PermitKind
from tableside import unexpected
from tableside.house import ChipSlots
from tableside.jackpot_happenings import ChipBet
from tableside.locks import Scope
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "JP-10"
METER_MODULUS = 1 << 32  # TDL 8.4: u32 since boot
# No seat gets more chips than this between two notices: a larger step is a broken meter.
METER_STEP_MAX = 100
Seats = dict[str, int]


class FoundChips(msgspec.Struct, frozen=True):
    """What a device said when it connected; compared when all that it had kept is told."""

    chips_in: tuple[int, ...] | None
    lying: tuple[int, ...] | None
    events: int | None


class DeviceChips(msgspec.Struct, frozen=True):
    """One device. `meters` since its boot and `lying` by seat (as text); `events`: where its own counter stood."""

    boot: int = 0
    meters: Seats = {}
    lying: Seats = {}
    events: int | None = None
    found: FoundChips | None = None

    @property
    def in_windows(self) -> int:
        """Chips that a collection must bring."""
        return sum(self.lying.values())


class Chips(msgspec.Struct, frozen=True):
    """By device name."""

    known: dict[str, DeviceChips] = {}


def slots_of(state: TableState, device: str) -> ChipSlots | None:
    """The table's chip slots of this name; None: it is no such device."""
    return next((slots for slots in state.house.chip_slots if slots.name == device), None)


def of(turn: Turn, device: str) -> DeviceChips:
    """A device's chips; one never seen has none."""
    return turn.state.chips.known.get(device, DeviceChips())


def came_in(turn: Turn, fact: events.ChipsIn) -> None:
    """The meter has risen: so many chips lie at that seat now."""
    slots, seat = slots_of(turn.state, fact.device), str(fact.seat)
    known = _of_boot(turn, fact.device, fact.boot)
    step = (fact.meter - known.meters.get(seat, 0)) % METER_MODULUS
    known = replace(known, meters={**known.meters, seat: fact.meter})
    if slots is None or fact.seat not in slots.seats or step > METER_STEP_MAX:
        _put(turn, fact.device, known)
        text = f"{fact.device}: chip meter of seat {fact.seat} went on by {step} to {fact.meter}; not posted"
        unexpected.record(turn, text, (Scope.JACKPOT_BETS,), RULE)
        return
    if not step:
        _put(turn, fact.device, known)
        return
    _put(turn, fact.device, replace(known, lying={**known.lying, seat: known.lying.get(seat, 0) + step}))
    turn.happened(ChipBet(device=fact.device, seat=fact.seat, chips=step, value=turn.state.house.chip_value))


def connected(turn: Turn, fact: events.DeviceReady) -> None:
    """What it says now is kept until its notices are in. Slots that stand open still may go on counting: no level."""
    if slots_of(turn.state, fact.device) is None:
        return
    known = _of_boot(turn, fact.device, fact.boot)
    is_shut = PermitKind.SLOTS not in fact.permits
    found = FoundChips(fact.chips_in, fact.chips_lying, fact.slot_events) if is_shut else None
    _put(turn, fact.device, replace(known, found=found))


def counted(turn: Turn, fact: events.SlotEvents) -> None:
    """All events up to there are told."""
    _put(turn, fact.device, replace(of(turn, fact.device), events=fact.counter))


def take_found(turn: Turn, device: str) -> tuple[str, ...]:
    """What shut slots showed and no notice told, in words, once; counting goes on from what they showed."""
    known = of(turn, device)
    found = known.found
    if found is None:
        return ()
    now = replace(
        known,
        found=None,
        meters=known.meters if found.chips_in is None else _by_seat(found.chips_in),
        lying=known.lying if found.lying is None else _by_seat(found.lying),
        events=known.events if found.events is None else found.events,
    )
    _put(turn, device, now)
    return tuple(_differences(known, found))


def is_untold(turn: Turn, fact: events.LevelsRead) -> bool:
    """Shut slots show what no notice has told yet; it is kept as found."""
    known, found = of(turn, fact.device), FoundChips(fact.chips_in, fact.chips_lying, None)
    has_more = any(_differences(known, found))
    _put(turn, fact.device, replace(known, found=found if has_more else None))
    return has_more


def collected(turn: Turn, device: str) -> None:
    """Nothing lies in its windows any more."""
    _put(turn, device, replace(of(turn, device), lying={}))


def lie(turn: Turn, seats: tuple[int, ...]) -> None:
    """Somebody has looked: at these seats lies one chip each, at the others none."""
    for slots in turn.state.house.chip_slots:
        lying = {str(seat): 1 for seat in slots.seats if seat in seats}
        _put(turn, slots.name, replace(of(turn, slots.name), lying=lying))


def _differences(known: DeviceChips, found: FoundChips) -> Iterator[str]:
    for what, levels, ours in (("chips in", found.chips_in, known.meters), ("chips lying", found.lying, known.lying)):
        for seat, level in enumerate(levels or (), start=1):
            if level != ours.get(str(seat), 0):
                yield f"seat {seat}: {level} {what}, {ours.get(str(seat), 0)} told"
    if None not in (found.events, known.events) and found.events != known.events:
        yield f"event counter at {found.events}, told up to {known.events}"


def _by_seat(levels: tuple[int, ...]) -> Seats:
    return {str(seat): level for seat, level in enumerate(levels, start=1) if level}


def _of_boot(turn: Turn, device: str, boot: int) -> DeviceChips:
    """Meters begin anew in each boot; what lies in the windows lies there still."""
    known = of(turn, device)
    return known if known.boot == boot else replace(known, boot=boot, meters={})


def _put(turn: Turn, device: str, chips: DeviceChips) -> None:
    turn.state = replace(turn.state, chips=Chips({**turn.state.chips.known, device: chips}))
