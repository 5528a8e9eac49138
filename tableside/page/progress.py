"""How far cards have come in or out, of the procedures that move them: so many of so many. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from tableside.card_account import ASIDE, HOPPER, MACHINE
from tableside.cards import CARDS_PER_DECK
from tableside.procedures.batch_slice import BatchState
from tableside.procedures.load_slice import is_under_way
from tableside.procedures.round_slice import RoundState
from tableside.procedures.unload_slice import UnloadState
from tableside.state import TableState


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """One bar. `what` is a word of the page, with `packet` of `packets` in it where cards go in by packets."""

    what: str
    done: int
    total: int
    packet: int = 0
    packets: int = 0


def progress(state: TableState) -> list[Progress]:
    """Every bar that a table shows now."""
    return [bar for bars in BARS for bar in bars(state)]


def _load(state: TableState) -> Iterator[Progress]:
    load, account = state.procedures.load, state.account
    if is_under_way(state):
        inside = account.at(MACHINE)
        total = inside + account.at(HOPPER) + account.at(ASIDE)
        yield Progress(what="load", done=inside, total=total, packet=load.packet, packets=load.packets)
        if load.is_packet_open:
            yield Progress(what="packet", done=load.counted, total=load.declared)


def _unload(state: TableState) -> Iterator[Progress]:
    unload = state.procedures.unload
    if unload.state not in (UnloadState.NOT_BEGUN, UnloadState.OVER):
        yield Progress(what="unload", done=unload.cards, total=unload.cards + max(0, state.account.at(MACHINE)))


def _return(state: TableState) -> Iterator[Progress]:
    rounds = state.procedures.rounds
    if rounds.state is RoundState.RETURNING:
        yield Progress(what="return", done=rounds.returned, total=max(rounds.to_return, rounds.returned))


def _swap(state: TableState) -> Iterator[Progress]:
    swap = state.procedures.swap
    if swap.is_under_way:
        yield Progress(what="swap", done=swap.taken, total=swap.taken + max(0, state.account.at(MACHINE)))


def _deck(state: TableState) -> Iterator[Progress]:
    batch = state.procedures.batch
    if batch.state in (BatchState.LOADING, BatchState.PAUSED):
        yield Progress(what="deck", done=batch.counted, total=batch.counted + max(0, state.account.at(HOPPER)))
    elif batch.state is BatchState.DEALING:
        yield Progress(what="deck", done=batch.given, total=batch.wanted)
    elif batch.state is BatchState.COMING_OUT:
        yield Progress(what="deck", done=batch.out, total=CARDS_PER_DECK)


BARS: tuple[Callable[[TableState], Iterator[Progress]], ...] = (_load, _unload, _return, _swap, _deck)
