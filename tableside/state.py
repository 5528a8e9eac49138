"""The table's whole state and its one function. A composition: each part's logic is in its own file.

`reduce(state, input)` is pure: no clock, no I/O, no randomness. The order within a turn: bookkeeping learns the
fact (levels, meters, commands), then the tables of transitions are offered it, then what they tell each other,
until nothing is left; last, what is derived is settled: permits and lamp.
"""

from __future__ import annotations

import msgspec

from drivers.events import KeyPressed, Notice, Tampered
from tableside import (
    alerts,
    asked_stops,
    bookkeeping,
    card_account,
    chip_account,
    commands,
    devices,
    displays,
    house,
    incidents,
    keys,
    lamp,
    locks,
    observed,
    permits,
    presence,
    timers,
    unexpected,
    unknown_outcomes,
)
from tableside.decisions import Decision
from tableside.inputs import Input
from tableside.procedures import PROCEDURES, WISHES, deal_tests, is_round_open
from tableside.procedures.slices import Procedures
from tableside.refusals import refusal
from tableside.requests import Request
from tableside.tables import Procedure, Turn, answer_refused


class TableState(msgspec.Struct, frozen=True):
    """Everything that a table knows. Canonical bytes of it are the checkpoints (semantics §1.4)."""

    house: house.House
    clock_boot: str = ""
    last_at_ns: int = 0
    last_wall_ns: int = 0
    devices: devices.Devices = devices.Devices()
    account: card_account.CardAccount = card_account.CardAccount()
    commands: commands.Commands = commands.Commands()
    locks: locks.Locks = locks.Locks()
    permits: permits.Permits = permits.Permits()
    presence: presence.Presence = presence.Presence()
    alerts: alerts.Alerts = alerts.Alerts()
    incidents: incidents.Incidents = incidents.Incidents()
    timers: timers.Timers = timers.Timers()
    lamps: dict[str, lamp.Shown] = {}
    displays: displays.Displays = displays.Displays()
    chips: chip_account.Chips = chip_account.Chips()
    procedures: Procedures = Procedures()


LISTENERS: dict[type, tuple[Procedure, ...]] = {}
for _procedure in PROCEDURES:
    for _kind in _procedure.listens_to:
        LISTENERS[_kind] = (*LISTENERS.get(_kind, ()), _procedure)


def reduce(state: TableState, given: Input) -> tuple[TableState, tuple[Decision, ...]]:
    """One input through the table: the state after it, and what was decided, in order."""
    turn = Turn(state, given)
    if not bookkeeping.is_repeated(turn, given.what):
        bookkeeping.learn(turn, given.what)
        _offer(turn, given.what)
        if isinstance(given.what, KeyPressed):
            _offer(turn, keys.asked(turn, given.what))
        _settle(turn)
        unknown_outcomes.tell(turn)
        asked_stops.settle(turn, is_round_open=is_round_open(turn.state))
        lamp.settle(turn, alerts.lamps(turn.state))
        displays.settle(turn)
    return turn.state, tuple(turn.decisions)


def _settle(turn: Turn) -> None:
    """Tell the tables what happened until nothing is left; a permit that is given then may start the next step."""
    while True:
        while turn.happenings:
            happening = turn.happenings.popleft()
            bookkeeping.follow(turn, happening)
            _offer(turn, happening)
        permits.settle(turn, WISHES, is_round_open=is_round_open(turn.state))
        if not turn.happenings:
            return


def _offer(turn: Turn, what: object) -> None:
    listeners = LISTENERS.get(type(what), ())
    if isinstance(what, Request):
        objection = observed.objection(turn.state.house, what)
        if objection is not None:
            answer_refused(turn, what, objection)
        elif listeners:
            listeners[0].ask(turn, what)
        else:
            answer_refused(turn, what, refusal("REQUEST-UNKNOWN", request=type(what).__name__))
        return
    if isinstance(what, Notice) and not isinstance(what, Tampered) and devices.is_standing_by(turn.state, what.device):
        # A spare, or a machine that was exchanged: what happens in it touches no card of the table, but test cards.
        if turn.state.procedures.deal_tests.holds(what.device):
            deal_tests.PROCEDURE.take(turn, what)
        return
    if observed.is_of_no_shoe_here(turn.state.house, what):
        unexpected.record(turn, f"{type(what).__name__} of a shoe that this table has not", ())
        return
    taken = [procedure.take(turn, what) for procedure in listeners]
    if not any(taken):
        unexpected.not_listed(turn, what)


def encode_state(state: TableState) -> bytes:
    """Canonical bytes of a state: keys sorted, so that equal states have equal bytes."""
    return msgspec.json.encode(state, order="sorted")


def decode_state(body: bytes) -> TableState:
    """A state back from its bytes. Raises `msgspec.ValidationError`."""
    return msgspec.json.decode(body, type=TableState)
