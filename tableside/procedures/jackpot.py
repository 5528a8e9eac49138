"""The table's own jackpot: it grows with each locked bet, and a win is claimed, checked, paid (JP-2 to JP-13).

What is shown is derived from the meters and never typed in. While a win is checked its value is locked and every
display says *pending*; its cards lie open, and none goes back to the machine, until the prizes are paid or the win is
denied.
"""

from __future__ import annotations

from msgspec.structs import replace

from drivers.events import Shown
from tableside import alerts, incidents, locks, presence
from tableside.cards import Card, parse_card
from tableside.happenings import RoundEnded
from tableside.house import Role
from tableside.inputs import DaemonStarted
from tableside.jackpot import meters as of_meters
from tableside.jackpot.meters import Meters
from tableside.jackpot.settings import JackpotSettings
from tableside.jackpot.wins import Win, evaluate, pay_out
from tableside.jackpot_happenings import (
    JackpotClaimed,
    JackpotDenied,
    JackpotLocked,
    JackpotPaid,
    JackpotRaised,
    JackpotStarted,
)
from tableside.jackpot_requests import ClaimJackpot, DenyJackpot, MarkBets, PayJackpot
from tableside.locks import Scope
from tableside.procedures import rounds
from tableside.procedures.jackpot_display import show
from tableside.procedures.jackpot_slice import JackpotSlice, JackpotState, due
from tableside.tables import Procedure, Refusal, Row, Turn

RULE = "JP-2"
HIT_TEXT = "JACKPOT-HIT"
LOCK = "jackpot win"


def of(turn: Turn) -> JackpotSlice:
    """The slice now."""
    return turn.state.procedures.jackpot


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    changed = replace(procedures.jackpot, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, jackpot=changed))


def _in_force(turn: Turn) -> tuple[JackpotSettings, Meters]:
    settings, meters = of(turn).settings, of(turn).meters
    assert settings is not None
    assert meters is not None
    return settings, meters


# --- how it grows -------------------------------------------------------------------------------------------


def _is_set(turn: Turn, _what: object) -> bool:
    return turn.state.house.jackpot is not None


def _begin(turn: Turn, _what: DaemonStarted) -> None:
    settings = turn.state.house.jackpot
    assert settings is not None, "the row's condition"
    put(turn, settings=settings, meters=of_meters.first(settings))
    _started(turn)
    _show_amount(turn)


def _started(turn: Turn) -> None:
    settings, meters = _in_force(turn)
    turn.happened(
        JackpotStarted(
            shown=meters.shown,
            currency=settings.currency,
            approved_by=settings.approved_by,
            approved_on=settings.approved_on.isoformat(),
        )
    )


def _locked(turn: Turn, what: JackpotLocked) -> None:
    _raise(turn, what.seats)


def _raise(turn: Turn, seats: tuple[int, ...]) -> None:
    settings, meters = _in_force(turn)
    after = of_meters.contribute(meters, settings, len(seats))
    put(turn, bettors=seats, meters=after)
    turn.happened(JackpotRaised(seats=seats, shown=after.shown, contributed=after.contributed))
    if of(turn).state is JackpotState.RUNNING:
        _show_amount(turn)


def _show_amount(turn: Turn) -> None:
    settings, meters = _in_force(turn)
    show(turn, Shown.AMOUNT, meters.shown, settings.currency)


def _round_over(turn: Turn, _what: RoundEnded) -> None:
    put(turn, bettors=())
    _show_amount(turn)  # guests have read *won* since a prize was paid


# --- marking by hand (JP-4) ---------------------------------------------------------------------------------


def _has_no_slots(turn: Turn, _what: MarkBets) -> Refusal | None:
    if not turn.state.house.chip_slots:
        return None
    return Refusal("JP-3", "the slots of this table tell who has bet", "say no more bets (NO MORE BETS)")


def _is_before_the_deal(turn: Turn, _what: MarkBets) -> Refusal | None:
    if not rounds.is_open(turn.state):
        return None
    return Refusal("JP-11", "the first card has left the machine", "give the chips back: they are no bets")


def _is_first_entry(turn: Turn, _what: MarkBets) -> Refusal | None:
    if not of(turn).bettors:
        return None
    seats = ", ".join(map(str, of(turn).bettors))
    return Refusal("JP-4", f"markers of this round are entered: seats {seats}", "deal; ask the supervisor")


def _are_seats(turn: Turn, what: MarkBets) -> Refusal | None:
    wrong = [seat for seat in what.seats if not 1 <= seat <= turn.state.house.seats]
    if what.seats and not wrong and len(set(what.seats)) == len(what.seats):
        return None
    text = f"seats {', '.join(map(str, what.seats)) or 'none'}"
    return Refusal("JP-10", text, f"each seat with a marker once, of 1 to {turn.state.house.seats}")


def _marked(turn: Turn, what: MarkBets) -> None:
    _raise(turn, tuple(sorted(what.seats)))


# --- a win --------------------------------------------------------------------------------------------------


def _cards(turn: Turn, what: ClaimJackpot) -> tuple[Card, ...]:
    """The hand as it was named. Raises ValueError."""
    back = turn.state.house.decks[0].back
    return tuple(parse_card(f"{face} {back}") for face in what.cards)


def _is_hand(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    try:
        _cards(turn, what)
    except ValueError as error:
        return Refusal("JP-5", str(error), "name the first cards in the order in which they were dealt: AS AH")
    return None


def _took_part(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    if what.seat in of(turn).bettors:
        return None
    seats = ", ".join(map(str, of(turn).bettors)) or "none"
    return Refusal("JP-8", f"seat {what.seat} has no jackpot bet in this round", f"seats with a bet: {seats}")


def _is_new(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    if all(win.seat != what.seat for win in of(turn).wins):
        return None
    return Refusal("JP-10", f"seat {what.seat} has claimed already", "one chip, one prize: pay it or deny it first")


def _win(turn: Turn, what: ClaimJackpot) -> Win | None:
    settings, _ = _in_force(turn)
    return next(iter(evaluate(settings, [what.seat], {what.seat: (_cards(turn, what),)})), None)


def _is_win(turn: Turn, what: ClaimJackpot) -> Refusal | None:
    if _win(turn, what) is not None:
        return None
    settings, _ = _in_force(turn)
    names = ", ".join(prize.name for prize in settings.prizes)
    return Refusal("JP-6", f"{' '.join(what.cards)} is no winning combination", f"those that win: {names}")


def _claimed(turn: Turn, what: ClaimJackpot) -> None:
    """The value is locked at the first hit of the round; later ones of the round share it (JP-13)."""
    settings, meters = _in_force(turn)
    win = _win(turn, what)
    assert win is not None, "the row's guard"
    value = of(turn).value or meters.shown
    put(turn, value=value, wins=tuple(sorted((*of(turn).wins, win))))
    prize = settings.prizes[win.prize].name
    turn.happened(JackpotClaimed(seat=what.seat, cards=what.cards, prize=prize, value=value, by=turn.by))
    if len(of(turn).wins) == 1:
        text = f"seat {what.seat}: {prize}, {value} {settings.currency} at the hit"
        incidents.open_incident(turn, LOCK, "JP-12", text)
        locks.add(turn, Scope.FEED, LOCK, "JP-12")
        locks.add(turn, Scope.DEAL, LOCK, "JP-12", is_from_next_round=True)
        show(turn, Shown.PENDING)
    alerts.raise_alert(turn, HIT_TEXT, f"seat {what.seat}", seat=str(what.seat), prize=prize)


def _adds_up(turn: Turn, what: PayJackpot) -> Refusal | None:
    owed = {payout.win.seat: payout.amount for payout in due(turn.state)}
    paid = dict(zip(what.seats, what.amounts, strict=False))
    if paid == owed and len(what.seats) == len(what.amounts) == len(owed):
        return None
    seats = sorted({*owed, *paid})
    text = "; ".join(f"seat {seat}: due {owed.get(seat, 0)}, paid {paid.get(seat, 0)}" for seat in seats)
    return Refusal("JP-13", text, "pay what is due, from the lowest prize to the highest, and say so")


def _paid(turn: Turn, what: PayJackpot) -> None:
    settings, meters = _in_force(turn)
    paid = pay_out(settings, of(turn).value, of(turn).wins)
    after = of_meters.pay(meters, sum(payout.amount for payout in paid.payouts))
    put(turn, meters=after)
    turn.happened(JackpotPaid(seats=what.seats, amounts=what.amounts, left=after.shown, by=turn.by))
    if paid.is_top:
        following = turn.state.house.jackpot or settings  # a change of settings counts from the next jackpot on
        put(turn, settings=following, meters=of_meters.restart(after, following))
        _started(turn)
    _over(turn, "paid")
    show(turn, Shown.WON)


def _is_claimed(turn: Turn, what: DenyJackpot) -> Refusal | None:
    if any(win.seat == what.seat for win in of(turn).wins) and what.finding.strip():
        return None
    seats = ", ".join(str(win.seat) for win in of(turn).wins)
    return Refusal("JP-6", f"seat {what.seat}, finding {what.finding!r}", f"claimed: {seats}; say what the check found")


def _denied(turn: Turn, what: DenyJackpot) -> None:
    left = tuple(win for win in of(turn).wins if win.seat != what.seat)
    turn.happened(JackpotDenied(seat=what.seat, finding=what.finding, by=turn.by))
    alerts.clear_alert(turn, HIT_TEXT, f"seat {what.seat}", by=turn.by, why=what.finding)
    if left:
        put(turn, wins=left)
    else:
        _over(turn, what.finding)


def _over(turn: Turn, why: str) -> None:
    for win in of(turn).wins:
        alerts.clear_alert(turn, HIT_TEXT, f"seat {win.seat}", by=turn.by, why=why)
    if of(turn).state is JackpotState.PENDING:
        PROCEDURE.move(turn, None, JackpotState.RUNNING, "JP-13")
    put(turn, value=0, wins=())
    locks.remove_all(turn, LOCK, turn.by)
    for incident in incidents.of_kind(turn, LOCK):
        incidents.close(turn, incident.number, why, turn.by)
    _show_amount(turn)


S = JackpotState
ENTERS = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule="JP-4")
DECIDES = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule="JP-12")
CLAIM = (ENTERS, _is_hand, _took_part, _is_new, _is_win)
PROCEDURE = Procedure(
    name="jackpot",
    rule=RULE,
    states=JackpotState,
    read=lambda state, _what: state.procedures.jackpot.state,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(S.NONE, DaemonStarted, S.RUNNING, _begin, _is_set, rule="JP-7", said="the jackpot starts"),
        Row(S.RUNNING, JackpotLocked, None, _locked, rule="JP-3", said="it grows"),
        Row(S.PENDING, JackpotLocked, None, _locked, rule="JP-3", said="it grows while a win is checked"),
        Row(
            S.RUNNING,
            MarkBets,
            None,
            _marked,
            guards=(ENTERS, _has_no_slots, _is_before_the_deal, _is_first_entry, _are_seats),
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
            guards=(DECIDES, _adds_up),
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
