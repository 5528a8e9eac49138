"""A table whose dealer has no DONE key: sensors say when a round is over, and a person where they cannot (CSM-10).

What is certain is told to the round's own table, which closes it. Of what is not, the supervisor is told; until
somebody says that the round is over, or that it goes on, it stays open: no card is let in, no bet is taken.
"""

from __future__ import annotations

from drivers.events import (
    Ability,
    CardJammed,
    DeviceFaulted,
    DeviceFaultGone,
    Holding,
    JamGone,
    LidClosed,
    LidOpened,
    TrayLevel,
)
from tableside import alerts, card_account, devices, timers
from tableside.advice_happenings import Decided
from tableside.by_hand import is_by_hand
from tableside.games.round_signals import Awaited, Began, Doubted, Over, Sign, Signal, Verdict
from tableside.games.rounds_sensed import Sensed, look_ns, sense
from tableside.happenings import (
    CardsEntered,
    CardsLeft,
    ClosingAnnounced,
    DeviceWent,
    LevelsFound,
    RoundEnded,
    RoundRuled,
    SessionReady,
)
from tableside.inputs import DaemonStarted, DeadlinePassed
from tableside.jackpot_happenings import JackpotDenied, JackpotPaid
from tableside.procedures.jackpot_sensed import is_claimed_first
from tableside.procedures.jackpot_slice import is_paid_first
from tableside.procedures.round_slice import SENSED, RoundState
from tableside.procedures.rounds_sensed_slice import Finding, of, put
from tableside.round_happenings import RoundDoubted, RoundFoundOver
from tableside.session_happenings import ReloadStarted
from tableside.tables import Procedure, Row, Turn

RULE = "CSM-10"
ALERT = "ROUND-DOUBTED"
TIMER = "round:look"


def _is_on(turn: Turn, _what: object) -> bool:
    """Rounds are played from the machine, and nobody is there to say when they are over."""
    state = turn.state
    is_played = state.procedures.rounds.state is not RoundState.CLOSED
    return state.house.rounds_are_sensed and is_played and not is_by_hand(state)


def _is_dealt(turn: Turn, what: CardsLeft) -> bool:
    """The round's table has taken it as a card of a round: what a machine tells late is of one that has ended."""
    return _is_on(turn, what) and turn.state.procedures.rounds.state is RoundState.DEALING


def _is_return(turn: Turn, what: CardsEntered) -> bool:
    return _is_on(turn, what) and what.source != card_account.HOPPER


def _counts(turn: Turn, what: TrayLevel) -> bool:
    return _is_on(turn, what) and what.cards is not None


def _is_machine(turn: Turn, what: DeviceWent | LevelsFound) -> bool:
    return _is_on(turn, what) and what.device == devices.machine(turn.state)


def _is_due(turn: Turn, what: DeadlinePassed) -> bool:
    return _is_on(turn, what) and what.name == TIMER


# --- signals ------------------------------------------------------------------------------------------------


def _sense(turn: Turn, sign: Sign, cards: int = 0) -> None:
    known, verdicts = sense(of(turn).known, Signal(sign, turn.now_ns, cards))
    put(turn, known=known)
    for verdict in verdicts:
        _conclude(turn, verdict)
    _set_timer(turn)


def _set_timer(turn: Turn) -> None:
    """One that stands is let run: a look that comes early finds nothing, and sets the next one."""
    due_ns = look_ns(of(turn).known)
    standing_ns = turn.state.timers.due.get(TIMER)
    if due_ns is not None and (standing_ns is None or due_ns < standing_ns):
        timers.at(turn, TIMER, due_ns)


def _out(turn: Turn, what: CardsLeft) -> None:
    _sense(turn, Sign.CARDS_OUT, what.cards)


def _in(turn: Turn, what: CardsEntered) -> None:
    _sense(turn, Sign.CARDS_IN, what.cards)


def _tray(turn: Turn, what: TrayLevel) -> None:
    assert what.cards is not None, "the row's condition"
    _sense(turn, Sign.TRAY, what.cards)


def _disturbed(turn: Turn, _what: object) -> None:
    _sense(turn, Sign.DISTURBED)


def _away(turn: Turn, _what: object) -> None:
    _sense(turn, Sign.AWAY)


def _all_told(turn: Turn, _what: LevelsFound) -> None:
    _sense(turn, Sign.ALL_TOLD)


def _look(turn: Turn, _what: DeadlinePassed) -> None:
    _sense(turn, Sign.LOOK)


# --- conclusions --------------------------------------------------------------------------------------------


def _conclude(turn: Turn, verdict: Verdict) -> None:
    match verdict:
        case Began():
            pass  # the round's own table begins it with its first card, and numbers it
        case Over(at_ns, _, _, why, is_sure):
            if is_sure:
                put(turn, unpaid=why, over_ns=at_ns)
                _tell_over(turn)
            else:
                _doubt(turn, why)
        case Doubted(_, why):
            _doubt(turn, why)
        case Awaited():
            if devices.shuffler(turn).holding(Ability.FEED) is Holding.ENFORCES:
                _doubt(turn, "no sensor tells")  # nothing goes in before somebody says so: it would wait for ever


def _tell_over(turn: Turn) -> None:
    """JP-12: not before the wins of the round that were seen are claimed, and its claims paid or denied."""
    found = of(turn)
    if not found.unpaid or is_paid_first(turn, None) is not None or is_claimed_first(turn, None) is not None:
        return
    put(turn, unpaid="")
    known = found.known
    next_cards = known.dealt + known.waiting if known.is_open else 0
    number = turn.state.procedures.rounds.number
    turn.happened(RoundFoundOver(round=number, why=found.unpaid, over_ns=found.over_ns, next_cards=next_cards))


def _paid(turn: Turn, _what: JackpotPaid | JackpotDenied | Decided) -> None:
    _tell_over(turn)


def _doubt(turn: Turn, why: str) -> None:
    rounds = turn.state.procedures.rounds
    PROCEDURE.move(turn, None, Finding.DOUBTED, RULE)
    turn.happened(RoundDoubted(round=rounds.number, why=why, cards=rounds.dealt))
    alerts.raise_alert(turn, ALERT, r=str(rounds.number))


def _settled(turn: Turn, why: str) -> None:
    PROCEDURE.move(turn, None, Finding.CERTAIN, RULE)
    alerts.clear_alert(turn, ALERT, by=turn.by, why=why)


def _ended(turn: Turn, what: RoundEnded) -> None:
    """By sensors, or by a person's word, which they are told."""
    _settled(turn, "the round is over")
    put(turn, unpaid="")
    if what.how != SENSED:
        _sense(turn, Sign.TOLD_OVER)


def _ruled(turn: Turn, what: RoundRuled) -> None:
    if what.ruling == "goes on":
        _settled(turn, "the round goes on")
        _sense(turn, Sign.TOLD_GOES_ON)


def _closed(turn: Turn, _what: object) -> None:
    """Between sessions cards go in and out that are no round's."""
    put(turn, known=Sensed(), unpaid="")
    timers.cancel(turn, TIMER)


def _is_sensed(turn: Turn, _what: object) -> bool:
    return turn.state.house.rounds_are_sensed


S = Finding
DISTURBING = (CardJammed, JamGone, LidOpened, LidClosed, DeviceFaulted, DeviceFaultGone)
CLOSING = (SessionReady, ClosingAnnounced, ReloadStarted)
PROCEDURE = Procedure(
    name="round by sensors",
    rule=RULE,
    states=Finding,
    read=lambda state, _what: state.procedures.rounds_sensed.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=tuple(
        row
        for state in S
        for row in (
            Row(state, CardsLeft, None, _out, _is_dealt, said="a card out", watches=True, onward=tuple(S)),
            Row(state, CardsEntered, None, _in, _is_return, said="a card in", watches=True, onward=tuple(S)),
            Row(state, TrayLevel, None, _tray, _counts, said="the tray", watches=True, onward=tuple(S)),
            *(Row(state, kind, None, _disturbed, _is_on, said="disturbed", watches=True) for kind in DISTURBING),
            Row(state, DeviceWent, None, _away, _is_machine, said="not heard", watches=True),
            Row(state, DaemonStarted, None, _away, _is_on, said="not heard", watches=True),
            Row(state, LevelsFound, None, _all_told, _is_machine, said="all told", watches=True, onward=tuple(S)),
            Row(state, DeadlinePassed, None, _look, _is_due, said="a look", onward=tuple(S)),
            Row(state, JackpotPaid, None, _paid, _is_on, rule="JP-12", said="claims are paid"),
            Row(state, JackpotDenied, None, _paid, _is_on, rule="JP-12", said="claims are decided"),
            Row(state, Decided, None, _paid, _is_on, rule="JP-12", said="no win"),
            Row(state, RoundEnded, None, _ended, _is_on, said="over", onward=tuple(S)),
            Row(state, RoundRuled, None, _ruled, _is_on, rule="CSM-2", said="ruled", onward=tuple(S)),
            *(Row(state, kind, None, _closed, _is_sensed, said="no round is played") for kind in CLOSING),
        )
    ),
    next_step={
        S.CERTAIN: "deal; lay what was dealt into the tray, or into the machine",
        S.DOUBTED: "look: end the round, or rule that it goes on",
    },
)
