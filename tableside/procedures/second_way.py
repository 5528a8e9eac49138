"""The second way to show presence while no badge reader of the table answers (semantics §2.1.9)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tableside import devices, presence, sightings
from tableside.refusals import refusal
from tableside.requests import ShowPresence
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class SecondWayState(StrEnum):
    """Derived from the readers: while one of them answers there is no second way."""

    NOT_NEEDED = "reader answers"
    OPEN = "reader away"


def read(state: TableState, _what: object) -> SecondWayState:
    """Derived status cannot drift."""
    known = state.devices.known
    is_answering = any(known.get(name, devices.DeviceLevels()).is_connected for name in state.house.readers)
    return SecondWayState.NOT_NEEDED if is_answering else SecondWayState.OPEN


def _names_a_role(_turn: Turn, what: ShowPresence) -> Refusal | None:
    if any(what.role in roles for roles in presence.ROLES.values()):
        return None
    return refusal("ROLE-NOT-ASKED", role=what.role)


def _are_two(turn: Turn, what: ShowPresence) -> Refusal | None:
    if sightings.by_pin(turn, what, what.role):
        return None
    return refusal("TWO-PINS-NEEDED", role=what.role)


def _show(turn: Turn, what: ShowPresence) -> None:
    sightings.take(turn, sightings.by_pin(turn, what, what.role)[0], is_held=False)


def _reader_answers(_turn: Turn, _what: ShowPresence) -> Refusal:
    return refusal("READER-ANSWERS")


S = SecondWayState
BEGIN = "ask for the step within 15 s"  # as after a tap
PROCEDURE = Procedure(
    name="second way",
    rule="CSM-5",
    states=SecondWayState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(
            S.OPEN,
            ShowPresence,
            None,
            _show,
            guards=(_names_a_role, _are_two),
            said="counts as a tap: second way",
            then=BEGIN,
        ),
        Row(S.NOT_NEEDED, ShowPresence, None, guards=(_reader_answers,), said="refused: tap the badge"),
    ),
    next_step={
        S.NOT_NEEDED: "tap the badge at the reader",
        S.OPEN: "two persons by PIN, or a tap at the neighbouring table",
    },
)
