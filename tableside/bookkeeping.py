"""What every input does before the tables see it: levels, meters, commands, sightings, clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from drivers import events
from tableside import attendance, chip_account, commands, devices, displays, lamp, permits, sightings, timers
from tableside.decisions import Decision
from tableside.happenings import DeviceCame, DeviceWent, PresenceMissed
from tableside.inputs import (
    BadgeSighted,
    DaemonStarted,
    DeadlinePassed,
    JournalReached,
    NeighbourSighting,
    NeighbourSupervised,
)
from tableside.tables import Turn


def is_repeated(turn: Turn, what: object) -> bool:
    """A notice that the journal holds already, or a timer that was cancelled meanwhile: nothing happens."""
    if isinstance(what, DeadlinePassed):
        return not timers.passed(turn, what.name)
    return isinstance(what, events.Fact) and devices.is_repeated(turn, what)


def learn(turn: Turn, what: object) -> None:
    """Take the input into the books."""
    given = turn.given
    if isinstance(what, DaemonStarted):
        _started(turn, what)
    turn.state = replace(turn.state, last_at_ns=given.at_ns, last_wall_ns=given.wall_ns)
    if isinstance(what, events.Fact):
        devices.learn(turn, what)
    act = LEARNING.get(type(what))
    if act is not None:
        act(turn, what)


def follow(turn: Turn, happening: Decision) -> None:
    """Bookkeeping of what the tables tell each other."""
    if isinstance(happening, DeviceCame):
        permits.device_came(turn, happening.device, is_new_boot=happening.is_new_boot)
        lamp.forget(turn, happening.device)
        displays.forget(turn, happening.device)
        commands.device_came(turn, happening.device)
        attendance.reader_came(turn, happening.device, is_another=happening.is_new_boot)
    elif isinstance(happening, DeviceWent):
        displays.forget(turn, happening.device)
    elif isinstance(happening, PresenceMissed):
        attendance.missed(turn, happening)


def _started(turn: Turn, what: DaemonStarted) -> None:
    """A new daemon: everyone is absent, every device away, timers go on by the wall where the host restarted."""
    if turn.state.clock_boot not in ("", what.clock_boot):
        asleep_ns = max(0, turn.given.wall_ns - turn.state.last_wall_ns)
        timers.rebase(turn, turn.given.at_ns - turn.state.last_at_ns - asleep_ns)
    devices.all_away(turn)
    turn.state = replace(
        turn.state,
        house=what.house,
        clock_boot=what.clock_boot,
        permits=permits.Permits(),
        lamps={},
        displays=replace(turn.state.displays, told={}, shown={}),
    )
    attendance.everyone_absent(turn)


def _shown(turn: Turn, fact: events.LampChanged) -> None:
    if turn.state.lamps.get(fact.device) != (fact.colour, fact.pattern):
        lamp.forget(turn, fact.device)


def _seeing_again(turn: Turn, _what: JournalReached) -> None:
    """Without a row the hub has ended the permits and shown its own lamp: neither stands as the books say."""
    permits.all_ended(turn)
    turn.state = replace(turn.state, lamps={})


def _free(turn: Turn, fact: events.Notice) -> None:
    permits.device_free(turn, fact.device)


def _neighbour(turn: Turn, what: NeighbourSupervised) -> None:
    house = turn.state.house
    turn.state = replace(turn.state, house=replace(house, section=replace(house.section, neighbour=what.staff)))


def _deadline(turn: Turn, what: DeadlinePassed) -> None:
    act = DEADLINES.get(what.name.partition(":")[0])
    if act is not None:
        act(turn, what.name)


# Timers of the books, by the first word of their name; the tables of transitions take theirs by themselves.
DEADLINES: Mapping[str, Callable[[Turn, str], None]] = {
    "command": commands.silent,
    "presence": attendance.deadline,
}

LEARNING: Mapping[type, Callable[..., None]] = {
    events.PermitEnded: permits.ended,
    events.DeviceReady: chip_account.connected,
    events.ChipsIn: chip_account.came_in,
    events.SlotEvents: chip_account.counted,
    events.PermitAnswered: permits.refused,
    events.LampChanged: _shown,
    events.LidClosed: _free,
    events.JamGone: _free,
    events.DeviceFaultGone: _free,
    events.CommandAnswered: commands.answered,
    events.CommandEnded: commands.ended,
    events.CommandProgressed: commands.progressed,
    events.ReaderLost: sightings.reader_lost,
    BadgeSighted: sightings.seen,
    NeighbourSighting: sightings.neighbour_seen,
    NeighbourSupervised: _neighbour,
    JournalReached: _seeing_again,
    DeadlinePassed: _deadline,
}
