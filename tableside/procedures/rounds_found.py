"""Rounds whose end sensors have found: rows of the round's own table, at a table without a DONE key (CSM-9, CSM-10)."""

from __future__ import annotations

from tableside import card_account
from tableside.happenings import CardsEntered, RoundEnded, RoundStarted
from tableside.procedures.round_slice import SENSED, RoundState, going_in, of, outside, put
from tableside.round_happenings import RoundFoundOver
from tableside.tables import Row, Turn


def _is_early(turn: Turn, what: CardsEntered) -> bool:
    return turn.state.house.rounds_are_sensed and what.source != card_account.HOPPER


def _early(turn: Turn, what: CardsEntered) -> None:
    """One card in ends nothing: busted hands go in while others play, where a machine obeys nobody."""
    put(turn, early=of(turn).early + what.cards)


def _has_gone_on(_turn: Turn, what: RoundFoundOver) -> bool:
    return what.next_cards > 0


def _go_on(turn: Turn, what: RoundFoundOver) -> None:
    """Cards of the next round came before it was known; what of the ended one still lies outside goes in meanwhile."""
    rounds = of(turn)
    if rounds.early:
        going_in(turn, rounds.held_since or rounds.number, rounds.number)
    turn.happened(RoundEnded(round=rounds.number, how=SENSED, cards=rounds.dealt - what.next_cards))
    put(turn, lag=max(0, outside(turn.state) - what.next_cards), returned=0, to_return=0, early=0)
    put(turn, number=rounds.number + 1, dealt=what.next_cards, after_stop=0)
    turn.happened(RoundStarted(round=rounds.number + 1))


ROWS = (
    Row(RoundState.DEALING, CardsEntered, None, _early, _is_early, rule="CSM-9", said="card in, the round goes on"),
    Row(RoundState.DEALING, RoundFoundOver, None, _go_on, _has_gone_on, rule="CSM-8", said="over, the next has begun"),
)
