"""Standing alerts as lines, in a language that the reader's terminal can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tableside.cli.failing import Failed
from tableside.cli.plain import can_show
from tableside.exit_codes import ExitCode


def alert_lines(standing: Sequence[Mapping[str, Any]], language: str | None = None) -> Iterator[str]:
    """Each alert with its number, who goes, fact and next step. Raises `Failed` for a language without texts."""
    if not standing:
        yield "No alert stands."
        return
    offered = tuple(standing[0]["lines"])
    if language is not None and language not in offered:
        raise Failed(ExitCode.USAGE, f"there are no texts in {language}; there are {', '.join(offered)}")
    wanted = language or offered[0]
    chosen = legible(wanted, offered, standing)
    if chosen != wanted:
        yield f"(This terminal cannot show {wanted}: {chosen} instead. A UTF-8 terminal can: LC_ALL=C.UTF-8.)"
    for alert in standing:
        yield from _lines(alert, chosen)


def legible(wanted: str, offered: Iterable[str], standing: Sequence[Mapping[str, Any]]) -> str:
    """The wanted language, or else the first one whose every line the terminal has letters for."""
    for language in (wanted, *offered):
        if can_show("".join(line for alert in standing for line in alert["lines"][language])):
            return language
    return "en"  # names may have accents that no language avoids; they lose them


def _lines(alert: Mapping[str, Any], language: str) -> Iterator[str]:
    fact, step = alert["lines"][language]
    times = f", {alert['times']} times" if alert["times"] > 1 else ""
    where = f"class {alert['class']}" if alert["class"] else "at the table only"
    yield f"{alert['alert']}  {where}  since {alert['since_local']}{times}  {_who(alert)}".rstrip()
    yield f"   {fact}"
    yield f"   → {step}"


def _who(alert: Mapping[str, Any]) -> str:
    """Who goes, or who was asked and has not said so yet."""
    from tableside.causes import THE_HOST  # not before an alert is printed: it imports the event loop

    if alert["taken_by"]:
        return f"{alert['progress']} {alert['taken_by']}"
    if alert["rides"]:
        return "at all tables of the host" if alert["rides"] == THE_HOST else f"with alert {alert['rides']}"
    return f"nobody goes yet; asked: {', '.join(alert['asked'])}" if alert["asked"] else ""
