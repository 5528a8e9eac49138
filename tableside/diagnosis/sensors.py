"""The sensors of a table's devices, as far as devices tell of them: which want cleaning, miscount, suspect cards. Pure.

No device of ours tells a raw level or a threshold: TDL 1 has one word for a sensor, the fault *sensor margin*, which a
device raises before it fails and takes back by itself. So `level` and `threshold` are empty, and the margin is what
that fault says. The trend is of what sensors do wrong, for each thousand cards: the first half of the cards against
the second, by the exact binomial test (the sign test of John Arbuthnot, Phil. Trans. 27 (1710), 186-190).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from drivers import events
from tableside import happenings
from tableside.diagnosis.in_use import InUse
from tableside.journal.export import utc_text
from tableside.reports.story import Story

STUCK, MARGIN = 6, 7  # TDL 10.4
MISCOUNT = "sensor miscount"
# One case in twenty by chance alone.
SURPRISING = 0.05


class Sensor(msgspec.Struct, frozen=True, kw_only=True):
    """One sensor by its place. `margin`: *low* while that fault stands, *enough* since it went, *never low*.

    `level` and `threshold` are null: no device tells them. `low_since` is UTC; `trend`: *worse*, *better*, *no change*,
    or *too little* to say.
    """

    table: str
    device: str
    serial: str
    place: str
    level: float | None = None
    threshold: float | None = None
    margin: str
    low_since: str | None
    low_times: int
    stuck_times: int
    miscounts: int
    suspects: int
    cards: int
    trend: str


class SensorsTold(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `diag sensors`. `source`: daemon or journal."""

    source: str
    sensors: tuple[Sensor, ...]


@dataclass(slots=True)
class _Seen:
    """Of one sensor: when its margin was low, and after how many cards of its machine each trouble came."""

    low_since_ns: int | None = None
    low_times: int = 0
    stuck_times: int = 0
    miscounts: int = 0
    suspects: int = 0
    troubles: list[int] = field(default_factory=list)


def sensors_told(source: str, stories: Iterable[Story], device: str = "") -> SensorsTold:
    """Of one device by its name or serial number, of all where none is named."""
    found = [one for story in stories for one in _of(story) if device in ("", one.device, one.serial)]
    return SensorsTold(source=source, sensors=tuple(found))


def _of(story: Story) -> Iterator[Sensor]:
    reader = _Reader()
    for told in story.told:
        reader.read(told.wall_ns, told.what)
    for (device, place), seen in sorted(reader.seen.items()):
        yield Sensor(
            table=story.house.table,
            device=device,
            serial=reader.used.serial(device),
            place=place,
            margin="low" if seen.low_since_ns else "enough" if seen.low_times else "never low",
            low_since=None if seen.low_since_ns is None else utc_text(seen.low_since_ns),
            low_times=seen.low_times,
            stuck_times=seen.stuck_times,
            miscounts=seen.miscounts,
            suspects=seen.suspects,
            cards=reader.cards.get(device, 0),
            trend=_trend(seen.troubles, reader.cards.get(device, 0)),
        )


class _Reader:
    """Follows one table."""

    def __init__(self) -> None:
        self.used = InUse()
        self.seen: dict[tuple[str, str], _Seen] = {}
        self.cards: dict[str, int] = {}
        self._differing: dict[int, tuple[str, str]] = {}

    def read(self, wall_ns: int, what: object) -> None:
        self.used.follow(what)
        match what:
            case happenings.CardsLeft(device=device, cards=cards):
                self.cards[device] = self.cards.get(device, 0) + cards
            case events.DeviceFaulted(fault=fault) | happenings.FaultFound(fault=fault) if fault in (STUCK, MARGIN):
                self._troubled(wall_ns, what.device, what.place, fault)
            case events.DeviceFaultGone(device=device, fault=fault, place=place) if fault == MARGIN:
                self._sensor(device, place).low_since_ns = None
            case events.CardSuspected(device=device, place=place):
                self._sensor(device, place, is_trouble=True).suspects += 1
            case happenings.DifferenceFound(incident=incident, sensor=sensor):
                self._differing[incident] = (self.used.machine, sensor)
            case happenings.DifferenceSettled(incident=incident, how=how) if how == MISCOUNT:
                device, sensor = self._differing.get(incident, (self.used.machine, "unknown"))
                self._sensor(device, sensor, is_trouble=True).miscounts += 1

    def _troubled(self, wall_ns: int, device: str, place: str, fault: int) -> None:
        seen = self._sensor(device, place, is_trouble=True)
        if fault == STUCK:
            seen.stuck_times += 1
        else:
            seen.low_times += 1
            seen.low_since_ns = seen.low_since_ns or wall_ns

    def _sensor(self, device: str, place: str, *, is_trouble: bool = False) -> _Seen:
        seen = self.seen.setdefault((device, str(place)), _Seen())
        if is_trouble:
            seen.troubles.append(self.cards.get(device, 0))
        return seen


def _trend(troubles: list[int], cards: int) -> str:
    """What came after the first half of the cards, against what came before."""
    later = sum(2 * at > cards for at in troubles)
    return trend(len(troubles) - later, later) if cards else "too little"


def trend(before: int, later: int) -> str:
    """Of two stretches with as many cards each: how surprising such a split would be were there no change."""
    times = before + later
    fewer = min(before, later)
    chance = min(1.0, 2.0 * sum(math.comb(times, k) for k in range(fewer + 1)) / 2.0**times)
    if 2.0 / 2.0**times > SURPRISING:
        return "too little"  # so few that no split of them would tell
    if chance > SURPRISING:
        return "no change"
    return "worse" if later > before else "better"
