"""The jackpot display: what it shows is asked for, and where it cannot be trusted nobody bets on the jackpot.

How an amount grows and is won is not decided here: it comes as a request, and is shown as it is or not at all.
"""

from __future__ import annotations

from enum import StrEnum

from drivers.displays.showing import Limits, Showing
from drivers.events import DisplayShowed, DisplayTroubled, Shown
from drivers.registry import display_limits
from tableside import alerts, devices, displays, locks, presence
from tableside.happenings import DeviceCame
from tableside.house import Display
from tableside.inputs import DeadlinePassed
from tableside.jackpot_happenings import JackpotCalled, JackpotOver
from tableside.locks import Scope
from tableside.procedures.conditions import silent_device
from tableside.procedures.people import SECTION_ROLES
from tableside.refusals import refusal
from tableside.requests import ShowJackpot
from tableside.tables import Procedure, Refusal, Row, Turn

LOST = "DISPLAY-LOST"
RULE = "JP-3"
# Words that surveillance is shown where to look for: a hit that waits for its check, and one that is won.
CALLS = frozenset({Shown.PENDING, Shown.WON})


class DisplayState(StrEnum):
    """The displays have no states of their own: what stands is the goal, and which of them show it."""

    ANY = "any"


def limits_of(display: Display) -> Limits:
    """What this display can show."""
    return display_limits(display.driver, display.characters)


def lock_reason(device: str) -> str:
    """The name of the lock that a display leaves behind."""
    return f"display {device}"


# --- what is asked for --------------------------------------------------------------------------------------


def _has_display(turn: Turn, _what: ShowJackpot) -> Refusal | None:
    if turn.state.house.displays:
        return None
    return refusal("NO-DISPLAY")


def _is_whole(_turn: Turn, what: ShowJackpot) -> Refusal | None:
    """An amount without currency, or one beside a word, would be guessed at."""
    if (what.what is Shown.AMOUNT) == bool(what.currency) and (what.what is Shown.AMOUNT or not what.amount):
        return None
    currency = what.currency or "missing"
    return refusal("AMOUNT-NOT-WHOLE", what=what.what, amount=what.amount, currency=currency)


def _can_be_shown(turn: Turn, what: ShowJackpot) -> Refusal | None:
    """By every display of the table: two displays that say different things are worse than none."""
    showing = Showing(0, what.what, what.amount, what.currency)
    for display in turn.state.house.displays:
        objection = limits_of(display).objection(showing)
        if objection is not None:
            return refusal("DISPLAY-CANNOT", display=display.name, why=objection)
    return None


def _has_no_meters(turn: Turn, what: ShowJackpot) -> Refusal | None:
    """Where the jackpot itself is kept, what it shows follows from its meters."""
    if turn.state.house.jackpot is None or what.what is Shown.WAIT:
        return None
    return refusal("DISPLAY-SHOWS-METERS")


def _asked(turn: Turn, what: ShowJackpot) -> None:
    _tell(turn, what.what, what.amount, what.currency)


def show(turn: Turn, what: Shown, amount: int = 0, currency: str = "") -> None:
    """What the jackpot's meters say. A display that cannot show it is not trusted: nobody bets on what is not shown."""
    _tell(turn, what, amount, currency)
    showing = Showing(0, what, amount, currency)
    for display in turn.state.house.displays:
        if limits_of(display).objection(showing) is not None:
            _not_trusted(turn, display.name)


def _tell(turn: Turn, what: Shown, amount: int, currency: str) -> None:
    goal = turn.state.displays.goal
    before = goal.what if goal is not None else Shown.NOTHING
    displays.set_goal(turn, what, amount, currency)
    if before is what:
        return
    if before in CALLS:
        turn.happened(JackpotOver(what=before, by=turn.by))
    if what in CALLS:
        turn.happened(JackpotCalled(what=what, by=turn.by))


# --- what displays tell -------------------------------------------------------------------------------------


def _showed(turn: Turn, what: DisplayShowed) -> None:
    goal = turn.state.displays.goal
    if goal is None or (goal.version, goal.what) != (what.version, what.what):
        displays.not_shown(turn, what.device)  # of an older goal, or it said *one moment* by itself
        return
    displays.read_back(turn, what.device, what.version)
    if displays.is_showing_goal(turn.state, what.device):
        _trusted(turn, what.device, "shows what it shall")


def _troubled(turn: Turn, what: DisplayTroubled) -> None:
    displays.not_shown(turn, what.device)
    _not_trusted(turn, what.device)


def _not_trusted(turn: Turn, device: str) -> None:
    locks.add(turn, Scope.JACKPOT_BETS, lock_reason(device), RULE)
    if f"{LOST}:{device}" not in turn.state.alerts.standing:
        alerts.raise_alert(turn, LOST, device)


def _is_silent_display(turn: Turn, what: DeadlinePassed) -> bool:
    device = silent_device(what)
    return device is not None and displays.is_display(turn.state, device)


def _silent(turn: Turn, what: DeadlinePassed) -> None:
    device = silent_device(what)
    assert device is not None, "the row's condition"
    locks.add(turn, Scope.JACKPOT_BETS, lock_reason(device), RULE)


def _is_display(turn: Turn, what: DeviceCame | DisplayTroubled) -> bool:
    return displays.is_display(turn.state, what.device)


def _came(turn: Turn, what: DeviceCame) -> None:
    """With nothing to show it can be trusted at once; else once it shows what it shall."""
    if turn.state.displays.goal is None and devices.of(turn, what.device).is_connected:
        _trusted(turn, what.device, "answers again")


def _trusted(turn: Turn, device: str, why: str) -> None:
    locks.remove_all(turn, lock_reason(device), device)
    alerts.clear_alert(turn, LOST, device, by=device, why=why)


A = DisplayState.ANY
PROCEDURE = Procedure(
    name="jackpot display",
    rule=RULE,
    states=DisplayState,
    read=lambda _state, _what: DisplayState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(
            A,
            ShowJackpot,
            None,
            _asked,
            guards=(
                presence.acts_as(*SECTION_ROLES, rule=RULE),
                _has_display,
                _has_no_meters,
                _is_whole,
                _can_be_shown,
            ),
            said="the displays are told",
        ),
        Row(A, DisplayShowed, None, _showed, said="read back"),
        Row(A, DisplayTroubled, None, _troubled, _is_display, said="not what it was told"),
        Row(A, DisplayTroubled, None, said="no display of this table"),
        Row(A, DeadlinePassed, None, _silent, _is_silent_display, said="it stays away"),
        Row(A, DeviceCame, None, _came, _is_display, said="it answers again"),
    ),
    next_step={A: "see that the displays show it"},
)
