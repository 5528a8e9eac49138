"""Chips that are no bets, told by slots and by the dealer (JP-8, JP-10, JP-11).

What slots give back by themselves they tell; what no slot sees the dealer sees, gives back, and says so here. Nothing
is decided about a bet that is locked: it counts (JP-11).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec.structs import replace

from drivers.events import ChipReturned
from tableside import alerts, presence
from tableside.happenings import RoundEnded, SessionOpened
from tableside.house import Role
from tableside.jackpot_requests import RefuseChip, WhyNoBet
from tableside.procedures.jackpot_no_bets import BACK_TEXT, OF_SLOTS, refuse
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "JP-10"


class ChipState(StrEnum):
    """These have no states of their own: a chip is a bet or none."""

    ANY = "any"


def _read(_state: TableState, _what: object) -> ChipState:
    return ChipState.ANY


def _returned(turn: Turn, what: ChipReturned) -> None:
    refuse(turn, what.seat, OF_SLOTS[what.why], is_given_back=True)


def _has_jackpot(turn: Turn, _what: RefuseChip) -> Refusal | None:
    if turn.state.house.jackpot is not None or turn.state.house.chip_slots:
        return None
    return refusal("NO-JACKPOT")


def _is_seat(turn: Turn, what: RefuseChip) -> Refusal | None:
    if 1 <= what.seat <= turn.state.house.seats:
        return None
    return refusal("CHIP-SEAT", seat=what.seat, most=turn.state.house.seats)


def _is_not_locked(turn: Turn, what: RefuseChip) -> Refusal | None:
    """A bet that is locked counts; the other reasons are about a chip that never was the seat's bet."""
    if what.chip is not WhyNoBet.NO_MAIN_BET or what.seat not in turn.state.procedures.jackpot.bettors:
        return None
    return refusal("CHIP-COUNTS", seat=what.seat)


def _refused(turn: Turn, what: RefuseChip) -> None:
    procedures = turn.state.procedures
    bets = procedures.jackpot_bets
    if what.chip is WhyNoBet.NO_MAIN_BET and what.seat in bets.seats:
        left = replace(bets, seats=tuple(seat for seat in bets.seats if seat != what.seat))
        turn.state = replace(turn.state, procedures=replace(procedures, jackpot_bets=left))
    refuse(turn, what.seat, what.chip, is_given_back=True)


def _over(turn: Turn, _what: RoundEnded | SessionOpened) -> None:
    for alert in tuple(turn.state.alerts.standing.values()):
        if alert.text == BACK_TEXT:
            alerts.clear_alert(turn, BACK_TEXT, alert.place, by=turn.by, why="the round is over")


S = ChipState
PROCEDURE = Procedure(
    name="jackpot chips",
    rule=RULE,
    states=ChipState,
    read=_read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(S.ANY, ChipReturned, None, _returned, said="a chip given back"),
        Row(
            S.ANY,
            RefuseChip,
            None,
            _refused,
            guards=(
                presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule=RULE),
                _has_jackpot,
                _is_seat,
                _is_not_locked,
            ),
            said="no bet",
            then="give the chip back to the guest",
        ),
        Row(S.ANY, RoundEnded, None, _over, said="chips are given back"),
        Row(S.ANY, SessionOpened, None, _over, said="chips are given back"),
    ),
    next_step={S.ANY: "give back chips that are no bets"},
)
