"""What antennas under the felt tell beside cards: chips, tags that nobody knows, and what cannot be told.

Cards stand sealed until their round is over (card_identities). No card moves in the account by what an antenna reads:
it says where a card lies, not where it came from.
"""

from __future__ import annotations

from enum import StrEnum

from drivers.antenna_events import ChipRead, ChipRemoved, TagUnknown, UnknownTagGone
from drivers.card_events import CardRemoved, CardsAmbiguous
from tableside import alerts
from tableside.tables import Procedure, Row, Turn

UNKNOWN = "TAG-UNKNOWN"
RULE = "DECK-1"


class AntennaState(StrEnum):
    """No states of their own: what lies where is the driver's to know, alerts say what needs a person."""

    ANY = "any"


def _unknown(turn: Turn, what: TagUnknown) -> None:
    """Never guessed: somebody looks what lies there."""
    alerts.raise_alert(turn, UNKNOWN, f"{what.place}:{what.tag}", place=what.place)


def _unknown_gone(turn: Turn, what: UnknownTagGone) -> None:
    alerts.clear_alert(turn, UNKNOWN, f"{what.place}:{what.tag}", by=what.device, why="taken away")


def _ambiguous(turn: Turn, what: CardsAmbiguous) -> None:
    alerts.raise_alert(turn, "CARDS-AMBIGUOUS", place=", ".join(what.places))


A = AntennaState.ANY
PROCEDURE = Procedure(
    name="antennas",
    rule=RULE,
    states=AntennaState,
    read=lambda _state, _what: AntennaState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, TagUnknown, None, _unknown, said="nobody knows it"),
        Row(A, UnknownTagGone, None, _unknown_gone, said="it is gone"),
        Row(A, CardsAmbiguous, None, _ambiguous, said="put it down again"),
        Row(A, CardRemoved, None, said="recorded"),
        Row(A, ChipRead, None, said="recorded"),
        Row(A, ChipRemoved, None, said="recorded"),
    ),
    next_step={A: "lay cards and chips on the middle of their places"},
)
