"""Where the rotation of two decks stands, and the permits that it wishes for."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import PermitKind
from tableside import presence
from tableside.card_account import HOPPER
from tableside.permits import DEAL_MS, LOAD_FEED_MS, Wish
from tableside.presence import Operation
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class BatchState(StrEnum):
    """Where the machine's deck stands."""

    EMPTY = "empty"
    LOADING = "deck goes in"
    PAUSED = "paused: presence"
    WAITING = "in, not mixed"
    MIXING = "mixing"
    READY = "mixed"
    DIFFERS = "count differs"
    COMING_OUT = "deck comes out"


class BatchSlice(msgspec.Struct, frozen=True):
    """`deck` is the back colour in the machine, `in_play` that on the table. `counted` cards went in, `out` came out.

    `suspects`: decks whose count was another than the account's; none of them goes in before a hand count.
    `loads` tells one load from the next; `brought`: the decks are in the account.
    """

    state: BatchState = BatchState.EMPTY
    deck: str = ""
    in_play: str = ""
    counted: int = 0
    out: int = 0
    loads: int = 0
    is_brought: bool = False
    is_agreed: bool = False  # the last count was the account's number
    suspects: tuple[str, ...] = ()


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, batch=replace(procedures.batch, **changes)))


def of(turn: Turn) -> BatchSlice:
    """The slice."""
    return turn.state.procedures.batch


def place_of(back: str) -> str:
    """The account's place of a deck that is neither in the machine nor in play."""
    return f"deck {back}"


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Feed for the deck that goes in, while presence stands; dealing for EJECT_ALL."""
    batch, device = state.procedures.batch, state.house.shuffler
    if batch.state is BatchState.LOADING and presence.is_kept(state, Operation.LOAD):
        until_ns = presence.until_ns(state, Operation.LOAD)
        cards = batch.counted + state.account.at(HOPPER)
        return (Wish(device, PermitKind.FEED, LOAD_FEED_MS, cards, until_ns, f"deck {batch.loads}", batch.counted),)
    if batch.state is BatchState.COMING_OUT:
        return (Wish(device, PermitKind.DEAL, DEAL_MS, None, None, f"deck {batch.loads} out"),)
    return ()
