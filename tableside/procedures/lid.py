"""The lid: free for whoever is signed in, an incident for nobody known (CSM-2; semantics §2.1.8).

Hands are in it while it is open, so a lapse of presence does not shut it. When it shuts one question is answered:
how many cards were taken out, and where are they now.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import LidClosed, LidOpened, PermitKind, Place
from tableside import alerts, card_account, devices, incidents, locks, presence, sightings, timers
from tableside.card_account import DAMAGED, HAND, HOPPER, MACHINE, TABLE, TRAY, Evidence
from tableside.happenings import (
    BadgeTapped,
    CardsHandled,
    CountWanted,
    LevelsFound,
    PresenceShown,
    QuietPointReached,
    SwapStarted,
)
from tableside.inputs import DeadlinePassed
from tableside.locks import Scope
from tableside.permits import LID_MS, Wish
from tableside.presence import Operation
from tableside.refusals import refusal
from tableside.requests import CardsTakenOut, OpenLid
from tableside.tables import GO_ON, Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

REASON = "lid"
FREE_TIMER = "lid:free"
LONG_TIMER = "lid:long"
# Where cards taken out by hand may be said to be; `back in` means where they came from: machine or hopper.
NOW_AT = {"table": TABLE, "tray": TRAY, "damaged": DAMAGED, "back in": ""}
# Nobody holds more than the machine's largest load in two hands at an open lid.
CARDS_MAX = 416


class LidState(StrEnum):
    """Shut; free to be opened; open by somebody signed in; open by nobody known; shut but not yet answered for."""

    SHUT = "shut"
    FREE = "free"
    OPEN = "open"
    UNSIGNED = "open, nobody signed in"
    ASKING = "shut, question open"


class LidSlice(msgspec.Struct, frozen=True):
    """`answered`: cards taken out in this opening, None until said. `is_known`: somebody signed in for it."""

    state: LidState = LidState.SHUT
    by: str = ""
    answered: int | None = None
    is_known: bool = True


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, lid=replace(procedures.lid, **changes)))


def wishes(state: TableState) -> tuple[Wish, ...]:
    """The lid is free while somebody who is present has asked for it, and stays so while it is open."""
    lid = state.procedures.lid.state
    if lid is LidState.FREE:  # no longer than somebody is present; a held badge has no end yet
        return (
            Wish(devices.machine(state), PermitKind.LID, LID_MS, not_after_ns=presence.until_ns(state, Operation.LID)),
        )
    if lid is LidState.OPEN:
        return (Wish(devices.machine(state), PermitKind.LID, LID_MS),)
    return ()


def _free(turn: Turn, what: OpenLid | BadgeTapped) -> None:
    presence.begin(turn, Operation.LID)
    put(turn, by=what.staff if isinstance(what, BadgeTapped) else turn.by, answered=None, is_known=True)
    timers.start(turn, FREE_TIMER, LID_MS / 1000)


def _is_for_jam(turn: Turn, what: BadgeTapped) -> bool:
    """Badge, lid, one question (semantics §4 *Jam*): at a stuck card the badge alone says what is wanted."""
    is_stuck = bool(devices.of(turn, devices.machine(turn.state)).jams)
    if turn.state.procedures.swap.is_under_way:
        return False  # the machine is on its way out: taps are for the exchange
    return is_stuck and presence.ROLES[Operation.LID][0] in sightings.roles_here(turn, what.staff)


def _not_opened(turn: Turn, _what: DeadlinePassed) -> None:
    presence.end(turn, Operation.LID)


def _no_more_to_open(turn: Turn, _what: SwapStarted) -> None:
    timers.cancel(turn, FREE_TIMER)
    presence.end(turn, Operation.LID)


def _opened(turn: Turn, _what: LidOpened | LevelsFound) -> None:
    timers.cancel(turn, FREE_TIMER)
    _lock(turn)
    timers.start(turn, LONG_TIMER, turn.state.house.lid_open_alert_s)


def _is_present(turn: Turn, _what: LidOpened | LevelsFound | OpenLid) -> bool:
    """Opening needs presence when it opens (semantics §2.1.8)."""
    return presence.is_present(turn.state, Operation.LID, turn.now_ns)


def _opened_too_late(turn: Turn, what: LidOpened) -> None:
    timers.cancel(turn, FREE_TIMER)
    presence.end(turn, Operation.LID)
    _opened_by_nobody(turn, what)


def _opened_by_nobody(turn: Turn, what: LidOpened) -> None:
    put(turn, by="", answered=None, is_known=False)
    _lock(turn)
    incidents.open_incident(turn, "lid", "CSM-2", f"{what.device}: lid opened by nobody known")
    alerts.raise_alert(turn, "LID-OPEN")


def _found_open(turn: Turn, what: LevelsFound) -> None:
    """semantics §1.4: opened while nobody saw it, so by nobody known."""
    put(turn, by="", answered=None, is_known=False)
    _lock(turn)
    incidents.open_incident(turn, "lid", "CSM-2", f"{what.device}: lid found open, opened by nobody known")
    alerts.raise_alert(turn, "LID-FOUND-OPEN")


def _is_open_here(turn: Turn, what: LevelsFound) -> bool:
    return bool(what.is_lid_open) and not devices.is_standing_by(turn.state, what.device)


def _is_shut_everywhere(turn: Turn, what: LevelsFound) -> bool:
    """No device that could tell says that it is open: its closing was not told (a restart in between)."""
    told = (devices.machine(turn.state), turn.state.house.switch_box)
    is_open = any(devices.of(turn, name).is_lid_open for name in told)
    return what.is_lid_open is False and what.device in told and not is_open


def _signed_in(turn: Turn, _what: OpenLid) -> None:
    presence.begin(turn, Operation.LID)
    put(turn, by=turn.by)
    _clear_alerts(turn, "signed in")
    timers.start(turn, LONG_TIMER, turn.state.house.lid_open_alert_s)


def _seen_again(turn: Turn, _what: PresenceShown) -> None:
    timers.start(turn, LONG_TIMER, turn.state.house.lid_open_alert_s)
    alerts.clear_alert(turn, "LID-OPEN-LONG", by=turn.by, why="seen again")


def _is_lid(_turn: Turn, what: PresenceShown) -> bool:
    return what.operation == Operation.LID


def _open_long(turn: Turn, _what: DeadlinePassed) -> None:
    alerts.raise_alert(turn, "LID-OPEN-LONG", n=str(turn.state.house.lid_open_alert_s))


def _is_long(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == LONG_TIMER


def _is_free_over(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == FREE_TIMER


def _is_answer(_turn: Turn, what: CardsTakenOut) -> Refusal | None:
    if what.now not in NOW_AT:
        return refusal("PLACE-UNKNOWN", place=what.now, places=", ".join(NOW_AT))
    if not 0 <= what.cards <= CARDS_MAX:
        return refusal("TAKEN-OUT-IMPOSSIBLE", cards=what.cards)
    return None


def _answered(turn: Turn, what: CardsTakenOut) -> None:
    _handled(turn, what)
    put(turn, answered=(turn.state.procedures.lid.answered or 0) + what.cards)


def _handled(turn: Turn, what: CardsTakenOut) -> None:
    """The cards pass through a hand at the open lid, then lie where the supervisor says."""
    source = _taken_from(turn)
    card_account.move(turn, source, HAND, what.cards, Evidence.PERSON, "taken out at the open lid")
    target = NOW_AT[what.now] or source
    card_account.move(turn, HAND, target, what.cards, Evidence.PERSON, "taken out at the open lid")
    turn.happened(CardsHandled(cards=what.cards, source=source, now=what.now, by=turn.by))
    if what.is_origin_unknown:
        turn.happened(CountWanted(why="origin of a card unknown"))


def _handled_unopened(turn: Turn, what: CardsTakenOut) -> None:
    """A tap at a stuck card has freed the lid, and nobody needs to lift it: the card had gone before."""
    _handled(turn, what)
    timers.cancel(turn, FREE_TIMER)
    presence.end(turn, Operation.LID)


def _taken_from(turn: Turn) -> str:
    """Where the account has a card that a hand takes out.

    What sticks at the feed lies before the in meter: it was never counted in, so it is where it came from.
    """
    if set(turn.state.procedures.jams.standing) != {Place.FEED}:
        return MACHINE
    return HOPPER if turn.state.account.at(HOPPER) > 0 else TABLE


def _answered_late(turn: Turn, what: CardsTakenOut) -> None:
    _answered(turn, what)
    _done(turn)


def _is_answered(turn: Turn, _what: LidClosed | LevelsFound) -> bool:
    return turn.state.procedures.lid.answered is not None


def _is_found_answered(turn: Turn, what: LevelsFound) -> bool:
    return _is_shut_everywhere(turn, what) and turn.state.procedures.lid.answered is not None


def _shut(turn: Turn, _what: LidClosed | LevelsFound) -> None:
    timers.cancel(turn, LONG_TIMER)
    _done(turn)


def _shut_unanswered(turn: Turn, _what: LidClosed | LevelsFound) -> None:
    timers.cancel(turn, LONG_TIMER)


def _done(turn: Turn) -> None:
    """Shut and answered for: the lock goes, the running count is compared at once, a full one where nobody knew."""
    is_known = turn.state.procedures.lid.is_known
    presence.end(turn, Operation.LID)
    locks.remove_all(turn, REASON, turn.by or turn.state.procedures.lid.by)
    _clear_alerts(turn, "shut and answered for")
    for incident in incidents.of_kind(turn, "lid"):
        incidents.close(turn, incident.number, "shut and answered for", turn.by or turn.state.procedures.lid.by)
    put(turn, by="", answered=None, is_known=True)
    turn.happened(QuietPointReached(point="lid shut"))
    if not is_known:
        turn.happened(CountWanted(why="lid opened by nobody known"))


def _lock(turn: Turn) -> None:
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, REASON, "CSM-2")


def _clear_alerts(turn: Turn, why: str) -> None:
    for text in ("LID-OPEN", "LID-FOUND-OPEN", "LID-OPEN-LONG"):
        alerts.clear_alert(turn, text, by=turn.by, why=why)


SIGNED_IN = presence.needs(Operation.LID, "CSM-2")
S = LidState
WATCHED = (S.SHUT, S.ASKING)
PROCEDURE = Procedure(
    name="lid",
    rule="CSM-2",
    states=LidState,
    read=lambda state, _what: state.procedures.lid.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.SHUT, OpenLid, S.FREE, _free, guards=(SIGNED_IN,), said="the lid is free"),
        Row(S.SHUT, BadgeTapped, S.FREE, _free, _is_for_jam, said="tapped at a stuck card"),
        # The tap was for the exchange of the machine: the lid that nobody has opened is no more to be opened.
        Row(S.FREE, SwapStarted, S.SHUT, _no_more_to_open, said="machine to be exchanged"),
        Row(S.SHUT, LidOpened, S.UNSIGNED, _opened_by_nobody, said="opened by nobody known"),
        *(Row(state, LevelsFound, S.UNSIGNED, _found_open, _is_open_here, said="found open") for state in WATCHED),
        Row(S.FREE, LevelsFound, S.OPEN, _opened, _is_open_here, said="found open"),
        Row(S.OPEN, LevelsFound, S.SHUT, _shut, _is_found_answered, said="found shut, answered"),
        Row(S.OPEN, LevelsFound, S.ASKING, _shut_unanswered, _is_shut_everywhere, said="found shut, not answered"),
        Row(S.UNSIGNED, LevelsFound, S.ASKING, _shut_unanswered, _is_shut_everywhere, said="found shut"),
        Row(S.SHUT, LidClosed, None, said="shut"),
        Row(S.SHUT, CardsTakenOut, None, _handled, guards=(SIGNED_IN, _is_answer), said="answered", then=GO_ON),
        Row(S.FREE, LidOpened, S.OPEN, _opened, _is_present, said="opened"),
        Row(S.FREE, LidOpened, S.UNSIGNED, _opened_too_late, said="opened when nobody was present any more"),
        Row(S.FREE, DeadlinePassed, S.SHUT, _not_opened, _is_free_over, said="not opened in time"),
        Row(
            S.FREE,
            CardsTakenOut,
            S.SHUT,
            _handled_unopened,
            guards=(SIGNED_IN, _is_answer),
            said="answered",
            then=GO_ON,
        ),
        Row(S.FREE, OpenLid, None, when=_is_present, said="the lid is free"),
        Row(S.FREE, OpenLid, None, _free, guards=(SIGNED_IN,), said="the lid is free"),
        Row(S.OPEN, CardsTakenOut, None, _answered, guards=(_is_answer,), said="answered", then="shut the lid"),
        Row(S.OPEN, PresenceShown, None, _seen_again, _is_lid, said="seen again"),
        Row(S.OPEN, DeadlinePassed, None, _open_long, _is_long, said="open for long"),
        Row(S.OPEN, OpenLid, None, said="it is open"),
        Row(S.OPEN, LidOpened, None, said="open"),
        Row(S.OPEN, LidClosed, S.SHUT, _shut, _is_answered, said="shut, answered"),
        Row(S.OPEN, LidClosed, S.ASKING, _shut_unanswered, said="shut, not answered"),
        Row(S.UNSIGNED, OpenLid, S.OPEN, _signed_in, guards=(SIGNED_IN,), said="signed in"),
        Row(S.UNSIGNED, LidOpened, None, said="open"),
        Row(S.UNSIGNED, LidClosed, S.ASKING, _shut_unanswered, said="shut, nobody signed in"),
        Row(
            S.ASKING, CardsTakenOut, S.SHUT, _answered_late, guards=(SIGNED_IN, _is_answer), said="answered", then=GO_ON
        ),
        Row(S.ASKING, OpenLid, S.FREE, _free, guards=(SIGNED_IN,), said="the lid is free"),
        Row(S.ASKING, LidOpened, S.UNSIGNED, _opened_by_nobody, said="opened by nobody known"),
        Row(S.ASKING, LidClosed, None, said="shut"),
    ),
    next_step={
        S.SHUT: "tap the badge and ask for the lid; at a stuck card the badge is enough",
        S.FREE: "open the lid within 30 s",
        S.OPEN: "say how many cards were taken out and where they are, then shut the lid",
        S.UNSIGNED: "floor supervisor: tap the badge, ask for the lid, look inside, shut it",
        S.ASKING: "floor supervisor: tap the badge, say how many cards were taken out and where they are",
    },
)
