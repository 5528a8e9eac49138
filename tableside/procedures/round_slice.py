"""What stands of a round, and how it is changed; the table of transitions is in `rounds`."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import card_account
from tableside.refusals import Refusal, refusal
from tableside.requests import RuleRound
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


# How a round ended that nobody has told to be over: `rounds_sensed` found it.
SENSED = "sensed"
RULINGS = ("goes on", "finished elsewhere", "void")


class RoundState(StrEnum):
    """What the round is doing."""

    CLOSED = "closed"
    WAITING = "waiting"
    DEALING = "dealing"
    OVER = "over"
    RETURNING = "returning"


class RoundSlice(msgspec.Struct, frozen=True):
    """Counts in cards. `held_over` lie outside since round `held_since`; `lag` wait for the next deal.

    `inserted_ns` is when (UTC) cards of the rounds from the first to the second of `inserted_rounds` began to go in.
    `early`: cards of this round that went in while it went on.
    `is_untold`: the round ended before the machine had told all that it gave out; what it tells now belongs to it.
    `is_done_ahead`: DONE came before the machine had told one card of the round: it ends when all is told.
    """

    state: RoundState = RoundState.CLOSED
    number: int = 0
    dealt: int = 0
    to_return: int = 0
    returned: int = 0
    early: int = 0
    held_over: int = 0
    held_since: int = 0
    lag: int = 0
    after_stop: int = 0
    inserted_rounds: tuple[int, int] = (0, 0)
    inserted_ns: int = 0
    is_untold: bool = False
    is_done_ahead: bool = False


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, rounds=replace(procedures.rounds, **changes)))


def of(turn: Turn) -> RoundSlice:
    return turn.state.procedures.rounds


def going_in(turn: Turn, first: int, last: int) -> None:
    """CSM-12: with their first card in, the window for complaints about these rounds has closed."""
    put(turn, inserted_rounds=(first, last), inserted_ns=turn.given.wall_ns)


def outside(state: TableState) -> int:
    """Cards that belong back into the machine: on the table and in the tray."""
    return state.account.at(card_account.TABLE) + state.account.at(card_account.TRAY)


def is_known_ruling(_turn: Turn, what: RuleRound) -> Refusal | None:
    """Guard: a ruling that ends a round, or lets it go on."""
    if what.ruling in RULINGS:
        return None
    return refusal("RULING-UNKNOWN", ruling=what.ruling, rulings=", ".join(RULINGS))
