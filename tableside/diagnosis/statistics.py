"""How often a machine stands still, by its serial number, and whether that is more than others of its model do. Pure.

A cycle is a round, of a batch machine a shuffle. An *assist* is a jam or a latched fault that the floor cleared; a
*failure* one that needed the technician or an exchange. Mean cycles between failures (MCBF), mean time to repair
(MTTR) and mean time of an assist (MTTA) in the sense of SEMI E10; their exact words could not be read by us.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from drivers import events
from firmware_bridge.clock import NS_PER_S
from tableside import happenings
from tableside.diagnosis import intervals
from tableside.diagnosis.faults_told import JAM, ToldFault, faults_told
from tableside.diagnosis.in_use import AnyReady, InUse
from tableside.reports.story import Story, Told

PER = 1_000
# With fewer of a model the middle one says nothing of the model.
LEAST_MACHINES = 3


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """So many in so many cycles: a thousand cycles' worth, and between which values that lies (`METHOD`)."""

    count: int
    cycles: int
    per_thousand: float | None
    low: float | None
    high: float | None


class OfModel(msgspec.Struct, frozen=True, kw_only=True):
    """All machines of the model that these journals know: the median of their jam rates, and how this one stands.

    `verdict`: *worse*, *better*, *not told apart*, or *too few* machines to say.
    """

    model: str
    machines: int
    median: float | None
    low: float | None
    high: float | None
    verdict: str


class MachineStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """One machine. Seconds where the name says so; None where nothing of the kind happened."""

    serial: str
    model: str
    tables: tuple[str, ...]
    cycle: str  # round or shuffle
    cards_out: int
    jams: Rate
    jams_by_place: dict[str, int]
    faults: dict[str, int]
    assists: int
    failures: int
    standing: int
    cycles_between_assists: float | None
    cycles_between_failures: float | None
    assist_s: float | None
    repair_s: float | None
    of_model: OfModel | None


class StatisticsTold(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `diag stats`. `source`: daemon or journal; `known`: the serial numbers of every machine."""

    source: str
    method: str
    median_method: str
    known: tuple[str, ...]
    machines: tuple[MachineStatistics, ...]


@dataclass(slots=True)
class _Counted:
    """What is counted of one machine while its rows are read."""

    tables: set[str] = field(default_factory=set)
    rounds: int = 0
    shuffles: int = 0
    cards_out: int = 0
    faults: list[ToldFault] = field(default_factory=list)
    model: str = ""

    @property
    def cycles(self) -> int:
        return self.shuffles or self.rounds

    @property
    def jams(self) -> int:
        return sum(fault.times for fault in self.faults if fault.what == JAM)


def statistics(stories: Iterable[Story]) -> list[MachineStatistics]:
    """Of every machine that dealt or stood still, by serial number."""
    counted: dict[str, _Counted] = {}
    for story in stories:
        _read(story, counted)
    known = {serial: one for serial, one in counted.items() if serial and (one.cycles or one.faults)}
    return [_of(serial, known) for serial in sorted(known)]


def statistics_told(source: str, stories: Iterable[Story], serial: str = "") -> StatisticsTold:
    """Of one machine against all that are known, or of all."""
    every = statistics(stories)
    return StatisticsTold(
        source=source,
        method=intervals.METHOD,
        median_method=intervals.MEDIAN_METHOD,
        known=tuple(one.serial for one in every),
        machines=tuple(one for one in every if serial in ("", one.serial)),
    )


def _read(story: Story, counted: dict[str, _Counted]) -> None:
    used = InUse()
    for told in story.told:
        used.follow(told.what)
        device = _device_of(told, used)
        serial = used.serial(device)
        if serial:
            _count(counted.setdefault(serial, _Counted()), told.what)
            counted[serial].tables.add(story.house.table)
            counted[serial].model = used.models.get(serial, "")
    machines = {*story.house.spare_shufflers, story.house.shuffler, story.house.shoe}
    for fault in faults_told(story.told):
        if fault.serial and fault.device in machines:
            counted.setdefault(fault.serial, _Counted()).faults.append(fault)


def _device_of(told: Told, used: InUse) -> str:
    """Whose row it is, where it is one that is counted."""
    what = told.what
    if isinstance(what, happenings.RoundEnded):
        return used.machine
    if isinstance(what, happenings.CardsLeft | happenings.CommandClosed | AnyReady):
        return what.device
    return ""


def _count(one: _Counted, what: object) -> None:
    match what:
        case happenings.RoundEnded():
            one.rounds += 1
        case happenings.CardsLeft(cards=cards):
            one.cards_out += cards
        case happenings.CommandClosed(verb=events.Verb.SHUFFLE, outcome=events.Outcome.DONE):
            one.shuffles += 1


def _of(serial: str, known: Mapping[str, _Counted]) -> MachineStatistics:
    one = known[serial]
    stops = [fault for fault in one.faults if fault.is_latched]
    failed = [fault for fault in stops if fault.needed]
    assisted = [fault for fault in stops if not fault.needed and not fault.stands]
    places: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for fault in one.faults:
        if fault.what == JAM:
            places[fault.place] += fault.times
        else:
            faults[fault.what] += fault.times
    jams = _rate(one.jams, one.cycles)
    return MachineStatistics(
        serial=serial,
        model=one.model,
        tables=tuple(sorted(one.tables)),
        cycle="shuffle" if one.shuffles else "round",
        cards_out=one.cards_out,
        jams=jams,
        jams_by_place=dict(sorted(places.items())),
        faults=dict(sorted(faults.items())),
        assists=len(assisted),
        failures=len(failed),
        standing=sum(fault.stands for fault in one.faults),
        cycles_between_assists=_between(one.cycles, len(assisted)),
        cycles_between_failures=_between(one.cycles, len(failed)),
        assist_s=_mean_s(assisted),
        repair_s=_mean_s(failed),
        of_model=_compared(serial, jams, known),
    )


def _rate(count: int, cycles: int) -> Rate:
    if not cycles:
        return Rate(count=count, cycles=0, per_thousand=None, low=None, high=None)
    low, high = intervals.poisson_interval(count)
    scale = PER / cycles
    return Rate(count=count, cycles=cycles, per_thousand=count * scale, low=low * scale, high=high * scale)


def _between(cycles: int, times: int) -> float | None:
    return cycles / times if times else None


def _mean_s(faults: list[ToldFault]) -> float | None:
    """From the beginning to the act that cleared it; what still stands has no end yet."""
    spans = [fault.cleared_ns - fault.began_ns for fault in faults if fault.cleared_ns is not None]
    return sum(spans) / len(spans) / NS_PER_S if spans else None


def _compared(serial: str, own: Rate, known: Mapping[str, _Counted]) -> OfModel | None:
    model = known[serial].model
    rates = [PER * one.jams / one.cycles for one in known.values() if one.model == model and one.cycles]
    if not model or own.low is None or own.high is None:
        return None
    middle = intervals.median(rates) if len(rates) >= LEAST_MACHINES else None
    between = intervals.median_interval(rates) or (None, None)
    return OfModel(
        model=model,
        machines=len(rates),
        median=middle,
        low=between[0],
        high=between[1],
        verdict=_verdict(own.low, own.high, middle),
    )


def _verdict(low: float, high: float, middle: float | None) -> str:
    """Worse or better only where the machine's own interval leaves its model's median outside."""
    if middle is None:
        return "too few"
    if low > middle:
        return "worse"
    return "better" if high < middle else "not told apart"
