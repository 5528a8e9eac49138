"""A damaged card: found by key, person or machine; replaced at once; reported by room management (CSM-1).

From a machine, where the law replaces the single card, that needs no authorisation, only the report (our reading of
CSM-1). Where the law exchanges the deck or the set, the round is finished, the cards are taken together and exchanged
(procedures/exchange.py); the single card only by a recorded authorisation of the inspection service (SHOE-2).
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from drivers.events import CardSuspected
from tableside import alerts, card_account, incidents, locks, presence
from tableside.by_hand import is_by_hand
from tableside.card_account import ASIDE, DAMAGED, RESERVE, SHOE, TABLE, TRAY, Evidence
from tableside.cards import Card
from tableside.counted import counted
from tableside.exchange_happenings import SingleCardAuthorised
from tableside.exchange_requests import AuthoriseSingleCard, ExchangeCards
from tableside.happenings import CardReplaced, CardsLeft, ClosingAnnounced, DamagedCardFound, DamageReported
from tableside.house import Role
from tableside.locks import Scope
from tableside.presence import Operation
from tableside.procedures import exchange
from tableside.refusals import refusal
from tableside.requests import AcknowledgeReport, DismissSuspicion, ReplaceCard, ReportDamaged
from tableside.tables import Procedure, Refusal, Row, Turn

REASON = "damaged card"
LEFT = "CARD-SUSPECT-OUT"
FOUND_IN = (TABLE, TRAY, ASIDE, SHOE)


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
    """`authorised`: the reference under which the single card may be replaced. `unreported` exchanges, by incident.

    `left`: cards that left the machine since it suspects one: the suspected card may be among them.
    """

    state: DamagedState = DamagedState.SOUND
    incident: int = 0
    left: int = 0
    replaced: tuple[Replacement, ...] = ()
    authorised: str = ""
    unreported: tuple[int, ...] = ()


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, damaged=replace(procedures.damaged, **changes)))


def _of(turn: Turn) -> DamagedSlice:
    return turn.state.procedures.damaged


TEXT_FOR = {"card": "CARD-DAMAGED", "deck": "CARD-DAMAGED-DECK", "set": "CARD-DAMAGED-SET"}


def _text(turn: Turn) -> str:
    return TEXT_FOR[exchange.unit(turn.state)]


def _is_single(turn: Turn) -> bool:
    """The card alone is replaced: at once, and dealing waits for it."""
    return exchange.unit(turn.state) == exchange.CARD or bool(_of(turn).authorised)


def is_exchanged_first(turn: Turn, _what: object) -> Refusal | None:
    """Guard: no cards are shuffled or loaded again while a deck waits to be exchanged (SHOE-2)."""
    if _of(turn).state is not DamagedState.DAMAGED or _is_single(turn):
        return None
    return refusal("EXCHANGE-FIRST", unit=exchange.unit(turn.state))


def _reported(turn: Turn, what: ReportDamaged) -> None:
    _found(turn, "key" if what.via == "key" else "person", _text(turn))


def _suspected(turn: Turn, what: CardSuspected) -> None:
    put(turn, left=0)
    _found(turn, "machine", "CARD-SUSPECT")
    incidents.note(turn, _of(turn).incident, f"{what.device}: {what.why} card at {what.place}")


def _left(turn: Turn, what: CardsLeft) -> None:
    """A machine may finish the card that it has begun, and at the exit that is the suspected one: look on the felt."""
    left = _of(turn).left + what.cards
    put(turn, left=left)
    incidents.note(turn, _of(turn).incident, f"{what.device}: {counted(what.cards, 'card')} left it after that")
    alerts.raise_alert(turn, LEFT)


def _found(turn: Turn, how: str, text: str) -> None:
    number = incidents.open_incident(turn, REASON, "CSM-1", f"damaged card found by {how}")
    put(turn, incident=number)
    _stop(turn, is_suspected=how == "machine")
    alerts.raise_alert(turn, text)
    turn.happened(DamagedCardFound(incident=number, how=how))


def _stop(turn: Turn, *, is_suspected: bool) -> None:
    """Where a deck is exchanged the round is finished first; a card that nobody has looked at stops it at once."""
    is_from_next_round = not is_suspected and not _is_single(turn)
    if is_from_next_round:
        locks.remove(turn, Scope.DEAL, REASON, turn.by)
    locks.add(turn, Scope.DEAL, REASON, "CSM-1", is_from_next_round=is_from_next_round)


def _confirmed(turn: Turn, _what: ReportDamaged) -> None:
    for text in ("CARD-SUSPECT", LEFT):
        alerts.clear_alert(turn, text, by=turn.by, why="it is damaged")
    _stop(turn, is_suspected=False)
    alerts.raise_alert(turn, _text(turn))


def _again(turn: Turn, what: CardSuspected) -> None:
    incidents.note(turn, _of(turn).incident, f"{what.device}: {what.why} card at {what.place}, once more")


def _fits(turn: Turn, what: ReplaceCard) -> Refusal | None:
    """CSM-1: the replacement is the same card; it comes from the reserve deck and the damaged one was at the table."""
    if not _is_single(turn):
        return refusal("SINGLE-NOT-ALLOWED", unit=exchange.unit(turn.state))
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
    put(turn, incident=0, left=0, replaced=(*_of(turn).replaced, replacement), authorised="")
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
    left = _of(turn).left
    of_them = f"; {counted(left, 'card')} had left the machine since it was suspected" if left else ""
    incidents.close(turn, _of(turn).incident, f"looked at: the card is sound{of_them}", turn.by)
    put(turn, incident=0, left=0, authorised="")
    _free(turn, "sound")


def _free(turn: Turn, why: str) -> None:
    locks.remove_all(turn, REASON, turn.by)
    for text in ("CARD-SUSPECT", LEFT, *TEXT_FOR.values()):
        alerts.clear_alert(turn, text, by=turn.by, why=why)


def _is_unreported(turn: Turn, what: AcknowledgeReport) -> Refusal | None:
    open_ = [*(each.incident for each in _of(turn).replaced if not each.is_reported), *_of(turn).unreported]
    if what.incident in open_ and what.reference.strip():
        return None
    numbers = ", ".join(map(str, open_)) or "none"
    return refusal("REPORT-NOT-DUE", incident=what.incident, numbers=numbers)


def _acknowledged(turn: Turn, what: AcknowledgeReport) -> None:
    replaced = tuple(
        replace(each, is_reported=True) if each.incident == what.incident else each for each in _of(turn).replaced
    )
    unreported = tuple(number for number in _of(turn).unreported if number != what.incident)
    put(turn, replaced=replaced, unreported=unreported)
    alerts.clear_alert(turn, "DAMAGED-UNREPORTED", str(what.incident), by=turn.by, why=what.reference)
    incidents.close(turn, what.incident, f"reported: {what.reference}", turn.by)
    turn.happened(DamageReported(incident=what.incident, reference=what.reference, by=turn.by))


def _exchanged(turn: Turn, what: ExchangeCards) -> None:
    """From a machine it is reported as the single card is (CSM-1); of a shoe SHOE-2 asks for no report."""
    number = _of(turn).incident
    presence.begin(turn, Operation.REPLACE)
    exchange.exchange(turn, number, what)
    incidents.note(turn, number, f"{exchange.unit(turn.state)} exchanged: {what.reference}")
    put(turn, incident=0, authorised="")
    _free(turn, "exchanged")
    presence.end(turn, Operation.REPLACE)
    if is_by_hand(turn.state):
        incidents.close(turn, number, f"exchanged: {what.reference}", turn.by)
        return
    put(turn, unreported=(*_of(turn).unreported, number))
    alerts.raise_alert(turn, "DAMAGED-UNREPORTED", str(number), envelope=what.reference)


def _authorised(turn: Turn, what: AuthoriseSingleCard) -> None:
    """The card alone may be replaced now: dealing waits for that."""
    number = _of(turn).incident
    put(turn, authorised=what.reference)
    _stop(turn, is_suspected=False)
    incidents.note(turn, number, f"single card authorised by {what.authorised_by}: {what.reference}")
    turn.happened(
        SingleCardAuthorised(incident=number, authorised_by=what.authorised_by, reference=what.reference, by=turn.by)
    )


def _needs_authorisation(turn: Turn, _what: AuthoriseSingleCard) -> Refusal | None:
    if not _is_single(turn):
        return None
    return refusal("SINGLE-ALLOWED-ALREADY")


def _closing(turn: Turn, _what: ClosingAnnounced) -> None:
    """Nothing is dealt any more: the cards come out, and are exchanged before they are shuffled again."""
    if not _is_single(turn):
        locks.remove_all(turn, REASON, "closing announced")


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
        Row(S.SUSPECTED, CardsLeft, None, _left, said="a card left after it", watches=True),
        Row(S.SUSPECTED, ReplaceCard, S.SOUND, _begin, guards=(SUPERVISOR, _fits), said="replaced", then=REPORT),
        # A person's report too: the key may have been pressed in error, and then there is no card to replace.
        *(
            Row(state, DismissSuspicion, S.SOUND, _dismissed, guards=(SUPERVISING,), said="the card is sound")
            for state in (S.SUSPECTED, S.DAMAGED)
        ),
        Row(S.DAMAGED, ReportDamaged, None, said="it is known already"),
        Row(S.DAMAGED, CardSuspected, None, _again, said="suspected too"),
        Row(S.DAMAGED, ReplaceCard, S.SOUND, _begin, guards=(SUPERVISOR, _fits), said="replaced", then=REPORT),
        Row(
            S.DAMAGED,
            ExchangeCards,
            S.SOUND,
            _exchanged,
            guards=(SUPERVISOR, exchange.is_whole_unit, exchange.is_gathered, exchange.is_counted),
            rule="SHOE-2",
            said="exchanged",
            then="count all cards by back before they are shuffled; at a machine close, and open with the new cards",
        ),
        Row(
            S.DAMAGED,
            AuthoriseSingleCard,
            None,
            _authorised,
            guards=(MANAGEMENT, _needs_authorisation, exchange.says_who),
            rule="SHOE-2",
            said="recorded: the card alone may be replaced",
        ),
        *(
            Row(state, ClosingAnnounced, None, _closing, said="closing", watches=True)
            for state in (S.SUSPECTED, S.DAMAGED)
        ),
        *(
            Row(state, AcknowledgeReport, None, _acknowledged, guards=(MANAGEMENT, _is_unreported), said="reported")
            for state in S
        ),
    ),
    next_step={
        S.SOUND: "no damaged card waits",
        S.SUSPECTED: "look at the card, at the exit or the last one dealt: replace it, or say that it is sound",
        S.DAMAGED: "floor supervisor: tap, replace the card, deck or set as the law says, seal the old; or dismiss",
    },
)
