"""The dealer's keys: the press is a fact, what it asks is a request with the press's position as its id."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from drivers.events import KeyName, KeyPressed
from tableside import devices
from tableside.requests import CallSupervisor, EndRound, LockBets, RaiseComplaint, ReportDamaged, Request
from tableside.tables import Turn

# semantics §4 *Dealer's keys*.
ASKS: Mapping[KeyName, Callable[[str], Request]] = {
    KeyName.HOLD: lambda name: RaiseComplaint(id=name, via="key"),
    KeyName.CALL: lambda name: CallSupervisor(id=name, via="key"),
    KeyName.NO_MORE_BETS: lambda name: LockBets(id=name, via="key"),
    KeyName.DONE: lambda name: EndRound(id=name, via="key"),
    KeyName.DAMAGED_CARD: lambda name: ReportDamaged(id=name, via="key"),
}


def asked(turn: Turn, fact: KeyPressed) -> Request:
    """The request that a press makes; its id is serial, boot and notice number (semantics §3)."""
    serial = devices.of(turn, fact.device).serial
    return ASKS[fact.key](f"{serial}:{fact.boot}:{fact.number}")
