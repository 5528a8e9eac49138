"""Conditions of devices and of the product itself: silent, wrong, restarted, no journal, no space, clock.

Links and levels clear by themselves (semantics §3); what a device names as its fault is in `device_faults`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from drivers import events
from drivers.events import DeviceRejected, NoticesLost
from tableside import alerts, causes, chip_account, commands, devices, displays, incidents, lamp, locks, timers
from tableside.counted import counted
from tableside.decisions import LevelsAsked
from tableside.happenings import ClosingAnnounced, CountWanted, DeviceCame, DeviceWent, SessionOpened
from tableside.house import TableKind
from tableside.inputs import (
    ClockStepped,
    CommitSlow,
    DaemonStarted,
    DeadlinePassed,
    JournalOnReserve,
    JournalReached,
    JournalRestored,
    SpaceEnough,
    SpaceLow,
)
from tableside.locks import Scope
from tableside.procedures import warning_lamps
from tableside.procedures.stops import SLOW_JOURNAL
from tableside.session_happenings import MachineCountedOut, ReloadStarted
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

PRODUCTION = "production"
SILENT_TIMER = "silent:"
MISSED_TIMER = "missed:"  # of a device that was not there when session or daemon began
JOURNAL = "journal"
SLOW_COMMIT_LOCK_S = 5  # semantics §1.1
SLOW_TIMER = "journal slow"
# Commits are quick again when none was slow for so long; shorter, and a disk that stalls now and then rings each time.
QUICK_AGAIN_S = 60
LOW_MACHINE_TEXT = "MACHINE-LOW"
DEVICE_WRONG = "DEVICE-WRONG"
SPARE_WRONG = "SPARE-WRONG"
WRONG = (DEVICE_WRONG, SPARE_WRONG)
# What stands against one machine and goes when it is exchanged.
OF_A_MACHINE = frozenset(
    {
        "SHUFFLER-SILENT",
        DEVICE_WRONG,
        SPARE_WRONG,
        "DEVICE-RESET",
        "NOTICES-LOST",
        LOW_MACHINE_TEXT,
    }
)


class ConditionState(StrEnum):
    """These have no states of their own: each condition stands or not, as levels, locks and alerts say."""

    ANY = "any"


def read(_state: TableState, _what: object) -> ConditionState:
    """Always the one state."""
    return ConditionState.ANY


# --- links --------------------------------------------------------------------------------------------------


def _went(turn: Turn, what: DeviceWent) -> None:
    """A short loss is a line, not an alert; a reader's driver has waited its 8 s before it says so (semantics §9)."""
    _lock_open_commands(turn, what.device)
    is_reader = what.device in turn.state.house.readers
    _miss(turn, SILENT_TIMER + what.device, 0 if is_reader else turn.state.house.device_silent_s)


def _miss(turn: Turn, timer: str, seconds: float) -> None:
    """Tables of a section call one after the other, so that one cause calls once (causes.py)."""
    timers.start(turn, timer, seconds + causes.STAGGER_S * turn.state.house.section.rank)


def _lock_open_commands(turn: Turn, device: str) -> None:
    """semantics §1.3: a command that is open at a device which is away locks until its outcome is known."""
    if any(command.device == device for command in turn.state.commands.open.values()):
        for scope in (Scope.DEAL, Scope.FEED):
            locks.add(turn, scope, commands.away_reason(device), "CSM-8")


def _looked_for(turn: Turn, _what: DaemonStarted | SessionOpened) -> None:
    """A device that was never there does not go away: in a session it is missed as if it had gone just now.

    A spare is not: it may stand unplugged until it is needed, and a swap asks for it then.
    """
    house = turn.state.house
    has_sessions = house.kind in (TableKind.SHUFFLER, TableKind.HAND_SHOE)
    if turn.state.procedures.session.state.value == "closed" and has_sessions:
        return
    shown_on = (display.name for display in house.displays)
    slots = (slots.name for slots in house.chip_slots)
    by_name = (*house.readers, *shown_on, *house.lamps, *slots, house.shoe, *house.card_readers, *house.others)
    for device in (devices.machine(turn.state), house.switch_box, *by_name):
        told = (f"{text}:{device}" for text in (_silent_text(turn, device), *WRONG))
        is_told = any(key in turn.state.alerts.standing for key in told)
        if device and not (devices.of(turn, device).is_connected or is_told):
            _miss(turn, MISSED_TIMER + device, house.device_silent_s)


def _is_silent(_turn: Turn, what: DeadlinePassed) -> bool:
    return silent_device(what) is not None


def silent_device(what: DeadlinePassed) -> str | None:
    """The device whose time to come back is over; None: another timer."""
    for timer in (SILENT_TIMER, MISSED_TIMER):
        if what.name.startswith(timer):
            return what.name.removeprefix(timer)
    return None


def _silent(turn: Turn, what: DeadlinePassed) -> None:
    device = silent_device(what)
    assert device is not None, "the row's condition"
    since_ns = devices.of(turn, device).unheard_since_ns or turn.given.wall_ns
    alerts.raise_alert(turn, _silent_text(turn, device), device, device=device, time=str(since_ns))


def _silent_text(turn: Turn, device: str) -> str:
    if displays.is_display(turn.state, device):
        return "DISPLAY-LOST"
    if lamp.is_lamp(turn.state, device):
        return warning_lamps.LOST
    if chip_account.slots_of(turn.state, device) is not None:
        return "SLOTS-SILENT"
    if device in turn.state.house.card_readers:
        return "CARD-READER-SILENT"
    if device == turn.state.house.shoe:
        return "SHOE-SILENT"
    if devices.is_standing_by(turn.state, device):
        return "SPARE-SILENT"
    if device == devices.machine(turn.state):
        return "SHUFFLER-SILENT"
    if device in turn.state.house.others:
        return "DEVICE-SILENT"
    return "SWITCH-BOX-SILENT" if device == turn.state.house.switch_box else "READER-OFFLINE"


def _came(turn: Turn, what: DeviceCame) -> None:
    if SILENT_TIMER + what.device in turn.state.timers.due:  # a short loss is a line in the tile, no alert
        alerts.raise_alert(turn, "DEVICE-BACK", what.device, device=what.device)
    _heard(turn, what.device)
    # A display that answers is not trusted before it shows what it shall (jackpot display).
    is_display = displays.is_display(turn.state, what.device)
    for text in WRONG if is_display else (_silent_text(turn, what.device), *WRONG):
        alerts.clear_alert(turn, text, what.device, by=what.device, why="answers again")
    locks.remove_all(turn, f"wrong device {what.device}", what.device)


def _heard(turn: Turn, device: str) -> None:
    for timer in (SILENT_TIMER, MISSED_TIMER):
        timers.cancel(turn, timer + device)


def _is_pretended(turn: Turn, what: DeviceCame) -> bool:
    """A device that says it is simulated has no place at a table in production (semantics §6)."""
    return turn.state.house.profile == PRODUCTION and devices.of(turn, what.device).is_simulated


def _pretended(turn: Turn, what: DeviceCame) -> None:
    _wrong(turn, what.device, "says that it is simulated, and this is a production table")


def _speaks_openly(turn: Turn, what: DeviceCame) -> bool:
    """In production a badge reader is believed in its secure channel only: anybody can speak for it otherwise."""
    return turn.state.house.profile == PRODUCTION and not devices.of(turn, what.device).is_secure


def _unsecured(turn: Turn, what: DeviceCame) -> None:
    _wrong(turn, what.device, "answers without a secure channel, and this is a production table")


def _troubled(turn: Turn, what: events.ReaderTroubled) -> None:
    """Presence rests on this reader: somebody looks at it and says so."""
    alerts.raise_alert(turn, "READER-TROUBLED", f"{what.device}:{what.what}", what=what.what)


def _rejected(turn: Turn, what: DeviceRejected) -> None:
    _wrong(turn, what.device, what.why)


def _wrong(turn: Turn, device: str, why: str) -> None:
    """Whatever answers at the cable of a machine that stands by touches no card of the table: play goes on."""
    incidents.open_incident(turn, "wrong device", "CSM-8", f"{device}: {why}")
    is_jackpot = displays.is_display(turn.state, device) or chip_account.slots_of(turn.state, device) is not None
    is_spare = devices.is_standing_by(turn.state, device)
    beside_play = (*turn.state.house.others, *turn.state.house.card_readers)
    touches_no_card = is_spare or lamp.is_lamp(turn.state, device) or device in beside_play
    held = (Scope.JACKPOT_BETS,) if is_jackpot else (Scope.DEAL, Scope.FEED)
    for scope in () if touches_no_card else held:
        locks.add(turn, scope, f"wrong device {device}", "CSM-8")
    _heard(turn, device)
    alerts.clear_alert(turn, _silent_text(turn, device), device, by=device, why="another device answers there")
    alerts.raise_alert(turn, SPARE_WRONG if is_spare else DEVICE_WRONG, device, device=device)


def _is_news(turn: Turn, what: DeviceRejected) -> bool:
    return not any(f"{text}:{what.device}" in turn.state.alerts.standing for text in WRONG)


# --- the device itself --------------------------------------------------------------------------------------


def _booted(turn: Turn, what: events.DeviceBooted) -> None:
    if what.device == devices.machine(turn.state) and what.number == 1 and what.content:
        alerts.raise_alert(turn, "DEVICE-RESET", what.device)


def _counted(turn: Turn, what: events.LevelsRead) -> None:
    if not devices.of(turn, what.device).is_content_unverified:
        alerts.clear_alert(turn, "DEVICE-RESET", what.device, by="count", why="counted")


def _notices_lost(turn: Turn, what: NoticesLost) -> None:
    """The levels are read, and a full count tells what the lost notices would have (TDL 8.5)."""
    incidents.open_incident(turn, "notices lost", "CSM-8", f"{what.device}: {what.how_many or 'some'} notices lost")
    alerts.raise_alert(turn, "NOTICES-LOST", what.device, device=what.device)
    turn.decide(LevelsAsked(device=what.device, why="notices lost"))
    if what.device == devices.machine(turn.state):
        turn.happened(CountWanted(why="unverified"))


def _exchanged(turn: Turn, what: MachineCountedOut) -> None:
    """The machine is out of use: what stood against it stops this table no more; it is the technician's now."""
    locks.remove_all(turn, f"wrong device {what.device}", turn.by)
    for alert in tuple(turn.state.alerts.standing.values()):
        is_its_own = alert.place == what.device or alert.place.startswith(f"{what.device}:")
        if is_its_own and alert.text in OF_A_MACHINE:
            alerts.clear_alert(turn, alert.text, alert.place, by=turn.by, why=f"{what.serial} is exchanged")


def _low(turn: Turn, what: events.BufferLow) -> None:
    """Few cards matter where rounds are played; while cards are loaded or taken out there are few for a while."""
    procedures = turn.state.procedures
    if procedures.rounds.state.value != "closed" and not procedures.swap.is_under_way:
        alerts.raise_alert(turn, LOW_MACHINE_TEXT, what.device, n=str(what.cards))


def _play_ends(turn: Turn, _what: ClosingAnnounced | ReloadStarted) -> None:
    alerts.clear_alert(turn, LOW_MACHINE_TEXT, devices.machine(turn.state), by=turn.by, why="no more rounds")


def _normal(turn: Turn, what: events.BufferNormal) -> None:
    alerts.clear_alert(turn, LOW_MACHINE_TEXT, what.device, by=what.device, why="refilled")


# --- the product itself -------------------------------------------------------------------------------------


def is_on_reserve(state: TableState) -> bool:
    """The table has been told that rows go to the reserve, and not yet that the journal is back."""
    return f"{Scope.DEAL}:{JOURNAL}" in state.locks.standing


def _on_reserve(turn: Turn, what: JournalOnReserve) -> None:
    """No journal, no new round; the one in progress may end on the reserve (design rule 8)."""
    incidents.open_incident(turn, JOURNAL, "CSM-8", f"rows go to the reserve: {what.why}")
    locks.add(turn, Scope.DEAL, JOURNAL, "CSM-8", is_from_next_round=True)
    alerts.raise_alert(turn, "JOURNAL-FAILED")


def _restored(turn: Turn, what: JournalRestored) -> None:
    locks.remove_all(turn, JOURNAL, "journal")
    alerts.clear_alert(turn, "JOURNAL-FAILED", by="journal", why="written again")
    for incident in incidents.of_kind(turn, JOURNAL):
        incidents.close(turn, incident.number, f"{counted(what.rows, 'row')} carried over", "journal")


def _reached(turn: Turn, what: JournalReached) -> None:
    """Nothing could be recorded and nothing was done meanwhile: that is on record from here on."""
    text = f"no record could be written for {what.seconds:g} s: {what.why}"
    number = incidents.open_incident(turn, "no records", "CSM-8", text)
    incidents.close(turn, number, "written again; devices had kept their facts", JOURNAL)


def _slow(turn: Turn, what: CommitSlow) -> None:
    alerts.raise_alert(turn, "JOURNAL-SLOW", ms=str(round(what.seconds * 1000)))
    timers.start(turn, SLOW_TIMER, QUICK_AGAIN_S)
    if what.seconds > SLOW_COMMIT_LOCK_S:
        locks.add(turn, Scope.DEAL, SLOW_JOURNAL, "CSM-8", is_from_next_round=True)


def _is_quick_again(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == SLOW_TIMER


def _quick_again(turn: Turn, _what: DeadlinePassed) -> None:
    """Where it was slow enough to stop play, the alert stays for the supervisor who lets it go on."""
    if f"{Scope.DEAL}:{SLOW_JOURNAL}" not in turn.state.locks.standing:
        alerts.clear_alert(turn, "JOURNAL-SLOW", by=JOURNAL, why="quick again")


def _space(turn: Turn, what: SpaceLow) -> None:
    alerts.raise_alert(turn, "DISK-LOW", n=str(what.free_percent))


def _enough_space(turn: Turn, _what: SpaceEnough) -> None:
    alerts.clear_alert(turn, "DISK-LOW", by="journal", why="room again")


def _clock(turn: Turn, what: ClockStepped) -> None:
    alerts.raise_alert(turn, "CLOCK-STEPPED", n=str(round(what.seconds)))


A = ConditionState.ANY
PROCEDURE = Procedure(
    name="conditions",
    rule="CSM-8",
    states=ConditionState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, DeviceWent, None, _went, said="a device went away"),
        *(Row(A, kind, None, _looked_for, said="who is not there") for kind in (DaemonStarted, SessionOpened)),
        Row(A, DeadlinePassed, None, _silent, _is_silent, said="it stays away"),
        Row(A, DeviceCame, None, _pretended, _is_pretended, said="simulated in production"),
        Row(A, DeviceCame, None, _unsecured, _speaks_openly, said="no secure channel in production"),
        Row(A, DeviceCame, None, _came, said="it answers again"),
        Row(A, events.ReaderTroubled, None, _troubled, rule="CSM-5", said="the reader tells of itself"),
        Row(A, DeviceRejected, None, _rejected, _is_news, said="another device answers"),
        Row(A, DeviceRejected, None, said="still another device"),
        Row(A, events.DeviceBooted, None, _booted, said="restarted"),
        Row(A, events.LevelsRead, None, _counted, said="levels read"),
        Row(A, NoticesLost, None, _notices_lost, said="notices lost"),
        Row(A, MachineCountedOut, None, _exchanged, said="machine exchanged"),
        Row(A, events.BufferLow, None, _low, said="few cards"),
        *(Row(A, kind, None, _play_ends, said="no more rounds") for kind in (ClosingAnnounced, ReloadStarted)),
        Row(A, events.BufferNormal, None, _normal, said="enough cards"),
        Row(A, JournalOnReserve, None, _on_reserve, said="no journal"),
        Row(A, JournalRestored, None, _restored, said="journal again"),
        Row(A, JournalReached, None, _reached, said="records again"),
        Row(A, CommitSlow, None, _slow, said="slow"),
        Row(A, DeadlinePassed, None, _quick_again, _is_quick_again, said="quick again"),
        Row(A, SpaceLow, None, _space, said="space low"),
        Row(A, SpaceEnough, None, _enough_space, said="space again"),
        Row(A, ClockStepped, None, _clock, said="clock stepped"),
    ),
    next_step={A: "see what stands: locks, alerts, devices"},
)
