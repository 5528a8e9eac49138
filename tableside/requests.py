"""What people and other systems ask for. Each is accepted or refused once, with rule and next step (design rule 7).

`id` makes a second click harmless: the same id gets the same answer for ever. `by` is the staff id of who asks,
empty only where no badge is needed (what makes things safer). `via` says the way: page, cli, key, pager or mqtt.
"""

from __future__ import annotations

from tableside.advice_requests import DecideAdvice as DecideAdvice
from tableside.alert_requests import AcknowledgeAlert as AcknowledgeAlert
from tableside.alert_requests import AnyAlertRequest
from tableside.alert_requests import ClearAlert as ClearAlert
from tableside.alert_requests import DeclineAlert as DeclineAlert
from tableside.alert_requests import TakeAlert as TakeAlert
from tableside.batch_requests import AnyDeckRequest
from tableside.blackjack_requests import AnyBlackjackRequest
from tableside.card_requests import OpenCards as OpenCards
from tableside.cards import Card
from tableside.defect_requests import AnyDefectRequest
from tableside.exchange_requests import AnyExchangeRequest
from tableside.house import Role
from tableside.jackpot_requests import ClaimJackpot as ClaimJackpot
from tableside.jackpot_requests import DenyJackpot as DenyJackpot
from tableside.jackpot_requests import LockBets as LockBets
from tableside.jackpot_requests import MarkBets as MarkBets
from tableside.jackpot_requests import PayJackpot as PayJackpot
from tableside.jackpot_requests import RefuseChip as RefuseChip
from tableside.jackpot_requests import SettleChips as SettleChips
from tableside.jackpot_requests import ShowJackpot as ShowJackpot
from tableside.machine_requests import RecordMachine as RecordMachine
from tableside.manual_requests import AnyManualRequest
from tableside.people_requests import AnyPeopleRequest
from tableside.request_shapes import Request as Request
from tableside.request_shapes import SortedDecks as SortedDecks
from tableside.service_requests import AnyServiceRequest
from tableside.shoe_requests import AnyShoeRequest

# --- anybody, no badge: only what makes things safer --------------------------------------------------------


class StopPlay(Request, frozen=True, kw_only=True):
    """Stop dealing now; a supervisor lets it go on (`ResumePlay`)."""

    why: str = ""


class CallSupervisor(Request, frozen=True, kw_only=True):
    """The dealer's CALL."""


class ResumePlay(Request, frozen=True, kw_only=True):
    """A floor supervisor ends a stop that a person asked for."""


# --- opening (CSM-3, CSM-4, SHOE-3) and load (CSM-5) ---------------------------------------------------------


class OpenTable(Request, frozen=True, kw_only=True):
    """Start a session with the dealer on duty."""

    dealer: str


class ConfirmShown(Request, frozen=True, kw_only=True):
    """The dealer has shown the cards, deck by deck."""


class ConfirmMixed(Request, frozen=True, kw_only=True):
    """The dealer has mixed them."""


class ConfirmHandShuffled(Request, frozen=True, kw_only=True):
    """The dealer has given them the usual shuffles by hand."""


class ProveEmpty(Request, frozen=True, kw_only=True):
    """Let the machine prove that it is empty: content 0 in all areas, path clear."""


class BeginLoad(Request, frozen=True, kw_only=True):
    """Start the session's one load; `packets` is how many it will be made in (at least two)."""

    packets: int


class LoadPacket(Request, frozen=True, kw_only=True):
    """A packet of so many cards lies in the hopper."""

    cards: int


class CorrectPacket(Request, frozen=True, kw_only=True):
    """The supervisor says how many cards the last packet really had (declared and counted differ)."""

    cards: int


class BeginCardChange(Request, frozen=True, kw_only=True):
    """Session ended and the next opened with other cards, the guests keep their seats."""


class BeginIncidentReload(Request, frozen=True, kw_only=True):
    """A load outside the session's one, by floor supervisor and room management, for a named incident."""

    incident: int
    packets: int


# --- rounds --------------------------------------------------------------------------------------------------


class EndRound(Request, frozen=True, kw_only=True):
    """DONE: the round is over."""


class HoldOver(Request, frozen=True, kw_only=True):
    """The cards of this round cannot go in now: they stay in the tray (CSM-11)."""

    why: str = ""


class CountHeldOver(Request, frozen=True, kw_only=True):
    """So many of the round's cards lie outside the machine, counted, and stay there (CSM-11). It may be none."""

    cards: int


class RuleRound(Request, frozen=True, kw_only=True):
    """A supervisor's ruling on the round in progress: *goes on*, *finished elsewhere* or *void*."""

    ruling: str


# --- complaint (CSM-12) --------------------------------------------------------------------------------------


class RaiseComplaint(Request, frozen=True, kw_only=True):
    """A patron's complaint about a round; 0 is the latest one whose window stands."""

    round: int = 0
    text: str = ""


class SettleComplaint(Request, frozen=True, kw_only=True):
    """The supervisor's decision on a complaint, by its number; 0 is the only one that is open."""

    decision: str
    complaint: int = 0


# --- lid, jam (CSM-2), technician ----------------------------------------------------------------------------


class OpenLid(Request, frozen=True, kw_only=True):
    """The supervisor wants the lid free for opening, to clear a jam or to look."""


class CardsTakenOut(Request, frozen=True, kw_only=True):
    """How many cards the supervisor took out by hand at the open lid, and where they are now.

    `now`: *table*, *tray*, *damaged* or *back in*. Where nobody can say which of them stuck, the origin is unknown
    and a full count is due (semantics §4).
    """

    cards: int
    now: str = "table"
    is_origin_unknown: bool = False


class CallTechnician(Request, frozen=True, kw_only=True):
    """The supervisor cannot clear it (CSM-2)."""


class TechnicianDone(Request, frozen=True, kw_only=True):
    """The technician's work is finished: what was done, in his words; the supervisor stands by."""

    work: str
    technician: str


class ClearFault(Request, frozen=True, kw_only=True):
    """Clear a latched fault by name."""

    device: str
    fault: int


class InspectDevice(Request, frozen=True, kw_only=True):
    """What was found at a device whose cover or port somebody had opened; play may go on after it."""

    device: str
    finding: str


# --- damaged card (CSM-1) ------------------------------------------------------------------------------------


class ReportDamaged(Request, frozen=True, kw_only=True):
    """A damaged card came out."""


class ReplaceCard(Request, frozen=True, kw_only=True):
    """Which card was taken out, into which envelope, and which card of the reserve deck replaced it.

    `found_in`: where the damaged card was: *table* or *tray*.
    """

    damaged: Card
    envelope: str
    replacement: Card
    found_in: str = "table"


class DismissSuspicion(Request, frozen=True, kw_only=True):
    """The suspected or reported card was looked at and is sound, or there is none."""


class AcknowledgeReport(Request, frozen=True, kw_only=True):
    """Room management has reported the damaged card to the inspection service."""

    incident: int
    reference: str


# --- counts and differences (semantics §2.2) -----------------------------------------------------------------


class CountAll(Request, frozen=True, kw_only=True):
    """Let the machine stop and count everything (COUNT_ALL, about two minutes)."""


class HandCount(Request, frozen=True, kw_only=True):
    """A supervisor's hand count of one place: *machine*, *table*, *aside*, *tray* or *hopper*."""

    place: str
    cards: int


class SettleUnknown(Request, frozen=True, kw_only=True):
    """A person settles a command whose outcome nobody knows: so many cards had moved."""

    device: str
    command: int
    moved: int


class AdoptDevice(Request, frozen=True, kw_only=True):
    """Two persons make a device obey this journal's epoch (TDL 7.7)."""

    device: str


class AcceptJournal(Request, frozen=True, kw_only=True):
    """Two persons have looked at what was found wrong with the journal and let the table go on, with a reason."""

    why: str


class SettleIncident(Request, frozen=True, kw_only=True):
    """A floor supervisor or room management says what an incident was that nothing else ends."""

    incident: int
    finding: str


# --- closing, unload, sort (CSM-6) ---------------------------------------------------------------------------


class AnnounceClosing(Request, frozen=True, kw_only=True):
    """Closing of the table is announced."""


class BeginUnload(Request, frozen=True, kw_only=True):
    """Take all cards out of the machine, a supervisor present."""


class EnterSort(Request, frozen=True, kw_only=True):
    """The result of sorting by deck, per back colour."""

    groups: tuple[SortedDecks, ...]


class SettleSort(Request, frozen=True, kw_only=True):
    """Room management's decision on an irregular sort."""

    incident: int
    decision: str


class CloseTable(Request, frozen=True, kw_only=True):
    """End the session."""


# --- machine swap (semantics §4) -----------------------------------------------------------------------------


class BeginSwap(Request, frozen=True, kw_only=True):
    """Exchange the machine for a spare one, by floor supervisor and room management, for a named incident."""

    spare: str  # device name
    incident: int


class CountedOut(Request, frozen=True, kw_only=True):
    """The old machine was emptied by hand and its cards counted."""

    cards: int


# --- alerts and people (semantics §5) ------------------------------------------------------------------------


class TakeSection(Request, frozen=True, kw_only=True):
    """From now on `by` answers for the section; the list of open items is handed over with it."""


class SetDealer(Request, frozen=True, kw_only=True):
    """The dealer is relieved."""

    dealer: str


class ShowPresence(Request, frozen=True, kw_only=True):
    """The second way: two persons by PIN, or a tap at the neighbouring table's reader, count as a tap."""

    role: Role


AnyRequest = (
    AnyManualRequest
    | StopPlay
    | CallSupervisor
    | ResumePlay
    | OpenTable
    | ConfirmShown
    | ConfirmMixed
    | ConfirmHandShuffled
    | ProveEmpty
    | BeginLoad
    | LoadPacket
    | CorrectPacket
    | BeginCardChange
    | BeginIncidentReload
    | EndRound
    | HoldOver
    | CountHeldOver
    | RuleRound
    | OpenCards
    | LockBets
    | MarkBets
    | RefuseChip
    | ClaimJackpot
    | PayJackpot
    | DenyJackpot
    | DecideAdvice
    | AnyBlackjackRequest
    | RaiseComplaint
    | SettleComplaint
    | OpenLid
    | CardsTakenOut
    | CallTechnician
    | TechnicianDone
    | ClearFault
    | InspectDevice
    | RecordMachine
    | ReportDamaged
    | ReplaceCard
    | DismissSuspicion
    | AcknowledgeReport
    | CountAll
    | HandCount
    | SettleUnknown
    | AdoptDevice
    | AcceptJournal
    | SettleIncident
    | AnnounceClosing
    | BeginUnload
    | EnterSort
    | SettleSort
    | CloseTable
    | BeginSwap
    | CountedOut
    | ShowJackpot
    | SettleChips
    | AnyAlertRequest
    | TakeSection
    | AnyPeopleRequest
    | SetDealer
    | ShowPresence
    | AnyDeckRequest
    | AnyShoeRequest
    | AnyExchangeRequest
    | AnyDefectRequest
    | AnyServiceRequest
)
