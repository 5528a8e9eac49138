"""What hands do at a baccarat shoe, and what happens to it and to a card reader by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from .deeds import A_CARD, Impossible, PersonDeed, Proof, WorldDeed
from .room import Room
from .world.card_reader import CardReader
from .world.cards import Printing
from .world.shoe import BaccaratShoe
from .world.table import TRAY

# SHOE-5: as near as possible to the 50th card from the end.
CUT_FROM_END = 50


def shoe_of(room: Room, name: str) -> BaccaratShoe:
    """The shoe of that name, empty for the only one. Raises `Impossible`."""
    chosen = [shoe for known, shoe in room.shoes.items() if name in ("", known)]
    if len(chosen) != 1:
        raise Impossible(f"name one shoe; here are {', '.join(room.shoes) or 'none'}")
    return chosen[0]


def reader_of(room: Room, name: str) -> CardReader:
    """The card reader of that name, empty for the only one. Raises `Impossible`."""
    chosen = [reader for known, reader in room.card_readers.items() if name in ("", known)]
    if len(chosen) != 1:
        raise Impossible(f"name one card reader; here are {', '.join(room.card_readers) or 'none'}")
    return chosen[0]


class LoadShoe(PersonDeed, frozen=True, kw_only=True):
    """Shuffle what lies at `source`, put the cut card in near the end, and all of it into the shoe."""

    source: str = TRAY
    cut_from_end: int = CUT_FROM_END
    shoe: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many cards lie in the shoe now."""
        shoe, felt = shoe_of(room, self.shoe), room.table.felt
        shoe.out.move_all(felt[self.source])
        room.table.wash(self.source)
        felt[self.source].move_all(shoe.cards)
        shoe.cut_after = max(0, len(shoe.cards) - self.cut_from_end)
        room.stage.settle()
        return {"in_shoe": len(shoe.cards)}


class Burn(PersonDeed, frozen=True, kw_only=True):
    """Cards are laid away before the first game (SHOE-6)."""

    cards: int = 1
    shoe: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        shoe = shoe_of(room, self.shoe)
        room.stage.act(lambda: shoe.burn(self.cards))
        return {}


class DrawFromShoe(PersonDeed, frozen=True, kw_only=True):
    """Pull a card out of the shoe; it lies face down. Whether the book wants another one, the shoe's lamp shows."""

    shoe: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        shoe = shoe_of(room, self.shoe)
        card = room.stage.act(shoe.draw)
        return {"card": A_CARD if card is not None else "", "is_complete": shoe.next_hand is None, "error": shoe.error}


class ShoeAct(StrEnum):
    """What one can do at the shoe itself."""

    END_GAME = "end game"
    END_BY_HAND = "end by hand"
    LOCK = "lock"
    UNLOCK = "unlock"
    CANCEL_ERROR = "cancel error"
    PUSH_BACK = "push back"
    TELL_AGAIN = "tell again"


class AtShoe(PersonDeed, frozen=True, kw_only=True):
    """A button or key of the shoe, or a card pushed back into its mouth."""

    act: ShoeAct
    shoe: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: the error that the shoe shows now."""
        shoe = shoe_of(room, self.shoe)
        acts: dict[ShoeAct, Callable[[], None]] = {
            ShoeAct.END_GAME: shoe.press,
            ShoeAct.END_BY_HAND: shoe.end_by_hand,
            ShoeAct.LOCK: lambda: shoe.turn_key(is_locked=True),
            ShoeAct.UNLOCK: lambda: shoe.turn_key(is_locked=False),
            ShoeAct.CANCEL_ERROR: shoe.cancel_error,
            ShoeAct.PUSH_BACK: shoe.push_back,
            ShoeAct.TELL_AGAIN: shoe.tell_again,
        }
        room.stage.act(acts[self.act])
        return {"error": shoe.error}


class SmudgeNextInShoe(WorldDeed, frozen=True, kw_only=True):
    """The card that comes next out of the shoe cannot be read; it fires when it is drawn."""

    shoe: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        shoe = shoe_of(room, self.shoe)
        if not len(shoe.cards):
            raise Impossible("the shoe is empty")
        card = shoe.cards.top
        card.printing = Printing.FADED
        return lambda: card.pile is not shoe.cards


class ReaderFlaw(StrEnum):
    """What a card reader gets wrong."""

    DOUBLE = "double"  # sees the next card twice
    BLIND = "blind"  # its eye is dead
    MENDED = "mended"


class SpoilReader(WorldDeed, frozen=True, kw_only=True):
    """Dust or a dead eye at a card reader; a double fires with the next card."""

    flaw: ReaderFlaw
    reader: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        reader = reader_of(room, self.reader)
        if self.flaw is ReaderFlaw.DOUBLE:
            before, reader.doubles_next = reader.meter, True
            return lambda: not reader.doubles_next and reader.meter > before
        room.stage.act(lambda: setattr(reader, "has_dead_eye", self.flaw is ReaderFlaw.BLIND))
        return lambda: True
