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
    DEALING = "packet comes out"
    SHORT = "packet not complete"


class BatchSlice(msgspec.Struct, frozen=True):
    """`deck` is the back colour in the machine, `in_play` that on the table. `counted` cards went in, `out` came out.

    `dealt`: cards of the machine's deck that came out in packets and did not go back; `packet` is the number of the
    last one, `wanted` its cards, of which `given` are out. `awaited`: a command that brings cards out has ended, and so
    many cards must the meter have told before that is taken (0: none is behind); `base`: it had told so many when the
    command began; `is_dry`: it ended because the machine was empty. `suspects`: decks whose count was another than the
    account's; none of them goes in before a hand count. `replaced`: by the reserve deck of their colour, each time.
    `loads` tells one load from the next; `brought`: the decks are in the account.
    """

    state: BatchState = BatchState.EMPTY
    deck: str = ""
    in_play: str = ""
    counted: int = 0
    out: int = 0
    dealt: int = 0
    packet: int = 0
    wanted: int = 0
    given: int = 0
    base: int = 0
    awaited: int = 0
    is_dry: bool = False
    loads: int = 0
    is_brought: bool = False
    is_agreed: bool = False  # the last count was the account's number
    suspects: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


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
    """Feed for what goes in, while presence stands; dealing for EJECT_ALL, and for a packet as many cards as it has."""
    batch, device = state.procedures.batch, state.house.shuffler
    if batch.state is BatchState.LOADING and presence.is_kept(state, Operation.LOAD):
        until_ns = presence.until_ns(state, Operation.LOAD)
        cards = batch.counted + state.account.at(HOPPER)
        return (Wish(device, PermitKind.FEED, LOAD_FEED_MS, cards, until_ns, f"deck {batch.loads}", batch.counted),)
    if batch.awaited:
        return ()  # the command is over
    if batch.state is BatchState.COMING_OUT:
        return (Wish(device, PermitKind.DEAL, DEAL_MS, None, None, f"deck {batch.loads} out"),)
    if batch.state is BatchState.DEALING:
        packet = f"deck {batch.loads} packet {batch.packet}"
        return (Wish(device, PermitKind.DEAL, DEAL_MS, batch.wanted, None, packet, batch.given),)
    return ()
