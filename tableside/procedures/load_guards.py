"""What a load is refused for (CSM-5): nobody present, one packet, a second load, more than the machine holds."""

from __future__ import annotations

from tableside import card_account, devices, presence
from tableside.card_account import ASIDE, MACHINE
from tableside.house import Role
from tableside.locks import Scope, free
from tableside.presence import Operation
from tableside.procedures import damaged, empty, opening
from tableside.procedures.swap_slice import SWAP
from tableside.refusals import refusal
from tableside.requests import BeginLoad, CorrectPacket, LoadPacket
from tableside.tables import Refusal, Turn

RULE = "CSM-5"
STAFF = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule=RULE)
SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE)


def once_a_session(_turn: Turn, _what: BeginLoad) -> Refusal:
    """Guard: there is no second ordinary load."""
    return refusal("LOAD-ONCE")


def is_prepared(turn: Turn, _what: BeginLoad) -> Refusal | None:
    """Guard: the dealer's steps are done (CSM-4)."""
    if opening.is_prepared(turn.state):
        return None
    state = turn.state.procedures.opening.state
    return refusal("LOAD-NOT-PREPARED", state=state, next=opening.PROCEDURE.next_step[state])


def in_packets(turn: Turn, what: BeginLoad) -> Refusal | None:
    """Guard: at least two packets, and enough of them for a hopper."""
    house = turn.state.house
    if what.packets < house.min_packets:
        return refusal("LOAD-FEW-PACKETS", packets=what.packets, least=house.min_packets)
    cards = turn.state.account.at(ASIDE)
    needed = -(-cards // house.max_packet_cards)
    if what.packets < needed:
        limit = house.max_packet_cards
        return refusal("LOAD-PACKETS-SMALL", cards=cards, packets=what.packets, limit=limit, needed=needed)
    return None


def has_room(turn: Turn, _what: BeginLoad) -> Refusal | None:
    """Guard: all that is to go in fits."""
    return _has_room(turn, turn.state.account.at(ASIDE))


def is_empty(turn: Turn, _what: BeginLoad) -> Refusal | None:
    """Guard: the machine is proved empty (semantics §4)."""
    machine = devices.machine(turn.state)
    if empty.is_proved(turn.state, machine):
        return None
    return refusal("LOAD-NOT-EMPTY", machine=machine)


def is_ready(turn: Turn, _what: object) -> Refusal | None:
    """Guard: the machine answers and its lid is shut."""
    machine = devices.shuffler(turn)
    if not machine.is_connected:
        return refusal("MACHINE-SILENT", device=devices.machine(turn.state))
    if machine.is_lid_open:
        return refusal("LID-IS-OPEN")
    return None


def is_packet(turn: Turn, what: LoadPacket) -> Refusal | None:
    """Guard: a number of cards that can lie in the hopper, be there, and leave cards for the packets to come."""
    house, aside = turn.state.house, turn.state.account.at(ASIDE)
    load = turn.state.procedures.load
    if what.cards < 1:
        return refusal("PACKET-NONE", cards=what.cards)
    if what.cards > house.max_packet_cards:
        return refusal("PACKET-TOO-BIG", cards=house.max_packet_cards)
    if what.cards > aside:
        return refusal("PACKET-TOO-MANY", cards=aside)
    to_come = load.packets - load.packet - 1
    if aside - what.cards < to_come:
        return refusal("PACKET-LEAVES-NONE", packets=load.packets, least=to_come)
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
    return refusal("PACKETS-ALL-IN", packets=load.packets, left=turn.state.account.at(ASIDE))


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
    return refusal("PACKET-IMPOSSIBLE", cards=what.cards)


def _has_room(turn: Turn, cards: int) -> Refusal | None:
    capacity = turn.state.house.machine_capacity_cards
    inside = turn.state.account.at(MACHINE) + turn.state.account.at(card_account.HOPPER)
    if inside + cards <= capacity:
        return None
    return refusal("MACHINE-FULL", capacity=capacity, inside=inside, more=cards)


FEED_FREE = free(Scope.FEED, "settle what locks the feed, then load")
BEGIN = (
    STAFF,
    is_prepared,
    damaged.is_exchanged_first,
    in_packets,
    has_room,
    is_empty,
    is_ready,
    FEED_FREE,
    presence.needs(Operation.LOAD, RULE),
)
PACKET = (STAFF, is_packet, is_announced, packet_fits, is_ready, FEED_FREE, is_present)
CORRECT = (SUPERVISOR, is_number)
