"""A round: dealt, over, its cards back in the machine or held over (CSM-8 to CSM-11, CSM-5 last sentence).

Where cards lie is the account's; here stands only what the round is doing. Cards outside the machine between
rounds are the round's return: what lies on the table and in the tray goes in together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drivers.events import Ability, Holding, PacketEnded, PermitKind
from tableside import alerts, card_account, devices, incidents, locks, presence
from tableside.by_hand import is_by_hand
from tableside.happenings import (
    HELD_COUNTED,
    CardsEntered,
    CardsHandled,
    CardsHeldOver,
    CardsLeft,
    CardsReturned,
    ClosingAnnounced,
    DifferenceSettled,
    LevelsFound,
    QuietPointReached,
    RoundEnded,
    RoundRuled,
    RoundStarted,
    SessionReady,
)
from tableside.house import Role
from tableside.locks import Scope
from tableside.permits import DEAL_MS, RETURN_FEED_MS, Wish
from tableside.procedures import awaited, hand_shoe_rounds, jackpot_bets, rounds_found, told_late
from tableside.procedures.jackpot_sensed import is_claimed_first
from tableside.procedures.jackpot_slice import is_paid_first
from tableside.procedures.round_slice import SENSED, RoundSlice, RoundState, going_in, is_known_ruling, of, outside, put
from tableside.requests import CountHeldOver, EndRound, HoldOver, RuleRound
from tableside.round_happenings import RoundFoundOver
from tableside.session_happenings import ReloadCompleted, ReloadStarted
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

# TDL 9.3: a machine whose deal permit ends stops within one card, so one card after a stop is no fault.
CARDS_AFTER_STOP = 1


def is_open(state: TableState) -> bool:
    """Cards of a round are being dealt."""
    return state.procedures.rounds.state is RoundState.DEALING


def lag_round(rounds: RoundSlice) -> int:
    """The round whose cards wait for the next deal, or go in during it."""
    return rounds.number if rounds.state is RoundState.WAITING else rounds.number - 1


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Dealing while rounds may be played; feeding what is to go back, no card more (CSM-10)."""
    rounds = state.procedures.rounds
    machine = devices.machine(state)
    if state.procedures.swap.is_under_way or is_by_hand(state):
        return ()  # the spare's feed is the load's; no machine deals beside a shoe by hand
    if rounds.state in (RoundState.WAITING, RoundState.DEALING):
        deal = () if jackpot_bets.holds_deal(state) else (Wish(machine, PermitKind.DEAL, DEAL_MS),)
        if rounds.state is RoundState.DEALING and rounds.lag:
            lag = rounds.lag + rounds.returned
            return (*deal, _return_feed(machine, lag, f"lag {rounds.number}", rounds.returned))
        return deal
    if rounds.state in (RoundState.OVER, RoundState.RETURNING) and rounds.to_return:
        return (_return_feed(machine, rounds.to_return, f"return {rounds.number}", rounds.returned),)
    return ()


def _return_feed(machine: str, cards: int, count_from: str, returned: int) -> Wish:
    return Wish(machine, PermitKind.FEED, RETURN_FEED_MS, cards, None, count_from, returned)


def _close(turn: Turn, _what: ClosingAnnounced) -> None:
    """The session ends: what is still outside is gathered and sorted, not carried into the next one."""
    put(turn, held_over=0, held_since=0, lag=0, to_return=0, returned=0)
    alerts.clear_alert(turn, "HELD-OVER-LONG", by=turn.by, why="closing announced")


# --- dealing ------------------------------------------------------------------------------------------------


def _first_card(turn: Turn, what: CardsLeft) -> None:
    rounds = of(turn)
    left_outside = outside(turn.state) - what.cards
    if left_outside > rounds.held_over + rounds.lag:
        _hold(turn, left_outside)  # nobody said so: cards of the last round are still outside (CSM-11)
    put(turn, number=rounds.number + 1, dealt=what.cards, returned=0, to_return=0, after_stop=0, is_untold=False)
    turn.happened(RoundStarted(round=rounds.number + 1))
    if locks.standing(turn.state, Scope.DEAL):  # also what stops only the next round: this is it
        _dealt_while_stopped(turn, what)


def _next_cards(turn: Turn, what: CardsLeft) -> None:
    put(turn, dealt=of(turn).dealt + what.cards, after_stop=0)


def _is_stopped(turn: Turn, _what: CardsLeft) -> bool:
    return bool(locks.standing(turn.state, Scope.DEAL, is_round_open=True))


def _dealt_while_stopped(turn: Turn, what: CardsLeft) -> None:
    """An enforcing machine may finish one card; more, or any where the stop is only asked, is an incident."""
    after = of(turn).after_stop + what.cards
    put(turn, after_stop=after)
    holds = devices.of(turn, what.device).holding(Ability.DEAL) is Holding.ENFORCES
    if after > (CARDS_AFTER_STOP if holds else 0):
        incidents.open_incident(
            turn, "dealt while stopped", "CSM-2", f"{what.cards} card(s) dealt while play was stopped"
        )
        alerts.raise_alert(turn, "DEALT-WHILE-STOPPED", n=str(after))


def _dealt_stopped(turn: Turn, what: CardsLeft) -> None:
    put(turn, dealt=of(turn).dealt + what.cards)
    _dealt_while_stopped(turn, what)


# --- over ---------------------------------------------------------------------------------------------------


def _over(turn: Turn, how: str) -> None:
    rounds = of(turn)
    lag = rounds.lag if _reinserts_after(turn, None) else 0
    put(turn, to_return=outside(turn.state) + rounds.early - lag, returned=rounds.early, lag=lag, early=0)
    put(turn, is_untold=told_late.is_behind(turn), is_done_ahead=False)
    turn.happened(RoundEnded(round=rounds.number, how=how, cards=rounds.dealt))
    if not rounds.early:
        turn.happened(QuietPointReached(point="round over"))
    else:  # its cards go in already: it is quiet when the last one has
        going_in(turn, rounds.held_since or rounds.number, rounds.number)
        _ended_if_complete(turn)


def _found_over(turn: Turn, _what: RoundFoundOver) -> None:
    _over(turn, SENSED)


def _told_over(turn: Turn, _what: EndRound | LevelsFound) -> None:
    _over(turn, "told")


def _ruled(turn: Turn, what: RuleRound) -> None:
    _tell_ruling(turn, what)
    _over(turn, what.ruling)


def _tell_ruling(turn: Turn, what: RuleRound) -> None:
    turn.happened(RoundRuled(round=of(turn).number, ruling=what.ruling, by=turn.by))


def _inferred_over(turn: Turn, what: CardsEntered) -> None:
    """The first card in before DONE means the round is over (semantics §4), and is marked so."""
    rounds = of(turn)
    going_in(turn, rounds.held_since or rounds.number, rounds.number)
    put(turn, to_return=outside(turn.state) + what.cards - rounds.lag, returned=what.cards)
    turn.happened(RoundEnded(round=rounds.number, how="inferred", cards=rounds.dealt))
    _ended_if_complete(turn)


def _is_return(_turn: Turn, what: CardsEntered) -> bool:
    """Cards of play; what comes from a declared packet is a load (a swap's, in mid-round)."""
    return what.source != card_account.HOPPER


def _is_lag(turn: Turn, what: CardsEntered) -> bool:
    return _is_return(turn, what) and of(turn).lag >= what.cards


def _lag_in(turn: Turn, what: CardsEntered) -> None:
    rounds = of(turn)
    if not rounds.returned:
        going_in(turn, lag_round(rounds), lag_round(rounds))
    put(turn, lag=rounds.lag - what.cards, returned=rounds.returned + what.cards)


def _goes_on(_turn: Turn, what: RuleRound) -> bool:
    return what.ruling == "goes on"


# --- return -------------------------------------------------------------------------------------------------


def _entered(turn: Turn, what: CardsEntered) -> None:
    rounds = of(turn)
    if not rounds.returned:
        going_in(turn, rounds.held_since or rounds.number, rounds.number)
    put(turn, returned=of(turn).returned + what.cards)
    _ended_if_complete(turn)


def _ended_if_complete(turn: Turn) -> None:
    rounds = of(turn)
    if rounds.returned >= rounds.to_return:
        _close_return(turn, held_over=0)


def _close_return(turn: Turn, held_over: int, point: str = "return ended") -> None:
    rounds = of(turn)
    awaited.over(turn)
    if not held_over:
        put(turn, held_over=0, held_since=0)
        alerts.clear_alert(turn, "HELD-OVER-LONG", by=turn.by, why="inserted")
    PROCEDURE.move(turn, None, RoundState.WAITING, "CSM-10")
    turn.happened(CardsReturned(round=rounds.number, cards=rounds.returned, held_over=held_over))
    turn.happened(QuietPointReached(point=point))


def _hold_over(turn: Turn, _what: HoldOver) -> None:
    cards = outside(turn.state) - of(turn).lag
    _hold(turn, cards)
    _close_return(turn, held_over=cards)


def _hold_counted(turn: Turn, what: CountHeldOver) -> None:
    """What the account has more or fewer there is a difference, and the machine's count tells where it is."""
    lag = min(of(turn).lag, what.cards)
    put(turn, lag=lag)
    _hold(turn, what.cards - lag)
    if of(turn).state is RoundState.WAITING:
        turn.happened(QuietPointReached(point=HELD_COUNTED))
    else:
        _close_return(turn, what.cards - lag, HELD_COUNTED)


def _hold(turn: Turn, cards: int) -> None:
    rounds = of(turn)
    since = rounds.held_since or rounds.number
    put(turn, held_over=cards, held_since=since)
    if not cards:
        return
    turn.happened(CardsHeldOver(round=rounds.number, cards=cards))
    alerts.raise_alert(turn, "HELD-OVER", n=str(cards), time=alerts.wall_field(turn))
    waited = rounds.number - since + 1
    if waited >= turn.state.house.held_over_alert_rounds:
        alerts.raise_alert(turn, "HELD-OVER-LONG", n=str(cards), rounds=str(waited))


def _is_out_again(_turn: Turn, what: CardsHandled) -> bool:
    """Taken out of the machine by hand, and not to stay out: it goes in again with this round's cards."""
    return what.source == card_account.MACHINE and what.now in ("table", "tray")


def _out_again(turn: Turn, what: CardsHandled) -> None:
    put(turn, returned=max(0, of(turn).returned - what.cards))


def _out_after_return(turn: Turn, _what: CardsHandled) -> None:
    """The round's cards were counted in already: what came out again waits for the next round's (CSM-11)."""
    _hold(turn, outside(turn.state) - of(turn).lag)


def _is_outside(_turn: Turn, what: DifferenceSettled) -> bool:
    return what.how == "outside the machine"


def _carry(turn: Turn, _what: DifferenceSettled) -> None:
    _hold(turn, outside(turn.state) - of(turn).lag)


def _reinserts_after(turn: Turn, _what: EndRound | RoundFoundOver | None) -> bool:
    return turn.state.house.jurisdiction.reinsert == "after"


def _is_done_ahead_with_lag(turn: Turn, what: LevelsFound) -> bool:
    return told_late.is_done_ahead(turn, what) and turn.state.house.jurisdiction.reinsert == "after"


def _over_with_lag(turn: Turn, what: EndRound | LevelsFound | RoundFoundOver) -> None:
    """Cards wait outside until the next deal (re-insertion lag)."""
    rounds = of(turn)
    how = SENSED if isinstance(what, RoundFoundOver) else "told"
    turn.happened(RoundEnded(round=rounds.number, how=how, cards=rounds.dealt))
    put(turn, lag=outside(turn.state), returned=0, to_return=0, early=0)
    put(turn, is_untold=told_late.is_behind(turn), is_done_ahead=False)
    turn.happened(QuietPointReached(point="round over"))


SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-2")
# With its last card, in or held over, the round is out of the way.
ALL_IN = (RoundState.WAITING,)
PAID = (is_paid_first, is_claimed_first)  # JP-12
S = RoundState
PROCEDURE = Procedure(
    name="round",
    rule="CSM-10",
    states=S,
    read=lambda state, _what: state.procedures.rounds.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.CLOSED, SessionReady, S.WAITING, rule="CSM-5", said="table open"),
        Row(S.WAITING, ReloadStarted, S.CLOSED, rule="CSM-5", said="machine is emptied"),
        Row(S.CLOSED, ReloadCompleted, S.WAITING, rule="CSM-5", said="machine is loaded anew"),
        Row(S.WAITING, ClosingAnnounced, S.CLOSED, _close, rule="CSM-6", said="closing"),
        *told_late.ROWS,
        *hand_shoe_rounds.ROWS,
        Row(S.WAITING, CardsLeft, S.DEALING, _first_card, rule="CSM-8", said="first card"),
        Row(S.DEALING, CardsLeft, None, _dealt_stopped, _is_stopped, rule="CSM-2", said="card under a stop"),
        Row(S.DEALING, CardsLeft, None, _next_cards, rule="CSM-8", said="a card"),
        Row(
            S.DEALING,
            EndRound,
            S.WAITING,
            _over_with_lag,
            _reinserts_after,
            PAID,
            rule="CSM-10",
            said="round over, cards wait for the next deal",
        ),
        Row(S.DEALING, EndRound, S.OVER, _told_over, None, PAID, "CSM-10", "round over", onward=ALL_IN),
        Row(
            S.DEALING,
            LevelsFound,
            S.WAITING,
            _over_with_lag,
            _is_done_ahead_with_lag,
            rule="CSM-10",
            said="all told, and it was over: cards wait for the next deal",
            watches=True,
        ),
        Row(
            S.DEALING,
            LevelsFound,
            S.OVER,
            _told_over,
            told_late.is_done_ahead,
            rule="CSM-10",
            said="all told, and it was over",
            watches=True,
            onward=ALL_IN,
        ),
        Row(
            S.DEALING,
            RuleRound,
            None,
            _tell_ruling,
            _goes_on,
            guards=(SUPERVISOR, is_known_ruling),
            rule="CSM-2",
            said="the round goes on",
        ),
        Row(S.DEALING, RuleRound, S.OVER, _ruled, guards=(SUPERVISOR, is_known_ruling), rule="CSM-2", said="ruled"),
        Row(S.DEALING, CardsEntered, None, _lag_in, _is_lag, rule="CSM-10", said="earlier round's card in"),
        *rounds_found.ROWS,
        Row(S.DEALING, RoundFoundOver, S.WAITING, _over_with_lag, _reinserts_after, said="found over"),
        Row(S.DEALING, RoundFoundOver, S.OVER, _found_over, said="found over", onward=ALL_IN),
        Row(S.DEALING, CardsEntered, S.RETURNING, _inferred_over, _is_return, said="card in", onward=ALL_IN),
        Row(S.OVER, CardsEntered, S.RETURNING, _entered, _is_return, said="card in", onward=ALL_IN),
        Row(S.RETURNING, CardsEntered, None, _entered, _is_return, said="card in", onward=ALL_IN),
        *awaited.ROWS,
        Row(S.WAITING, PacketEnded, None, rule="CSM-10", said="hopper empty"),
        Row(S.DEALING, PacketEnded, None, rule="CSM-10", said="hopper empty"),
        Row(S.WAITING, DifferenceSettled, None, _carry, _is_outside, rule="CSM-11", said="still outside"),
        *(
            Row(state, CardsHandled, None, _out_again, _is_out_again, rule="CSM-10", said="out again", watches=True)
            for state in (S.OVER, S.RETURNING)
        ),
        Row(
            S.WAITING,
            CardsHandled,
            None,
            _out_after_return,
            _is_out_again,
            rule="CSM-11",
            said="out again",
            watches=True,
        ),
        Row(S.OVER, HoldOver, None, _hold_over, rule="CSM-11", said="held over", onward=ALL_IN),
        Row(S.RETURNING, HoldOver, None, _hold_over, rule="CSM-11", said="held over", onward=ALL_IN),
        *(
            Row(state, CountHeldOver, None, _hold_counted, rule="CSM-11", said="counted, held over", onward=ALL_IN)
            for state in (S.OVER, S.RETURNING, S.WAITING)
        ),
    ),
    next_step={
        S.CLOSED: "open the table",
        S.WAITING: "deal the next round",
        S.DEALING: "end the round (DONE)",
        S.OVER: "insert the cards, or hold them over",
        S.RETURNING: "insert the rest, or hold it over; if none is left, say that 0 are held over",
    },
)
