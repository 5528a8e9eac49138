"""The sort: deck by deck, what is missing, too many or foreign is named by rank, suit and back (CSM-6, SHOE-1).

Equal backs cannot be told apart by deck, so the entry is per back colour: complete decks, and what does not fit. It is
compared with what was loaded less damaged cards plus their replacements, and it explains what stood *unexplained*.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import alerts, card_account, incidents, presence, sorted_decks
from tableside.card_account import ASIDE, HOPPER, TABLE, TRAY, UNEXPLAINED, Evidence
from tableside.cards import Card
from tableside.counted import counted
from tableside.happenings import CardReplaced, SessionClosed, SessionOpened
from tableside.house import Role
from tableside.procedures import left_behind, unload
from tableside.procedures.session import KIND, is_dealer_on_duty
from tableside.refusals import refusal
from tableside.requests import EnterSort, SettleSort
from tableside.session_happenings import CardsSorted, SortSettled, UnloadCompleted
from tableside.shoe_happenings import ShoeCleared
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    pass

RULE = "CSM-6"
INCIDENT = "irregular sort"
TEXTS = ("SORT-MISSING", "SORT-EXTRA", "SORT-FOREIGN")


class SortState(StrEnum):
    """Whether a sort is due, and what it found."""

    NOT_DUE = "not due"
    DUE = "due"
    REGULAR = "regular"
    IRREGULAR = "irregular"


class SortSlice(msgspec.Struct, frozen=True):
    """`replaced`: (damaged, replacement) of this session; `incident` is that of an irregular sort."""

    state: SortState = SortState.NOT_DUE
    replaced: tuple[tuple[Card, Card], ...] = ()
    incident: int = 0


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, sort=replace(procedures.sort, **changes)))


def _of(turn: Turn) -> SortSlice:
    return turn.state.procedures.sort


# --- the entry ----------------------------------------------------------------------------------------------


def _names_every_back(turn: Turn, what: EnterSort) -> Refusal | None:
    backs = sorted(group.back for group in turn.state.house.decks)
    entered = sorted(group.back for group in what.groups)
    if entered == backs:
        return None
    return refusal("SORT-BACKS", entered=", ".join(entered) or "none", backs=", ".join(backs))


def _is_possible(turn: Turn, what: EnterSort) -> Refusal | None:
    """An entry that no set of decks can give is refused, with the group that is wrong."""
    house = turn.state.house
    for group in what.groups:
        decks = next(known.decks for known in house.decks if known.back == group.back)
        why = sorted_decks.objection(group, decks, {known.back for known in house.decks})
        if why:
            return refusal("SORT-IMPOSSIBLE", back=group.back, why=why)
    return None


def _is_gathered(turn: Turn, _what: EnterSort) -> Refusal | None:
    """CSM-6: those still in the tray are counted too."""
    left = turn.state.account.at(TRAY)
    if left <= 0:
        return None
    return refusal("SORT-TRAY", left=left)


# --- the finding --------------------------------------------------------------------------------------------


def _finding(turn: Turn, what: EnterSort) -> sorted_decks.Finding:
    return sorted_decks.compare(turn.state.house, _of(turn).replaced, what.groups)


def _is_regular(turn: Turn, what: EnterSort) -> bool:
    """Nothing in the entry is odd; one that its guards will refuse is not looked at."""
    is_sound = _names_every_back(turn, what) is None and _is_possible(turn, what) is None
    return is_sound and _finding(turn, what).is_regular


def _enter(turn: Turn, what: EnterSort) -> None:
    finding = _finding(turn, what)
    before = turn.state.account.at(UNEXPLAINED)
    _post(turn, finding)
    _explain(turn, before)
    _tell(turn, finding)
    turn.happened(
        CardsSorted(
            is_regular=finding.is_regular,
            missing=finding.missing,
            too_many=finding.too_many,
            foreign=finding.foreign,
        )
    )


def _post(turn: Turn, finding: sorted_decks.Finding) -> None:
    """All cards lie before the dealer; what he finds more or fewer goes from or to *unexplained* under his name."""
    for place in (TABLE, HOPPER):
        card_account.move(turn, place, ASIDE, turn.state.account.at(place), Evidence.PERSON, "gathered for the sort")
    lacking = turn.state.account.at(ASIDE) - finding.cards
    card_account.move(turn, ASIDE, UNEXPLAINED, lacking, Evidence.PERSON, "sort")


def _explain(turn: Turn, before: int) -> None:
    """What stood unexplained is explained by the sort: the cards are there, or they are named."""
    now = turn.state.account.at(UNEXPLAINED)
    for incident in incidents.of_kind(turn, unload.INCIDENT):
        incidents.close(turn, incident.number, f"sorted: {before} unexplained cards before, {now} after", turn.by)
    for text in ("COUNT-SHORT", "COUNT-LONG"):
        alerts.clear_alert(turn, text, unload.INCIDENT, by=turn.by, why="sorted")
    left_behind.explained(turn)


def _tell(turn: Turn, finding: sorted_decks.Finding) -> None:
    cards = dict(zip(TEXTS, (finding.missing, finding.too_many, finding.foreign), strict=True))
    number = _of(turn).incident
    sentence = _sentence(turn, finding)
    _clear_alerts(turn, number, "sorted again")
    if finding.is_regular:
        incidents.close(turn, number, sentence, turn.by)
        put(turn, incident=0)
        return
    if number:
        incidents.note(turn, number, sentence)
    else:
        number = incidents.open_incident(turn, INCIDENT, RULE, sentence)
        put(turn, incident=number)
    for text in TEXTS:
        if cards[text]:
            alerts.raise_alert(turn, text, str(number), cards=sorted_decks.named(cards[text]))


def _clear_alerts(turn: Turn, incident: int, why: str) -> None:
    for text in TEXTS:
        alerts.clear_alert(turn, text, str(incident), by=turn.by, why=why)


def _sentence(turn: Turn, finding: sorted_decks.Finding) -> str:
    if finding.is_regular:
        return f"regular: {counted(finding.cards, 'card')}, every deck whole"
    parts = (("missing", finding.missing), ("too many", finding.too_many), ("foreign", finding.foreign))
    words = [f"{word}: {sorted_decks.named(cards)}" for word, cards in parts if cards]
    left = [f"{cards} {place}" for place, cards in turn.state.account.balances.items() if place.startswith("left in")]
    return "; ".join((*words, *left))


# --- the manager's decision ---------------------------------------------------------------------------------


def _says_something(_turn: Turn, what: SettleSort) -> Refusal | None:
    if what.decision.strip():
        return None
    return refusal("SORT-NO-DECISION")


def _settle(turn: Turn, what: SettleSort) -> None:
    incidents.close(turn, what.incident, what.decision, turn.by)
    _clear_alerts(turn, what.incident, "decided")
    if what.incident == _of(turn).incident:
        put(turn, incident=0)
    turn.happened(SortSettled(incident=what.incident, decision=what.decision, by=turn.by))


def _is_open(turn: Turn, what: SettleSort) -> Refusal | None:
    numbers = [incident.number for incident in incidents.of_kind(turn, INCIDENT)]
    if what.incident in numbers:
        return None
    listed = ", ".join(map(str, numbers)) or "none"
    return refusal("SORT-NOT-IRREGULAR", incident=what.incident, listed=listed)


def _is_sessions(_turn: Turn, what: UnloadCompleted) -> bool:
    return what.kind == KIND


def _replaced(turn: Turn, what: CardReplaced) -> None:
    put(turn, replaced=(*_of(turn).replaced, (what.damaged, what.replacement)))


def _fresh(turn: Turn, _what: SessionOpened) -> None:
    """A session begins: its own replacements, its own finding. An older one still waits for its decision."""
    put(turn, replaced=(), incident=0)


S = SortState
AFTER_UNLOAD = (S.DUE, S.REGULAR, S.IRREGULAR)
ENTRY = (is_dealer_on_duty(RULE, "the result of sorting"), _names_every_back, _is_possible, _is_gathered)
PROCEDURE = Procedure(
    name="sort",
    rule=RULE,
    states=SortState,
    read=lambda state, _what: state.procedures.sort.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.NOT_DUE, UnloadCompleted, S.DUE, when=_is_sessions, said="cards are out"),
        Row(S.NOT_DUE, ShoeCleared, S.DUE, said="the shoe's cards are out"),
        *(
            row
            for state in (S.DUE, S.REGULAR, S.IRREGULAR)
            for row in (
                Row(state, EnterSort, S.REGULAR, _enter, _is_regular, guards=ENTRY, said="sorted: every deck is whole"),
                Row(state, EnterSort, S.IRREGULAR, _enter, guards=ENTRY, said="sorted: cards are named"),
            )
        ),
        *(
            Row(
                state,
                SettleSort,
                None,
                _settle,
                guards=(presence.acts_as(Role.ROOM_MANAGEMENT, rule=RULE), _is_open, _says_something),
                said="decided",
                then="close the table, once nothing else is open",
            )
            for state in S
        ),
        *(Row(state, CardReplaced, None, _replaced, said="card replaced", watches=True) for state in S),
        *(Row(state, SessionOpened, None, _fresh, said="table opens") for state in S),
        *(Row(state, SessionClosed, S.NOT_DUE, said="table closed") for state in S),
    ),
    next_step={
        S.NOT_DUE: "unload first: the cards are sorted when the machine is empty",
        S.DUE: "the dealer sorts by deck and enters each back colour",
        S.REGULAR: "close the table",
        S.IRREGULAR: "look for the cards and sort again, or let room management decide",
    },
)
