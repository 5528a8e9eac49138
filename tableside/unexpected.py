"""A fact that no table lists where it stands becomes an incident and locks the scope it touches (semantics §3)."""

from __future__ import annotations

from drivers import events
from tableside import alerts, happenings, incidents, locks
from tableside.locks import Scope
from tableside.tables import Turn

# What an unlisted fact touches. Keys, lamp and buffer notices and kinds that the driver does not know touch none;
# facts that are missing here are levels, which bookkeeping always takes.
TOUCHES: dict[type, tuple[Scope, ...]] = {
    happenings.CardsLeft: (Scope.DEAL,),
    happenings.CardsEntered: (Scope.FEED,),
    happenings.CommandClosed: (),
    events.PacketEnded: (),
    events.CardSuspected: (Scope.DEAL,),
    events.CardJammed: (Scope.DEAL, Scope.FEED),
    events.LidOpened: (Scope.DEAL, Scope.FEED),
    events.DeviceFaulted: (Scope.DEAL, Scope.FEED),
    events.Tampered: (Scope.DEAL, Scope.FEED, Scope.LID),
    events.NoticesLost: (Scope.DEAL, Scope.FEED),
    events.DeviceRejected: (),
    events.ReaderTroubled: (),
}


def not_listed(turn: Turn, what: object) -> None:
    """Record it, lock what it touches, call somebody."""
    scopes = TOUCHES.get(type(what))
    if scopes is None:
        return
    record(turn, f"{type(what).__name__} where nothing expected it: {what}", scopes)


def record(turn: Turn, text: str, scopes: tuple[Scope, ...], rule: str = "CSM-8") -> None:
    """An incident that a person must explain; what it touches is locked until he has, and somebody is called."""
    number = incidents.open_incident(turn, "unexpected", rule, text)
    for scope in scopes:
        locks.add(turn, scope, f"unexpected {number}", rule)
    if scopes:
        alerts.raise_alert(turn, "UNEXPECTED", str(number))
