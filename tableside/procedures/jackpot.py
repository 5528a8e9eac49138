"""The table's own jackpot: it grows with each locked bet, and a win is claimed, checked, paid (JP-2 to JP-13).

What is shown is derived from the meters and never typed in. While a win is checked its value is locked and every
display says *pending*; its cards lie open, and none goes back to the machine, until the prizes are paid or the win is
denied.
"""

from __future__ import annotations

from tableside import alerts, incidents, locks, presence
from tableside.cards import Card, parse_card
from tableside.happenings import RoundEnded
from tableside.house import Role
from tableside.inputs import DaemonStarted
from tableside.jackpot.settings import MAIN, JackpotSettings
from tableside.jackpot.wins import Win, evaluate
from tableside.jackpot_happenings import (
    JackpotClaimed,
    JackpotDenied,
    JackpotLocked,
    JackpotSettingsGiven,
    LedgerChanged,
)
from tableside.jackpot_requests import ClaimJackpot, DenyJackpot, MarkBets, PayJackpot
from tableside.locks import Scope
from tableside.procedures import jackpot_pot as pot
from tableside.procedures import rounds
from tableside.procedures.jackpot_no_bets import have_main_bets
from tableside.procedures.jackpot_pot import of, put
from tableside.procedures.jackpot_sensed import contradiction, hands_of, in_words, meant
from tableside.procedures.jackpot_slice import JackpotState, due, is_untold, shown
from tableside.procedures.stops import BETS
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

RULE = "JP-2"
HIT_TEXT = "JACKPOT-HIT"
LOCK = "jackpot win"
LEVELS = "jackpot levels"


# --- how it grows -------------------------------------------------------------------------------------------


def _is_set(turn: Turn, _what: object) -> bool:
    return turn.state.house.jackpot is not None


def _begin(turn: Turn, _what: DaemonStarted) -> None:
    settings = turn.state.house.jackpot
    assert settings is not None, "the row's condition"
    pot.begin(turn, settings)


def _started(turn: Turn, _what: DaemonStarted) -> None:
    """JP-2: a change counts from the next jackpot on, and the slots' chip may be another already."""
    given = turn.state.house.jackpot
    if given is not None and given not in (of(turn).settings, of(turn).given):
        _given(turn, given)
    pot.judge(turn)


def _given(turn: Turn, given: JackpotSettings) -> None:
    """Levels that hold money keep their names."""
    settings = pot.settings_of(turn)
    put(turn, given=given)
    turn.happened(JackpotSettingsGiven(approved_by=given.approved_by, approved_on=given.approved_on.isoformat()))
    if given.pots != settings.pots:
        text = f"other levels were given, and those that run hold money: {', '.join(settings.pots[1:]) or 'none'}"
        incidents.open_incident(turn, LEVELS, RULE, text)


def _locked(turn: Turn, what: JackpotLocked) -> None:
    pot.grow(turn, what.seats)


def _said(turn: Turn, _what: object) -> None:
    pot.say(turn)


def _round_over(turn: Turn, _what: RoundEnded) -> None:
    standing = pot.ledger_of(turn).standing
    put(turn, bettors=(), is_won=False, sensed=())  # guests have read *won* since a prize was paid
    if standing is not None:
        put(turn, settings=standing.settings)
    pot.say(turn)


# --- marking by hand (JP-4) ---------------------------------------------------------------------------------


def _has_no_slots(turn: Turn, _what: MarkBets) -> Refusal | None:
    if not turn.state.house.chip_slots:
        return None
    return refusal("MARKERS-BY-SLOTS")


def _is_before_the_deal(turn: Turn, _what: MarkBets) -> Refusal | None:
    if not rounds.is_open(turn.state):
        return None
    return refusal("MARKERS-TOO-LATE")


def _is_first_entry(turn: Turn, _what: MarkBets) -> Refusal | None:
    if not of(turn).bettors:
        return None
    seats = ", ".join(map(str, of(turn).bettors))
    return refusal("MARKERS-ENTERED", seats=seats)


def _are_seats(turn: Turn, what: MarkBets) -> Refusal | None:
    wrong = [seat for seat in what.seats if not 1 <= seat <= turn.state.house.seats]
    if what.seats and not wrong and len(set(what.seats)) == len(what.seats):
        return None
    seats = ", ".join(map(str, what.seats)) or "none"
    return refusal("MARKERS-SEATS", seats=seats, most=turn.state.house.seats)


def _have_main_bets(turn: Turn, what: MarkBets) -> Refusal | None:
    return have_main_bets(turn, what.seats)


def _are_taken(turn: Turn, _what: MarkBets) -> Refusal | None:
    """Whatever stops the slots of a table that has them stops markers too; *no more bets* comes before any marker."""
    for lock in locks.standing(turn.state, Scope.JACKPOT_BETS):
        if lock.reason != BETS:
            return refusal("MARKERS-NOT-TAKEN", rule=lock.rule, reason=lock.reason)
    return None


def _marked(turn: Turn, what: MarkBets) -> None:
    pot.grow(turn, tuple(sorted(what.seats)))


# --- a win --------------------------------------------------------------------------------------------------


def _cards(turn: Turn, what: ClaimJackpot) -> tuple[Card, ...]:
    """The hand as it was named; empty: whatever is known of the seat. Raises ValueError."""
    back = turn.state.house.decks[0].back
    return tuple(parse_card(f"{face} {back}") for face in what.cards)


def _is_hand(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    try:
        _cards(turn, what)
    except ValueError as error:
        return refusal("HAND-UNREADABLE", error=error)
    return None


def _took_part(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    if what.seat in of(turn).bettors:
        return None
    seats = ", ".join(map(str, of(turn).bettors)) or "none"
    return refusal("JACKPOT-NO-BET", seat=what.seat, seats=seats)


def _is_new(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    if all(win.seat != what.seat for win in of(turn).wins):
        return None
    return refusal("JACKPOT-CLAIMED", seat=what.seat)


def _win(turn: Turn, what: ClaimJackpot) -> Win | None:
    settings = pot.settings_of(turn)
    cards = _cards(turn, what)
    hands = (cards,) if what.is_against_reader else meant(turn.state, what.seat, cards)
    return next(iter(evaluate(settings, [what.seat], {what.seat: hands})), None)


def _agrees(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    return contradiction(turn.state, what, _cards(turn, what))


def _may_say_otherwise(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    """Who has looked at the cards answers for it, not who dealt them."""
    return DECIDES(turn, what) if what.is_against_reader else None


def _is_win(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    if _win(turn, what) is not None:
        return None
    settings = pot.settings_of(turn)
    names = ", ".join(prize.name for prize in settings.prizes)
    return refusal("JACKPOT-NO-WIN", hand=" ".join(what.cards), prizes=names)


def _claimed(turn: Turn, what: ClaimJackpot) -> None:
    """The value is locked at the first hit of the round; later ones of the round share it (JP-13)."""
    settings, win = pot.settings_of(turn), _win(turn, what)
    assert win is not None, "the row's guard"
    shows = shown(turn.state)
    put(turn, wins=tuple(sorted((*of(turn).wins, win))))
    pot.claim(turn, of(turn).wins)
    value = of(turn).values.get(MAIN, shows or 0)
    prize = settings.prizes[win.prize].name
    hand = what.cards or tuple(in_words(hands_of(turn.state, what.seat)[win.hand]).split())
    turn.happened(JackpotClaimed(seat=what.seat, cards=hand, prize=prize, value=value, by=turn.by))
    if len(of(turn).wins) == 1:
        text = f"seat {what.seat}: {prize}, {value} {settings.currency} at the hit"
        if what.is_against_reader:
            seen = "; ".join(map(in_words, hands_of(turn.state, what.seat)))
            text += f"; claimed {' '.join(what.cards)}, seen {seen or 'nothing'}"
        incidents.open_incident(turn, LOCK, "JP-12", text)
        locks.add(turn, Scope.FEED, LOCK, "JP-12")
        locks.add(turn, Scope.DEAL, LOCK, "JP-12", is_from_next_round=True)
        pot.say(turn)
    alerts.raise_alert(turn, HIT_TEXT, f"seat {what.seat}", seat=str(what.seat), prize=prize)


def _is_told(turn: Turn, _what: PayJackpot) -> Refusal | None:
    if not is_untold(turn.state):
        return None
    return refusal("LEDGER-SILENT")


def _adds_up(turn: Turn, what: PayJackpot) -> Refusal | None:
    owed = {payout.win.seat: payout.amount for payout in due(turn.state)}
    paid = dict(zip(what.seats, what.amounts, strict=False))
    if paid == owed and len(what.seats) == len(what.amounts) == len(owed):
        return None
    seats = sorted({*owed, *paid})
    sums = "; ".join(f"seat {seat}: due {owed.get(seat, 0)}, paid {paid.get(seat, 0)}" for seat in seats)
    return refusal("JACKPOT-SUM", sums=sums)


def _paid(turn: Turn, what: PayJackpot) -> None:
    pot.pay(turn, what)
    paid = {win.seat for win in of(turn).wins}
    put(turn, is_won=True, bettors=tuple(seat for seat in of(turn).bettors if seat not in paid))  # one chip, one prize
    _over(turn, "paid")


def _is_claimed(turn: Turn, what: DenyJackpot) -> Refusal | None:
    if any(win.seat == what.seat for win in of(turn).wins) and what.finding.strip():
        return None
    seats = ", ".join(str(win.seat) for win in of(turn).wins)
    return refusal("JACKPOT-NOT-CLAIMED", seat=what.seat, finding=what.finding, seats=seats)


def _denied(turn: Turn, what: DenyJackpot) -> None:
    left = tuple(win for win in of(turn).wins if win.seat != what.seat)
    turn.happened(JackpotDenied(seat=what.seat, finding=what.finding, by=turn.by))
    alerts.clear_alert(turn, HIT_TEXT, f"seat {what.seat}", by=turn.by, why=what.finding)
    pot.claim(turn, left)
    if left:
        put(turn, wins=left)
    else:
        _over(turn, what.finding)


def _over(turn: Turn, why: str) -> None:
    for win in of(turn).wins:
        alerts.clear_alert(turn, HIT_TEXT, f"seat {win.seat}", by=turn.by, why=why)
    PROCEDURE.move(turn, None, JackpotState.RUNNING, "JP-13")
    pot.hit_over(turn)
    locks.remove_all(turn, LOCK, turn.by)
    for incident in incidents.of_kind(turn, LOCK):
        incidents.close(turn, incident.number, why, turn.by)
    pot.say(turn)


S = JackpotState
STANDS = (S.RUNNING, S.PENDING)
ENTERS = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule="JP-4")
DECIDES = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule="JP-12")
CLAIM = (ENTERS, _may_say_otherwise, _is_hand, _took_part, _is_new, _agrees, _is_win)
PROCEDURE = Procedure(
    name="jackpot",
    rule=RULE,
    states=JackpotState,
    read=lambda state, _what: state.procedures.jackpot.state,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(S.NONE, DaemonStarted, S.RUNNING, _begin, _is_set, rule="JP-7", said="the jackpot starts"),
        *(Row(state, DaemonStarted, None, _started, said="other settings wait") for state in STANDS),
        *(Row(state, LedgerChanged, None, _said, said="the displays are told") for state in STANDS),
        Row(S.RUNNING, JackpotLocked, None, _locked, rule="JP-3", said="it grows"),
        Row(S.PENDING, JackpotLocked, None, _locked, rule="JP-3", said="it grows while a win is checked"),
        Row(
            S.RUNNING,
            MarkBets,
            None,
            _marked,
            guards=(
                ENTERS,
                _has_no_slots,
                _are_taken,
                _is_before_the_deal,
                _is_first_entry,
                _are_seats,
                _have_main_bets,
            ),
            rule="JP-4",
            said="it grows by the markers",
        ),
        Row(S.RUNNING, RoundEnded, None, _round_over, said="the round's bets are over"),
        Row(
            S.RUNNING, ClaimJackpot, S.PENDING, _claimed, guards=CLAIM, rule="JP-12", said="the value is locked: check"
        ),
        Row(S.PENDING, ClaimJackpot, None, _claimed, guards=CLAIM, rule="JP-13", said="one more win of this round"),
        Row(
            S.PENDING,
            PayJackpot,
            None,
            _paid,
            guards=(DECIDES, _is_told, _adds_up),
            rule="JP-13",
            said="paid",
            onward=(S.RUNNING,),
            then="collect the cards; end the round",
        ),
        Row(
            S.PENDING,
            DenyJackpot,
            None,
            _denied,
            guards=(DECIDES, _is_claimed),
            rule="JP-6",
            said="no win",
            onward=(S.RUNNING,),
        ),
    ),
    next_step={
        S.NONE: "this table has no jackpot: add one to its file",
        S.RUNNING: "say no more bets (NO MORE BETS), then deal",
        S.PENDING: "leave the cards open; check the win, pay it or deny it",
    },
)
