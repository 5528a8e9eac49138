"""What a person at the table can do with hands: badge, keys, cards, lid."""

from __future__ import annotations

from collections.abc import Mapping

from .deeds import A_CARD, Impossible, PersonDeed, card_in, device_name, machine_of, place, said
from .room import Room
from .undone import empty_place, nothing_drawn, nothing_inside, nothing_laid, nothing_stuck, nothing_taken
from .world import hands
from .world.badges import Badge, BadgeHead
from .world.cards import Card
from .world.happenings import DealerKey, Spot, Trouble
from .world.table import HOLE, SPREAD

NS_PER_MS = 1_000_000


class PressKey(PersonDeed, frozen=True, kw_only=True):
    """A key of the dealer's panel; a touch below 30 ms is none."""

    key: DealerKey
    for_ms: int = 120

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`. The finger stays in mechanics' time, so a quick table has quick fingers."""
        room.stage.act(lambda: room.table.box.press(self.key, for_ns=self.for_ms * NS_PER_MS))
        return {}


class Tap(PersonDeed, frozen=True, kw_only=True):
    """Hold a badge before the reader for a moment. `badge` as in the staff list: `26:00020140`."""

    badge: str
    reader: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: what the reader shows."""
        head, badge = _head(room, self.reader), _badge(self.badge)
        room.stage.act(lambda: head.tap(badge, room.stage.now_ns))
        return {"colour": head.visible_colour(room.stage.now_ns).name.lower()}


class HoldBadge(PersonDeed, frozen=True, kw_only=True):
    """Put a badge before the reader and leave it there."""

    badge: str
    reader: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        head, badge = _head(room, self.reader), _badge(self.badge)
        room.stage.act(lambda: head.hold(badge, room.stage.now_ns))
        return {}


class TakeBadgeAway(PersonDeed, frozen=True, kw_only=True):
    """Take a badge from the reader."""

    badge: str
    reader: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        head, badge = _head(room, self.reader), _badge(self.badge)
        room.stage.act(lambda: head.remove(badge, room.stage.now_ns))
        return {}


class Draw(PersonDeed, frozen=True, kw_only=True):
    """Pull at the machine's exit; the card comes to lie at `to`. With force the brake does not hold."""

    to: str
    by_force: bool = False

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: the cards that came, two where they stuck together."""
        target = place(room, self.to)
        pull = hands.tear_out if self.by_force else hands.draw
        before = set(target)
        room.stage.act(lambda: pull(room.table.machine, target))
        return {"cards": [_seen(card, self.to) for card in target if card not in before]}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_drawn(room.table.machine)


class Move(PersonDeed, frozen=True, kw_only=True):
    """Lay cards elsewhere on the table: one by name, so many from the top, or all (0)."""

    source: str
    to: str
    cards: int = 0
    card: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: which cards were moved."""
        source, target = place(room, self.source), place(room, self.to)
        if self.card:
            chosen = [card_in(source, self.card)]
        else:
            chosen = list(source)[-self.cards :] if self.cards else list(source)

        def lay() -> None:
            for card in chosen:
                card.move_to(target)

        room.stage.act(lay)
        return {"cards": [_seen(card, self.to) for card in chosen]}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return empty_place(room, self.source)


class Gather(PersonDeed, frozen=True, kw_only=True):
    """Gather the round's cards and those of the tray in one hand."""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many there are now."""
        return {"count": room.stage.act(lambda: len(room.table.felt.gather()))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return "no card lies before a seat, at the bank, in the tray or on the spread"


class Wash(PersonDeed, frozen=True, kw_only=True):
    """Mix what lies there, by hand."""

    source: str = SPREAD

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many cards were mixed."""
        pile = place(room, self.source)
        room.stage.act(lambda: room.table.wash(self.source))
        return {"count": len(pile)}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return empty_place(room, self.source)


class LookThrough(PersonDeed, frozen=True, kw_only=True):
    """Look at each card that lies there: to show them, to count them, to sort them."""

    source: str = SPREAD

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: the cards, in order, and those that are bent."""
        cards = list(place(room, self.source))
        return {
            "cards": [said(card) for card in cards],
            "bent": [said(card) for card in cards if card.is_bent],
        }


class LayInHopper(PersonDeed, frozen=True, kw_only=True):
    """Put cards into the hopper: so many, or all (0); what finds no room stays in the hand."""

    source: str = SPREAD
    cards: int = 0
    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many lie in the hopper now by this hand."""
        source, machine = list(place(room, self.source)), machine_of(room, self.device)
        packet = source[: self.cards] if self.cards else source
        return {"count": room.stage.act(lambda: hands.put_packet(machine, packet))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_laid(room, place(room, self.source), machine_of(room, self.device))


class TakeFromHopper(PersonDeed, frozen=True, kw_only=True):
    """Take back what still lies in the hopper."""

    to: str = SPREAD
    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        target, machine = place(room, self.to), machine_of(room, self.device)
        return {"count": room.stage.act(lambda: hands.take_packet(machine, target))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_taken(machine_of(room, self.device), "hopper")


class TakeFromMouth(PersonDeed, frozen=True, kw_only=True):
    """Take the cards that the machine gave out by command."""

    to: str = SPREAD
    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        target, machine = place(room, self.to), machine_of(room, self.device)
        return {"count": room.stage.act(lambda: hands.take_from_mouth(machine, target))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_taken(machine_of(room, self.device), "mouth")


class LiftLid(PersonDeed, frozen=True, kw_only=True):
    """Lift the machine's lid: it gives way while it is released, or to the service key."""

    device: str = ""
    with_key: bool = False

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: what is stuck where. Raises `Impossible` where it is locked."""
        machine = machine_of(room, self.device)
        if not room.stage.act(lambda: hands.open_lid(machine, with_key=self.with_key)):
            raise Impossible("the lid is locked")
        return {"stuck": sorted(machine.carousel.jammed)}


class ShutLid(PersonDeed, frozen=True, kw_only=True):
    """Push the lid shut."""

    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        machine = machine_of(room, self.device)
        room.stage.act(lambda: hands.close_lid(machine))
        return {}


class TakeStuck(PersonDeed, frozen=True, kw_only=True):
    """Take what is stuck at a place out by hand, at an open lid. Deep in the carousel that needs tools."""

    spot: Spot
    to: str
    with_tools: bool = False
    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many cards came. 0: out of reach, or nothing there."""
        machine, target = machine_of(room, self.device), place(room, self.to)
        skill = hands.Skill.TECHNICIAN if self.with_tools else hands.Skill.SUPERVISOR
        return {"count": room.stage.act(lambda: hands.take_stuck(machine, self.spot, target, skill))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_stuck(machine_of(room, self.device), self.spot)


class TakeFromNose(PersonDeed, frozen=True, kw_only=True):
    """Take the card that stands at the exit out by hand, at an open lid."""

    to: str
    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: which card it is, and whether it is bent."""
        machine, target = machine_of(room, self.device), place(room, self.to)
        cards = list(machine.carousel.nose)
        room.stage.act(lambda: hands.take_from_nose(machine, target))
        return {
            "cards": [said(card) for card in cards if card in target],
            "bent": [said(card) for card in cards if card in target and card.is_bent],
        }

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_inside(machine_of(room, self.device), "no card stands at the exit")


class EmptyByHand(PersonDeed, frozen=True, kw_only=True):
    """Take every card inside out, at an open lid."""

    to: str = SPREAD
    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        machine, target = machine_of(room, self.device), place(room, self.to)
        return {"count": room.stage.act(lambda: hands.take_all(machine, target))}

    def why_nothing(self, room: Room) -> str:
        """See `PersonDeed`."""
        return nothing_inside(machine_of(room, self.device), "no card is inside")


class ExchangeMachine(PersonDeed, frozen=True, kw_only=True):
    """Lift the machine out of the table and set another one in; the old one keeps what is in it."""

    device: str

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        machine_of(room, self.device)
        serial = room.devices[device_name(room, self.device)].plan.serial_number
        room.stage.act(lambda: room.table.exchange_machine(serial))
        return {}


class Mend(PersonDeed, frozen=True, kw_only=True):
    """The technician repairs a part, straightens a guide, or wipes the counters."""

    device: str = ""
    part: Trouble | None = None

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`."""
        machine = machine_of(room, self.device)

        def mend() -> None:
            machine.carousel.has_bent_guide = False
            for spot in (Spot.FEED, Spot.EXIT):
                hands.clean(machine, spot)
            for part in tuple(machine.carousel.broken):
                if self.part in (None, part):
                    hands.mend(machine, part)

        room.stage.act(mend)
        return {}


def _seen(card: Card, to: str) -> str:
    """What a person sees of a card that comes to lie there."""
    return A_CARD if to == HOLE else said(card)


def _head(room: Room, reader: str) -> BadgeHead:
    """The reader of that name, empty for the only one."""
    head = room.heads.get(reader) if reader else next(iter(room.heads.values()), None)
    if head is None:
        raise Impossible(f"there is no badge reader {reader!r}; here are {', '.join(room.heads) or 'none'}")
    return head


def _badge(text: str) -> Badge:
    try:
        return Badge.printed(text)
    except ValueError as error:
        raise Impossible(str(error)) from None
