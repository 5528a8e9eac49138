"""Opening: cards are shown, mixed and shuffled by hand (SHOE-3, CSM-4); into a machine uncut (CSM-3), into a shoe cut.

A shoe by hand comes back here for each next shuffle (SHOE-7).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.by_hand import is_by_hand
from tableside.happenings import SessionClosed, SessionOpened
from tableside.procedures.damaged import is_exchanged_first
from tableside.procedures.hand_shoe_guards import is_counted_by_back
from tableside.procedures.session import is_dealer_on_duty
from tableside.requests import ConfirmHandShuffled, ConfirmMixed, ConfirmShown
from tableside.session_happenings import CutSkipped
from tableside.shoe_happenings import CardsGathered, CardsShuffled
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

NO_CUT = "an automatic shuffler is in use: its cards are not cut"


class OpeningState(StrEnum):
    """Which of the dealer's steps comes next."""

    NOT_OPENED = "not opened"
    TO_SHOW = "to show"
    TO_MIX = "to mix"
    TO_SHUFFLE = "to shuffle by hand"
    PREPARED = "prepared"


class OpeningSlice(msgspec.Struct, frozen=True):
    state: OpeningState = OpeningState.NOT_OPENED


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, opening=replace(procedures.opening, **changes)))


def is_prepared(state: TableState) -> bool:
    """Shown, mixed and shuffled by hand: the cards may go in."""
    return state.procedures.opening.state is OpeningState.PREPARED


def _skip_cut(turn: Turn, _what: ConfirmHandShuffled) -> None:
    turn.happened(CutSkipped(why=NO_CUT))


def _is_by_hand(turn: Turn, _what: ConfirmHandShuffled) -> bool:
    return is_by_hand(turn.state)


def _shuffled(turn: Turn, _what: ConfirmHandShuffled) -> None:
    turn.happened(CardsShuffled(by=turn.by))


SHUFFLES = is_dealer_on_duty("CSM-4", "that the cards were shuffled by hand")
S = OpeningState
PROCEDURE = Procedure(
    name="opening",
    rule="CSM-4",
    states=OpeningState,
    read=lambda state, _what: state.procedures.opening.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.NOT_OPENED, SessionOpened, S.TO_SHOW, rule="SHOE-3", said="cards on the table"),
        Row(
            S.TO_SHOW,
            ConfirmShown,
            S.TO_MIX,
            guards=(is_dealer_on_duty("SHOE-3", "that the cards were shown"),),
            rule="SHOE-3",
            said="shown, deck by deck",
        ),
        Row(
            S.TO_MIX,
            ConfirmMixed,
            S.TO_SHUFFLE,
            guards=(is_dealer_on_duty("CSM-4", "that the cards were mixed"),),
            said="mixed",
        ),
        Row(
            S.TO_SHUFFLE,
            ConfirmHandShuffled,
            S.PREPARED,
            _shuffled,
            _is_by_hand,
            guards=(SHUFFLES, is_exchanged_first, is_counted_by_back),
            rule="SHOE-4",
            said="shuffled by hand",
            then="offer the cut to the seats in their order; nobody wants it: the table inspector cuts",
        ),
        Row(S.PREPARED, CardsGathered, S.TO_SHUFFLE, rule="SHOE-7", said="next shoe"),
        Row(
            S.TO_SHUFFLE,
            ConfirmHandShuffled,
            S.PREPARED,
            _skip_cut,
            guards=(SHUFFLES,),
            said="shuffled by hand; the cut is skipped (CSM-3)",
        ),
        *(
            Row(state, SessionClosed, S.NOT_OPENED, rule="CSM-6", said="table closed")
            for state in S
            if state is not S.NOT_OPENED
        ),
    ),
    next_step={
        S.NOT_OPENED: "open the table",
        S.TO_SHOW: "the dealer shows the cards, deck by deck",
        S.TO_MIX: "the dealer mixes the cards",
        S.TO_SHUFFLE: "the dealer gives the cards the usual shuffles by hand",
        S.PREPARED: "prove the machine empty, then load",
    },
)
