"""What happens to a table by itself: causes, from a folded card to a pulled cable. Each can prove that it fired."""

from __future__ import annotations

from enum import StrEnum

from firmware_bridge.wire.tdl.codes import BootCause

from .deeds import Impossible, Proof, WorldDeed, card_in, device_name, machine_of, place
from .room import Room
from .world import hands
from .world.cards import Back, Card
from .world.happenings import Breach, Spot, Trouble
from .world.machine import ShufflerMachine


class Defect(StrEnum):
    """What is wrong with a card."""

    ASKEW = "askew"  # lies crosswise: jams once
    CREASED = "creased"  # no roller moves it: a jam
    STICKY = "sticky"  # drags the next one along: a double feed
    BENT = "bent"  # the machine may suspect it
    WARPED = "warped"  # the machine cannot but suspect it


MARKS = {
    Defect.ASKEW: hands.turn_askew,
    Defect.CREASED: hands.crease,
    Defect.STICKY: hands.spill,
    Defect.BENT: hands.bend,
    Defect.WARPED: hands.warp,
}


class SpoilNextCard(WorldDeed, frozen=True, kw_only=True):
    """The card that goes next at the feed or the exit gets a defect; it fires when a roller takes it."""

    spot: Spot
    defect: Defect
    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        machine = machine_of(room, self.device)
        card = _next_card(machine, self.spot)
        passes = card.passes
        room.stage.act(lambda: MARKS[self.defect](card))
        return lambda: card.passes > passes


class SpoilCard(WorldDeed, frozen=True, kw_only=True):
    """A card that lies on the table gets a defect, by name or the top one; it fires at once."""

    place: str
    defect: Defect
    card: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        pile = place(room, self.place)
        if not len(pile):
            raise Impossible(f"no card lies in {self.place}")
        card = card_in(pile, self.card) if self.card else pile.top
        room.stage.act(lambda: MARKS[self.defect](card))
        return _at_once


class BendGuide(WorldDeed, frozen=True, kw_only=True):
    """A guide in the carousel bends: the next card that goes in is caught, and only tools free it."""

    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        machine = machine_of(room, self.device)

        def bend() -> None:
            machine.carousel.has_bent_guide = True

        room.stage.act(bend)
        return lambda: Spot.CAROUSEL in machine.carousel.deep_jams


class Dampen(WorldDeed, frozen=True, kw_only=True):
    """The cards are damp: each takes so many times as long at the feed rollers; 1 dries them."""

    times: float
    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        if self.times < 1:
            raise Impossible(f"{self.times} times: damp cards are never quicker than dry ones")
        machine = machine_of(room, self.device)

        def dampen() -> None:
            machine.carousel.feed_slip = self.times

        room.stage.act(dampen)
        return _at_once


class Dust(WorldDeed, frozen=True, kw_only=True):
    """Dust lies on a counter until this much light is left (1 clean, below 0.25 it misses cards)."""

    spot: Spot
    margin: float
    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        machine = machine_of(room, self.device)
        missed = machine.carousel.counter(self.spot).missed
        room.stage.act(lambda: hands.dust(machine, self.spot, self.margin))
        return lambda: (
            machine.carousel.counter(self.spot).is_weak or machine.carousel.counter(self.spot).missed > missed
        )


class Break(WorldDeed, frozen=True, kw_only=True):
    """A part fails; it fires when the machine notices."""

    part: Trouble
    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        machine = machine_of(room, self.device)
        room.stage.act(lambda: hands.hurt(machine, self.part))
        return lambda: any(trouble is self.part for trouble, _ in machine.standing.troubles)


class Recover(WorldDeed, frozen=True, kw_only=True):
    """A part works again by itself, as a loose plug does."""

    part: Trouble
    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        machine = machine_of(room, self.device)
        if self.part not in machine.carousel.broken:
            raise Impossible(f"{self.part} is not broken")
        room.stage.act(lambda: hands.mend(machine, self.part))
        return _at_once


class OpenUp(WorldDeed, frozen=True, kw_only=True):
    """Somebody opens the cover, or plugs something into the service port."""

    what: Breach
    device: str = ""

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        machine = machine_of(room, self.device)
        room.stage.act(lambda: hands.tamper(machine, self.what))
        return _at_once


class SwitchOff(WorldDeed, frozen=True, kw_only=True):
    """A device loses its power."""

    device: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        if not room.switch_off(device_name(room, self.device)):
            raise Impossible(f"{self.device} is off already")
        return _at_once


class SwitchOn(WorldDeed, frozen=True, kw_only=True):
    """A device has power again."""

    device: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        if not room.switch_on(device_name(room, self.device)):
            raise Impossible(f"{self.device} is on already")
        return _at_once


class Reset(WorldDeed, frozen=True, kw_only=True):
    """A device restarts by itself: watchdog, brown-out."""

    device: str
    cause: str = "watchdog"

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        try:
            cause = BootCause[self.cause.upper().replace("-", "_")]
        except KeyError:
            raise Impossible(f"{self.cause!r} is no cause; here are {', '.join(BootCause.__members__)}") from None
        room.reset(device_name(room, self.device), cause)
        return _at_once


class PullCable(WorldDeed, frozen=True, kw_only=True):
    """A device's cable is pulled out."""

    device: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        cable = room.devices[device_name(room, self.device)].cable
        if not await cable.pull():
            raise Impossible(f"the cable of {self.device} is out already")
        return _at_once


class PlugCable(WorldDeed, frozen=True, kw_only=True):
    """It is put back."""

    device: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        if not room.devices[device_name(room, self.device)].cable.plug_in():
            raise Impossible(f"the cable of {self.device} is in already")
        return _at_once


class LoseCard(WorldDeed, frozen=True, kw_only=True):
    """A card falls off the table and is not found: this one (`7♣ red`), from where it lies."""

    card: str
    source: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        face, back = _named(self.card)
        place(room, self.source)
        if room.stage.act(lambda: room.table.lose(face, back, source=self.source)) is None:
            raise Impossible(f"no {self.card} lies in {self.source}")
        return _at_once


class BringDecks(WorldDeed, frozen=True, kw_only=True):
    """The house brings sealed decks of one back."""

    back: Back
    to: str
    count: int = 1

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        place(room, self.to)
        room.stage.act(lambda: room.table.bring([self.back] * self.count, to=self.to))
        return _at_once


class SlipInCard(WorldDeed, frozen=True, kw_only=True):
    """A card that belongs to no deck of this table comes to lie there."""

    card: str
    to: str

    async def carry_out(self, room: Room) -> Proof:
        """See `WorldDeed`."""
        face, back = _named(self.card)
        place(room, self.to)
        room.stage.act(lambda: room.table.slip_in(face, back, to=self.to))
        return _at_once


def _at_once() -> bool:
    return True


def _named(card: str) -> tuple[str, Back]:
    face, _, back = card.partition(" ")
    try:
        return face.replace("10", "T"), Back(back)
    except ValueError:
        raise Impossible(f"{card!r} is no card; say rank, suit and back, as 7♣ red") from None


def _next_card(machine: ShufflerMachine, spot: Spot) -> Card:
    pile = machine.carousel.hopper if spot is Spot.FEED else machine.carousel.buffer
    if spot is Spot.CAROUSEL or not len(pile):
        raise Impossible(f"no card is about to go through the {spot}")
    return pile.bottom
