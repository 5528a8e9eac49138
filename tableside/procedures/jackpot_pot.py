"""Where the money of the jackpot is: in the table's own meters, or in the ledger that linked tables feed (JP-2, JP-13).

What the procedure decides is the same for both. An own pot is counted at once; a linked one is counted by the ledger,
whose word comes back as a fact, and until then nothing is shown or paid of it.
"""

from __future__ import annotations

from msgspec.structs import replace

from drivers.events import Shown
from firmware_bridge.clock import NS_PER_S
from tableside.jackpot import meters as of_meters
from tableside.jackpot.linked import Claim, Contribution, Payment, Share, contribution
from tableside.jackpot.meters import Meters
from tableside.jackpot.settings import MAIN, WHOLE, JackpotSettings
from tableside.jackpot.wins import Win, pay_out
from tableside.jackpot_happenings import JackpotPaid, JackpotRaised, JackpotSent, JackpotStarted, LedgerWanted
from tableside.procedures.jackpot_display import show
from tableside.procedures.jackpot_fit import judge_own, let_go
from tableside.procedures.jackpot_slice import JackpotSlice, JackpotState, LedgerSlice, LedgerState, is_linked, shown
from tableside.requests import PayJackpot
from tableside.tables import Turn


def of(turn: Turn) -> JackpotSlice:
    """The jackpot now."""
    return turn.state.procedures.jackpot


def put(turn: Turn, **changes: object) -> None:
    """Change it."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, jackpot=replace(procedures.jackpot, **changes)))


def ledger_of(turn: Turn) -> LedgerSlice:
    """How the table stands with the ledger."""
    return turn.state.procedures.jackpot_ledger


def put_ledger(turn: Turn, **changes: object) -> None:
    """Change that."""
    procedures = turn.state.procedures
    changed = replace(procedures.jackpot_ledger, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, jackpot_ledger=changed))


def settings_of(turn: Turn) -> JackpotSettings:
    """What it is set to; there is one."""
    settings = of(turn).settings
    assert settings is not None, "only asked of a jackpot that runs"
    return settings


def _own(turn: Turn) -> dict[str, Meters]:
    """The table's own meters by level."""
    main = of(turn).meters
    assert main is not None, "only asked of a table that keeps its own"
    return {MAIN: main, **of(turn).levels}


def _keep(turn: Turn, meters: dict[str, Meters]) -> None:
    put(turn, meters=meters[MAIN], levels={level: each for level, each in meters.items() if level != MAIN})
    judge_own(turn, settings_of(turn), meters)


def judge(turn: Turn) -> None:
    """Another file may have been given: whether the pot of the table's own, if it has one, may take bets still."""
    if of(turn).meters is not None:
        judge_own(turn, settings_of(turn), _own(turn))


def say(turn: Turn) -> None:
    """What guests read now: a win is checked, one was won, the amount; or *one moment* where nobody knows it."""
    jackpot, ledger = of(turn), ledger_of(turn)
    amount = shown(turn.state)
    if jackpot.state is JackpotState.NONE:
        return
    if jackpot.wins:
        show(turn, Shown.PENDING)
    elif jackpot.is_won:
        show(turn, Shown.WON)
    elif amount is None:
        show(turn, Shown.WAIT)
    elif is_linked(turn.state) and ledger.standing is not None and ledger.standing.pending:
        show(turn, Shown.PENDING)  # at another table
    else:
        show(turn, Shown.AMOUNT, amount, settings_of(turn).currency)


def started(turn: Turn, settings: JackpotSettings, value: int) -> None:
    """A jackpot stands at its start (JP-7)."""
    turn.happened(
        JackpotStarted(
            shown=value,
            currency=settings.currency,
            approved_by=settings.approved_by,
            approved_on=settings.approved_on.isoformat(),
        )
    )


def begin(turn: Turn, settings: JackpotSettings) -> None:
    """The first start; a linked one stands in the ledger, which tells it."""
    put(turn, settings=settings)
    if not is_linked(turn.state):
        _keep(turn, {level: of_meters.first(settings.of(level)) for level in settings.pots})
        started(turn, settings, settings.start)
    say(turn)


# --- how it grows -------------------------------------------------------------------------------------------


def grow(turn: Turn, seats: tuple[int, ...]) -> None:
    """The bets of a round stand: counted, or on their way to the ledger, once."""
    settings = settings_of(turn)
    put(turn, bettors=seats)
    if is_linked(turn.state):
        if seats:
            entry = contribution(_next_id(turn), turn.state.house.table, len(seats), settings)
            send(turn, entry)
            turn.happened(JackpotSent(entry=entry.id, seats=seats))
        return
    grown = {level: of_meters.contribute(each, settings.of(level), len(seats)) for level, each in _own(turn).items()}
    _keep(turn, grown)
    main = grown[MAIN]
    turn.happened(JackpotRaised(seats=seats, shown=main.shown, contributed=main.contributed))
    say(turn)


def send(turn: Turn, entry: Contribution | Claim | Payment) -> None:
    """Into the outbox: it is sent until the ledger has acknowledged it."""
    put_ledger(turn, outbox=(*ledger_of(turn).outbox, entry))


def _next_id(turn: Turn) -> str:
    """The next entry's."""
    number = ledger_of(turn).entries + 1
    put_ledger(turn, entries=number)
    return _unlike_any(turn, str(number))


def _unlike_any(turn: Turn, what: str) -> str:
    """Of this table for ever: the epoch was made with its journal, and a copy of it that is put back counts anew.

    So the instant is in it too: what is said after a backup was put back is never taken for what was said before.
    """
    house = turn.state.house
    return f"{house.table}.{house.epoch:08x}.{what}.{turn.given.wall_ns // NS_PER_S}"


def _hit_id(turn: Turn) -> str:
    """The same for all versions of one hit."""
    ledger = ledger_of(turn)
    if not ledger.hit_id:
        put_ledger(turn, hits=ledger.hits + 1, hit_id=_unlike_any(turn, f"hit{ledger.hits + 1}"))
    return ledger_of(turn).hit_id


# --- a win --------------------------------------------------------------------------------------------------


def claim(turn: Turn, wins: tuple[Win, ...]) -> None:
    """These are the wins of this round now: the value is locked at the first, and the ledger says in which order."""
    if is_linked(turn.state):
        version = ledger_of(turn).version + 1
        put_ledger(turn, version=version)
        send(turn, Claim(_hit_id(turn), turn.state.house.table, version, wins, settings_of(turn)))
    elif not of(turn).values:
        put(turn, values={level: each.shown for level, each in _own(turn).items()})


def pay(turn: Turn, what: PayJackpot) -> None:
    """The prizes were paid as they were due. Of an own pot they are taken now, and what is emptied starts anew."""
    if is_linked(turn.state):
        send(turn, Payment(_hit_id(turn), turn.state.house.table))
        turn.happened(JackpotPaid(seats=what.seats, amounts=what.amounts, left=_left(turn), by=turn.by))
        return
    settings = settings_of(turn)
    paid = pay_out(settings, of(turn).values, of(turn).wins)
    meters = {level: of_meters.pay(each, paid.of(level)) for level, each in _own(turn).items()}
    turn.happened(JackpotPaid(seats=what.seats, amounts=what.amounts, left=meters[MAIN].shown, by=turn.by))
    if paid.is_top and _goes_over(turn):
        _keep(turn, meters)
        turn.happened(LedgerWanted())
        return
    if paid.is_top:
        settings = _next_settings(turn, settings)
        put(turn, settings=settings)
    for level in paid.emptied:
        meters[level] = of_meters.restart(meters[level], settings.of(level))
    _keep(turn, meters)
    if paid.is_top:
        started(turn, settings, meters[MAIN].shown)


def _goes_over(turn: Turn) -> bool:
    """Levels beside the main one hold money still: such a pot stays the table's own."""
    house = turn.state.house
    return bool(house.jackpot_ledger) and house.jackpot is not None and not of(turn).levels


def go_over(turn: Turn) -> None:
    """What waited for the own pot's next start goes into the linked one; nothing is lost, to the part of a unit."""
    main, settings = _own(turn)[MAIN], turn.state.house.jackpot
    assert settings is not None, "it goes over"
    shown, hidden = (main.shown + main.overflow) * WHOLE + main.of_increment, main.hidden * WHOLE + main.of_hidden
    put(turn, settings=settings, meters=None)
    let_go(turn)
    send(turn, Contribution(_next_id(turn), turn.state.house.table, 0, (Share(MAIN, shown, hidden),)))


def _left(turn: Turn) -> int:
    standing = ledger_of(turn).standing
    return 0 if standing is None else standing.value


def _next_settings(turn: Turn, settings: JackpotSettings) -> JackpotSettings:
    """JP-2: a change counts from the next jackpot on. Levels that hold money stay as they are named."""
    following = turn.state.house.jackpot
    return following if following is not None and following.pots == settings.pots else settings


def hit_over(turn: Turn) -> None:
    """Paid or denied: the next hit has an id of its own."""
    put(turn, values={}, wins=())
    ledger = ledger_of(turn)
    if ledger.state is not LedgerState.NONE:
        put_ledger(turn, hit_id="", version=0, hit=None)
