"""What is due at machines and cards, against the limits that the table's file sets (`[[maintenance]]`). Pure.

Work counts as done where a technician has recorded it by the machine's serial number (`tableside device record`), the
part's name first: *feed rollers 12-B* ends what *feed rollers* has gathered. What was never recorded is counted from
the machine's first row. Cards of a set are counted since the load of the session that plays with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from firmware_bridge.clock import NS_PER_S
from tableside import happenings, session_happenings
from tableside.diagnosis.in_use import AnyReady, InUse
from tableside.house import House, Maintenance
from tableside.journal.export import utc_text
from tableside.machine_happenings import MachineRecorded
from tableside.reports.story import Story

CARDS = "cards"
NS_PER_HOUR = 3_600 * NS_PER_S
# From here on it is said to be due soon: a tenth of the time is left.
SOON_PERCENT = 90
DUE_PERCENT = 100


class Upkeep(msgspec.Struct, frozen=True, kw_only=True):
    """One thing at one machine, or a table's set of cards. `since` is UTC; `done` False: never recorded.

    `percent` of the limit that is nearer; None where the file sets none. `state`: *due*, *soon*, *well*, *no limit*.
    """

    table: str
    serial: str
    model: str
    what: str
    since: str
    done: bool
    cards: int
    hours: float
    after_cards: int
    after_hours: int
    percent: float | None
    state: str


class UpkeepTold(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `diag pm`. `source`: daemon or journal; `until`: the time of the last row that was read."""

    source: str
    until: str
    upkeep: tuple[Upkeep, ...]


@dataclass(slots=True)
class _Machine:
    """What has gone through a machine since its first row, and where that stood when work was recorded."""

    first_ns: int
    model: str = ""
    table: str = ""
    cards: int = 0
    done: dict[str, tuple[int, int]] = field(default_factory=dict)  # what → UTC ns, cards then


@dataclass(slots=True)
class _Set:
    """The cards in play at a table: since when, and how many have gone out of the machine since."""

    since_ns: int
    cards: int = 0


def upkeep_told(source: str, stories: Iterable[Story], until_ns: int, serial: str = "") -> UpkeepTold:
    """`until_ns`: now, or of a journal that nobody writes any more the time of its last row (UTC ns)."""
    read = list(stories)
    machines: dict[str, _Machine] = {}
    sets: list[tuple[Story, _Set]] = []
    for story in read:
        cards = _read(story, machines)
        if cards is not None:
            sets.append((story, cards))
    limits = {limit for story in read for limit in story.house.maintenance}
    found = [
        one
        for number, machine in sorted(machines.items())
        if serial in ("", number)
        for one in _of_machine(number, machine, limits, until_ns)
    ]
    if not serial:
        found += [_of_cards(story.house, cards, until_ns) for story, cards in sets]
    return UpkeepTold(source=source, until=utc_text(until_ns), upkeep=tuple(found))


def _read(story: Story, machines: dict[str, _Machine]) -> _Set | None:
    used, cards = InUse(), None
    kept = {story.house.shuffler, *story.house.spare_shufflers, story.house.shoe}
    for told in story.told:
        used.follow(told.what)
        what = told.what
        if isinstance(what, AnyReady) and what.device in kept and what.serial:
            machine = machines.setdefault(what.serial, _Machine(told.wall_ns))
            machine.model, machine.table = what.model, story.house.table
        match what:
            case happenings.CardsLeft(device=device, cards=count):
                if (known := machines.get(used.serial(device))) is not None:
                    known.cards += count
                if cards is not None:
                    cards.cards += count
            case MachineRecorded(serial=serial, parts=parts):
                machine = machines.setdefault(serial, _Machine(told.wall_ns, table=story.house.table))
                machine.done |= dict.fromkeys(parts, (told.wall_ns, machine.cards))
            case session_happenings.LoadCompleted(kind=kind) if kind in _NEW_CARDS:
                cards = _Set(told.wall_ns)
            case happenings.SessionClosed():
                cards = None
    return cards


# A swap or an incident's reload goes on with the cards that are there.
_NEW_CARDS = ("session",)


def _of_machine(serial: str, machine: _Machine, limits: set[Maintenance], until_ns: int) -> Iterator[Upkeep]:
    due = sorted((one for one in limits if one.what != CARDS and one.model in ("", machine.model)), key=_name)
    named = {_limit_of(part, due) or part for part in machine.done}
    for limit in [*due, *(Maintenance(what) for what in sorted(named - {one.what for one in due}))]:
        times = [when for part, when in machine.done.items() if (_limit_of(part, due) or part) == limit.what]
        since_ns, before = max(times, default=(machine.first_ns, 0))
        yield _upkeep(
            limit,
            table=machine.table,
            serial=serial,
            model=machine.model,
            since_ns=since_ns,
            done=bool(times),
            cards=machine.cards - before,
            until_ns=until_ns,
        )


def _limit_of(part: str, limits: list[Maintenance]) -> str:
    """What of the limits a recorded part is; empty where it is none of them."""
    return next((one.what for one in limits if part.casefold().startswith(one.what.casefold())), "")


def _name(limit: Maintenance) -> str:
    return limit.what


def _of_cards(house: House, cards: _Set, until_ns: int) -> Upkeep:
    limit = next((one for one in house.maintenance if one.what == CARDS), Maintenance(CARDS))
    return _upkeep(
        limit,
        table=house.table,
        serial="",
        model="",
        since_ns=cards.since_ns,
        done=True,
        cards=cards.cards,
        until_ns=until_ns,
    )


def _upkeep(
    limit: Maintenance, *, table: str, serial: str, model: str, since_ns: int, done: bool, cards: int, until_ns: int
) -> Upkeep:
    hours = max(0, until_ns - since_ns) / NS_PER_HOUR
    parts = [cards / limit.after_cards] if limit.after_cards else []
    parts += [hours / limit.after_hours] if limit.after_hours else []
    percent = 100.0 * max(parts) if parts else None
    return Upkeep(
        table=table,
        serial=serial,
        model=model,
        what=limit.what,
        since=utc_text(since_ns),
        done=done,
        cards=cards,
        hours=hours,
        after_cards=limit.after_cards,
        after_hours=limit.after_hours,
        percent=percent,
        state=_state(percent),
    )


def _state(percent: float | None) -> str:
    if percent is None:
        return "no limit"
    return "due" if percent >= DUE_PERCENT else "soon" if percent >= SOON_PERCENT else "well"
