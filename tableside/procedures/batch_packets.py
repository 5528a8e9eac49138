"""Packets of a batch shuffler, its stub, and what comes back to it (TDL 11.5): the acts; the table is in `batch`.

A packet is DEAL under a permit for as many cards. What stopped it leaves it *not complete*: its rest is a new command
that a person asks for, never a repeat. With packets of a deck on the table the rest of it in the machine is the stub,
and that is mixed again on the floor supervisor's word only, as it changes what is still to come in the round.
"""

from __future__ import annotations

from drivers.events import Outcome, PermitKind, Reason, Verb
from tableside import card_account, commands, devices, presence
from tableside.batch_happenings import CardsPutBack, PacketDealt, PacketStopped
from tableside.batch_requests import DealPacket, PutBackCards, ShuffleDeck
from tableside.card_account import HOPPER, MACHINE, TABLE, UNEXPLAINED, Evidence
from tableside.decisions import PermitGranted
from tableside.happenings import CardsHandled, CardsLeft, CommandClosed, CommandLost, QuietPointReached
from tableside.house import Role
from tableside.presence import Operation
from tableside.procedures import batch_counts
from tableside.procedures.batch_slice import BatchState, of, place_of, put
from tableside.refusals import refusal
from tableside.tables import Refusal, Turn

RULE = "CSM-5"
NO_CUT = "CSM-3"
STEP = "batch.deal"


# --- what is refused ----------------------------------------------------------------------------------------


def is_playable(turn: Turn, _what: DealPacket) -> Refusal | None:
    batch = of(turn)
    if batch.in_play and batch.in_play != batch.deck:
        return refusal("DECK-OTHER-IN-PLAY", back=batch.in_play)
    if batch.deck in batch.suspects:
        return refusal("DECK-COUNT-FIRST", back=batch.deck)
    if batch.dealt and not batch.in_play:
        return refusal("DECK-PART-OUTSIDE", cards=batch.dealt, back=batch.deck)
    return None


def is_not_half_out(turn: Turn, _what: DealPacket | PutBackCards) -> Refusal | None:
    """A deck that was coming out whole and was stopped is taken out, not dealt from."""
    if not of(turn).out:
        return None
    return refusal("DECK-HALF-OUT", cards=of(turn).out, back=of(turn).deck)


def has_so_many(turn: Turn, what: DealPacket) -> Refusal | None:
    inside = turn.state.account.at(MACHINE)
    if 1 <= what.cards <= inside:
        return None
    return refusal("DEAL-IMPOSSIBLE", cards=what.cards, inside=inside)


def is_the_rest(turn: Turn, what: DealPacket) -> Refusal | None:
    """A packet that was stopped is made whole before the next one."""
    batch = of(turn)
    rest = batch.wanted - batch.given
    if batch.state is not BatchState.SHORT or what.cards == rest:
        return None
    return refusal("DEAL-THE-REST", packet=batch.packet, rest=rest)


def is_something_inside(turn: Turn, _what: ShuffleDeck) -> Refusal | None:
    if turn.state.account.at(MACHINE):
        return None
    return refusal("MACHINE-HAS-NONE")


def mixes_stub(turn: Turn, what: ShuffleDeck) -> Refusal | None:
    """Cards of this deck are in play: what is still to come is changed by nobody but the floor supervisor."""
    batch = of(turn)
    if not batch.dealt or batch.in_play != batch.deck:
        return None
    return presence.acts_as(Role.FLOOR_SUPERVISOR, rule=NO_CUT)(turn, what)


def _source(turn: Turn) -> str:
    batch = of(turn)
    return TABLE if batch.in_play == batch.deck else place_of(batch.deck)


def lie_outside(turn: Turn, what: PutBackCards) -> Refusal | None:
    outside = turn.state.account.at(_source(turn))
    if outside and 0 <= what.cards <= outside:
        return None
    if not outside:
        return refusal("NOTHING-OUTSIDE", back=of(turn).deck)
    return refusal("OUTSIDE-SO-MANY", back=of(turn).deck, outside=outside)


# --- a packet comes out -------------------------------------------------------------------------------------


def begin(turn: Turn, what: DealPacket) -> None:
    batch = of(turn)
    put(turn, packet=batch.packet + 1, wanted=what.cards, given=0, in_play=batch.deck)


def nothing_new(_turn: Turn, _what: DealPacket) -> None:
    """The rest of the packet that was stopped."""


def is_permitted(turn: Turn, what: PermitGranted) -> bool:
    is_deal = what.what is PermitKind.DEAL and what.device == devices.machine(turn.state)
    return is_deal and not commands.is_open(turn, what.device, Verb.DEAL)


def deal(turn: Turn, what: PermitGranted) -> None:
    batch = of(turn)
    put(turn, base=batch.given)
    commands.intend(turn, what.device, Verb.DEAL, step=STEP, argument=batch.wanted - batch.given)


def _is_mine(turn: Turn, what: CardsLeft) -> bool:
    return what.device == devices.machine(turn.state)


def is_of_packet(turn: Turn, what: CardsLeft) -> bool:
    """What a stopped packet's last cards were is told late; more than it lacks is of no packet."""
    return _is_mine(turn, what) and of(turn).given + what.cards <= of(turn).wanted


def completes(turn: Turn, what: CardsLeft) -> bool:
    return is_of_packet(turn, what) and of(turn).given + what.cards == of(turn).wanted


def given(turn: Turn, what: CardsLeft | CardsHandled) -> None:
    batch = of(turn)
    put(turn, given=batch.given + what.cards, dealt=batch.dealt + what.cards)


def is_lying_there(turn: Turn, what: CardsHandled) -> bool:
    """What stuck on its way out was taken out at the lid and lies on the table: the packet has it (CSM-2)."""
    return what.source == MACHINE and what.now == TABLE and of(turn).given + what.cards <= of(turn).wanted


def makes_whole(turn: Turn, what: CardsHandled) -> bool:
    return is_lying_there(turn, what) and of(turn).given + what.cards == of(turn).wanted


def is_deal(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == STEP


def is_done(turn: Turn, what: CommandClosed) -> bool:
    return is_deal(turn, what) and what.outcome is Outcome.DONE


def is_behind(turn: Turn, what: CommandClosed) -> bool:
    """It is over, and the meter has not told all of it: a notice is on its way (after a reconnect, say)."""
    is_over = what.outcome is Outcome.DONE or what.reason is Reason.NO_CARDS
    return is_deal(turn, what) and is_over and of(turn).base + (what.moved or 0) > of(turn).given


def wait_for_meter(turn: Turn, what: CommandClosed) -> None:
    """Taken when the meter has told it. Where it never does the quiet point finds that, and a count is the way on."""
    put(turn, awaited=of(turn).base + (what.moved or 0), is_dry=what.reason is Reason.NO_CARDS)
    turn.happened(QuietPointReached(point="packet out"))


def is_awaited(turn: Turn, _what: object) -> bool:
    return of(turn).awaited > 0


def reaches(turn: Turn, what: CardsLeft) -> bool:
    batch = of(turn)
    return _is_mine(turn, what) and is_awaited(turn, what) and batch.given + what.cards >= batch.awaited


def reaches_dry(turn: Turn, what: CardsLeft) -> bool:
    return reaches(turn, what) and of(turn).is_dry


def reaches_empty(turn: Turn, what: CardsLeft) -> bool:
    return reaches(turn, what) and not turn.state.account.at(MACHINE)


def is_done_and_empty(turn: Turn, what: CommandClosed) -> bool:
    return is_done(turn, what) and not turn.state.account.at(MACHINE)


def has_run_dry(turn: Turn, what: CommandClosed) -> bool:
    return is_deal(turn, what) and what.reason is Reason.NO_CARDS


def never_began(turn: Turn, what: CommandClosed) -> bool:
    """It was refused, never ran, or had its permit ended before a card came; after a jam one may hang half out."""
    is_unmoved = what.outcome in (Outcome.REFUSED, Outcome.NEVER) or what.reason is Reason.PERMIT
    return is_deal(turn, what) and is_unmoved and not max(of(turn).given, what.moved or 0)


def whole(turn: Turn, _what: object) -> None:
    """Out; whether meter and content agree the quiet point asks."""
    put(turn, awaited=0)
    batch, left = of(turn), turn.state.account.at(MACHINE)
    turn.happened(PacketDealt(back=batch.deck, packet=batch.packet, cards=batch.given, left=left))
    turn.happened(QuietPointReached(point="packet out"))


def last_of_deck(turn: Turn, what: object) -> None:
    """With it the machine is empty: the deck is in play, all of it."""
    whole(turn, what)
    put(turn, deck="", dealt=0, is_agreed=False)


def given_and_whole(turn: Turn, what: CardsLeft | CardsHandled) -> None:
    given(turn, what)
    whole(turn, what)


def given_and_last(turn: Turn, what: CardsLeft) -> None:
    given(turn, what)
    last_of_deck(turn, what)


def given_and_dry(turn: Turn, what: CardsLeft) -> None:
    given(turn, what)
    ran_dry(turn, what)


def ran_dry(turn: Turn, _what: object) -> None:
    """Fewer cards were in the machine than the account has: said with both numbers, and counted by hand."""
    _tell_stop(turn, "the machine has no card more")
    batch, lacking = of(turn), turn.state.account.at(MACHINE)
    card_account.move(turn, MACHINE, UNEXPLAINED, lacking, Evidence.METER, "the machine gave all it had")
    batch_counts.differs(turn, batch.deck, batch.dealt, batch.dealt + lacking, "dealing")
    put(turn, deck="", dealt=0, awaited=0, is_dry=False, is_agreed=False)


def give_up(turn: Turn, _what: object) -> None:
    """The machine was counted: what the meter never told is in that count."""
    put(turn, awaited=0, is_dry=False)
    if of(turn).state is BatchState.SHORT:
        _tell_stop(turn, "the meter never told all of it")


def take_back(turn: Turn, _what: CommandClosed) -> None:
    """No packet was begun."""
    batch = of(turn)
    put(turn, packet=batch.packet - 1, wanted=0, in_play=batch.deck if batch.dealt else "")


def stop(turn: Turn, what: CommandClosed) -> None:
    _tell_stop(turn, f"{what.outcome}: {what.reason}")


def lose(turn: Turn, _what: CommandLost) -> None:
    _tell_stop(turn, "outcome unknown")


def _tell_stop(turn: Turn, why: str) -> None:
    batch = of(turn)
    turn.happened(PacketStopped(back=batch.deck, packet=batch.packet, given=batch.given, wanted=batch.wanted, why=why))


def is_kept_out(_turn: Turn, what: CardsHandled) -> bool:
    return what.now == TABLE


def kept_out(turn: Turn, what: CardsHandled) -> None:
    """What stuck on its way in lies aside: the machine has a stub until it is put back (CSM-2)."""
    batch = of(turn)
    card_account.move(turn, TABLE, place_of(batch.deck), what.cards, Evidence.PERSON, "did not go in")
    put(turn, dealt=batch.dealt + what.cards)


# --- back to the stub ---------------------------------------------------------------------------------------


def put_back(turn: Turn, what: PutBackCards) -> None:
    """They go in like any load, under presence, and what they are mixed with is counted."""
    presence.begin(turn, Operation.LOAD)
    batch, source = of(turn), _source(turn)
    cards = what.cards or turn.state.account.at(source)
    card_account.move(turn, source, HOPPER, cards, Evidence.PERSON, "cards back to the stub")
    turn.happened(CardsPutBack(back=batch.deck, cards=cards, by=turn.by))
    is_all_back = source == TABLE and not turn.state.account.at(TABLE)
    in_play = "" if is_all_back else batch.in_play
    dealt = max(0, batch.dealt - cards)
    put(turn, counted=0, loads=batch.loads + 1, dealt=dealt, in_play=in_play, wanted=0, given=0, is_agreed=False)
