"""A baccarat shoe: its cards, results, lock and errors are observed, nothing is told to it (SHOE-6, SHOE-7).

A round begins with the player's first card of a shoe that is neither locked nor in error, and with nothing else. What
a shoe tells while locked, twice or out of order is recorded and somebody is called; it never begins a round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drivers import card_events as facts
from drivers.card_events import Target, Winner
from firmware_bridge.clock import NS_PER_S
from tableside import alerts, incidents, locks
from tableside.happenings import DeviceCame, RoundEnded, RoundStarted
from tableside.locks import Scope
from tableside.procedures.shoe_slice import BURNT, FEWEST_CARDS, FIRST, GameState, objection, of, put
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "SHOE-7"
OUT_OF_ORDER, OUTSIDE, ERROR, RESTARTED = "shoe out of order", "card outside a game", "shoe error", "shoe restarted"
ORDER_TEXT, OUTSIDE_TEXT, ERROR_TEXT, RESTARTED_TEXT = "SHOE-ORDER", "SHOE-CARD-OUTSIDE", "SHOE-ERROR", "SHOE-RESTARTED"
CUT_TEXT, UNREADABLE_TEXT = "SHOE-CUT-CARD", "CARD-READER-TROUBLED"
# Its copies come within this, as the driver takes them (firmware_bridge/wire/angel_eye/copies.py).
COPIES_S = 2.0
# Errors of the shoe after which a card may lie where no hand put it by the book (docs/protocols/angel-eye.md).
CARD_TOUCHED = frozenset({1, 2, 4, 5, 6})


def is_open(state: TableState) -> bool:
    """Cards of a game are being drawn."""
    return state.procedures.shoe.state is GameState.GAME


def _incident(turn: Turn, kind: str, text: str) -> None:
    """One that stands is added to: a shoe that repeats itself makes no row of incidents."""
    standing = incidents.of_kind(turn, kind)
    if standing:
        incidents.note(turn, standing[-1].number, text)
    else:
        incidents.open_incident(turn, kind, RULE, text)


def _out_of_order(turn: Turn, device: str, why: str) -> None:
    number = of(turn).number
    _incident(turn, OUT_OF_ORDER, f"{device}, game {number}: {why}")
    alerts.raise_alert(turn, ORDER_TEXT, device, r=str(number))


# --- cards --------------------------------------------------------------------------------------------------


def _card(what: facts.CardDrawn | facts.CardDrawnAgain) -> tuple[Target, int]:
    return (what.target, what.index)


def _is_burnt(_turn: Turn, what: facts.CardDrawn) -> bool:
    return what.target in BURNT


def _is_ready(turn: Turn) -> bool:
    return not of(turn).is_locked and not of(turn).errors


def _is_first(turn: Turn, what: facts.CardDrawn) -> bool:
    return _card(what) == FIRST and _is_ready(turn)


def _is_first_after_restart(turn: Turn, what: facts.CardDrawn) -> bool:
    return of(turn).is_forgotten and _is_first(turn, what)


def _begin(turn: Turn, what: facts.CardDrawn) -> None:
    number = of(turn).number + 1
    put(turn, number=number, drawn=(_card(what),), is_forgotten=False)
    turn.happened(RoundStarted(round=number))
    _look_at_stop(turn, what)


def _begin_next(turn: Turn, what: facts.CardDrawn) -> None:
    """The shoe had forgotten its game: that one was finished by hand, and this card is the next one's first."""
    turn.happened(RoundEnded(round=of(turn).number, how="elsewhere", cards=len(of(turn).drawn)))
    _begin(turn, what)


def _may_be_copy(turn: Turn) -> bool:
    """A shoe says each thing three times; whoever has just begun to listen may hear one that was heard before."""
    return turn.now_ns - of(turn).came_ns < COPIES_S * NS_PER_S


def _next(turn: Turn, what: facts.CardDrawn) -> None:
    """Recorded where it is not what the book expects; it lies on the table all the same, so it counts, once."""
    shoe, card = of(turn), _card(what)
    if card == shoe.drawn[-1] and _may_be_copy(turn):
        return
    why = objection(shoe.drawn, card)
    if not _is_ready(turn):
        why = f"{card[0]} {card[1]} was drawn while {'locked' if shoe.is_locked else 'in error'}"
    if why:
        _out_of_order(turn, what.device, why)
    if card not in shoe.drawn:
        put(turn, drawn=(*shoe.drawn, card))
        _look_at_stop(turn, what)


def _stray(turn: Turn, what: facts.CardDrawn) -> None:
    """No game, and not the card that begins one."""
    card = f"{what.target} {what.index}"
    why = f"{card} without the first card of a game"
    if not _is_ready(turn):
        why = f"{card} was drawn while {'locked' if of(turn).is_locked else 'in error'}, with no game open"
    _out_of_order(turn, what.device, why)


def _burnt(turn: Turn, what: facts.CardDrawn) -> None:
    """SHOE-6: before the first game of a shoe. Cards of a new shoe: the cut card of the one before is history."""
    shoe = of(turn)
    put(turn, burnt=shoe.burnt + 1 if shoe.is_ending is False else 1, is_ending=False)
    alerts.clear_alert(turn, CUT_TEXT, what.device, by=what.device, why="cards of the next shoe were burnt")


def _burnt_in_game(turn: Turn, what: facts.CardDrawn) -> None:
    put(turn, burnt=of(turn).burnt + 1)
    _out_of_order(turn, what.device, "a card was burnt during a game")


def _look_at_stop(turn: Turn, _what: facts.CardDrawn) -> None:
    """A shoe holds no stop of ours: one that stands was asked of people (semantics §3)."""
    if locks.standing(turn.state, Scope.DEAL, is_round_open=len(of(turn).drawn) > 1):
        _incident(turn, "dealt while stopped", f"game {of(turn).number}: a card was drawn while play was stopped")
        alerts.raise_alert(turn, "DEALT-WHILE-STOPPED", n=str(len(of(turn).drawn)))


def _again(turn: Turn, what: facts.CardDrawnAgain) -> None:
    """Nothing was drawn now; one that had never been told was lost on the way, and lies on the table."""
    card = _card(what)
    if card not in of(turn).drawn:
        _out_of_order(turn, what.device, f"{card[0]} {card[1]} was told again, and never before")
        put(turn, drawn=(*of(turn).drawn, card))


def _again_without_game(turn: Turn, what: facts.CardDrawnAgain) -> None:
    _out_of_order(turn, what.device, f"{what.target} {what.index} was told again with no game open")


def _outside(turn: Turn, what: facts.CardDrawnOutside) -> None:
    _incident(turn, OUTSIDE, f"{what.device}: a card was drawn outside a game, {what.mode}")
    known = turn.state.alerts.standing.get(f"{OUTSIDE_TEXT}:{what.device}")
    alerts.raise_alert(turn, OUTSIDE_TEXT, what.device, n=str(1 + (int(known.fields["n"]) if known else 0)))


def _cut(turn: Turn, what: facts.CutCardSeen) -> None:
    put(turn, is_ending=True)
    alerts.raise_alert(turn, CUT_TEXT, what.device)


# --- games --------------------------------------------------------------------------------------------------


def _end(turn: Turn, what: facts.GameEnded) -> None:
    shoe = of(turn)
    is_forced = what.winner is Winner.FORCED
    if len(shoe.drawn) < FEWEST_CARDS and not is_forced:
        _out_of_order(turn, what.device, f"a result after {len(shoe.drawn)} card(s)")
    pairs = (("player pair", what.is_player_pair), ("banker pair", what.is_banker_pair))
    result = ", ".join((what.winner, *(word for word, is_so in pairs if is_so)))
    put(turn, is_forgotten=False, result=result)
    turn.happened(RoundEnded(round=shoe.number, how="void" if is_forced else "told", cards=len(shoe.drawn)))


def _end_without_game(turn: Turn, what: facts.GameEnded) -> None:
    if of(turn).number and _may_be_copy(turn):
        return
    _out_of_order(turn, what.device, "a result with no game open")


def _restarted_in_game(turn: Turn, what: facts.ShoeStarted) -> None:
    """What it knew of the game is gone, the game is not: it goes on by hand until the shoe begins another."""
    put(turn, is_forgotten=True, errors=())
    _errors_over(turn, what.device)
    _incident(turn, RESTARTED, f"{what.device} was switched off and on during game {of(turn).number}")
    alerts.raise_alert(turn, RESTARTED_TEXT, what.device, r=str(of(turn).number))


def _restarted(turn: Turn, what: facts.ShoeStarted) -> None:
    put(turn, errors=())
    _errors_over(turn, what.device)


# --- errors, lock, settings ---------------------------------------------------------------------------------


def _error(turn: Turn, what: facts.ShoeErrorBegan) -> None:
    """Where a card may lie wrong, somebody says under his name what it was; the error itself goes at the shoe."""
    if what.code in CARD_TOUCHED:
        _incident(turn, ERROR, f"{what.device}: error {what.code} in game {of(turn).number}")
    if not what.is_stopped:
        alerts.raise_alert(turn, "SHOE-NOTED", what.device, error=str(what.code))
        return
    if what.code not in of(turn).errors:
        put(turn, errors=(*of(turn).errors, what.code))
    alerts.raise_alert(turn, ERROR_TEXT, f"{what.device}:{what.code}", error=str(what.code))


def _error_over(turn: Turn, what: facts.ShoeErrorEnded) -> None:
    put(turn, errors=tuple(code for code in of(turn).errors if code != what.code))
    alerts.clear_alert(turn, ERROR_TEXT, f"{what.device}:{what.code}", by=what.device, why="cancelled at the shoe")


def _errors_over(turn: Turn, device: str) -> None:
    for alert in tuple(turn.state.alerts.standing.values()):
        if alert.text == ERROR_TEXT and alert.place.startswith(f"{device}:"):
            alerts.clear_alert(turn, ERROR_TEXT, alert.place, by=device, why="the shoe was switched off and on")


def _is_shoe(turn: Turn, what: DeviceCame) -> bool:
    return what.device == turn.state.house.shoe


def _came(turn: Turn, _what: DeviceCame) -> None:
    put(turn, came_ns=turn.now_ns)


def _lock(turn: Turn, what: facts.ShoeLockTold) -> None:
    if what.is_locked is not of(turn).is_locked:
        put(turn, is_locked=what.is_locked)
        alerts.raise_alert(turn, "SHOE-LOCKED" if what.is_locked else "SHOE-UNLOCKED", what.device)


def _setting(turn: Turn, what: facts.ShoeSettingChanged) -> None:
    alerts.raise_alert(turn, "SHOE-SETTING", what.device, register=what.register, value=what.value)


def _troubled(turn: Turn, what: facts.CardReaderTroubled) -> None:
    """A card may have gone by unseen: somebody looks, and says so."""
    if f"{UNREADABLE_TEXT}:{what.device}" not in turn.state.alerts.standing:
        alerts.raise_alert(turn, UNREADABLE_TEXT, what.device)


S = GameState
PROCEDURE = Procedure(
    name="shoe",
    rule=RULE,
    states=GameState,
    read=lambda state, _what: state.procedures.shoe.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.NONE, facts.CardDrawn, None, _burnt, _is_burnt, rule="SHOE-6", said="burnt"),
        Row(S.NONE, facts.CardDrawn, S.GAME, _begin, _is_first, said="first card"),
        Row(S.NONE, facts.CardDrawn, None, _stray, said="recorded, no game"),
        Row(S.GAME, facts.CardDrawn, None, _burnt_in_game, _is_burnt, rule="SHOE-6", said="burnt in a game"),
        Row(S.GAME, facts.CardDrawn, None, _begin_next, _is_first_after_restart, said="first card after a restart"),
        Row(S.GAME, facts.CardDrawn, None, _next, said="a card"),
        Row(S.NONE, facts.CardDrawnAgain, None, _again_without_game, said="told again, no game"),
        Row(S.GAME, facts.CardDrawnAgain, None, _again, said="told again"),
        Row(S.GAME, facts.GameEnded, S.NONE, _end, said="result"),
        Row(S.NONE, facts.GameEnded, None, _end_without_game, said="a result, and no game"),
        Row(S.GAME, facts.ShoeStarted, None, _restarted_in_game, said="switched on in mid-game"),
        Row(S.NONE, facts.ShoeStarted, None, _restarted, said="switched on"),
        *(
            row
            for state in S
            for row in (
                Row(state, facts.CardDrawnOutside, None, _outside, said="a card outside a game"),
                Row(state, facts.CutCardSeen, None, _cut, said="cut card"),
                Row(state, facts.ShoeErrorBegan, None, _error, said="error"),
                Row(state, facts.ShoeErrorEnded, None, _error_over, said="error over"),
                Row(state, facts.ShoeLockTold, None, _lock, said="lock"),
                Row(state, facts.ShoeSettingChanged, None, _setting, said="setting changed"),
                Row(state, DeviceCame, None, _came, _is_shoe, said="its line stands"),
                Row(state, facts.ShoeStoodBy, None, said="it waits"),
                Row(state, facts.CardReaderTroubled, None, _troubled, said="not understood"),
            )
        ),
    ),
    next_step={
        S.NONE: "draw the first card of the next game",
        S.GAME: "end the game at the shoe",
    },
)
