"""Rounds that are dealt from a shoe by hand: rows of the round's own table, so that a table has one count of rounds."""

from __future__ import annotations

from tableside import alerts, incidents, locks, presence
from tableside.by_hand import is_by_hand
from tableside.happenings import RoundEnded, RoundRuled, RoundStarted
from tableside.house import Role
from tableside.locks import Scope
from tableside.procedures import hand_shoe_guards as guards
from tableside.procedures.jackpot_slice import is_paid_first
from tableside.procedures.round_slice import RoundState, is_known_ruling, of, put
from tableside.requests import EndRound, RuleRound
from tableside.shoe_happenings import HandShoeBegun, HandShoeEnded, MachineReturning, ShoeCardsLeft, ShoeReady
from tableside.shoe_requests import BeginRound
from tableside.tables import Row, Turn

DEALT_STOPPED = "dealt while stopped"


def _is_here(turn: Turn, _what: object) -> bool:
    return is_by_hand(turn.state)


def _begin(turn: Turn, _what: BeginRound) -> None:
    _started(turn, 0)


def _first_cards(turn: Turn, what: ShoeCardsLeft) -> None:
    is_stopped = bool(locks.standing(turn.state, Scope.DEAL))
    _started(turn, what.cards)
    if is_stopped:
        _dealt_while_stopped(turn)


def _started(turn: Turn, cards: int) -> None:
    number = of(turn).number + 1
    put(turn, number=number, dealt=cards, after_stop=0)
    turn.happened(RoundStarted(round=number))


def _next_cards(turn: Turn, what: ShoeCardsLeft) -> None:
    put(turn, dealt=of(turn).dealt + what.cards)
    if locks.standing(turn.state, Scope.DEAL, is_round_open=True):
        _dealt_while_stopped(turn)


def _dealt_while_stopped(turn: Turn) -> None:
    """A shoe holds no stop: people were asked to keep it (semantics §3). One stop is one incident."""
    after = of(turn).after_stop + 1
    put(turn, after_stop=after)
    text = f"round {of(turn).number}: a card left the shoe while play was stopped"
    standing = incidents.of_kind(turn, DEALT_STOPPED)
    if standing:
        incidents.note(turn, standing[-1].number, text)
    else:
        incidents.open_incident(turn, DEALT_STOPPED, "CSM-2", text)
    alerts.raise_alert(turn, "DEALT-WHILE-STOPPED", n=str(after))


def _over(turn: Turn, _what: EndRound) -> None:
    turn.happened(RoundEnded(round=of(turn).number, how="told", cards=of(turn).dealt))


def _ends_here(turn: Turn, what: RuleRound) -> bool:
    return is_by_hand(turn.state) and what.ruling != "goes on"


def _ruled(turn: Turn, what: RuleRound) -> None:
    number = of(turn).number
    turn.happened(RoundRuled(round=number, ruling=what.ruling, by=turn.by))
    turn.happened(RoundEnded(round=number, how=what.ruling, cards=of(turn).dealt))


def _close(turn: Turn, _what: HandShoeBegun | MachineReturning) -> None:
    """All cards are taken together: none is held over."""
    put(turn, held_over=0, held_since=0, lag=0, to_return=0, returned=0)
    alerts.clear_alert(turn, "HELD-OVER-LONG", by=turn.by, why="all cards are taken together")


S = RoundState
SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-2")
ROWS = (
    *(
        Row(S.WAITING, kind, S.CLOSED, _close, rule="CSM-8", said="change of mode")
        for kind in (HandShoeBegun, MachineReturning)
    ),
    Row(S.CLOSED, HandShoeEnded, S.WAITING, rule="CSM-5", said="the machine deals again"),
    Row(S.CLOSED, ShoeReady, S.WAITING, when=_is_here, rule="SHOE-6", said="the shoe is ready"),
    Row(S.CLOSED, BeginRound, S.DEALING, _begin, _is_here, guards.BEGIN, "SHOE-6", "the round is dealt"),
    Row(S.WAITING, BeginRound, S.DEALING, _begin, guards=guards.BEGIN, rule="SHOE-7", said="the round is dealt"),
    Row(S.WAITING, ShoeCardsLeft, S.DEALING, _first_cards, _is_here, rule="SHOE-7", said="first card of the shoe"),
    Row(S.DEALING, ShoeCardsLeft, None, _next_cards, _is_here, rule="SHOE-7", said="a card of the shoe"),
    Row(S.DEALING, EndRound, S.WAITING, _over, _is_here, (is_paid_first,), "SHOE-7", "round over"),
    Row(
        S.DEALING,
        RuleRound,
        S.WAITING,
        _ruled,
        _ends_here,
        guards=(SUPERVISOR, is_known_ruling),
        rule="CSM-2",
        said="ruled",
    ),
)
