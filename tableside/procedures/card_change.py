"""A card change: the session ends and the next opens with other cards, the guests keep their seats (semantics §4).

It is no other way into the machine: the old cards are unloaded and sorted, the new ones shown, mixed, shuffled and
loaded, as at any closing and opening. Only the table is not closed in between.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import presence
from tableside.happenings import SessionClosed
from tableside.house import Role
from tableside.procedures.session import SessionState, is_between_rounds, state_of
from tableside.refusals import refusal
from tableside.requests import BeginCardChange
from tableside.session_happenings import CardChangeBegun, NextSessionWanted
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    pass

RULE = "CSM-5"


class CardChangeState(StrEnum):
    """Whether the session that ends is followed by another at once."""

    NONE = "none"
    UNDER_WAY = "under way"


class CardChangeSlice(msgspec.Struct, frozen=True):
    """`dealer` was on duty when it began."""

    state: CardChangeState = CardChangeState.NONE
    dealer: str = ""


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    change = replace(procedures.card_change, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, card_change=change))


def _is_open(turn: Turn, _what: BeginCardChange) -> Refusal | None:
    state = state_of(turn.state)
    if state is SessionState.OPEN:
        return None
    return refusal("CHANGE-NOT-NOW", state=state)


def _begin(turn: Turn, _what: BeginCardChange) -> None:
    put(turn, dealer=turn.state.procedures.people.dealer)
    turn.happened(CardChangeBegun(by=turn.by))


def _open_next(turn: Turn, _what: SessionClosed) -> None:
    turn.happened(NextSessionWanted(dealer=turn.state.procedures.card_change.dealer))
    put(turn, dealer="")


S = CardChangeState
PROCEDURE = Procedure(
    name="card change",
    rule=RULE,
    states=CardChangeState,
    read=lambda state, _what: state.procedures.card_change.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(
            S.NONE,
            BeginCardChange,
            S.UNDER_WAY,
            _begin,
            guards=(
                presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule=RULE),
                _is_open,
                is_between_rounds,
            ),
            said="the cards are changed: unload, sort, open again",
        ),
        Row(S.UNDER_WAY, SessionClosed, S.NONE, _open_next, said="the next session opens"),
    ),
    next_step={
        S.NONE: "ask for a card change between two rounds",
        S.UNDER_WAY: "unload, sort and close; the next session opens by itself",
    },
)
