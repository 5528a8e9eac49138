"""A fact that no table lists where it stands becomes an incident and locks the scope it touches (semantics §3)."""

from __future__ import annotations

from drivers import events
from tableside import alerts, happenings, incidents, locks
from tableside.locks import Scope
from tableside.tables import Turn

# What an unlisted fact touches. Keys, lamp and buffer notices and kinds that the driver does not know touch none;
# facts that are missing here are levels, which bookkeeping always takes.
TOUCHES: dict[type, tuple[Scope, ...]] = {
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
}


OUT_OF_ROUND = "card out of round"
OUT_OF_ROUND_TEXT = "CARD-OUT-OF-ROUND"


def lock_reason(number: int) -> str:
    """The name of the lock of an incident that somebody must explain."""
    return f"unexpected {number}"


def not_listed(turn: Turn, what: object) -> None:
    """Record it, lock what it touches, call somebody."""
    if isinstance(what, happenings.CardsLeft):
        _out_of_round(turn, what)
        return
    scopes = TOUCHES.get(type(what))
    if scopes is None:
        return
    record(turn, f"{type(what).__name__} where nothing expected it: {what}", scopes)


def _out_of_round(turn: Turn, what: happenings.CardsLeft) -> None:
    """Cards came out and no round is open: one cause and one incident, however many cards follow (CSM-8)."""
    known = turn.state.alerts.standing.get(f"{OUT_OF_ROUND_TEXT}:{what.device}")
    cards = what.cards + (int(known.fields["n"]) if known else 0)
    text = f"{what.device}: {cards} card(s) came out with no round open"
    standing = incidents.of_kind(turn, OUT_OF_ROUND)
    if standing:
        incidents.note(turn, standing[-1].number, text)
    else:
        number = incidents.open_incident(turn, OUT_OF_ROUND, "CSM-8", text)
        locks.add(turn, Scope.DEAL, lock_reason(number), "CSM-8")
    alerts.raise_alert(turn, OUT_OF_ROUND_TEXT, what.device, n=str(cards))


def record(turn: Turn, text: str, scopes: tuple[Scope, ...], rule: str = "CSM-8") -> None:
    """An incident that a person must explain; what it touches is locked until he has, and somebody is called."""
    number = incidents.open_incident(turn, "unexpected", rule, text)
    for scope in scopes:
        locks.add(turn, scope, lock_reason(number), rule)
    if scopes:
        alerts.raise_alert(turn, "UNEXPECTED", str(number))
