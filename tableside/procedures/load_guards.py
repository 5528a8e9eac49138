"""What a load is refused for (CSM-5): nobody present, one packet, a second load, more than the machine holds."""

from __future__ import annotations

from tableside import card_account, devices, presence
from tableside.card_account import ASIDE, MACHINE
from tableside.counted import counted
from tableside.house import Role
from tableside.locks import Scope, free
from tableside.presence import Operation
from tableside.procedures import empty, opening
from tableside.procedures.swap_slice import SWAP
from tableside.requests import BeginLoad, CorrectPacket, LoadPacket
from tableside.tables import Refusal, Turn

RULE = "CSM-5"
STAFF = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule=RULE)
SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE)


def once_a_session(_turn: Turn, _what: BeginLoad) -> Refusal:
    """Guard: there is no second ordinary load."""
    return Refusal(
        RULE, "this session's load is made: cards go in once a session", "card change, machine swap or incident reload"
    )


def is_prepared(turn: Turn, _what: BeginLoad) -> Refusal | None:
    """Guard: the dealer's steps are done (CSM-4)."""
    if opening.is_prepared(turn.state):
        return None
    state = turn.state.procedures.opening.state
    return Refusal("CSM-4", f"the cards are not prepared: {state}", opening.PROCEDURE.next_step[state])


def in_packets(turn: Turn, what: BeginLoad) -> Refusal | None:
    """Guard: at least two packets, and enough of them for a hopper."""
    house = turn.state.house
    if what.packets < house.min_packets:
        return Refusal(
            RULE, f"{what.packets} packet(s): a load is made in {house.min_packets} at least", "say how many"
        )
    cards = turn.state.account.at(ASIDE)
    needed = -(-cards // house.max_packet_cards)
    if what.packets < needed:
        packets = counted(what.packets, "packet")
        text = f"{cards} cards do not go in {packets} of {house.max_packet_cards} at most"
        return Refusal(RULE, text, f"make {needed} packets or more")
    return None


def has_room(turn: Turn, _what: BeginLoad) -> Refusal | None:
    """Guard: all that is to go in fits."""
    return _has_room(turn, turn.state.account.at(ASIDE))


def is_empty(turn: Turn, _what: BeginLoad) -> Refusal | None:
    """Guard: the machine is proved empty (semantics §4)."""
    machine = devices.machine(turn.state)
    if empty.is_proved(turn.state, machine):
        return None
    return Refusal(RULE, f"{machine} is not proved empty", "let it prove that it is empty")


def is_ready(turn: Turn, _what: object) -> Refusal | None:
    """Guard: the machine answers and its lid is shut."""
    machine = devices.shuffler(turn)
    if not machine.is_connected:
        return Refusal(RULE, f"{devices.machine(turn.state)} does not answer", "check cable and power")
    if machine.is_lid_open:
        return Refusal(RULE, "the lid is open", "shut the lid")
    return None


def is_packet(turn: Turn, what: LoadPacket) -> Refusal | None:
    """Guard: a number of cards that can lie in the hopper, be there, and leave cards for the packets to come."""
    house, aside = turn.state.house, turn.state.account.at(ASIDE)
    load = turn.state.procedures.load
    if what.cards < 1:
        return Refusal(RULE, f"a packet of {what.cards} cards is none", "count the packet, say how many cards it has")
    if what.cards > house.max_packet_cards:
        return Refusal(RULE, f"the hopper takes {house.max_packet_cards} cards", "make a smaller packet")
    if what.cards > aside:
        return Refusal(RULE, f"{aside} cards are left to load", "count the packet again")
    to_come = load.packets - load.packet - 1
    if aside - what.cards < to_come:
        text = f"{load.packets} packets were announced, and this one leaves no card for the others"
        return Refusal(RULE, text, f"leave {to_come} cards at least")
    return None


def is_announced(turn: Turn, what: LoadPacket) -> Refusal | None:
    """Guard: no packet more than were announced, save what is left after them, under a supervisor's name.

    A card that fell or came out at a jam must still go in. A swap's number of packets nobody has announced.
    """
    load = turn.state.procedures.load
    if load.kind == SWAP or load.packet < load.packets:
        return None
    person = turn.state.house.person(what.by)
    if person is not None and Role.FLOOR_SUPERVISOR in person.roles:
        return None
    text = f"{load.packets} packets were announced and are in, {turn.state.account.at(ASIDE)} cards are left"
    return Refusal(RULE, text, "floor supervisor: load the rest, or enter the hand count of what lies aside")


def packet_fits(turn: Turn, what: LoadPacket) -> Refusal | None:
    """Guard: the packet does not overfill the machine."""
    return _has_room(turn, what.cards)


def is_present(turn: Turn, what: LoadPacket) -> Refusal | None:
    """Guard: whoever the load is made under is present now: proved for the whole operation, not once at its start."""
    return presence.needs(turn.state.procedures.load.operation, RULE)(turn, what)


def is_number(turn: Turn, what: CorrectPacket) -> Refusal | None:
    """Guard: a number that a packet can have."""
    if 0 <= what.cards <= turn.state.house.max_packet_cards:
        return None
    return Refusal(RULE, f"no packet has {what.cards} cards", "count again")


def _has_room(turn: Turn, cards: int) -> Refusal | None:
    capacity = turn.state.house.machine_capacity_cards
    inside = turn.state.account.at(MACHINE) + turn.state.account.at(card_account.HOPPER)
    if inside + cards <= capacity:
        return None
    return Refusal(RULE, f"the machine holds {capacity} cards: {inside} and {cards} more are too many", "load fewer")


FEED_FREE = free(Scope.FEED, "settle what locks the feed, then load")
BEGIN = (
    STAFF,
    is_prepared,
    in_packets,
    has_room,
    is_empty,
    is_ready,
    FEED_FREE,
    presence.needs(Operation.LOAD, RULE),
)
PACKET = (STAFF, is_packet, is_announced, packet_fits, is_ready, FEED_FREE, is_present)
CORRECT = (SUPERVISOR, is_number)
