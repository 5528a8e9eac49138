"""What was found of cards that are not as they should be, in a session's report. A table, pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tableside import defect_happenings as defects
from tableside.reports.story import Story


def _by(story: Story, staff: str) -> str:
    return f", by {story.person(staff)}" if staff else ""


def _found(story: Story, what: defects.DefectFound) -> str:
    card = f" {what.card}" if what.card else ""
    seat = f", seat {what.seat}" if what.seat else ""
    told = f"; told: {', '.join(map(story.person, what.told))}" if what.told else ""
    advice = f", advice {what.advice}" if what.advice else ""
    times = f" ({what.count})" if what.count > 1 else ""
    found = f"{what.defect}{card}{times} {what.where}{seat}, round {what.round}, by {what.found_by}"
    return f"Finding {what.finding}: {found}: {what.ruling} ({what.rule}){advice}{told}"


def _claimed(story: Story, what: defects.ExposureClaimed) -> str:
    exposed, claimed = story.time(what.exposed_ns), story.time(what.claimed_ns)
    looked = ", after looking" if what.has_looked else ", before looking"
    return (
        f"Finding {what.finding}: exposed at {exposed}, claimed at {claimed}{looked}, seat {what.seat}: "
        f"{what.ruling}{_by(story, what.by)} (DECK-9)"
    )


DEFECT_LINES: Mapping[type, Callable[[Story, Any], str]] = {
    defects.DefectFound: _found,
    defects.ExposureClaimed: _claimed,
    defects.MoneyKept: lambda s, w: (
        f"Money of round {w.round} is kept for seats {', '.join(map(str, w.seats))}{_by(s, w.by)} (DECK-12)"
    ),
    defects.MoneyAwarded: lambda s, w: f"Money of round {w.round} went to seat {w.seat}{_by(s, w.by)} (DECK-12)",
}
