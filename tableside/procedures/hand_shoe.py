"""A shoe that is shuffled by hand: count by back, shuffle, cut, warning card, burn, rounds, the last one, interruption.

Which card leaves it a reader tells where one watches it, else people say it; both end in the same rows. What the rules
say of it is in `tableside.games.shoe`, pure; here is who may say what when, and where the cards are.
"""

from __future__ import annotations

from drivers.card_events import SpecialCardPassed
from drivers.events import DeviceBooted
from tableside import alerts, card_account, incidents
from tableside.by_hand import is_by_hand
from tableside.card_account import ASIDE, SHOE, TABLE, TRAY, UNEXPLAINED, Evidence
from tableside.exchange_happenings import CardsExchanged
from tableside.games import shoe as the
from tableside.happenings import CardsPassed, ClosingAnnounced, RoundEnded, RoundStarted, SessionClosed, SessionOpened
from tableside.procedures import hand_shoe_dealing as dealing
from tableside.procedures import hand_shoe_guards as guards
from tableside.procedures import hand_shoe_mode
from tableside.procedures.hand_shoe_slice import (
    HandShoeState,
    expected_backs,
    is_gathered,
    lying_aside,
    of,
    put,
)
from tableside.shoe_happenings import (
    BacksCounted,
    CardsGathered,
    CardsShuffled,
    PlayInterrupted,
    ShoeCleared,
    ShoeCut,
    ShoeFilled,
)
from tableside.shoe_requests import (
    BurnCard,
    CountBacks,
    CountDealt,
    CutCards,
    FillShoe,
    GatherCards,
    InterruptPlay,
    ShowWarningCard,
    SpreadCards,
)
from tableside.tables import Procedure, Row, Turn

RULE = "SHOE-7"
BACKS_DIFFER = "SHOE-BACKS-DIFFER"
COUNT_INCIDENT = "count by back"


# --- count by back, cut, fill -------------------------------------------------------------------------------


def _open(turn: Turn, _what: SessionOpened) -> None:
    """At the start of play the right to cut is the lowest seat's (SHOE-4)."""
    put(turn, cut_turn=the.CutTurn(), occupied=(), is_whole=False)


def _is_here(turn: Turn, _what: object) -> bool:
    return is_by_hand(turn.state)


def _agrees(turn: Turn, what: CountBacks) -> bool:
    return sorted(what.counts, key=_back) == sorted(expected_backs(turn.state), key=_back)


def _back(count: object) -> str:
    return str(getattr(count, "back", ""))


def _count(turn: Turn, what: CountBacks) -> None:
    """A person's number rules; what it has more or fewer stands on *unexplained* under his name."""
    found = sum(count.cards for count in what.counts)
    lacking = lying_aside(turn.state) - found
    card_account.move(turn, ASIDE, UNEXPLAINED, lacking, Evidence.PERSON, "counted by back")
    counts = tuple(sorted(what.counts, key=_back))
    expected = tuple(sorted(expected_backs(turn.state), key=_back))
    turn.happened(BacksCounted(counts=counts, expected=expected, by=turn.by))


def _whole(turn: Turn, what: CountBacks) -> None:
    _count(turn, what)
    put(turn, is_whole=True)
    for incident in incidents.of_kind(turn, COUNT_INCIDENT):
        incidents.close(turn, incident.number, "counted again: every back has its number", turn.by)
    alerts.clear_alert(turn, BACKS_DIFFER, by=turn.by, why="counted again")


def _differs(turn: Turn, what: CountBacks) -> None:
    """Both numbers of each colour stand in the incident; no shoe is made of such cards (SHOE-1)."""
    _count(turn, what)
    put(turn, is_whole=False)
    expected = {count.back: count.cards for count in expected_backs(turn.state)}
    wrong = [count for count in what.counts if count.cards != expected[count.back]]
    text = "; ".join(f"{count.back}: {count.cards} counted, {expected[count.back]} brought" for count in wrong)
    standing = incidents.of_kind(turn, COUNT_INCIDENT)
    if standing:
        incidents.note(turn, standing[-1].number, text)
    else:
        incidents.open_incident(turn, COUNT_INCIDENT, "SHOE-1", text)
    alerts.raise_alert(turn, BACKS_DIFFER, backs=", ".join(count.back for count in wrong))


def _cut(turn: Turn, what: CutCards) -> None:
    """SHOE-4: the right goes on from the seat that has cut; SHOE-5: its players say where the warning card goes."""
    hand_shoe = of(turn)
    order = the.in_turn(hand_shoe.cut_turn, what.occupied)
    cards, players = lying_aside(turn.state), len(what.occupied)
    number = hand_shoe.number + 1
    put(
        turn,
        number=number,
        cut_turn=guards.cuts(turn, what),
        occupied=tuple(sorted(what.occupied)),
        shoe=the.Shoe(cards=cards, players=players),
        uncounted=0,
        is_whole=False,
        special_ahead=0,
    )
    turn.happened(
        ShoeCut(
            shoe=number,
            occupied=tuple(sorted(what.occupied)),
            right=order[0] if order else the.INSPECTOR,
            seat=what.seat,
            inspector=what.inspector,
            behind=cards - the.warning_place(cards, players),
            by=turn.by,
        )
    )


def _fill(turn: Turn, _what: FillShoe) -> None:
    cards = lying_aside(turn.state)
    card_account.move(turn, ASIDE, SHOE, cards, Evidence.PERSON, "into the shoe")
    turn.happened(ShoeFilled(shoe=of(turn).number, cards=cards, by=turn.by))


# --- interruption, gathering, closing -----------------------------------------------------------------------


def _interrupt(turn: Turn, what: InterruptPlay) -> None:
    put(turn, cut_turn=the.interrupted())
    turn.happened(PlayInterrupted(why=what.why, is_spread=False, by=turn.by))


def _spread(turn: Turn, what: SpreadCards) -> None:
    """SHOE-8: the cards of the shoe lie face up on the table; those of the tray are still there."""
    put(turn, cut_turn=the.interrupted())
    card_account.move(turn, SHOE, ASIDE, turn.state.account.at(SHOE), Evidence.PERSON, "spread face up")
    turn.happened(PlayInterrupted(why=what.why, is_spread=True, by=turn.by))


def _gather(turn: Turn, what: GatherCards) -> None:
    _take_together(turn, "gathered")
    turn.happened(CardsGathered(cards=lying_aside(turn.state), why=what.why, by=turn.by))


def _take_together(turn: Turn, why: str) -> None:
    for place in (SHOE, TABLE, TRAY):
        card_account.move(turn, place, ASIDE, turn.state.account.at(place), Evidence.PERSON, why)
    put(turn, is_whole=False)
    assert is_gathered(turn.state)


def _clear(turn: Turn, _what: ClosingAnnounced) -> None:
    _take_together(turn, "closing: taken together")
    dealing.end_last_round(turn, "closing announced")
    turn.happened(ShoeCleared(cards=lying_aside(turn.state)))


def _forget(turn: Turn, _what: SessionClosed) -> None:
    dealing.end_last_round(turn, "table closed")
    hand_shoe_mode.end(turn, "table closed")
    put(turn, is_in_place_of_machine=False)


S = HandShoeState
# A shoe that has begun, and is not in a round.
AT_REST = (S.TO_CUT, S.TO_FILL, S.TO_BURN, S.READY)
MODES = (S.EMPTYING, S.RETURNING)
IDLE = tuple(state for state in S if state not in (S.NONE, S.IN_ROUND, *MODES))
PROCEDURE = Procedure(
    name="hand shoe",
    rule=RULE,
    states=HandShoeState,
    read=lambda state, _what: state.procedures.hand_shoe.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *hand_shoe_mode.ROWS,
        Row(S.NONE, SessionOpened, S.TO_COUNT, _open, _is_here, rule="SHOE-1", said="cards on the table"),
        *(
            row
            for state in (S.TO_COUNT, S.TO_SHUFFLE)
            for row in (
                Row(state, CountBacks, S.TO_SHUFFLE, _whole, _agrees, guards.COUNT, "SHOE-1", "every back is whole"),
                Row(state, CountBacks, S.TO_COUNT, _differs, None, guards.COUNT, "SHOE-1", "backs differ"),
            )
        ),
        Row(S.TO_SHUFFLE, CardsExchanged, S.TO_COUNT, when=_is_here, rule="SHOE-2", said="new cards"),
        Row(S.TO_COUNT, CardsExchanged, None, when=_is_here, rule="SHOE-2", said="new cards"),
        Row(S.TO_SHUFFLE, CardsShuffled, S.TO_CUT, rule="SHOE-4", said="shuffled by hand"),
        Row(S.TO_CUT, CutCards, S.TO_FILL, _cut, guards=guards.CUT, rule="SHOE-4", said="cut"),
        Row(S.TO_FILL, FillShoe, S.TO_BURN, _fill, guards=(guards.STAFF,), rule="SHOE-5", said="into the shoe"),
        Row(
            S.TO_BURN, BurnCard, S.READY, dealing.burn, guards=(guards.STAFF,), rule="SHOE-6", said="burnt, to the tray"
        ),
        Row(S.TO_BURN, CardsPassed, S.READY, dealing.seen_burnt, dealing.is_burn, rule="SHOE-6", said="seen burnt"),
        Row(S.READY, CardsPassed, None, dealing.seen_out, _is_here, said="a card"),
        Row(S.IN_ROUND, CardsPassed, None, dealing.seen_out, _is_here, said="a card"),
        *(
            Row(state, CardsPassed, None, dealing.stray, _is_here, said="a card, and no round")
            for state in IDLE
            if state is not S.READY
        ),
        *(
            Row(state, SpecialCardPassed, None, dealing.seen_warning, dealing.is_warning, said="warning card seen")
            for state in (S.TO_BURN, S.READY, S.IN_ROUND)
        ),
        *(
            Row(state, SpecialCardPassed, None, dealing.passed_special, dealing.is_warning, said="cut card seen")
            for state in IDLE
            if state not in (S.TO_BURN, S.READY)
        ),
        *(
            Row(state, DeviceBooted, None, dealing.blind, dealing.is_reader, said="reader restarted", watches=True)
            for state in (S.TO_BURN, S.READY, S.IN_ROUND)
        ),
        Row(S.IN_ROUND, CountDealt, None, dealing.said_out, guards=guards.COUNT_DEALT, rule="SHOE-5", said="counted"),
        *(
            Row(state, CountDealt, None, dealing.said_after, guards=guards.COUNT_DEALT, rule="SHOE-5", said="counted")
            for state in (S.READY, S.OVER)
        ),
        Row(S.READY, RoundStarted, S.IN_ROUND, dealing.round_begun, said="round begins"),
        Row(S.IN_ROUND, RoundEnded, S.OVER, dealing.last_over, dealing.is_last, said="last round is over"),
        Row(S.IN_ROUND, RoundEnded, S.READY, dealing.round_over, said="round is over"),
        *(
            Row(
                state,
                ShowWarningCard,
                None,
                dealing.warning,
                dealing.is_first_warning,
                (guards.STAFF,),
                said="warning card: announce the last round aloud",
            )
            for state in (S.READY, S.IN_ROUND)
        ),
        *(
            Row(state, ShowWarningCard, None, guards=(guards.STAFF,), said="it is known already")
            for state in (S.READY, S.IN_ROUND, S.OVER)
        ),
        *(
            Row(state, InterruptPlay, None, _interrupt, guards=guards.INTERRUPT, rule="SHOE-4", said="interrupted")
            for state in IDLE
        ),
        *(
            Row(state, SpreadCards, S.SPREAD, _spread, guards=guards.SPREAD, rule="SHOE-8", said="spread face up")
            for state in (S.TO_BURN, S.READY, S.OVER)
        ),
        Row(S.IN_ROUND, SpreadCards, None, guards=guards.SPREAD, rule="SHOE-8", said="refused: in a round"),
        *(
            Row(state, GatherCards, S.TO_SHUFFLE, _gather, guards=(guards.STAFF,), said="gathered")
            for state in (S.OVER, S.SPREAD)
        ),
        *(
            Row(state, GatherCards, S.TO_SHUFFLE, _gather, guards=guards.GATHER_EARLY, said="gathered early")
            for state in AT_REST
        ),
        *(
            Row(state, ClosingAnnounced, S.NONE, _clear, rule="CSM-6", said="closing announced")
            for state in S
            if state not in (S.NONE, *MODES)
        ),
        *(Row(state, SessionClosed, S.NONE, _forget, rule="CSM-6", said="table closed") for state in S),
    ),
    next_step={
        **hand_shoe_mode.NEXT_STEP,
        S.NONE: "open the table",
        S.TO_COUNT: "count the cards, each back colour apart, and enter them; a number that is wrong: count again",
        S.TO_SHUFFLE: "the dealer gives the cards the usual shuffles by hand",
        S.TO_CUT: "offer the cut to the seats in their order; nobody wants it: the table inspector cuts",
        S.TO_FILL: "place the warning card: 50 cards from the end, or in the middle for one player; fill the shoe",
        S.TO_BURN: "burn one card into the tray",
        S.READY: "deal the next round",
        S.IN_ROUND: "end the round (DONE)",
        S.OVER: "gather all cards, shuffle, cut",
        S.SPREAD: "gather all cards when play starts again",
    },
)
