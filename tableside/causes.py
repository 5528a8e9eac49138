"""One cause, one call: what falls silent together, at one table or at tables of a section, rings once (semantics §5).

A switch, a broker, a host, a mains plug takes many devices away within seconds. The first alert calls people; what
comes within `WINDOW_S` of it *rides along*: it stands, locks and lights as ever, and calls nobody as long as the first
one stands. When that is cleared and it is not, it calls. What would call somebody else, or is graver, calls itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from firmware_bridge.clock import NS_PER_S

if TYPE_CHECKING:
    from tableside.alerts import Alert
    from tableside.state import TableState

# Devices notice a broken path after different times: a socket at once, a bus after three polls and eight seconds.
WINDOW_S = 15
# The tables of a section wait so long one after the other before they call, so that each knows of the one before it: a
# commit and a pass through the daemon take a tenth of this.
STAGGER_S = 0.25
SILENCE, DISK = "silence", "disk"
CAUSES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("SHUFFLER-SILENT", "SWITCH-BOX-SILENT", "READER-OFFLINE", "DEVICE-SILENT", "DISPLAY-LOST"),
            *("SLOTS-SILENT", "CARD-READER-SILENT", "SHOE-SILENT", "SPARE-SILENT", "LAMP-LOST"),
        ),
        SILENCE,
    ),
    **dict.fromkeys(("JOURNAL-SLOW", "JOURNAL-FAILED"), DISK),
}
# Told to every table of the host by the daemon, or seen by each of them: the first table of a section calls.
OF_THE_HOST = frozenset({"DISK-LOW", "CLOCK-STEPPED", "USB-STRANGE"})
THE_HOST = "host"


class Elsewhere(msgspec.Struct, frozen=True):
    """An alert that calls people at another table of the section. `wall_ns`: UTC when it was raised."""

    table: str
    alert: int
    cause: str
    level: int
    asked: tuple[str, ...]
    wall_ns: int

    @property
    def name(self) -> str:
        """How a rider names it."""
        return f"{self.table} {self.alert}"


def own_name(number: int) -> str:
    """How a rider names an alert of its own table."""
    return str(number)


def leader(state: TableState, text: str, level: int, asked: Iterable[str], now_ns: int, wall_ns: int) -> str:
    """With which alert this one rides along; empty: it calls by itself."""
    if text in OF_THE_HOST:
        return THE_HOST if state.house.section.rank else ""
    cause = CAUSES.get(text)
    if cause is None:
        return ""
    wanted = set(asked)
    for alert in state.alerts.standing.values():
        is_late = now_ns - alert.since_ns > WINDOW_S * NS_PER_S
        if not (alert.rides or is_late) and _covers(
            CAUSES.get(alert.text), alert.level, alert.asked, cause, level, wanted
        ):
            return own_name(alert.number)
    for other in state.alerts.elsewhere:
        is_late = wall_ns - other.wall_ns > WINDOW_S * NS_PER_S
        if not is_late and _covers(other.cause, other.level, other.asked, cause, level, wanted):
            return other.name
    return ""


def riders(state: TableState, name: str) -> list[Alert]:
    """What rides along with an alert, the oldest first."""
    return sorted(
        (alert for alert in state.alerts.standing.values() if alert.rides == name), key=lambda one: one.number
    )


def _covers(
    its_cause: str | None, its_level: int, its_asked: Iterable[str], cause: str, level: int, wanted: set[str]
) -> bool:
    return its_cause == cause and its_level <= level and wanted <= set(its_asked)
