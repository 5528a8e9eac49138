"""Two decks in turn at a batch shuffler: one is mixed and waits in the machine while the other is dealt.

Or one deck in packets, its stub mixed again with or without what was dealt (`batch_packets`). A deck goes in under a
supervisor's presence (CSM-5), is mixed, and is counted by being mixed. What the count says and the account does not is
a fact with both numbers: that deck comes out to be counted by hand, and is not played before (`batch_counts`). There is
no cut: the machine has mixed (CSM-3). Which deck is where the account says by its back colour.

Our reading: CSM-5's *once a session* and CSM-8 speak of a machine in which the cards stay; here each deck is loaded for
each shuffle, with presence each time.
"""

from __future__ import annotations

from drivers.events import Outcome, PacketEnded, PermitKind, Reason, Verb
from tableside import card_account, commands, devices, presence
from tableside.batch_happenings import DeckMixed, DeckMoved
from tableside.batch_requests import (
    CollectDeck,
    CountDeck,
    DealPacket,
    LoadDeck,
    PutBackCards,
    ReplaceDeck,
    ShuffleDeck,
    TakeOutDeck,
)
from tableside.card_account import ASIDE, HOPPER, MACHINE, TABLE, UNEXPLAINED, Evidence
from tableside.cards import CARDS_PER_DECK
from tableside.decisions import PermitGranted
from tableside.happenings import (
    CardsEntered,
    CardsHandled,
    CardsLeft,
    CommandClosed,
    CommandLost,
    CountEnded,
    MachineHandCounted,
    PresenceLapsed,
    PresenceShown,
    QuietPointReached,
)
from tableside.house import Role
from tableside.locks import Scope, free
from tableside.presence import Operation
from tableside.procedures import batch_counts
from tableside.procedures import batch_packets as packets
from tableside.procedures.batch_slice import BatchState, of, place_of, put
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

RULE = "CSM-5"
NO_CUT = "CSM-3"
SHUFFLE_STEP, EJECT_STEP = "batch.shuffle", "batch.eject"


# --- what is refused ----------------------------------------------------------------------------------------


def _is_deck(turn: Turn, what: LoadDeck | CountDeck | ReplaceDeck) -> Refusal | None:
    backs = [group.back for group in turn.state.house.decks]
    if what.back in backs:
        return None
    return refusal("DECK-UNKNOWN", back=what.back, backs=", ".join(backs))


def _lies_here(turn: Turn, what: LoadDeck) -> Refusal | None:
    batch = of(turn)
    if what.back == batch.in_play:
        return refusal("DECK-IN-PLAY", back=what.back)
    if what.back in batch.suspects:
        return refusal("DECK-NUMBER-WRONG", back=what.back)
    return None


def _is_whole(turn: Turn, what: LoadDeck) -> Refusal | None:
    """A card that was taken out of a deck is missing in the next shuffle: it is said before, not found then."""
    cards = turn.state.account.at(place_of(what.back)) if of(turn).is_brought else CARDS_PER_DECK
    if cards == CARDS_PER_DECK:
        return None
    return refusal("DECK-LACKS-CARDS", back=what.back, cards=cards)


def _is_machine_ready(turn: Turn, _what: object) -> Refusal | None:
    machine = devices.shuffler(turn)
    if machine.is_connected and not machine.is_lid_open:
        return None
    return refusal("MACHINE-NOT-READY")


def _none_in_play(turn: Turn, _what: TakeOutDeck) -> Refusal | None:
    batch = of(turn)
    if batch.in_play in ("", batch.deck) or not batch.is_agreed:
        return None
    return refusal("DECK-OTHER-IN-PLAY", back=batch.in_play)


def _one_in_play(turn: Turn, _what: CollectDeck) -> Refusal | None:
    batch = of(turn)
    if batch.state is BatchState.DEALING:
        return refusal("PACKET-COMES-OUT", packet=batch.packet)
    if batch.in_play:
        return None
    return refusal("DECK-NONE-IN-PLAY")


# --- in -----------------------------------------------------------------------------------------------------


def _bring(turn: Turn) -> None:
    """The decks are brought with the first load, each under its colour."""
    house = turn.state.house
    card_account.bring(turn, house.cards_at_table, house.cards_in_reserve)
    for group in house.decks:
        cards = group.decks * CARDS_PER_DECK
        card_account.move(turn, ASIDE, place_of(group.back), cards, Evidence.PERSON, "deck brought")
    put(turn, is_brought=True)


def _load(turn: Turn, what: LoadDeck) -> None:
    presence.begin(turn, Operation.LOAD)
    if not of(turn).is_brought:
        _bring(turn)
    source = place_of(what.back)
    card_account.move(turn, source, HOPPER, turn.state.account.at(source), Evidence.PERSON, "deck in the hopper")
    put(turn, deck=what.back, counted=0, out=0, loads=of(turn).loads + 1, is_agreed=False)
    put(turn, dealt=0, packet=0, wanted=0, given=0)
    turn.happened(DeckMoved(back=what.back, to="machine", by=turn.by))


def _entered(turn: Turn, what: CardsEntered) -> None:
    put(turn, counted=of(turn).counted + what.cards)


def _is_mine(turn: Turn, what: CardsEntered | CardsLeft | PacketEnded) -> bool:
    return what.device == devices.machine(turn.state)


def _all_in(turn: Turn, _what: PacketEnded) -> None:
    """What the meter did not see lies in the machine or nowhere: mixing counts it."""
    presence.end(turn, Operation.LOAD)
    unseen = turn.state.account.at(HOPPER)
    card_account.move(turn, HOPPER, MACHINE, unseen, Evidence.INFERRED, "the hopper is empty")
    _shuffle(turn, _what)


def _is_lapsed(_turn: Turn, what: PresenceLapsed) -> bool:
    return what.operation == Operation.LOAD


def _is_resumed(_turn: Turn, what: PresenceShown) -> bool:
    return what.operation == Operation.LOAD and what.change == "resumed"


# --- mixed and counted --------------------------------------------------------------------------------------


def _shuffle(turn: Turn, _what: object) -> None:
    expected = turn.state.account.at(MACHINE)
    commands.intend(turn, devices.machine(turn.state), Verb.SHUFFLE, step=SHUFFLE_STEP, argument=max(1, expected))


def _is_shuffle(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == SHUFFLE_STEP


def _is_mixed(turn: Turn, what: CommandClosed) -> bool:
    return _is_shuffle(turn, what) and what.outcome is Outcome.DONE


def _is_other_count(turn: Turn, what: CommandClosed) -> bool:
    return _is_shuffle(turn, what) and what.reason in (Reason.NO_CARDS, Reason.NO_ROOM)


def _mixed(turn: Turn, _what: CommandClosed) -> None:
    """CSM-3: no cut follows."""
    put(turn, is_agreed=True)
    batch = of(turn)
    turn.happened(DeckMixed(back=batch.deck, cards=turn.state.account.at(MACHINE), is_stub=batch.dealt > 0))


def _differs(turn: Turn, what: CommandClosed) -> None:
    batch_counts.differs(turn, of(turn).deck, what.moved or 0, turn.state.account.at(MACHINE), "mixing")


# --- out ----------------------------------------------------------------------------------------------------


def _is_permitted(turn: Turn, what: PermitGranted) -> bool:
    is_deal = what.what is PermitKind.DEAL and what.device == devices.machine(turn.state)
    return is_deal and not commands.is_open(turn, what.device, Verb.EJECT_ALL)


def _eject(turn: Turn, what: PermitGranted) -> None:
    put(turn, base=of(turn).out)
    commands.intend(turn, what.device, Verb.EJECT_ALL, step=EJECT_STEP, is_resumable=True)


def _left(turn: Turn, what: CardsLeft) -> None:
    put(turn, out=of(turn).out + what.cards)


def _is_eject(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == EJECT_STEP


def _is_all_out(turn: Turn, what: CommandClosed) -> bool:
    return _is_eject(turn, what) and (what.outcome is Outcome.DONE or what.reason is Reason.NO_CARDS)


def _is_behind(turn: Turn, what: CommandClosed) -> bool:
    """All is out and the meter has not told it: a notice is on its way (after a reconnect, say)."""
    return _is_all_out(turn, what) and of(turn).base + (what.moved or 0) > of(turn).out


def _wait_for_meter(turn: Turn, what: CommandClosed) -> None:
    put(turn, awaited=of(turn).base + (what.moved or 0))
    turn.happened(QuietPointReached(point="deck out"))


def _reaches(turn: Turn, what: CardsLeft) -> bool:
    batch = of(turn)
    return _is_mine(turn, what) and packets.is_awaited(turn, what) and batch.out + what.cards >= batch.awaited


def _left_and_out(turn: Turn, what: CardsLeft) -> None:
    _left(turn, what)
    _out(turn, what)


def _out(turn: Turn, _what: CommandClosed | CardsLeft) -> None:
    """A deck into play, a stub aside, or either to be counted. What the machine did not give is *unexplained*."""
    batch, lacking = of(turn), turn.state.account.at(MACHINE)
    card_account.move(turn, MACHINE, UNEXPLAINED, lacking, Evidence.METER, "the machine gave all it had")
    if lacking:
        batch_counts.differs(turn, batch.deck, batch.out, batch.out + lacking, "coming out")
    is_counted = batch.is_agreed and batch.deck not in batch.suspects and not lacking
    to = "hand count" if not is_counted else "aside" if batch.dealt else "play"
    if to == "play":
        put(turn, in_play=batch.deck)
    else:
        card_account.move(turn, TABLE, place_of(batch.deck), batch.out, Evidence.METER, f"out, {to}")
    if to == "hand count":
        put(turn, suspects=tuple(dict.fromkeys((*of(turn).suspects, batch.deck))))
    put(turn, deck="", dealt=0, out=0, awaited=0, is_agreed=False)
    turn.happened(DeckMoved(back=batch.deck, to=to, by=turn.by))
    turn.happened(QuietPointReached(point="deck out"))


def _collect(turn: Turn, _what: CollectDeck) -> None:
    back = of(turn).in_play
    card_account.move(turn, TABLE, place_of(back), turn.state.account.at(TABLE), Evidence.PERSON, "deck collected")
    put(turn, in_play="")
    turn.happened(DeckMoved(back=back, to="aside", by=turn.by))


S = BatchState
STAFF = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule=RULE)
SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE)
DEAL_FREE = free(Scope.DEAL, "settle what locks dealing, then take the deck out")
FEED_FREE = free(Scope.FEED, "settle what locks the feed, then load")
LOAD = (
    STAFF,
    _is_deck,
    _lies_here,
    _is_whole,
    _is_machine_ready,
    FEED_FREE,
    presence.needs(Operation.LOAD, RULE),
)
DEAL = (
    STAFF,
    packets.is_playable,
    packets.is_not_half_out,
    packets.is_the_rest,
    packets.has_so_many,
    _is_machine_ready,
    DEAL_FREE,
)
PUT_BACK = (
    STAFF,
    packets.is_not_half_out,
    packets.lie_outside,
    _is_machine_ready,
    FEED_FREE,
    presence.needs(Operation.LOAD, RULE),
)
MIX = (STAFF, packets.mixes_stub, packets.is_something_inside, _is_machine_ready, FEED_FREE, DEAL_FREE)
COUNT = (SUPERVISOR, _is_deck, batch_counts.is_out, batch_counts.is_number)
REPLACE = (SUPERVISOR, _is_deck, batch_counts.is_out, batch_counts.is_not_whole, batch_counts.has_reserve)
PROCEDURE = Procedure(
    name="batch",
    rule=RULE,
    states=BatchState,
    read=lambda state, _what: state.procedures.batch.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.EMPTY, LoadDeck, S.LOADING, _load, guards=LOAD, said="the deck goes in"),
        *(Row(state, CardsEntered, None, _entered, _is_mine, said="in") for state in (S.LOADING, S.PAUSED)),
        *(Row(state, PacketEnded, S.MIXING, _all_in, _is_mine, said="all in") for state in (S.LOADING, S.PAUSED)),
        *(Row(state, CardsHandled, None, packets.kept_out, packets.is_kept_out) for state in (S.LOADING, S.PAUSED)),
        Row(S.LOADING, PresenceLapsed, S.PAUSED, when=_is_lapsed, said="time ran out"),
        Row(S.PAUSED, PresenceShown, S.LOADING, when=_is_resumed, said="tap: resumed"),
        *(
            Row(
                state,
                ShuffleDeck,
                S.MIXING,
                _shuffle,
                guards=MIX,
                rule=NO_CUT,
                said="mixed again",
            )
            for state in (S.WAITING, S.READY, S.DIFFERS, S.SHORT)
        ),
        *(
            Row(state, DealPacket, S.DEALING, act, guards=DEAL, said="the packet comes out")
            for state, act in ((S.READY, packets.begin), (S.SHORT, packets.nothing_new))
        ),
        Row(S.DEALING, PermitGranted, None, packets.deal, packets.is_permitted, said="permit stands"),
        Row(
            S.DEALING,
            CardsLeft,
            S.EMPTY,
            packets.given_and_dry,
            packets.reaches_dry,
            said="told: too few",
        ),
        Row(S.DEALING, CardsLeft, S.EMPTY, packets.given_and_last, packets.reaches_empty, said="told: the deck is out"),
        Row(S.DEALING, CardsLeft, S.READY, packets.given_and_whole, packets.reaches, said="told: packet whole"),
        Row(S.DEALING, CardsLeft, None, packets.given, _is_mine, said="out"),
        Row(S.DEALING, CommandClosed, None, packets.wait_for_meter, packets.is_behind, said="not told yet"),
        Row(S.DEALING, CommandClosed, S.EMPTY, packets.last_of_deck, packets.is_done_and_empty, said="the deck is out"),
        Row(S.DEALING, CommandClosed, S.READY, packets.whole, packets.is_done, said="packet whole"),
        Row(S.DEALING, CommandClosed, S.EMPTY, packets.ran_dry, packets.has_run_dry, said="fewer than the account has"),
        Row(S.DEALING, CommandClosed, S.READY, packets.take_back, packets.never_began, said="no card came"),
        Row(S.DEALING, CommandClosed, S.SHORT, packets.stop, packets.is_deal, said="stopped"),
        Row(S.DEALING, CommandLost, S.SHORT, packets.lose, packets.is_deal, said="outcome unknown"),
        Row(S.SHORT, CardsLeft, S.READY, packets.given_and_whole, packets.completes, said="told late: whole"),
        Row(S.SHORT, CardsLeft, None, packets.given, packets.is_of_packet, said="told late"),
        Row(S.SHORT, CardsHandled, S.READY, packets.given_and_whole, packets.makes_whole, said="by hand: whole"),
        Row(S.SHORT, CardsHandled, None, packets.given, packets.is_lying_there, said="by hand"),
        *(
            Row(
                state,
                PutBackCards,
                S.LOADING,
                packets.put_back,
                guards=PUT_BACK,
                said="the cards go back in",
            )
            for state in (S.READY, S.SHORT)
        ),
        Row(S.MIXING, CommandClosed, S.READY, _mixed, _is_mixed, rule=NO_CUT, said="mixed, no cut"),
        Row(S.MIXING, CommandClosed, S.DIFFERS, _differs, _is_other_count, said="another number"),
        Row(S.MIXING, CommandClosed, S.WAITING, when=_is_shuffle, said="stopped"),
        Row(S.MIXING, CommandLost, S.WAITING, when=_is_shuffle, said="outcome unknown"),
        *(
            Row(
                state,
                TakeOutDeck,
                S.COMING_OUT,
                guards=(STAFF, _none_in_play, _is_machine_ready, DEAL_FREE),
                said="the deck comes out",
            )
            for state in (S.READY, S.DIFFERS, S.WAITING, S.SHORT)
        ),
        Row(S.COMING_OUT, PermitGranted, None, _eject, _is_permitted, said="permit stands"),
        Row(S.COMING_OUT, CardsLeft, S.EMPTY, _left_and_out, _reaches, said="told: all out"),
        Row(S.COMING_OUT, CardsLeft, None, _left, _is_mine, said="out"),
        Row(S.COMING_OUT, CommandClosed, None, _wait_for_meter, _is_behind, said="not told yet"),
        Row(S.COMING_OUT, CommandClosed, S.EMPTY, _out, _is_all_out, said="all out"),
        Row(S.COMING_OUT, CommandClosed, S.WAITING, when=_is_eject, said="stopped"),
        Row(S.COMING_OUT, CommandLost, S.WAITING, when=_is_eject, said="outcome unknown"),
        *(
            Row(state, counted_how, to, packets.give_up, packets.is_awaited, said="counted")
            for state, to in ((S.DEALING, S.SHORT), (S.COMING_OUT, S.WAITING))
            for counted_how in (CountEnded, MachineHandCounted)
        ),
        *(Row(state, CollectDeck, None, _collect, guards=(STAFF, _one_in_play), said="collected") for state in S),
        *(Row(state, CountDeck, None, batch_counts.count, guards=COUNT, said="counted") for state in S),
        *(
            Row(state, ReplaceDeck, None, batch_counts.replace_deck, guards=REPLACE, rule="SHOE-2", said="replaced")
            for state in S
        ),
    ),
    next_step={
        S.EMPTY: "load a deck with a floor supervisor present",
        S.LOADING: "wait until the deck is in",
        S.PAUSED: "floor supervisor: tap the badge again; leave the cards",
        S.WAITING: "let the machine mix again, or take the deck out",
        S.MIXING: "wait until the machine has mixed and counted",
        S.READY: "take the deck out once no other is in play, or deal packets; mix the stub, or put cards back to it",
        S.DIFFERS: "take the deck out and count it by hand, or let the machine mix and count again",
        S.COMING_OUT: "wait until all cards are out",
        S.DEALING: "wait until the packet is out; settle what locks dealing",
        S.SHORT: "settle what stopped it, then deal what the packet lacks; or supervisor: mix the stub again",
    },
)
