"""What outlives a restart of the simulator: the devices' memories, and where each card lies.

A device's memory is in the file before its reply goes out, as on a real board; cards follow within a second.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NoReturn

import msgspec

from .faces.memory import Memory
from .room import Room
from .world.cards import Back, Card, Printing, Rank, Suit
from .world.happenings import Spot

CARDS_EVERY_S = 1.0


class KeepingRefused(ValueError):
    """The file cannot be read: says why, and what to do."""


class KeptCard(msgspec.Struct, frozen=True, array_like=True):
    """One piece of plastic, and the pile that it lies in."""

    pile: str
    deck: int
    rank: Rank
    suit: Suit
    back: Back
    printing: Printing
    passes: int
    bend_um: int
    is_sticky: bool
    is_askew: bool


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The file: memories by serial number, cards pile by pile from the lowest up, the machine in play."""

    memories: dict[str, Memory]
    cards: tuple[KeptCard, ...]
    in_play: str


def read_kept(path: Path) -> Kept | None:
    """What was kept; None where nothing was. Raises `KeepingRefused`, `OSError`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise KeepingRefused(f"{path}: {error}; remove the file to begin with new devices") from error


class Keeper:
    """Keeps a room in a file."""

    def __init__(self, room: Room, path: Path) -> None:
        self._room = room
        self._path = path
        self._writes = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        room.stage.watch(self._look)

    async def run(self) -> NoReturn:
        """Save the cards each second, until cancelled; then once more."""
        try:
            while True:
                await asyncio.sleep(CARDS_EVERY_S)
                self.save()
        finally:
            self.save()

    def save(self) -> None:
        """Write everything, in one step."""
        table = self._room.table
        cards = tuple(_kept(card) for pile in table.piles for card in pile)
        kept = Kept(memories=self._room.memories, cards=cards, in_play=table.in_play)
        fresh = self._path.with_name(f".{self._path.name}.new")
        fresh.write_bytes(msgspec.json.encode(kept))
        fresh.replace(self._path)

    def _look(self) -> None:
        writes = sum(memory.writes for memory in self._room.memories.values())
        if writes != self._writes:
            self._writes = writes
            self.save()


def lay_out(room: Room, kept: Kept) -> None:
    """Put every card back to where it lay, and the machine that was in play. Before any device has power."""
    table = room.table
    machines = [pile for machine in table.machines.values() for pile in machine.piles]
    places = {pile.name: pile for pile in machines}
    for card in table.cards:
        card.pile.give(card)
    table.cards.clear()
    for each in kept.cards:
        pile = places[each.pile] if each.pile in places else table.felt[each.pile]
        card = Card(each.deck, each.rank, each.suit, each.back, pile)
        card.printing, card.passes = each.printing, each.passes
        card.bend_um, card.is_sticky, card.is_askew = each.bend_um, each.is_sticky, each.is_askew
        table.cards.append(card)
    table.in_play = kept.in_play
    for machine in table.machines.values():
        machine.carousel.jammed |= {spot for spot in Spot if len(machine.carousel.stuck(spot))}


def _kept(card: Card) -> KeptCard:
    return KeptCard(
        card.pile.name,
        card.deck,
        card.rank,
        card.suit,
        card.back,
        card.printing,
        card.passes,
        card.bend_um,
        card.is_sticky,
        card.is_askew,
    )
