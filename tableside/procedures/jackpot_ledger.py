"""The ledger of linked tables, as the table knows it: whether it answers, what it said, what it has not taken.

While the ledger is away nobody knows what the jackpot is worth: no bet is taken, displays say *one moment*, and bets
that were locked before are kept in the outbox, with the ids under which the ledger counts them once (JP-2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside import alerts, incidents, locks, timers
from tableside.inputs import DaemonStarted, DeadlinePassed, LedgerLost, LedgerTold, LedgerTook
from tableside.jackpot.linked import Contribution, Hit, Standing
from tableside.jackpot_happenings import (
    JackpotCounted,
    JackpotOrdered,
    LedgerCame,
    LedgerChanged,
    LedgerWanted,
    LedgerWent,
)
from tableside.locks import Scope
from tableside.procedures import jackpot_pot as pot
from tableside.procedures.jackpot_fit import chip_objection
from tableside.procedures.jackpot_slice import LedgerState
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "JP-2"
AWAY = "ledger away"
UNFIT = "ledger settings"
LOST_TEXT = "LEDGER-LOST"
SILENT_TIMER = "ledger away"


def read(state: TableState, _what: object) -> LedgerState:
    """As the slice says."""
    return state.procedures.jackpot_ledger.state


# --- connected and away -------------------------------------------------------------------------------------


def _is_linked(turn: Turn, _what: DaemonStarted) -> bool:
    """A pot of the table's own that runs is played to its end first: it holds money."""
    return bool(turn.state.house.jackpot_ledger) and pot.of(turn).meters is None


def _has_own_pot(turn: Turn, _what: DaemonStarted) -> bool:
    return bool(turn.state.house.jackpot_ledger) and pot.of(turn).meters is not None


def _waits(turn: Turn, _what: DaemonStarted) -> None:
    """JP-2: from the next jackpot on. Money of several levels cannot go along."""
    text = "the table's file names a ledger, and its own jackpot still runs: the linked one is the next"
    if all(incident.text != text for incident in incidents.of_kind(turn, UNFIT)):
        incidents.open_incident(turn, UNFIT, RULE, text)


def _begin(turn: Turn, _what: DaemonStarted) -> None:
    """Nothing is known of the ledger before it has answered this daemon."""
    _go(turn, "has not answered yet")


def _go_over(turn: Turn, _what: LedgerWanted) -> None:
    """Its own jackpot was won."""
    pot.go_over(turn)
    _go(turn, "has not answered yet")
    for incident in incidents.of_kind(turn, UNFIT):
        incidents.close(turn, incident.number, "its own jackpot was won: the linked one has begun", "ledger")


def _is_let_go(turn: Turn, _what: DaemonStarted) -> bool:
    """The file names no ledger any more, and nothing is left to tell it."""
    return not (turn.state.house.jackpot_ledger or pot.ledger_of(turn).outbox or pot.of(turn).wins)


def _let_go(turn: Turn, _what: DaemonStarted) -> None:
    """The linked jackpot goes on elsewhere; here the table's own begins, where the file has one."""
    for reason in (AWAY, UNFIT):
        locks.remove_all(turn, reason, "the table's file")
    timers.cancel(turn, SILENT_TIMER)
    alerts.clear_alert(turn, LOST_TEXT, by="the table's file", why="this table has no ledger any more")
    pot.put(turn, settings=None, bettors=())
    pot.put_ledger(turn, standing=None, why="")


def _lost(turn: Turn, what: LedgerLost) -> None:
    turn.happened(LedgerWent(why=what.why))
    _go(turn, what.why)


def _go(turn: Turn, why: str) -> None:
    pot.put_ledger(turn, why=why)
    locks.add(turn, Scope.JACKPOT_BETS, AWAY, RULE)
    if LOST_TEXT not in (alert.text for alert in turn.state.alerts.standing.values()):
        timers.start(turn, SILENT_TIMER, turn.state.house.device_silent_s)
    turn.happened(LedgerChanged())


def _still_lost(turn: Turn, what: LedgerLost) -> None:
    pot.put_ledger(turn, why=what.why)


def _is_silent(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == SILENT_TIMER


def _silent(turn: Turn, _what: DeadlinePassed) -> None:
    alerts.raise_alert(turn, LOST_TEXT)


def _came(turn: Turn, what: LedgerTold) -> None:
    timers.cancel(turn, SILENT_TIMER)
    alerts.clear_alert(turn, LOST_TEXT, by="ledger", why="answers again")
    locks.remove_all(turn, AWAY, "ledger")
    pot.put_ledger(turn, why="")
    turn.happened(LedgerCame(shown=what.standing.value, outbox=len(pot.ledger_of(turn).outbox)))
    _told(turn, what)


# --- what it says -------------------------------------------------------------------------------------------


def _told(turn: Turn, what: LedgerTold | LedgerTook) -> None:
    before = pot.ledger_of(turn).standing
    pot.put_ledger(turn, standing=what.standing)
    _judge(turn, what.standing)
    if before is None or before.pots[0].start != what.standing.pots[0].start:
        pot.started(turn, what.standing.settings, what.standing.value)
    turn.happened(LedgerChanged())


def _judge(turn: Turn, standing: Standing) -> None:
    """What is in force is what the ledger says (JP-2). A round that was bet on under other settings ends on those."""
    jackpot = pot.of(turn)
    if not (jackpot.bettors or jackpot.wins):
        pot.put(turn, settings=standing.settings)
    why = _objection(turn, standing)
    if why:
        locks.add(turn, Scope.JACKPOT_BETS, UNFIT, RULE)
        if all(incident.text != why for incident in incidents.of_kind(turn, UNFIT)):
            incidents.open_incident(turn, UNFIT, RULE, why)
    else:
        locks.remove_all(turn, UNFIT, "ledger")
        for incident in incidents.of_kind(turn, UNFIT):
            incidents.close(turn, incident.number, "the ledger's sums and settings fit again", "ledger")


def _objection(turn: Turn, standing: Standing) -> str:
    if not standing.is_reconciled:
        pots = "; ".join(
            f"{each.level or 'main'}: {each.started} + {each.contributed} - {each.taken} is not {each.shown}"
            for each in standing.pots
            if not each.is_reconciled
        )
        return f"the ledger's meters do not reconcile: {pots}"
    return chip_objection(turn.state.house, standing.settings, "the linked jackpot's")


def _took(turn: Turn, what: LedgerTook) -> None:
    """Acknowledged: it is counted, and need not be sent again."""
    outbox = pot.ledger_of(turn).outbox
    done = [entry for entry in outbox if entry.id == what.entry]
    pot.put_ledger(turn, outbox=tuple(entry for entry in outbox if entry.id != what.entry))
    if done and isinstance(done[0], Contribution):
        turn.happened(JackpotCounted(entry=what.entry, shown=what.standing.value))
    if what.hit is not None:
        _ordered(turn, what.hit)
    _told(turn, what)


def _ordered(turn: Turn, hit: Hit) -> None:
    """The ledger's word on wins that are still claimed as they were."""
    ledger = pot.ledger_of(turn)
    if pot.of(turn).wins and hit.version == ledger.version:
        pot.put_ledger(turn, hit=hit)
        pot.put(turn, values=hit.stages[0].values if hit.stages else {})
        seats = tuple(payout.win.seat for payout in hit.payouts)
        amounts = tuple(payout.amount for payout in hit.payouts)
        turn.happened(JackpotOrdered(hit=hit.id, order=hit.order, value=hit.value, seats=seats, amounts=amounts))


def _came_with_word(turn: Turn, what: LedgerTook) -> None:
    _came(turn, LedgerTold(standing=what.standing))
    _took(turn, what)


S = LedgerState
LINKED = (S.AWAY, S.HERE)
PROCEDURE = Procedure(
    name="jackpot ledger",
    rule=RULE,
    states=LedgerState,
    read=read,
    write=lambda turn, _what, target: pot.put_ledger(turn, state=target),
    rows=(
        Row(S.NONE, DaemonStarted, S.AWAY, _begin, _is_linked, said="the ledger is asked"),
        Row(S.NONE, DaemonStarted, None, _waits, _has_own_pot, said="its own jackpot is played to its end"),
        *(Row(state, DaemonStarted, S.NONE, _let_go, _is_let_go, said="no ledger any more") for state in LINKED),
        *(Row(state, DaemonStarted, S.AWAY, _begin, said="the ledger is asked anew") for state in LINKED),
        Row(S.NONE, LedgerWanted, S.AWAY, _go_over, said="the next jackpot is the linked one"),
        *(
            Row(S.NONE, kind, None, said="nothing to this table's own jackpot")
            for kind in (LedgerTold, LedgerTook, LedgerLost)
        ),
        Row(S.AWAY, LedgerTold, S.HERE, _came, said="the ledger answers"),
        Row(S.HERE, LedgerTold, None, _told, said="the sum"),
        Row(S.AWAY, LedgerTook, S.HERE, _came_with_word, said="acknowledged"),
        Row(S.HERE, LedgerTook, None, _took, said="acknowledged"),
        Row(S.HERE, LedgerLost, S.AWAY, _lost, said="no ledger: no jackpot bets"),
        Row(S.AWAY, LedgerLost, None, _still_lost, said="still away"),
        Row(S.AWAY, DeadlinePassed, None, _silent, _is_silent, said="somebody looks after it"),
    ),
    next_step={
        S.NONE: "this table's jackpot is its own",
        S.AWAY: "take no jackpot bets; the main game goes on; have the ledger's server looked at",
        S.HERE: "nothing to do",
    },
)
