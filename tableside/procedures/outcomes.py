"""Commands whose outcome nobody knows, and devices whose memory is not ours: settled by count or person.

semantics §1.3: *Unknown* locks deal and feed; COUNT_ALL, a hand count or a person settles it, never a repeat.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from drivers.events import Outcome
from tableside import (
    alerts,
    chip_account,
    commands,
    devices,
    incidents,
    locks,
    permits,
    presence,
    sightings,
    unknown_outcomes,
)
from tableside.commands import Stage
from tableside.happenings import CommandClosed, CommandLost, CountEnded, CountWanted, MachineHandCounted
from tableside.house import Role
from tableside.inputs import JournalDoubted
from tableside.locks import Scope
from tableside.refusals import refusal
from tableside.requests import AcceptJournal, AdoptDevice, SettleUnknown
from tableside.session_happenings import MachineCountedOut
from tableside.tables import GO_ON, Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


DOUBTED = "journal doubted"
BY_TWO = (Role.TECHNICIAN, Role.ROOM_MANAGEMENT)


class OutcomeState(StrEnum):
    """Derived from the open commands: whether any is unknown."""

    CERTAIN = "certain"
    UNKNOWN = "unknown"


def read(state: TableState, _what: object) -> OutcomeState:
    """Derived status cannot drift: unknown while any open command is, or its lock waits for the named act."""
    is_unknown = any(command.stage is Stage.UNKNOWN for command in state.commands.open.values())
    return OutcomeState.UNKNOWN if is_unknown or unknown_outcomes.is_any(state) else OutcomeState.CERTAIN


def _is_of_machine(turn: Turn, what: CommandLost) -> bool:
    """What a chip slot may have moved no count of cards can tell."""
    return chip_account.slots_of(turn.state, what.device) is None


def _want_count(turn: Turn, _what: CommandLost) -> None:
    turn.happened(CountWanted(why="unknown outcome"))


def _counted(turn: Turn, what: CountEnded) -> None:
    """The machine was counted and agrees: what the unknown command moved, the meters have shown."""
    _settle_all(turn, what.device, "count")


def _hand_counted(turn: Turn, what: MachineHandCounted) -> None:
    """What it moved is in that count, and what differed is posted under the supervisor's name (semantics §1.3)."""
    _settle_all(turn, what.device, what.by)


def _settle_all(turn: Turn, device: str, by: str) -> None:
    for command in tuple(turn.state.commands.open.values()):
        if command.stage is Stage.UNKNOWN and command.device == device:
            commands.settle(turn, command, "count", None)
    for number in unknown_outcomes.numbers(turn.state, device):
        unknown_outcomes.free(turn, device, number, by)


def _agrees(_turn: Turn, what: CountEnded) -> bool:
    return what.counted == what.expected


def _counted_out(turn: Turn, what: MachineCountedOut) -> None:
    """The machine was emptied and counted by hand: what its unknown command moved is in that count."""
    _settle_all(turn, what.device, turn.by)


def _is_unknown(turn: Turn, what: SettleUnknown) -> Refusal | None:
    command = commands.of(turn, what.device, what.command)
    if command is not None and command.stage is Stage.UNKNOWN:
        return None
    if command is None and what.command in unknown_outcomes.numbers(turn.state, what.device):
        return None  # a later word of the device has told its end; the lock waits for this act
    return refusal("COMMAND-NOT-UNKNOWN", command=what.command, device=what.device)


def _settle(turn: Turn, what: SettleUnknown) -> None:
    command = commands.of(turn, what.device, what.command)
    if command is None:
        unknown_outcomes.free(turn, what.device, what.command, turn.by)
    else:
        commands.settle(turn, command, "person", what.moved)


def _two_persons(turn: Turn, what: AdoptDevice | AcceptJournal) -> Refusal | None:
    """Two who have both proved who they are: a name that is only given proves nobody."""
    proved = [staff for staff in what.second_way if not sightings.objection(turn, staff)]
    having = {role: {staff for staff in proved if role in sightings.roles_here(turn, staff)} for role in BY_TWO}
    technicians, managers = having[Role.TECHNICIAN], having[Role.ROOM_MANAGEMENT]
    if any(one != other for one in technicians for other in managers):
        return None
    return refusal("TWO-BY-PIN")


def _doubted(turn: Turn, what: JournalDoubted) -> None:
    """Records that do not fit together: nothing moves until two persons have looked (design rule 8)."""
    incidents.open_incident(turn, DOUBTED, "CSM-8", "; ".join(what.findings))
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, DOUBTED, "CSM-8")
    alerts.raise_alert(turn, "JOURNAL-DOUBTED")


def _has_reason(turn: Turn, what: AcceptJournal) -> Refusal | None:
    if what.why.strip() and incidents.of_kind(turn, DOUBTED):
        return None
    return refusal("JOURNAL-NO-DOUBT")


def _accepted(turn: Turn, what: AcceptJournal) -> None:
    locks.remove_all(turn, DOUBTED, turn.by)
    alerts.clear_alert(turn, "JOURNAL-DOUBTED", by=turn.by, why=what.why)
    for incident in incidents.of_kind(turn, DOUBTED):
        incidents.close(turn, incident.number, what.why, turn.by)


def _adopt(turn: Turn, what: AdoptDevice) -> None:
    commands.adopt(turn, what.device)


def _adopted(turn: Turn, what: CommandClosed) -> None:
    """Our epoch is obeyed now: what was distrusted is settled, and a count proves the content."""
    devices.adopted(turn, what.device)
    permits.device_free(turn, what.device)
    for kind in ("other epoch", "journal older than the device"):
        locks.remove_all(turn, f"{kind} {what.device}", what.step)
        for incident in incidents.of_kind(turn, kind):
            incidents.close(turn, incident.number, "adopted", turn.by)
    for text in commands.TEXTS.values():
        alerts.clear_alert(turn, text, what.device, by=turn.by, why="adopted")


def _is_adoption(_turn: Turn, what: CommandClosed) -> bool:
    return what.step == "adopt" and what.outcome is Outcome.DONE


def _is_no_adoption(_turn: Turn, what: CommandClosed) -> bool:
    """It did not take: what the device obeys is looked at again when it comes back."""
    return what.step == "adopt" and what.outcome is not Outcome.DONE


ADOPTING = "wait until the device has answered"
PROCEDURE = Procedure(
    name="outcomes",
    rule="CSM-8",
    states=OutcomeState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(
            OutcomeState.UNKNOWN, CommandLost, act=_want_count, when=_is_of_machine, said="count what the machine holds"
        ),
        Row(OutcomeState.UNKNOWN, MachineCountedOut, act=_counted_out, said="counted out by hand: settled"),
        Row(OutcomeState.UNKNOWN, MachineHandCounted, act=_hand_counted, said="counted by hand: settled"),
        Row(OutcomeState.UNKNOWN, CountEnded, act=_counted, when=_agrees, said="count agrees: settled"),
        Row(
            OutcomeState.UNKNOWN,
            SettleUnknown,
            act=_settle,
            guards=(presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-8"), _is_unknown),
            said="settled by person",
        ),
        *(Row(state, JournalDoubted, act=_doubted, said="journal doubted") for state in OutcomeState),
        *(
            Row(
                state,
                AcceptJournal,
                act=_accepted,
                guards=(_two_persons, _has_reason),
                said="journal accepted",
                then=GO_ON,
            )
            for state in OutcomeState
        ),
        *(
            Row(
                state,
                AdoptDevice,
                act=_adopt,
                guards=(_two_persons,),
                said="the device is asked to obey",
                then=ADOPTING,
            )
            for state in OutcomeState
        ),
        *(Row(state, CommandClosed, act=_adopted, when=_is_adoption, said="adopted") for state in OutcomeState),
        *(Row(state, CommandClosed, when=_is_no_adoption, said="not adopted") for state in OutcomeState),
    ),
    next_step={
        OutcomeState.CERTAIN: "nothing is unknown",
        OutcomeState.UNKNOWN: "count the cards and settle the unknown command",
    },
)
