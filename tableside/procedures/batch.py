"""Two decks in turn at a batch shuffler: one is mixed and waits in the machine while the other is dealt.

A deck goes in under a supervisor's presence (CSM-5), is mixed, and is counted by being mixed. What the count says and
the account does not is a fact with both numbers: that deck comes out to be counted by hand, and is not played before.
There is no cut: the machine has mixed (CSM-3). Which deck is where the account says by its back colour.

Our reading: CSM-5's *once a session* and CSM-8 speak of a machine in which the cards stay; here each deck is loaded for
each shuffle, with presence each time.
"""

from __future__ import annotations

from drivers.events import Outcome, PacketEnded, PermitKind, Reason, Verb
from tableside import alerts, card_account, commands, devices, incidents, presence
from tableside.batch_happenings import DeckCounted, DeckMixed, DeckMoved
from tableside.batch_requests import CollectDeck, CountDeck, LoadDeck, ShuffleDeck, TakeOutDeck
from tableside.card_account import ASIDE, HOPPER, MACHINE, TABLE, UNEXPLAINED, Evidence
from tableside.cards import CARDS_PER_DECK
from tableside.counted import counted
from tableside.decisions import PermitGranted
from tableside.happenings import (
    CardsEntered,
    CardsLeft,
    CommandClosed,
    CommandLost,
    PresenceLapsed,
    PresenceShown,
    QuietPointReached,
)
from tableside.house import Role
from tableside.locks import Scope, free
from tableside.presence import Operation
from tableside.procedures.batch_slice import BatchState, of, place_of, put
from tableside.tables import Procedure, Refusal, Row, Turn

RULE = "CSM-5"
NO_CUT = "CSM-3"
SHUFFLE_STEP, EJECT_STEP = "batch.shuffle", "batch.eject"
INCIDENT = "deck count"
TEXT = "DECK-COUNT"
# A deck of which so many are missing or too many is no deck that was miscounted: nobody enters such a number.
MOST_IN_A_DECK = 2 * CARDS_PER_DECK


# --- what is refused ----------------------------------------------------------------------------------------


def _is_deck(turn: Turn, what: LoadDeck | CountDeck) -> Refusal | None:
    backs = [group.back for group in turn.state.house.decks]
    if what.back in backs:
        return None
    return Refusal(RULE, f"there is no {what.back} deck here", f"say one of {', '.join(backs)}")


def _lies_here(turn: Turn, what: LoadDeck) -> Refusal | None:
    batch = of(turn)
    if what.back == batch.in_play:
        return Refusal(RULE, f"the {what.back} deck is in play", "collect it when its round is over")
    if what.back in batch.suspects:
        return Refusal(RULE, f"the {what.back} deck did not have its number", "floor supervisor: count it by hand")
    return None


def _is_whole(turn: Turn, what: LoadDeck) -> Refusal | None:
    """A card that was taken out of a deck is missing in the next shuffle: it is said before, not found then."""
    cards = turn.state.account.at(place_of(what.back)) if of(turn).is_brought else CARDS_PER_DECK
    if cards == CARDS_PER_DECK:
        return None
    return Refusal("SHOE-2", f"the {what.back} deck has {counted(cards, 'card')}", "replace the deck")


def _is_machine_ready(turn: Turn, _what: object) -> Refusal | None:
    machine = devices.shuffler(turn)
    if machine.is_connected and not machine.is_lid_open:
        return None
    return Refusal(RULE, "the machine is away or its lid open", "check cable and power, shut the lid")


def _none_in_play(turn: Turn, _what: TakeOutDeck) -> Refusal | None:
    batch = of(turn)
    if not batch.in_play or not batch.is_agreed:
        return None
    return Refusal(RULE, f"the {batch.in_play} deck is in play", "collect it first")


def _one_in_play(turn: Turn, _what: CollectDeck) -> Refusal | None:
    if of(turn).in_play:
        return None
    return Refusal(RULE, "no deck is in play", "take one out of the machine")


def _is_out(turn: Turn, what: CountDeck) -> Refusal | None:
    batch = of(turn)
    if what.back in (batch.deck, batch.in_play):
        return Refusal(RULE, f"the {what.back} deck is not laid aside", "take it out, or collect it, then count")
    return None


def _is_number(_turn: Turn, what: CountDeck) -> Refusal | None:
    if 0 <= what.cards <= MOST_IN_A_DECK:
        return None
    return Refusal(RULE, f"no deck has {what.cards} cards", "count again")


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
    turn.happened(DeckMixed(back=of(turn).deck, cards=turn.state.account.at(MACHINE)))


def _differs(turn: Turn, what: CommandClosed) -> None:
    """Both numbers stand; the deck is not played until somebody has counted it by hand."""
    batch, expected = of(turn), turn.state.account.at(MACHINE)
    found = what.moved or 0
    text = f"{batch.deck} deck: {counted(found, 'card')} counted while mixing, {expected} by the account"
    incidents.open_incident(turn, INCIDENT, RULE, text)
    alerts.raise_alert(turn, TEXT, batch.deck, back=batch.deck, n=str(found), total=str(expected))
    put(turn, is_agreed=False, suspects=tuple(dict.fromkeys((*batch.suspects, batch.deck))))


# --- out ----------------------------------------------------------------------------------------------------


def _is_permitted(turn: Turn, what: PermitGranted) -> bool:
    is_deal = what.what is PermitKind.DEAL and what.device == devices.machine(turn.state)
    return is_deal and not commands.is_open(turn, what.device, Verb.EJECT_ALL)


def _eject(turn: Turn, what: PermitGranted) -> None:
    commands.intend(turn, what.device, Verb.EJECT_ALL, step=EJECT_STEP, is_resumable=True)


def _left(turn: Turn, what: CardsLeft) -> None:
    put(turn, out=of(turn).out + what.cards)


def _is_eject(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == EJECT_STEP


def _is_all_out(turn: Turn, what: CommandClosed) -> bool:
    return _is_eject(turn, what) and (what.outcome is Outcome.DONE or what.reason is Reason.NO_CARDS)


def _out(turn: Turn, _what: CommandClosed) -> None:
    """Into play, or aside to be counted. What the account still has in the empty machine is *unexplained*."""
    batch = of(turn)
    lacking = turn.state.account.at(MACHINE)
    card_account.move(turn, MACHINE, UNEXPLAINED, lacking, Evidence.METER, "the machine gave all it had")
    is_played = batch.is_agreed and batch.deck not in batch.suspects and not lacking
    if is_played:
        put(turn, in_play=batch.deck, deck="", is_agreed=False)
    else:
        card_account.move(turn, TABLE, place_of(batch.deck), batch.out, Evidence.METER, "deck out, to be counted")
        put(turn, deck="", is_agreed=False, suspects=tuple(dict.fromkeys((*batch.suspects, batch.deck))))
    turn.happened(DeckMoved(back=batch.deck, to="play" if is_played else "hand count", by=turn.by))
    turn.happened(QuietPointReached(point="deck out"))


def _collect(turn: Turn, _what: CollectDeck) -> None:
    back = of(turn).in_play
    card_account.move(turn, TABLE, place_of(back), turn.state.account.at(TABLE), Evidence.PERSON, "deck collected")
    put(turn, in_play="")
    turn.happened(DeckMoved(back=back, to="aside", by=turn.by))


def _count(turn: Turn, what: CountDeck) -> None:
    """A person's number rules; the difference stays on *unexplained* under his name."""
    place = place_of(what.back)
    more = what.cards - turn.state.account.at(place)
    card_account.move(turn, UNEXPLAINED, place, more, Evidence.PERSON, f"{what.back} deck counted by hand")
    put(turn, suspects=tuple(back for back in of(turn).suspects if back != what.back))
    finding = f"{what.back} deck counted by hand: {counted(what.cards, 'card')}"
    for incident in incidents.of_kind(turn, INCIDENT):
        if incident.text.startswith(f"{what.back} deck"):
            incidents.close(turn, incident.number, finding, turn.by)
    alerts.clear_alert(turn, TEXT, what.back, by=turn.by, why=finding)
    turn.happened(DeckCounted(back=what.back, cards=what.cards, by=turn.by))


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
        Row(S.LOADING, PresenceLapsed, S.PAUSED, when=_is_lapsed, said="time ran out"),
        Row(S.PAUSED, PresenceShown, S.LOADING, when=_is_resumed, said="tap: resumed"),
        *(
            Row(
                state,
                ShuffleDeck,
                S.MIXING,
                _shuffle,
                guards=(STAFF, _is_machine_ready, FEED_FREE, DEAL_FREE),
                rule=NO_CUT,
                said="mixed again",
            )
            for state in (S.WAITING, S.READY, S.DIFFERS)
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
            for state in (S.READY, S.DIFFERS, S.WAITING)
        ),
        Row(S.COMING_OUT, PermitGranted, None, _eject, _is_permitted, said="permit stands"),
        Row(S.COMING_OUT, CardsLeft, None, _left, _is_mine, said="out"),
        Row(S.COMING_OUT, CommandClosed, S.EMPTY, _out, _is_all_out, said="all out"),
        Row(S.COMING_OUT, CommandClosed, S.WAITING, when=_is_eject, said="stopped"),
        Row(S.COMING_OUT, CommandLost, S.WAITING, when=_is_eject, said="outcome unknown"),
        *(Row(state, CollectDeck, None, _collect, guards=(STAFF, _one_in_play), said="collected") for state in S),
        *(
            Row(state, CountDeck, None, _count, guards=(SUPERVISOR, _is_deck, _is_out, _is_number), said="counted")
            for state in S
        ),
    ),
    next_step={
        S.EMPTY: "load a deck with a floor supervisor present",
        S.LOADING: "wait until the deck is in",
        S.PAUSED: "floor supervisor: tap the badge again; leave the cards",
        S.WAITING: "let the machine mix again, or take the deck out",
        S.MIXING: "wait until the machine has mixed and counted",
        S.READY: "play the other deck to its end, collect it, then take this one out",
        S.DIFFERS: "take the deck out and count it by hand, or let the machine mix and count again",
        S.COMING_OUT: "wait until all cards are out",
    },
)
