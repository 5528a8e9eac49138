"""A damaged card: found by key, person or machine; replaced at once; reported by room management (CSM-1).

The single card replaced from the reserve deck needs no authorisation, only the report (our reading of CSM-1).
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from drivers.events import CardSuspected
from tableside import alerts, card_account, incidents, locks, presence
from tableside.card_account import ASIDE, DAMAGED, RESERVE, TABLE, TRAY, Evidence
from tableside.cards import Card
from tableside.happenings import CardReplaced, DamagedCardFound, DamageReported
from tableside.house import Role
from tableside.locks import Scope
from tableside.presence import Operation
from tableside.refusals import refusal
from tableside.requests import AcknowledgeReport, DismissSuspicion, ReplaceCard, ReportDamaged
from tableside.tables import Procedure, Refusal, Row, Turn

REASON = "damaged card"
FOUND_IN = (TABLE, TRAY, ASIDE)


class DamagedState(StrEnum):
    """Nothing; the machine suspects a card; one is damaged and not yet replaced."""

    SOUND = "sound"
    SUSPECTED = "suspected"
    DAMAGED = "damaged"


class Replacement(msgspec.Struct, frozen=True):
    """One card out, one in; the incident stays open until it is reported."""

    incident: int
    damaged: Card
    envelope: str
    replacement: Card
    by: str
    is_reported: bool = False


class DamagedSlice(msgspec.Struct, frozen=True):
    state: DamagedState = DamagedState.SOUND
    incident: int = 0
    replaced: tuple[Replacement, ...] = ()


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, damaged=replace(procedures.damaged, **changes)))


def _of(turn: Turn) -> DamagedSlice:
    return turn.state.procedures.damaged


TEXT_FOR = {"card": "CARD-DAMAGED", "deck": "CARD-DAMAGED-DECK", "set": "CARD-DAMAGED-SET"}


def _text(turn: Turn) -> str:
    return TEXT_FOR[turn.state.house.jurisdiction.damaged]


def _reported(turn: Turn, what: ReportDamaged) -> None:
    _found(turn, "key" if what.via == "key" else "person", _text(turn))


def _suspected(turn: Turn, what: CardSuspected) -> None:
    _found(turn, "machine", "CARD-SUSPECT")
    incidents.note(turn, _of(turn).incident, f"{what.device}: {what.why} card at {what.place}")


def _found(turn: Turn, how: str, text: str) -> None:
    number = incidents.open_incident(turn, REASON, "CSM-1", f"damaged card found by {how}")
    put(turn, incident=number)
    locks.add(turn, Scope.DEAL, REASON, "CSM-1")
    alerts.raise_alert(turn, text)
    turn.happened(DamagedCardFound(incident=number, how=how))


def _confirmed(turn: Turn, _what: ReportDamaged) -> None:
    alerts.clear_alert(turn, "CARD-SUSPECT", by=turn.by, why="it is damaged")
    alerts.raise_alert(turn, _text(turn))


def _again(turn: Turn, what: CardSuspected) -> None:
    incidents.note(turn, _of(turn).incident, f"{what.device}: {what.why} card at {what.place}, once more")


def _fits(turn: Turn, what: ReplaceCard) -> Refusal | None:
    """CSM-1: the replacement is the same card; it comes from the reserve deck and the damaged one was at the table."""
    if (what.damaged.rank, what.damaged.suit) != (what.replacement.rank, what.replacement.suit):
        return refusal("CARD-OTHER-FACE", replacement=what.replacement, damaged=what.damaged)
    if what.replacement.back != what.damaged.back:
        return refusal("CARD-OTHER-BACK", replacement=what.replacement, damaged=what.damaged)
    if what.damaged.back not in {group.back for group in turn.state.house.decks}:
        return refusal("BACK-UNKNOWN", back=what.damaged.back)
    if not what.envelope.strip():
        return refusal("ENVELOPE-MISSING")
    if what.found_in not in FOUND_IN or turn.state.account.at(what.found_in) < 1:
        return refusal("CARD-NOT-THERE", place=what.found_in, places=", ".join(FOUND_IN))
    if turn.state.account.at(RESERVE) < 1:
        return refusal("RESERVE-EMPTY")
    return None


def _replaced(turn: Turn, what: ReplaceCard) -> None:
    number = _of(turn).incident
    card_account.move(turn, what.found_in, DAMAGED, 1, Evidence.PERSON, f"damaged, envelope {what.envelope}")
    card_account.move(turn, RESERVE, what.found_in, 1, Evidence.PERSON, f"for envelope {what.envelope}")
    replacement = Replacement(number, what.damaged, what.envelope, what.replacement, turn.by)
    put(turn, incident=0, replaced=(*_of(turn).replaced, replacement))
    incidents.note(turn, number, f"{what.damaged} out, envelope {what.envelope}; {what.replacement} in")
    _free(turn, "replaced")
    presence.end(turn, Operation.REPLACE)
    alerts.raise_alert(turn, "DAMAGED-UNREPORTED", str(number), envelope=what.envelope)
    turn.happened(
        CardReplaced(
            incident=number,
            damaged=what.damaged,
            envelope=what.envelope,
            replacement=what.replacement,
            by=turn.by,
        )
    )


def _dismissed(turn: Turn, _what: DismissSuspicion) -> None:
    incidents.close(turn, _of(turn).incident, "looked at: the card is sound", turn.by)
    put(turn, incident=0)
    _free(turn, "sound")


def _free(turn: Turn, why: str) -> None:
    locks.remove_all(turn, REASON, turn.by)
    for text in ("CARD-SUSPECT", *TEXT_FOR.values()):
        alerts.clear_alert(turn, text, by=turn.by, why=why)


def _is_unreported(turn: Turn, what: AcknowledgeReport) -> Refusal | None:
    open_ = [each.incident for each in _of(turn).replaced if not each.is_reported]
    if what.incident in open_ and what.reference.strip():
        return None
    numbers = ", ".join(map(str, open_)) or "none"
    return refusal("REPORT-NOT-DUE", incident=what.incident, numbers=numbers)


def _acknowledged(turn: Turn, what: AcknowledgeReport) -> None:
    replaced = tuple(
        replace(each, is_reported=True) if each.incident == what.incident else each for each in _of(turn).replaced
    )
    put(turn, replaced=replaced)
    alerts.clear_alert(turn, "DAMAGED-UNREPORTED", str(what.incident), by=turn.by, why=what.reference)
    incidents.close(turn, what.incident, f"reported: {what.reference}", turn.by)
    turn.happened(DamageReported(incident=what.incident, reference=what.reference, by=turn.by))


def _begin(turn: Turn, what: ReplaceCard) -> None:
    presence.begin(turn, Operation.REPLACE)
    _replaced(turn, what)


SUPERVISOR = presence.needs(Operation.REPLACE, "CSM-1")
SUPERVISING = presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-1")
MANAGEMENT = presence.acts_as(Role.ROOM_MANAGEMENT, rule="CSM-1")
S = DamagedState
REPORT = "room management reports it to the inspection service; play goes on where nothing else stands"
PROCEDURE = Procedure(
    name="damaged card",
    rule="CSM-1",
    states=DamagedState,
    read=lambda state, _what: state.procedures.damaged.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.SOUND, ReportDamaged, S.DAMAGED, _reported, said="damaged card: dealing stops"),
        Row(S.SOUND, CardSuspected, S.SUSPECTED, _suspected, said="machine suspects a card"),
        Row(S.SUSPECTED, ReportDamaged, S.DAMAGED, _confirmed, said="it is damaged"),
        Row(S.SUSPECTED, CardSuspected, None, _again, said="suspected again"),
        Row(S.SUSPECTED, ReplaceCard, S.SOUND, _begin, guards=(SUPERVISOR, _fits), said="replaced", then=REPORT),
        # A person's report too: the key may have been pressed in error, and then there is no card to replace.
        *(
            Row(state, DismissSuspicion, S.SOUND, _dismissed, guards=(SUPERVISING,), said="the card is sound")
            for state in (S.SUSPECTED, S.DAMAGED)
        ),
        Row(S.DAMAGED, ReportDamaged, None, said="it is known already"),
        Row(S.DAMAGED, CardSuspected, None, _again, said="suspected too"),
        Row(S.DAMAGED, ReplaceCard, S.SOUND, _begin, guards=(SUPERVISOR, _fits), said="replaced", then=REPORT),
        *(
            Row(state, AcknowledgeReport, None, _acknowledged, guards=(MANAGEMENT, _is_unreported), said="reported")
            for state in S
        ),
    ),
    next_step={
        S.SOUND: "no damaged card waits",
        S.SUSPECTED: "look at the card: replace it, or say that it is sound",
        S.DAMAGED: "floor supervisor: tap, take the same card from the reserve deck, seal the damaged one; or dismiss",
    },
)
