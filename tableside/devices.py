"""What is known of each device: connected or not, identity, levels, meters; and which notices the journal holds.

First stop of every device fact: a notice that the journal already holds is dropped here, so that a repeat after
a crash or a lost acknowledgement changes nothing. Meters become movements of cards here, always: whatever the
procedures think of it, a card that a meter saw is posted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from drivers import events
from drivers.card_events import CardReaderReady
from drivers.counters import CounterReadings
from drivers.events import Ability, Holding, LampColour, LampPattern, Place
from firmware_bridge.clock import NS_PER_MS
from tableside import card_account, meters
from tableside.card_account import Evidence
from tableside.decisions import NoticesResumed
from tableside.happenings import DeviceCame, DeviceWent, LevelsFound
from tableside.meters import is_standing_by as is_standing_by
from tableside.meters import machine as machine
from tableside.tables import Turn

JAM = 0  # TDL 6, FAULTS: a jam is listed as fault 0


class EndedBoot(msgspec.Struct, frozen=True):
    """The boot before this one, and where its meters stood when we last heard them."""

    boot: int
    meter_in: int
    meter_out: int


class Found(msgspec.Struct, frozen=True):
    """What stood when the device was connected; told to the tables when the notices that it had kept are in."""

    is_lid_open: bool | None
    jams: tuple[Place, ...]
    faults: tuple[tuple[int, Place], ...]


class DeviceLevels(msgspec.Struct, frozen=True):
    """One device as last told. Counts in cards; `notice` is the last number of `boot` that the journal holds."""

    is_connected: bool = False
    unheard_since_ns: int = 0  # UTC: when it was last heard, of one that is away; 0 while it is here
    serial: str = ""
    model: str = ""
    maker: str = ""
    firmware: str = ""
    digest: str = ""  # of the firmware, self-reported
    boot_cause: str = ""
    is_simulated: bool = False
    has_spoken: bool = True  # False: its line is open and nothing was heard on it yet, which proves nothing
    is_secure: bool = True  # a badge reader's channel; other devices have none of their own
    boot: int = 0
    notice: int = 0
    found: Found | None = None
    backlog: int = 0  # notices up to this number wait at the device since it connected
    ended: EndedBoot | None = None
    counters: CounterReadings | None = None  # of a board that counts on while nobody listens, where meters stood at 0
    epoch: int = 0
    highest_number: int = 0
    has_obeyed: bool = False  # our epoch, at any time: if it obeys nobody now, its memory was wiped
    last_command: int = 0  # highest command number that this journal has given out
    meter_in: int = 0
    meter_out: int = 0
    content: int | None = None
    areas: tuple[int, ...] | None = None
    is_path_clear: bool | None = None
    is_lid_open: bool = False
    is_content_unverified: bool = False
    tray_cards: int | None = None
    tray_fill_percent: int | None = None  # of a tray that cannot count: shown, and no movement of cards rests on it
    lamp: tuple[LampColour, LampPattern] | None = None
    jams: tuple[Place, ...] = ()
    faults: tuple[tuple[int, Place], ...] = ()
    abilities: dict[Ability, Holding] = {}

    def holding(self, ability: Ability) -> Holding:
        """How far the device holds this by itself."""
        return self.abilities.get(ability, Holding.CANNOT)

    @property
    def has_told_all(self) -> bool:
        """What the device kept while it was away has arrived: meters are as they were when it connected."""
        return self.notice >= self.backlog

    @property
    def is_up_to_date(self) -> bool:
        """It is here, and nothing that it kept is still to come."""
        return self.is_connected and self.has_told_all


class Devices(msgspec.Struct, frozen=True):
    """By device name. `in_use`: the shuffler that a swap brought in; empty: the house's first one."""

    known: dict[str, DeviceLevels] = {}
    in_use: str = ""


def of(turn: Turn, name: str) -> DeviceLevels:
    """A device's levels; a device never seen has none."""
    return turn.state.devices.known.get(name, DeviceLevels())


def put(turn: Turn, name: str, levels: DeviceLevels) -> None:
    """Replace a device's levels."""
    devices = turn.state.devices
    turn.state = replace(turn.state, devices=replace(devices, known={**devices.known, name: levels}))


def adopted(turn: Turn, name: str) -> None:
    """The device obeys our epoch now, and its highest number is the one that we told it."""
    levels = of(turn, name)
    epoch = turn.state.house.epoch
    put(turn, name, replace(levels, epoch=epoch, has_obeyed=True, highest_number=levels.last_command))


def all_away(turn: Turn) -> None:
    """A new daemon has heard nobody yet."""
    for name, levels in turn.state.devices.known.items():
        since_ns = levels.unheard_since_ns or turn.given.wall_ns
        put(turn, name, replace(levels, is_connected=False, unheard_since_ns=since_ns))


def verified(turn: Turn, name: str) -> None:
    """A count has ended well: the content is verified."""
    put(turn, name, replace(of(turn, name), is_content_unverified=False))


def use(turn: Turn, name: str) -> None:
    """From now on this shuffler is the machine in use (semantics §4 *Machine swap*)."""
    turn.state = replace(turn.state, devices=replace(turn.state.devices, in_use=name))


def shuffler(turn: Turn) -> DeviceLevels:
    """The machine in use."""
    return of(turn, machine(turn.state))


def is_repeated(turn: Turn, fact: events.Fact) -> bool:
    """True where the journal already holds this notice."""
    if not isinstance(fact, events.Notice):
        return False
    known = of(turn, fact.device)
    return fact.boot == known.boot and fact.number <= known.notice


def learn(turn: Turn, fact: events.Fact) -> None:
    """Take a fact into the levels; meters are posted."""
    if isinstance(fact, events.Notice):
        levels = of(turn, fact.device)
        if fact.boot != levels.boot:
            levels = _new_boot(levels, fact.boot)
        put(turn, fact.device, replace(levels, notice=fact.number))
    for kind in (type(fact), *type(fact).__bases__):
        if kind in LEARNING:
            LEARNING[kind](turn, fact)
            break
    _tell_found(turn, fact.device)


def _tell_found(turn: Turn, device: str) -> None:
    """All that was kept is told: what stood at the connection now goes for what stands."""
    levels = of(turn, device)
    found = levels.found
    if found is None or not levels.is_connected or not levels.has_told_all:
        return
    is_lid_open = levels.is_lid_open if found.is_lid_open is None else found.is_lid_open
    put(turn, device, replace(levels, found=None, is_lid_open=is_lid_open, jams=found.jams, faults=found.faults))
    turn.happened(LevelsFound(device=device, is_lid_open=found.is_lid_open, jams=found.jams, faults=found.faults))


def _has_forgotten(before: DeviceLevels, fact: events.DeviceReady) -> bool:
    """Its memory was wiped, and with it the count of its boots: the same number is another boot (TDL 10.3)."""
    return fact.newest_notice < before.notice or (fact.epoch == 0 and before.epoch != 0)


def _ready(turn: Turn, fact: events.DeviceReady) -> None:
    before = of(turn, fact.device)
    is_new_boot = before.boot != fact.boot or before.serial != fact.serial or _has_forgotten(before, fact)
    levels = replace(
        before,
        is_connected=True,
        unheard_since_ns=0,
        has_obeyed=before.has_obeyed and before.serial == fact.serial,
        serial=fact.serial,
        maker=fact.maker,
        model=fact.model,
        firmware=fact.firmware,
        digest=fact.digest,
        boot_cause=fact.boot_cause,
        is_simulated=fact.is_simulated,
        epoch=fact.epoch,
        highest_number=fact.highest_number,
        content=fact.content,
        areas=fact.areas,
        is_path_clear=fact.is_path_clear,
        is_lid_open=bool(fact.is_lid_open),
        is_content_unverified=fact.is_content_unverified,
        tray_cards=fact.tray_cards,
        tray_fill_percent=fact.tray_fill_percent,
        lamp=fact.lamp,
        abilities=fact.abilities,
        counters=fact.counters,
    )
    if is_new_boot:
        levels = _new_boot(levels, fact.boot)
    if before.serial != fact.serial:
        levels = replace(levels, ended=None)
    is_keeping = fact.oldest_notice <= fact.newest_notice
    levels = replace(levels, backlog=fact.newest_notice if is_keeping else 0, found=_found(fact))
    put(turn, fact.device, levels)
    if fact.counters is not None:
        _count_unheard(turn, fact.device, before, fact.counters, is_new_boot=is_new_boot)
    turn.decide(NoticesResumed(device=fact.device, boot=fact.boot, number=levels.notice))
    turn.happened(DeviceCame(device=fact.device, is_new_boot=is_new_boot))


def _count_unheard(turn: Turn, device: str, before: DeviceLevels, now: CounterReadings, *, is_new_boot: bool) -> None:
    """A board counted on while nobody listened: that is posted. Where it cannot be so, nobody knows what is inside.

    Within a boot its meters say it themselves. The machine knows nothing of its content: what was unverified stays so.
    """
    levels = of(turn, device)
    known = before.counters if before.serial == levels.serial else None
    passed = meters.unheard(known, (before.meter_in, before.meter_out), now) if is_new_boot else (0, 0)
    put(turn, device, replace(levels, is_content_unverified=before.is_content_unverified or passed is None))
    if passed is not None:
        meters.post_out(turn, device, passed[1])
        meters.post_in(turn, device, passed[0])


def _found(fact: events.DeviceReady) -> Found:
    jams = tuple(place for fault, place in fact.faults if fault == JAM)
    return Found(fact.is_lid_open, jams, tuple((fault, place) for fault, place in fact.faults if fault != JAM))


def _new_boot(levels: DeviceLevels, boot: int) -> DeviceLevels:
    """Notices and meters begin anew; where the last meters stood is kept for what *booted* tells of them."""
    ended = EndedBoot(levels.boot, levels.meter_in, levels.meter_out)
    return replace(levels, boot=boot, notice=0, backlog=0, meter_in=0, meter_out=0, ended=ended)


def _plainly_ready(turn: Turn, fact: events.Ready | events.ReaderReady) -> None:
    before = of(turn, fact.device)
    levels = replace(
        before,
        is_connected=True,
        unheard_since_ns=0,
        serial=fact.serial,
        model=fact.model,
        firmware=fact.firmware,
        is_simulated=fact.is_simulated,
        is_secure=fact.is_secure if isinstance(fact, events.ReaderReady) else before.is_secure,
        has_spoken=fact.has_spoken if isinstance(fact, CardReaderReady) else True,
    )
    put(turn, fact.device, levels)
    is_another = isinstance(fact, events.ReaderReady) and before.serial not in ("", fact.serial)
    turn.happened(DeviceCame(device=fact.device, is_new_boot=is_another))


def _gone(turn: Turn, fact: events.Lost | events.DeviceRejected) -> None:
    levels = of(turn, fact.device)
    if not levels.unheard_since_ns:
        silent_ms = fact.silent_ms if isinstance(fact, events.Lost) else 0
        since_ns = turn.given.wall_ns - silent_ms * NS_PER_MS
        put(turn, fact.device, replace(levels, is_connected=False, unheard_since_ns=since_ns))
    if levels.is_connected:
        turn.happened(DeviceWent(device=fact.device))


def _booted(turn: Turn, fact: events.DeviceBooted) -> None:
    """What moved in the boot before and was never told is posted from its last meters, where the device kept them."""
    levels = of(turn, fact.device)
    put(turn, fact.device, replace(levels, content=fact.content, jams=(), faults=(), ended=None))
    ended = levels.ended
    if ended is None or ended.boot + 1 != fact.boot:
        return  # a boot in between is unknown: the count after it tells
    if fact.last_meter_in is not None:
        meters.post_in(turn, fact.device, meters.step(turn, fact.device, ended.meter_in, fact.last_meter_in))
    if fact.last_meter_out is not None:
        meters.post_out(turn, fact.device, meters.step(turn, fact.device, ended.meter_out, fact.last_meter_out))


def _cards_out(turn: Turn, fact: events.CardsOut) -> None:
    levels = of(turn, fact.device)
    step = meters.step(turn, fact.device, levels.meter_out, fact.meter)
    put(turn, fact.device, replace(levels, meter_out=fact.meter))
    meters.post_out(turn, fact.device, step)


def _cards_in(turn: Turn, fact: events.CardsIn) -> None:
    levels = of(turn, fact.device)
    step = meters.step(turn, fact.device, levels.meter_in, fact.meter)
    put(turn, fact.device, replace(levels, meter_in=fact.meter))
    meters.post_in(turn, fact.device, step)


def _tray(turn: Turn, fact: events.TrayLevel) -> None:
    """A tray that tells a fill level only posts nothing: what lies in it stands with the cards on the table (CSM-9)."""
    known = of(turn, fact.device)
    put(turn, fact.device, replace(known, tray_cards=fact.cards, tray_fill_percent=fact.fill_percent))
    if fact.cards is not None:
        step = fact.cards - turn.state.account.at(card_account.TRAY)
        card_account.move(turn, card_account.TABLE, card_account.TRAY, step, Evidence.METER, "tray level")


def _jam(turn: Turn, fact: events.CardJammed) -> None:
    levels = of(turn, fact.device)
    if fact.place not in levels.jams:
        put(turn, fact.device, replace(levels, jams=(*levels.jams, fact.place)))


def _jam_gone(turn: Turn, fact: events.JamGone) -> None:
    levels = of(turn, fact.device)
    put(turn, fact.device, replace(levels, jams=tuple(place for place in levels.jams if place != fact.place)))


def _fault(turn: Turn, fact: events.DeviceFaulted) -> None:
    levels = of(turn, fact.device)
    if (fact.fault, fact.place) not in levels.faults:
        put(turn, fact.device, replace(levels, faults=(*levels.faults, (fact.fault, fact.place))))


def _fault_gone(turn: Turn, fact: events.DeviceFaultGone) -> None:
    levels = of(turn, fact.device)
    rest = tuple(standing for standing in levels.faults if standing != (fact.fault, fact.place))
    put(turn, fact.device, replace(levels, faults=rest))


def _lid(turn: Turn, fact: events.LidOpened | events.LidClosed) -> None:
    put(turn, fact.device, replace(of(turn, fact.device), is_lid_open=isinstance(fact, events.LidOpened)))


def _lamp(turn: Turn, fact: events.LampChanged | events.LampShowed) -> None:
    put(turn, fact.device, replace(of(turn, fact.device), lamp=(fact.colour, fact.pattern)))


def _levels(turn: Turn, fact: events.LevelsRead) -> None:
    levels = replace(
        of(turn, fact.device),
        content=fact.content,
        areas=fact.areas,
        is_path_clear=fact.is_path_clear,
        is_lid_open=bool(fact.is_lid_open),
    )
    put(turn, fact.device, levels)


# By the kind of a fact, or by what it is a kind of: a device without TDL needs no line here.
LEARNING: Mapping[type, Callable[..., None]] = {
    events.DeviceReady: _ready,
    events.Ready: _plainly_ready,
    events.Lost: _gone,
    events.LampShowed: _lamp,
    events.ReaderReady: _plainly_ready,
    events.DeviceRejected: _gone,
    events.DeviceBooted: _booted,
    events.CardsOut: _cards_out,
    events.CardsIn: _cards_in,
    events.TrayLevel: _tray,
    events.CardJammed: _jam,
    events.JamGone: _jam_gone,
    events.DeviceFaulted: _fault,
    events.DeviceFaultGone: _fault_gone,
    events.LidOpened: _lid,
    events.LidClosed: _lid,
    events.LampChanged: _lamp,
    events.LevelsRead: _levels,
}
