"""What is worth a line in a session's report, and in which words. A table, pure."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from drivers.displays.money import CurrencyUnknown
from drivers.events import Reason
from tableside import (
    badge_happenings,
    batch_happenings,
    decisions,
    happenings,
    inputs,
    jackpot_happenings,
    round_happenings,
    service_happenings,
    session_happenings,
)
from tableside.advice_happenings import AdviceLapsed, Advised, Decided
from tableside.blackjack_happenings import CardVoid
from tableside.card_happenings import CardsTurnedUp
from tableside.counted import counted
from tableside.jackpot_happenings import JackpotCalled, JackpotOver
from tableside.machine_happenings import MachineRecorded
from tableside.manual_happenings import FormIssued, LateEntered, ManualEnded, ManualOrdered
from tableside.outputs.amounts import amount_in, day_in
from tableside.reports.defect_lines import DEFECT_LINES
from tableside.reports.shoe_lines import SHOE_LINES
from tableside.reports.story import Story

Sentence = Callable[[Story, Any], str]


def _cards(number: int) -> str:
    return counted(number, "card")


def _packets(number: int) -> str:
    return counted(number, "packet")


def _amount(amount: int, currency: str) -> str:
    """As money; a journal may name a currency, or none, whose decimals nobody has told us."""
    try:
        return amount_in(amount, currency, "en")
    except CurrencyUnknown:
        return f"{amount} {currency} (smallest unit)".replace("  ", " ")


def _prize(story: Story, amount: int) -> str:
    """An amount of the table's jackpot."""
    jackpot = story.house.jackpot
    return _amount(amount, jackpot.currency if jackpot is not None else "")


def _day(text: str) -> str:
    """A day as people write it; a row of another version may have something else there."""
    try:
        return day_in(datetime.date.fromisoformat(text), "en")
    except ValueError:
        return text


def _by(story: Story, staff: str) -> str:
    """Who did it; nothing where no person's act stands behind it."""
    return f", by {story.person(staff)}" if staff else ""


def _sort(_story: Story, what: session_happenings.CardsSorted) -> str:
    if what.is_regular:
        return "Sort: regular, every deck whole"
    parts = [
        f"{word} {', '.join(map(str, cards))}"
        for word, cards in (("missing", what.missing), ("too many", what.too_many), ("foreign", what.foreign))
        if cards
    ]
    return f"Sort: NOT regular: {'; '.join(parts)}"


def _damaged(story: Story, what: happenings.CardReplaced) -> str:
    return f"Damaged card exchanged, envelope {what.envelope}, incident {what.incident}{_by(story, what.by)}"


def _loaded(_story: Story, what: session_happenings.LoadCompleted) -> str:
    return f"Load ({what.kind}) ended: {_cards(what.cards)} in {_packets(what.packets)} (CSM-5)"


def _difference(_story: Story, what: happenings.DifferenceFound) -> str:
    return (
        f"Difference at {what.place}: {what.observed} seen by {what.sensor}, {what.expected} in the account, "
        f"incident {what.incident}"
    )


def _presence(story: Story, what: happenings.PresenceShown) -> str:
    return f"Presence for {what.operation} {what.change}: {story.person(what.staff)}, by {what.way}"


def _jackpot(_story: Story, what: jackpot_happenings.JackpotLocked) -> str:
    seats = ", ".join(map(str, what.seats)) or "none"
    return f"Jackpot bets locked, seats: {seats}; {_amount(what.value, what.currency)} each (JP-11)"


def _complaint(story: Story, what: happenings.ComplaintRaised) -> str:
    late = ", LATE" if what.is_late else ""
    if what.closed_ns is not None:
        late += f", its cards went in from {story.time(what.closed_ns)}"
    return f"Complaint {what.complaint}, round {what.round}{late} (CSM-12)"


def _machine(story: Story, what: MachineRecorded) -> str:
    parts = f", new: {', '.join(what.parts)}" if what.parts else ""
    return f"Machine {what.serial} recorded as {what.standing}{parts}{_by(story, what.by)}"


def _advised(_story: Story, what: Advised) -> str:
    place = f" ({what.place})" if what.place else ""
    return (
        f"Advice {what.number}, round {what.round}: {what.happened}{place}; {what.ruling}; {what.next_step}; "
        f"{what.decides} decides ({what.rule})"
    )


def _decided(story: Story, what: Decided) -> str:
    against = ", AGAINST the advice" if what.is_against else ""
    return f"Advice {what.number} decided{against}: {what.decision}{_by(story, what.by)} ({what.rule})"


def _deal_test(story: Story, what: service_happenings.DealTestEnded) -> str:
    left = "what is left nobody said" if what.left is None else f"{what.left} left"
    moved = f"{what.cards_in} in, {what.cards_out} out, {left}"
    return f"Deal test of {what.device}: {what.why}; {moved}{_by(story, what.by)}"


def _self_test(story: Story, what: service_happenings.SelfTestEnded) -> str:
    part = f", actuator {what.part}" if what.part else ""
    reason = "" if what.reason is Reason.NONE else f" ({what.reason})"
    return f"Self-test of {what.device}{part}: {what.outcome}{reason}{_by(story, what.by)}"


LINES: Mapping[type, Sentence] = {
    service_happenings.WorkOrderOpened: lambda s, w: (
        f"Work order {w.number} at {w.device}, to {s.time(w.until_ns)} at the longest{_by(s, w.by)}"
    ),
    service_happenings.WorkOrderClosed: lambda s, w: (
        f"Work order {w.number} at {w.device} ended ({w.why}): {w.work or 'no word of the work'}{_by(s, w.by)}"
    ),
    service_happenings.SelfTestEnded: _self_test,
    service_happenings.DealTestEnded: _deal_test,
    Advised: _advised,
    Decided: _decided,
    CardVoid: lambda _s, w: f"Round {w.round}: {w.card or 'a card'} is void, in the tray",
    AdviceLapsed: lambda _s, w: f"Advice {w.number}: {w.why}, nobody has decided ({w.rule})",
    **SHOE_LINES,
    **DEFECT_LINES,
    MachineRecorded: _machine,
    CardsTurnedUp: lambda s, w: (
        f"Face up, of the cards that {w.device} read: {', '.join(map(str, w.numbers))}{_by(s, w.by)}"
    ),
    batch_happenings.DeckMoved: lambda s, w: f"{w.back} deck: {w.to}{_by(s, w.by)}",
    batch_happenings.DeckMixed: lambda _s, w: (
        f"{w.back} {'stub' if w.is_stub else 'deck'} mixed and counted: {w.cards}, no cut (CSM-3)"
    ),
    batch_happenings.PacketDealt: lambda _s, w: (
        f"{w.back} deck, packet {w.packet}: {_cards(w.cards)} dealt, {w.left} left in the machine"
    ),
    batch_happenings.PacketStopped: lambda _s, w: (
        f"{w.back} deck, packet {w.packet} STOPPED at {w.given} of {w.wanted}: {w.why}"
    ),
    batch_happenings.CardsPutBack: lambda s, w: f"{w.back} deck: {_cards(w.cards)} back to the stub{_by(s, w.by)}",
    batch_happenings.DeckReplaced: lambda s, w: (
        f"{w.back} deck withdrawn with {_cards(w.withdrawn)}, reserve deck brought{_by(s, w.by)}"
    ),
    batch_happenings.DeckCounted: lambda s, w: f"{w.back} deck counted by hand: {w.cards}{_by(s, w.by)}",
    inputs.DaemonStarted: lambda _s, w: f"Daemon {w.version} took the table up",
    inputs.ClockStepped: lambda _s, w: f"The host's clock was stepped by {w.seconds} s",
    inputs.ScreenSignedIn: lambda s, w: f"Screen {w.screen} signed in by the badge of {s.person(w.staff)}",
    inputs.ScreenSignedOut: lambda s, w: f"Screen {w.screen} signed out: {w.why}, {s.person(w.staff)}",
    inputs.JournalOnReserve: lambda _s, w: f"Records go to the reserve: {w.why}",
    inputs.JournalReached: lambda _s, w: f"No record could be written for {w.seconds} s: {w.why}",
    inputs.JournalRestored: lambda _s, w: f"Records are saved again, {w.rows} carried over",
    happenings.SessionOpened: lambda s, w: f"Session {w.session} opened, dealer {s.person(w.dealer)}",
    happenings.DealerRelieved: lambda s, w: f"Dealer on duty: {s.person(w.dealer)}",
    happenings.MachineHandCounted: lambda s, w: (
        f"{w.device} counted by hand: {w.counted}, the account {w.expected}{_by(s, w.by)}"
    ),
    happenings.JamFound: lambda _s, w: f"{w.device}: a jam at the {w.place} was found, nobody told of it",
    happenings.JamFoundGone: lambda _s, w: f"{w.device}: the jam at the {w.place} was found gone",
    happenings.FaultFound: lambda _s, w: f"{w.device}: fault {w.fault} at the {w.place} was found, nobody told of it",
    badge_happenings.EnrolmentBegun: lambda s, w: f"A new badge is waited for, {s.person(w.staff)}{_by(s, w.by)}",
    badge_happenings.BadgeEnrolled: lambda s, w: f"Badge enrolled: {s.person(w.staff)}, at {w.reader}{_by(s, w.by)}",
    badge_happenings.EnrolmentEnded: lambda s, w: f"No badge enrolled for {s.person(w.staff)}: {w.why}",
    badge_happenings.BadgeWithdrawn: lambda s, w: f"Badges withdrawn: {s.person(w.staff)}{_by(s, w.by)}",
    happenings.SectionHandedOver: lambda s, w: f"Section {w.section} taken by {s.person(w.staff)}",
    session_happenings.CutSkipped: lambda _s, w: f"Cut skipped: {w.why} (CSM-3)",
    session_happenings.EmptyProved: lambda s, w: (
        f"{w.device} proved empty, for {w.purpose}" + (f": looked into by {s.person(w.by)}" if w.by else "")
    ),
    session_happenings.EmptyDisproved: lambda _s, w: f"{w.device} NOT empty: {_cards(w.content)}, for {w.purpose}",
    session_happenings.LoadStarted: lambda s, w: f"Load ({w.kind}) begun in {_packets(w.packets)}{_by(s, w.by)}",
    session_happenings.PacketLoaded: lambda _s, w: f"Packet {w.packet}: {_cards(w.cards)}",
    session_happenings.PacketDiffered: lambda _s, w: f"Packet {w.packet}: {w.declared} declared, {w.counted} counted",
    session_happenings.PacketCorrected: lambda s, w: f"Packet {w.packet}: {_cards(w.cards)}, says {s.person(w.by)}",
    session_happenings.LoadPaused: lambda _s, w: f"Load paused at {w.cards} of {w.of}: {w.why}",
    session_happenings.LoadResumed: lambda s, w: f"Load goes on at {w.cards}, {s.person(w.by)}",
    session_happenings.LoadCompleted: _loaded,
    happenings.PresenceShown: _presence,
    happenings.PresenceLapsed: lambda s, w: f"Presence for {w.operation} lapsed: {s.person(w.staff)}",
    happenings.CardsHeldOver: lambda _s, w: f"Round {w.round}: {_cards(w.cards)} held over (CSM-11)",
    happenings.CardsToldLate: lambda _s, w: f"Round {w.round}: {w.cards} more, told after its end",
    happenings.RoundRuled: lambda s, w: f"Round {w.round}: {w.ruling}, ruled{_by(s, w.by)}",
    round_happenings.RoundDoubted: lambda _s, w: (
        f"Round {w.round}: sensors cannot tell whether it is over, after {_cards(w.cards)} ({w.why})"
    ),
    happenings.ComplaintRaised: _complaint,
    happenings.ComplaintSettled: lambda s, w: f"Complaint {w.complaint} settled: {w.decision}{_by(s, w.by)}",
    happenings.JamOpened: lambda _s, w: f"Jam at the {w.place}, number {w.times_lately} there lately (CSM-2)",
    happenings.TechnicianCalled: lambda s, w: f"Technician asked for{_by(s, w.by)}",
    happenings.TechnicianWorked: lambda s, w: f"Technician {s.person(w.technician)}: {w.work}, with {s.person(w.by)}",
    happenings.JamCleared: lambda s, w: f"Jam at the {w.place} cleared{_by(s, w.by)}, {_cards(w.taken_out)} out",
    happenings.SwapAdvised: lambda _s, w: f"Exchange of the machine advised: {w.times} jams at the {w.place}",
    happenings.SwapStarted: lambda _s, w: f"Machine {w.old} is exchanged for {w.new}, incident {w.incident}",
    session_happenings.MachineCountedOut: lambda _s, w: (
        f"{w.device} ({w.serial}) counted out: {_cards(w.cards)}, {w.left_behind} left behind"
    ),
    happenings.SwapCompleted: lambda _s, w: f"Machine {w.new} in service, {_cards(w.left_behind)} left in {w.old}",
    session_happenings.ReloadStarted: lambda s, w: f"Incident reload for {w.incident}{_by(s, w.by)}",
    session_happenings.ReloadCompleted: lambda _s, w: f"Incident reload for {w.incident} ended: {_cards(w.cards)}",
    happenings.DamagedCardFound: lambda _s, w: f"Damaged card found by {w.how}, incident {w.incident} (CSM-1)",
    happenings.CardReplaced: _damaged,
    happenings.DamageReported: lambda s, w: f"Incident {w.incident} reported: {w.reference}{_by(s, w.by)}",
    happenings.CountEnded: lambda _s, w: f"Full count of {w.device}: {w.counted}, account {w.expected}",
    happenings.DifferenceFound: _difference,
    happenings.DifferenceSettled: lambda s, w: f"Difference {w.incident} settled: {w.how}{_by(s, w.by)}",
    happenings.CommandLost: lambda _s, w: f"Nobody knows whether {w.device} did {w.verb} (command {w.number})",
    FormIssued: lambda s, w: f"Form {w.form} for manual operation issued{_by(s, w.by)}",
    ManualOrdered: lambda s, w: f"MANUAL OPERATION since {w.since}, form {w.form}: {w.why}{_by(s, w.by)}",
    LateEntered: lambda s, w: f"LATE ENTRY, form {w.form} line {w.line}, at {w.at}: {w.kind}: {w.text}{_by(s, w.by)}",
    ManualEnded: lambda s, w: f"Manual operation ended, {counted(w.lines, 'line')} of form {w.form}{_by(s, w.by)}",
    decisions.IncidentOpened: lambda _s, w: f"INCIDENT {w.number} opened: {w.kind}: {w.text} ({w.rule})",
    decisions.IncidentClosed: lambda s, w: f"Incident {w.number} closed: {w.text}{_by(s, w.by)}",
    jackpot_happenings.JackpotLocked: _jackpot,
    jackpot_happenings.JackpotStarted: lambda s, w: (
        f"Jackpot begins at {_amount(w.shown, w.currency)}, approved by {w.approved_by} on {_day(w.approved_on)}"
    ),
    jackpot_happenings.JackpotSettingsGiven: lambda _s, w: (
        f"Other jackpot settings wait for the next start, approved by {w.approved_by} on {w.approved_on} (JP-2)"
    ),
    jackpot_happenings.JackpotSent: lambda _s, w: (
        f"Jackpot bets of seats {', '.join(map(str, w.seats))} go to the ledger as {w.entry} (JP-2)"
    ),
    jackpot_happenings.JackpotCounted: lambda _s, w: f"The ledger has counted {w.entry}: {w.shown} is shown",
    jackpot_happenings.JackpotOrdered: lambda _s, w: (
        f"The ledger's word on {w.hit}: hit {w.order}, value {w.value}, due "
        + (", ".join(f"{amount} at seat {seat}" for seat, amount in zip(w.seats, w.amounts, strict=True)) or "nothing")
        + " (JP-13)"
    ),
    jackpot_happenings.LedgerWent: lambda _s, w: (
        f"The jackpot's ledger does not answer: {w.why}; no jackpot bets (JP-2)"
    ),
    jackpot_happenings.LedgerCame: lambda s, w: (
        f"The jackpot's ledger answers: {_prize(s, w.shown)} is shown, "
        f"{w.outbox} of this table's entries are still to be told"
    ),
    jackpot_happenings.JackpotClaimed: lambda s, w: (
        f"Jackpot win claimed at seat {w.seat}: {w.prize} with {' '.join(w.cards)}, value locked{_by(s, w.by)}"
    ),
    jackpot_happenings.JackpotPaid: lambda s, w: (
        "Jackpot paid: "
        + ", ".join(f"{_prize(s, amount)} at seat {seat}" for seat, amount in zip(w.seats, w.amounts, strict=True))
        + _by(s, w.by)
    ),
    jackpot_happenings.JackpotDenied: lambda s, w: f"Jackpot claim of seat {w.seat} denied: {w.finding}{_by(s, w.by)}",
    jackpot_happenings.ChipRefused: lambda s, w: (
        f"Jackpot chip at seat {w.seat} is no bet: {w.why} ({w.rule}), "
        + ("given back" if w.is_given_back else "to be given back")
        + _by(s, w.by)
    ),
    jackpot_happenings.ChipsSettled: lambda s, w: (
        f"Jackpot bets as found at seats {', '.join(map(str, w.seats)) or 'none'}: {w.finding}{_by(s, w.by)}"
    ),
    happenings.ClosingAnnounced: lambda s, w: f"Closing announced{_by(s, w.by)}",
    session_happenings.CardChangeBegun: lambda s, w: f"Card change begun{_by(s, w.by)}",
    session_happenings.UnloadStarted: lambda s, w: f"Unload ({w.kind}) begun{_by(s, w.by)} (CSM-6)",
    session_happenings.UnloadStopped: lambda _s, w: f"{w.device} stopped giving cards out: {w.why}",
    session_happenings.UnloadCompleted: lambda _s, w: f"Unload ({w.kind}) ended: {_cards(w.cards)}, machine empty",
    session_happenings.CardsSorted: _sort,
    session_happenings.SortSettled: lambda s, w: f"Sort, incident {w.incident}: {w.decision}{_by(s, w.by)}",
    JackpotCalled: lambda s, w: f"The displays say: {w.what}{_by(s, w.by)} (JP-3)",
    JackpotOver: lambda s, w: f"The displays no longer say: {w.what}{_by(s, w.by)}",
    happenings.SessionClosed: lambda _s, w: f"Session {w.session} closed",
}
