"""What an unknown outcome locks, until a named act frees it: a count, a person, an exchange (semantics §1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside import alerts, incidents, locks
from tableside.decisions import CommandUnknown
from tableside.locks import Scope
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

# Begins the name of each such lock.
PREFIX = "unknown outcome "
ALERT = "OUTCOME-UNKNOWN"
FORGOTTEN = "device lost its memory"


def lock_reason(device: str, number: int) -> str:
    """The name of the lock that a command's unknown outcome adds."""
    return f"{PREFIX}{device} {number}"


def lock(turn: Turn, device: str, number: int) -> None:
    """Nothing is dealt or fed until it is settled."""
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, lock_reason(device, number), "CSM-8")


def tell(turn: Turn) -> None:
    """Call somebody at the end of the turn, where no act of the same turn has settled what it made unknown."""
    for decision in tuple(turn.decisions):
        if isinstance(decision, CommandUnknown) and decision.number in numbers(turn.state, decision.device):
            alerts.raise_alert(turn, ALERT, f"{decision.device}:{decision.number}")


def forgotten(turn: Turn, device: str, number: int) -> None:
    """It had accepted the command and now says that it never had it."""
    incidents.open_incident(turn, FORGOTTEN, "CSM-8", f"{device}: accepted command {number}, now knows nothing")


def free(turn: Turn, device: str, number: int, by: str) -> None:
    """The named act."""
    locks.remove_all(turn, lock_reason(device, number), by)
    alerts.clear_alert(turn, ALERT, f"{device}:{number}", by=by, why="settled")
    for incident in incidents.of_kind(turn, FORGOTTEN):
        if incident.text.startswith(f"{device}: accepted command {number},"):
            incidents.close(turn, incident.number, "settled", by)


def numbers(state: TableState, device: str) -> tuple[int, ...]:
    """The commands of a device whose outcome holds a lock: unknown still, or told by a later word meanwhile."""
    prefix = f"{PREFIX}{device} "
    reasons = dict.fromkeys(lock.reason for lock in state.locks.standing.values())
    return tuple(int(reason.removeprefix(prefix)) for reason in reasons if reason.startswith(prefix))


def is_any(state: TableState) -> bool:
    """Some outcome's lock waits for its named act."""
    return any(lock.reason.startswith(PREFIX) for lock in state.locks.standing.values())
