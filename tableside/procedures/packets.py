"""One packet of a load: cards go in, declared and counted meet, the supervisor corrects (CSM-5)."""

from __future__ import annotations

from drivers.events import Holding, LevelsRead, PacketEnded, PermitKind
from tableside import alerts, card_account, incidents, locks, unexpected
from tableside.card_account import ASIDE, HOPPER, MACHINE, TABLE, UNEXPLAINED, Evidence
from tableside.counted import counted
from tableside.decisions import LevelsAsked
from tableside.happenings import (
    CardsEntered,
    CardsHandled,
    CountEnded,
    DeviceCame,
    DifferenceSettled,
    MachineHandCounted,
    PermitSpent,
    QuietPointReached,
)
from tableside.locks import Scope
from tableside.procedures.load_slice import LoadState, of, put
from tableside.requests import CorrectPacket, LoadPacket
from tableside.session_happenings import PacketCorrected, PacketDiffered, PacketLoaded
from tableside.tables import Turn

INCIDENT = "packet"
DIFFERS_TEXT = "PACKET-DIFFERS"
FED = "cards went in while no supervisor was present"


def begin(turn: Turn, what: LoadPacket) -> None:
    put(turn, packet=of(turn).packet + 1, declared=what.cards, counted=0, is_packet_open=True)
    card_account.move(turn, ASIDE, HOPPER, what.cards, Evidence.PERSON, f"packet {of(turn).packet}")


# --- cards go in --------------------------------------------------------------------------------------------


Mine = CardsEntered | PacketEnded | LevelsRead | CountEnded | DeviceCame | MachineHandCounted


def is_mine(turn: Turn, what: Mine) -> bool:
    return what.device == of(turn).device


def entered(turn: Turn, what: CardsEntered) -> None:
    load = of(turn)
    put(turn, counted=load.counted + what.cards, loaded=load.loaded + what.cards)
    if load.state is LoadState.PAUSED and locks.holding(turn.state, Scope.FEED) is not Holding.ENFORCES:
        _fed_while_paused(turn)


def _fed_while_paused(turn: Turn) -> None:
    """The machine does not hold the stop of a load without presence: who fed it all the same must explain it."""
    is_known = any(FED in incident.text for incident in turn.state.incidents.open.values())
    if not is_known:
        unexpected.record(turn, f"packet {of(turn).packet}: {FED}", (Scope.FEED,), "CSM-5")


def agrees(turn: Turn, what: PacketEnded) -> bool:
    return is_mine(turn, what) and of(turn).counted == of(turn).declared


def agrees_and_all_in(turn: Turn, what: PacketEnded) -> bool:
    return agrees(turn, what) and is_all_in(turn)


def is_spent(turn: Turn, what: PermitSpent) -> bool:
    """The last card was counted while the feed was stopped, so the machine tells no end of the packet."""
    return what.what is PermitKind.FEED and what.device == of(turn).device and of(turn).counted == of(turn).declared


def is_spent_and_all_in(turn: Turn, what: PermitSpent) -> bool:
    """The same of the last packet."""
    return is_spent(turn, what) and is_all_in(turn)


def is_all_in(turn: Turn, aside: int = 0) -> bool:
    """CSM-5: at least two packets are in, and nothing is left aside."""
    load = of(turn)
    is_enough = load.packet >= min(load.packets, turn.state.house.min_packets)
    return is_enough and turn.state.account.at(ASIDE) == aside


def packet_in(turn: Turn, _what: object) -> None:
    load = of(turn)
    put(turn, is_packet_open=False)
    settle_incident(turn, "declared and counted agree")
    turn.happened(PacketLoaded(packet=load.packet, cards=load.counted))
    turn.happened(QuietPointReached(point="packet end"))


def last_packet_in(turn: Turn, what: object) -> None:
    packet_in(turn, what)
    look(turn, what)


def look(turn: Turn, _what: object) -> None:
    turn.decide(LevelsAsked(device=of(turn).device, why="load"))


def differs(turn: Turn, _what: PacketEnded) -> None:
    """Both numbers are kept; the supervisor, who is there, says which is right."""
    load = of(turn)
    if not incidents.of_kind(turn, INCIDENT):
        text = f"packet {load.packet}: {load.declared} cards declared, {load.counted} counted"
        incidents.open_incident(turn, INCIDENT, "CSM-5", text)
    tell_difference(turn)


def tell_difference(turn: Turn) -> None:
    """Say both numbers at the table."""
    load = of(turn)
    numbers = {"packet": str(load.packet), "declared": str(load.declared), "counted": str(load.counted)}
    alerts.raise_alert(turn, DIFFERS_TEXT, **numbers)
    turn.happened(PacketDiffered(packet=load.packet, declared=load.declared, counted=load.counted))


def settle_incident(turn: Turn, how: str) -> None:
    alerts.clear_alert(turn, DIFFERS_TEXT, by=turn.by, why=how)
    for incident in incidents.of_kind(turn, INCIDENT):
        incidents.close(turn, incident.number, how, turn.by)


# --- the supervisor's correction ----------------------------------------------------------------------------


def is_counted_right(turn: Turn, what: CorrectPacket) -> bool:
    """He agrees with the machine, or says even fewer: nothing more is to go in."""
    return what.cards <= of(turn).counted


def is_right_and_all_in(turn: Turn, what: CorrectPacket) -> bool:
    """As above, and what is to be laid aside again is nothing."""
    return is_counted_right(turn, what) and is_all_in(turn, what.cards - of(turn).declared)


def _correct(turn: Turn, what: CorrectPacket) -> None:
    """A person's word rules the balance; where it is not the meter's, the quiet point asks the machine's content."""
    load = of(turn)
    turn.happened(PacketCorrected(packet=load.packet, cards=what.cards, by=turn.by))
    missed = max(0, load.counted - what.cards)
    card_account.move(turn, MACHINE, HOPPER, missed, Evidence.PERSON, f"packet {load.packet} corrected")
    more = what.cards - load.declared
    from_aside = min(more, turn.state.account.at(ASIDE))
    card_account.move(turn, ASIDE, HOPPER, from_aside, Evidence.PERSON, f"packet {load.packet} corrected")
    card_account.move(turn, UNEXPLAINED, HOPPER, more - from_aside, Evidence.PERSON, f"packet {load.packet} corrected")
    put(turn, declared=what.cards)


def correct_and_settle(turn: Turn, what: CorrectPacket) -> None:
    _correct(turn, what)
    packet_in(turn, what)


def correct_and_look(turn: Turn, what: CorrectPacket) -> None:
    _correct(turn, what)
    last_packet_in(turn, what)


def correct_and_feed(turn: Turn, what: CorrectPacket) -> None:
    """More lie in the hopper than were declared: the permit is widened for them."""
    _correct(turn, what)
    alerts.clear_alert(turn, DIFFERS_TEXT, by=turn.by, why=counted(what.cards, "card"))


def is_hopper_settled(turn: Turn, _what: DifferenceSettled) -> bool:
    """A hand count of the hopper took off it what the meter never saw."""
    return of(turn).is_packet_open and turn.state.account.at(HOPPER) == 0


def is_hopper_settled_and_all_in(turn: Turn, what: DifferenceSettled) -> bool:
    return is_hopper_settled(turn, what) and is_all_in(turn)


def named(turn: Turn, _what: DifferenceSettled) -> bool:
    """What remained aside is named now (posted to *unexplained* by a supervisor)."""
    return is_all_in(turn)


def handled(turn: Turn, what: CardsHandled) -> None:
    """Cards taken out at the lid while loading lie aside again, to go in with another packet.

    What had stuck before the in meter is no more to come: the packet has so many fewer.
    """
    if what.source == HOPPER and what.now != "back in" and of(turn).is_packet_open:
        put(turn, declared=max(of(turn).counted, of(turn).declared - what.cards))
    if what.now == "table":
        card_account.move(turn, TABLE, ASIDE, what.cards, Evidence.PERSON, "taken out while loading")
