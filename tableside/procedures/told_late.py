"""Cards that a machine tells of after their round has ended: a key may overtake what the machine had kept.

While the cable or the daemon is away the machine keeps its notices, the dealer goes on, and her DONE comes by another
cable. What the machine tells until it has told all is the ended round's; where it had told no card of the round before,
DONE is noted, and ends the round when all is told.
"""

from __future__ import annotations

from tableside import devices
from tableside.happenings import CardsLeft, CardsToldLate, LevelsFound
from tableside.procedures.round_slice import RoundState, of, put
from tableside.requests import EndRound
from tableside.tables import Row, Turn

# What a machine tells late can only be of a round that has ended.
ENDED = (RoundState.WAITING, RoundState.OVER, RoundState.RETURNING)


def is_behind(turn: Turn) -> bool:
    """The machine is away, or has not told yet all that it kept."""
    return not devices.shuffler(turn).is_up_to_date


def is_done_ahead(turn: Turn, what: LevelsFound) -> bool:
    """All is told, and the round that the cards began was over before."""
    return of(turn).is_done_ahead and what.device == devices.machine(turn.state)


def _is_ahead(turn: Turn, _what: EndRound) -> bool:
    return is_behind(turn)


def _done_ahead(turn: Turn, _what: EndRound) -> None:
    put(turn, is_done_ahead=True)


def _is_untold(turn: Turn, _what: CardsLeft | LevelsFound) -> bool:
    return of(turn).is_untold


def _told_late(turn: Turn, what: CardsLeft) -> None:
    """They lie with the round's other cards: to go in now, with the next deal, or held over."""
    rounds = of(turn)
    put(turn, dealt=rounds.dealt + what.cards)
    if rounds.state is not RoundState.WAITING:
        put(turn, to_return=rounds.to_return + what.cards)
    elif turn.state.house.jurisdiction.reinsert == "after":
        put(turn, lag=rounds.lag + what.cards)
    else:
        put(turn, held_over=rounds.held_over + what.cards, held_since=rounds.held_since or rounds.number)
    turn.happened(CardsToldLate(round=rounds.number, cards=what.cards))


def _is_all_told(turn: Turn, what: LevelsFound) -> bool:
    rounds = of(turn)
    return (rounds.is_untold or rounds.is_done_ahead) and what.device == devices.machine(turn.state)


def _all_told(turn: Turn, _what: LevelsFound) -> None:
    put(turn, is_untold=False, is_done_ahead=False)


ROWS = (
    Row(
        RoundState.WAITING, EndRound, None, _done_ahead, _is_ahead, rule="CSM-10", said="noted: the machine has to tell"
    ),
    *(Row(state, CardsLeft, None, _told_late, _is_untold, rule="CSM-10", said="told late") for state in ENDED),
    *(
        Row(state, LevelsFound, None, _all_told, _is_all_told, rule="CSM-10", said="all told", watches=True)
        for state in ENDED
    ),
)
