"""What is done to jackpot chip slots: a chip goes in, a hand clears a gate, dust and scraps get where they hurt."""

from __future__ import annotations

from collections.abc import Mapping

from .deeds import Impossible, PersonDeed, Proof, WorldDeed
from .room import Room
from .world.chip_slots import ChipSlots
from .world.coin_acceptor import UNKNOWN_COIN


class DropChip(PersonDeed, frozen=True, kw_only=True):
    """A chip goes into the slot of a seat; `value` 0 is a chip of the set value, an acceptor knows no other."""

    seat: int
    value: int = 0

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        coin = room.acceptors.get(self.seat)
        if coin is not None:
            position = UNKNOWN_COIN if self.value else coin.position
            room.stage.act(lambda: coin.acceptor.drop(position))
            return {}
        slots = slots_at(room, self.seat)
        room.stage.act(lambda: slots.drop(self.seat, self.value or None))
        return {}


class ClearGate(PersonDeed, frozen=True, kw_only=True):
    """What sticks in the light gate of a seat's slot is taken out."""

    seat: int

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        slots = slots_at(room, self.seat)
        room.stage.act(lambda: slots.unblock(self.seat))
        return {}


class EmptySlot(PersonDeed, frozen=True, kw_only=True):
    """The slot of a seat is unlocked and what lies in its window is taken out by hand."""

    seat: int

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many chips."""
        slots = slots_at(room, self.seat)
        return {"chips": room.stage.act(lambda: slots.take_out(self.seat))}


class BlockGate(WorldDeed, frozen=True, kw_only=True):
    """Something sticks in the light gate of a seat's slot; it fires when the slots have noticed."""

    seat: int

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        slots = slots_at(room, self.seat)
        room.stage.act(lambda: slots.block(self.seat))
        return lambda: slots.is_stuck


class BlindGate(WorldDeed, frozen=True, kw_only=True):
    """The light gate of a seat sees no chip any more (or again); it fires when one has passed unseen."""

    seat: int
    is_blind: bool = True

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        slot = slots_at(room, self.seat).slots[self.seat]
        meter, unseen = slot.meter, slot.unseen

        def blind() -> None:
            slot.is_blind = self.is_blind

        room.stage.act(blind)
        return lambda: slot.unseen > unseen if self.is_blind else slot.meter >= meter


def slots_at(room: Room, seat: int) -> ChipSlots:
    """Whose slot is at that seat. Raises `Impossible`."""
    for slots in room.slots.values():
        if seat in slots.slots:
            return slots
    raise Impossible(f"there is no chip slot at seat {seat}")
