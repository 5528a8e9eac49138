"""The history of one machine by its serial number, over the journals of all its tables, as a printable text."""

from __future__ import annotations

from collections.abc import Sequence

from tableside.journal.chain import Finding
from tableside.reports import paper
from tableside.reports.machines import Machine, Moment, machines
from tableside.reports.story import NoStory, Story

NOTICE = "what was told by the devices, in the order of the hosts' clocks; moves and parts as people recorded them"


def machine_report(serial: str, read: Sequence[tuple[Story, Sequence[Finding]]]) -> str:
    """The document. Raises `NoStory` where no journal knows this number; its text names those that are known."""
    known = machines(story for story, _findings in read)
    machine = known.get(serial)
    if machine is None:
        raise NoStory(f"no machine {serial} in these journals; they know {', '.join(sorted(known)) or 'none'}")
    title = f"Machine {serial}"
    lines = [title, "=" * len(title), ""]
    lines += _figures(machine)
    if any(moment.story.is_simulated for moment in machine.moments):
        lines += paper.field("SIMULATED", "devices of these records were simulated; they prove nothing of a real one")
    lines += paper.section("Where it was")
    for moment in machine.standings:
        lines += paper.entry(_when(moment), f"{moment.standing}, told at table {moment.story.house.table}")
    lines += paper.section("What happened to it")
    for moment in machine.moments:
        lines += paper.entry(f"{_when(moment)} {moment.story.house.table}", moment.text)
    for story, findings in read:
        lines += paper.foot(story, findings)
    return "\n".join([*lines, *paper.signatures("Technician", "Room management")]) + "\n"


def _figures(machine: Machine) -> list[str]:
    standings = machine.standings
    now = f"{standings[-1].standing}, since {_when(standings[-1])}" if standings else "not told"
    tables = sorted({moment.story.house.table for moment in machine.moments})
    lines = paper.field("Now", now) + paper.field("Tables", ", ".join(tables))
    jams = ", ".join(f"{place} {times}" for place, times in sorted(machine.jams.items()))
    faults = ", ".join(f"number {fault}: {times}" for fault, times in sorted(machine.faults.items()))
    lines += paper.field("Jams", jams or "none") + paper.field("Faults", faults or "none")
    parts = [line for moment, part in machine.parts for line in paper.field("Part", f"{part}, {_when(moment)}")]
    return lines + (parts or paper.field("Parts", "none exchanged")) + paper.field("From", NOTICE)


def _when(moment: Moment) -> str:
    return f"{moment.story.time(moment.told.wall_ns)} [{moment.told.seq}]"
