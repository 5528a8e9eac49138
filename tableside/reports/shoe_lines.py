"""What of a shoe by hand is worth a line in a session's report. A table, pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tableside import exchange_happenings as exchange
from tableside import shoe_happenings as shoe
from tableside.counted import counted
from tableside.games.shoe import INSPECTOR
from tableside.reports.story import Story


def _by(story: Story, staff: str) -> str:
    return f", by {story.person(staff)}" if staff else ""


def _counts(counts: tuple[Any, ...]) -> str:
    return ", ".join(f"{count.back} {count.cards}" for count in counts)


def _backs(story: Story, what: shoe.BacksCounted) -> str:
    differs = "" if what.is_whole else f", NOT as brought: {_counts(what.expected)}"
    return f"Counted by back: {_counts(what.counts)}{differs}{_by(story, what.by)} (SHOE-1)"


def _cut(story: Story, what: shoe.ShoeCut) -> str:
    by = f"inspector {story.person(what.inspector)}" if what.seat == INSPECTOR else f"seat {what.seat}"
    turn = "" if what.right in (what.seat, INSPECTOR) else f", the turn was seat {what.right}'s"
    behind = f"{counted(what.behind, 'card')} behind the warning card (SHOE-5)"
    return f"Shoe {what.shoe} cut by {by}{turn} (SHOE-4); {behind}"


def _warning(_story: Story, what: shoe.WarningCardSeen) -> str:
    after = "in a round" if what.after is None else f"after {counted(what.after, 'card')}"
    last = f"round {what.round} is the last of shoe {what.shoe} (SHOE-7)"
    return f"Warning card out {after}, its place is after {what.place}: {last}"


def _over(_story: Story, what: shoe.ShoeOver) -> str:
    cards = f", {counted(what.cards, 'card')} out" if what.is_counted else ", its cards were not all counted"
    return f"Shoe {what.shoe} is over{cards} (SHOE-7)"


def _interrupted(story: Story, what: shoe.PlayInterrupted) -> str:
    spread = ", all cards spread face up (SHOE-8)" if what.is_spread else ""
    return f"Play interrupted: {what.why}{spread}{_by(story, what.by)}"


def _gathered(story: Story, what: shoe.CardsGathered) -> str:
    why = f": {what.why}" if what.why else ""
    return f"{counted(what.cards, 'card')} gathered for the next shuffle{why}{_by(story, what.by)}"


def _exchanged(story: Story, what: exchange.CardsExchanged) -> str:
    differs = "" if what.out == what.expected else f", NOT as it should be: {_counts(what.expected)}"
    return (
        f"Incident {what.incident}: {what.unit} exchanged, out {_counts(what.out)}{differs}, "
        f"{what.reference}{_by(story, what.by)} (SHOE-2)"
    )


SHOE_LINES: Mapping[type, Callable[[Story, Any], str]] = {
    shoe.BacksCounted: _backs,
    shoe.CardsShuffled: lambda s, w: f"Cards shuffled by hand{_by(s, w.by)}",
    shoe.ShoeCut: _cut,
    shoe.ShoeFilled: lambda s, w: f"Shoe {w.shoe} filled: {counted(w.cards, 'card')}{_by(s, w.by)}",
    shoe.ShoeReady: lambda s, w: f"Shoe {w.shoe}: a card burnt to the tray{_by(s, w.by)} (SHOE-6)",
    shoe.WarningCardSeen: _warning,
    shoe.ShoeOver: _over,
    shoe.PlayInterrupted: _interrupted,
    shoe.CardsGathered: _gathered,
    exchange.CardsExchanged: _exchanged,
    exchange.SingleCardAuthorised: lambda s, w: (
        f"Incident {w.incident}: single card authorised by {w.authorised_by}, {w.reference}{_by(s, w.by)} (SHOE-2)"
    ),
    shoe.HandShoeBegun: lambda s, w: (
        f"Cards are dealt by hand, {w.device} is down, incident {w.incident}{f', no spare: {w.why}' if w.why else ''}"
        f"{_by(s, w.by)}"
    ),
    shoe.MachineReturning: lambda s, w: f"Cards go back into {w.device}, incident {w.incident}{_by(s, w.by)}",
    shoe.HandShoeEnded: lambda _s, w: f"The machine deals again: {counted(w.cards, 'card')} in, incident {w.incident}",
    shoe.ShoeCleared: lambda _s, w: f"Closing: {counted(w.cards, 'card')} of the shoe taken together",
}
