"""A card reader's count against the machine's: what it saw go by is what the machine says it gave out (semantics §2.2).

Compared at the round's end only, and a moment later where they differ: the last card's notice may still be on its way.
Which of the two is wrong the machine's own count says; what the reader saw moves no card in the account.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from drivers.events import DeviceBooted, NoticesLost
from tableside import alerts, devices, incidents, timers
from tableside.by_hand import is_by_hand
from tableside.happenings import (
    CardsLeft,
    CardsPassed,
    CountEnded,
    CountWanted,
    DeviceCame,
    MachineHandCounted,
    QuietPointReached,
)
from tableside.inputs import DeadlinePassed
from tableside.session_happenings import MachineCountedOut
from tableside.tables import Procedure, Row, Turn

RULE = "CSM-8"
KIND = "reader count"
TEXT = "READER-COUNT"
ROUND_OVER = "round over"
# A reader tells a card within its resends of half a second to four (TDL 8.2); longer is not *on its way*.
SETTLE_S = 5
TIMER = "reader count"


class ReaderState(StrEnum):
    """Whether a difference stands for which the machine is counted."""

    AGREEING = "agreeing"
    DIFFERING = "differing"


class Counts(msgspec.Struct, frozen=True):
    """Cards since a reader and the machine last agreed. `is_blind`: something of that was missed, nothing is compared.

    `suspected`: by so many they differed at the last round's end, and the next one began before that was sure.
    """

    dealt: int = 0
    passed: int = 0
    is_blind: bool = False
    suspected: int = 0

    @property
    def difference(self) -> int:
        """Cards that the reader did not see; below zero, saw too many."""
        return self.dealt - self.passed


class ReaderSlice(msgspec.Struct, frozen=True):
    """By reader."""

    state: ReaderState = ReaderState.AGREEING
    counts: dict[str, Counts] = {}


def of(turn: Turn) -> ReaderSlice:
    return turn.state.procedures.card_readers


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(
        turn.state, procedures=replace(procedures, card_readers=replace(procedures.card_readers, **changes))
    )


def _put_counts(turn: Turn, name: str, counts: Counts) -> None:
    put(turn, counts={**of(turn).counts, name: counts})


def _of_reader(turn: Turn, name: str) -> Counts:
    return of(turn).counts.get(name, Counts())


# --- counting -----------------------------------------------------------------------------------------------


def _left(turn: Turn, what: CardsLeft) -> None:
    for name in turn.state.house.card_readers:
        counts = _of_reader(turn, name)
        _put_counts(turn, name, replace(counts, dealt=counts.dealt + what.cards))


def _passed(turn: Turn, what: CardsPassed) -> None:
    counts = _of_reader(turn, what.device)
    _put_counts(turn, what.device, replace(counts, passed=counts.passed + what.cards))


def _is_at_machine(turn: Turn, _what: CardsPassed) -> bool:
    return not is_by_hand(turn.state)


def _is_reader(turn: Turn, what: DeviceCame | DeviceBooted | NoticesLost) -> bool:
    return what.device in turn.state.house.card_readers


def _is_anew(turn: Turn, what: DeviceCame) -> bool:
    """In the same boot its meter tells what was missed; in another one nothing does."""
    return _is_reader(turn, what) and what.is_new_boot


def _blind(turn: Turn, what: DeviceCame | DeviceBooted | NoticesLost) -> None:
    _put_counts(turn, what.device, Counts(is_blind=True))


# --- comparing ----------------------------------------------------------------------------------------------


def _is_round_over(_turn: Turn, what: QuietPointReached) -> bool:
    return what.point == ROUND_OVER


def _see_again(turn: Turn, _what: QuietPointReached) -> None:
    """Nothing has been dealt for a while: what was missed is over, and both begin to count from here."""
    for name in turn.state.house.card_readers:
        if _of_reader(turn, name).is_blind and devices.of(turn, name).is_up_to_date:
            _put_counts(turn, name, Counts())


def _differing(turn: Turn) -> str:
    """The first reader that does not agree; empty: all do, or cannot be asked. Those that agree begin anew."""
    found = ""
    for name in turn.state.house.card_readers:
        counts = _of_reader(turn, name)
        if counts.is_blind or not devices.of(turn, name).is_up_to_date:
            continue
        if not counts.difference:
            _put_counts(turn, name, Counts())
        else:
            found = found or name
    return found


def _compare(turn: Turn, _what: QuietPointReached) -> None:
    """The same difference at two rounds' ends is no card that is still on its way."""
    name = _differing(turn)
    if not name:
        return
    counts = _of_reader(turn, name)
    if counts.difference == counts.suspected:
        _tell(turn, name)
    else:
        _put_counts(turn, name, replace(counts, suspected=counts.difference))
        timers.start(turn, TIMER, SETTLE_S)


def _is_settled(turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == TIMER


def _compare_again(turn: Turn, _what: DeadlinePassed) -> None:
    """While cards fall the two never agree: then the round's end looks again."""
    name = _differing(turn)
    if name and turn.state.procedures.rounds.state.value != "dealing":
        _tell(turn, name)


def _tell(turn: Turn, name: str) -> None:
    counts = _of_reader(turn, name)
    machine = devices.machine(turn.state)
    text = f"{name} saw {counts.passed} card(s) go by, {machine} says it gave out {counts.dealt}"
    incidents.open_incident(turn, KIND, RULE, text)
    alerts.raise_alert(turn, TEXT, name, a=str(counts.passed), b=str(counts.dealt))
    _put_counts(turn, name, Counts())
    PROCEDURE.move(turn, None, ReaderState.DIFFERING, RULE)
    turn.happened(CountWanted(why="card reader"))


# --- settled ------------------------------------------------------------------------------------------------


def _counted(turn: Turn, what: CountEnded | MachineHandCounted) -> None:
    is_right = what.counted == what.expected
    finding = "the reader miscounted" if is_right else "the machine's own count differs too"
    _settle(turn, f"{finding}: {what.counted} counted where {what.expected} were expected")


def _counted_out(turn: Turn, what: MachineCountedOut) -> None:
    _settle(turn, f"{what.serial} was counted out")


def _settle(turn: Turn, finding: str) -> None:
    for incident in incidents.of_kind(turn, KIND):
        incidents.close(turn, incident.number, finding, turn.by or "count")
    for name in turn.state.house.card_readers:
        alerts.clear_alert(turn, TEXT, name, by=turn.by or "count", why=finding)


S = ReaderState
DIFFERS = (S.DIFFERING,)
PROCEDURE = Procedure(
    name="card readers",
    rule=RULE,
    states=ReaderState,
    read=lambda state, _what: state.procedures.card_readers.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *(
            row
            for state in S
            for row in (
                Row(state, CardsLeft, None, _left, said="given out", watches=True),
                Row(state, CardsPassed, None, _passed, _is_at_machine, said="seen"),
                Row(state, DeviceCame, None, _blind, _is_anew, said="a reader restarted"),
                Row(state, DeviceBooted, None, _blind, _is_reader, said="a reader restarted", watches=True),
                Row(state, NoticesLost, None, _blind, _is_reader, said="a reader lost notices", watches=True),
            )
        ),
        Row(S.AGREEING, QuietPointReached, None, _compare, _is_round_over, said="compared", onward=DIFFERS),
        *(Row(state, QuietPointReached, None, _see_again, said="counted from here") for state in S),
        Row(S.AGREEING, DeadlinePassed, None, _compare_again, _is_settled, said="compared again", onward=DIFFERS),
        Row(S.DIFFERING, DeadlinePassed, None, when=_is_settled, said="another reader's, counted anyway"),
        *(Row(S.DIFFERING, kind, S.AGREEING, _counted, said="counted") for kind in (CountEnded, MachineHandCounted)),
        Row(S.DIFFERING, MachineCountedOut, S.AGREEING, _counted_out, said="counted out"),
    ),
    next_step={
        S.AGREEING: "nothing to do",
        S.DIFFERING: "wait until the machine has counted itself",
    },
)
