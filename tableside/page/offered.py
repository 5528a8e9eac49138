"""Which acts the page offers: to which roles, and from which reader. Data; the hub decides whether one is accepted."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import get_args

import msgspec

from tableside import (
    batch_requests,
    defect_requests,
    exchange_requests,
    manual_requests,
    people_requests,
    requests,
    service_requests,
    shoe_requests,
)
from tableside.blackjack_requests import AnyBlackjackRequest
from tableside.house import Role
from tableside.request_shapes import Request

DEALER, SUPERVISOR, MANAGEMENT = Role.DEALER, Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT
PIT, TECHNICIAN, INSPECTOR = Role.PIT_MANAGER, Role.TECHNICIAN, Role.TABLE_INSPECTOR
COMES = (SUPERVISOR, PIT, MANAGEMENT, TECHNICIAN)
AT_THE_TABLE = (DEALER, SUPERVISOR)
DECIDES = (SUPERVISOR, MANAGEMENT)
EVERYBODY = (DEALER, SUPERVISOR, INSPECTOR, PIT, MANAGEMENT)


class Reach(StrEnum):
    """Where the badge was tapped that an act needs."""

    TABLE = "at its own table"
    HOST = "at any table of the host"


class Offered(msgspec.Struct, frozen=True):
    """Who is offered an act, and from where. What needs presence asks for it beside that (semantics §2.1).

    `called_by`: what can be done at any time stands behind the others, but for alerts whose name begins so.
    """

    roles: tuple[Role, ...]
    reach: Reach = Reach.TABLE
    called_by: tuple[str, ...] | None = None


OFFERED: Mapping[type[Request], Offered] = {
    # Alerts and people: whoever goes may say so where he is.
    requests.TakeAlert: Offered(COMES, Reach.HOST),
    requests.DeclineAlert: Offered(COMES, Reach.HOST),
    requests.ClearAlert: Offered(COMES),
    requests.TakeSection: Offered((SUPERVISOR, PIT, MANAGEMENT), Reach.HOST, ()),
    requests.SetDealer: Offered((DEALER, SUPERVISOR, PIT, MANAGEMENT), called_by=()),
    requests.StopPlay: Offered(EVERYBODY, called_by=()),
    requests.ResumePlay: Offered((SUPERVISOR,), called_by=("CALL", "JOURNAL")),
    # What an incident of play asks for.
    requests.RaiseComplaint: Offered(EVERYBODY, called_by=("CALL",)),
    requests.SettleComplaint: Offered((SUPERVISOR,), called_by=("COMPLAINT",)),
    requests.DecideAdvice: Offered((DEALER, SUPERVISOR, PIT, MANAGEMENT), called_by=("RULING",)),
    requests.OpenLid: Offered((SUPERVISOR,), called_by=("JAM", "LID", "CARD-SUSPECT", "CARD-LEFT")),
    requests.CardsTakenOut: Offered((SUPERVISOR,), called_by=("JAM", "LID")),
    requests.CallTechnician: Offered((SUPERVISOR,), called_by=("JAM", "DEVICE-FAULT", "FEED-FAULT")),
    requests.TechnicianDone: Offered((SUPERVISOR, TECHNICIAN)),
    requests.ClearFault: Offered((SUPERVISOR, TECHNICIAN), called_by=("DEVICE-FAULT", "FEED-FAULT", "SLOTS-FAULT")),
    requests.InspectDevice: Offered((SUPERVISOR, TECHNICIAN), called_by=("TAMPER",)),
    requests.ReportDamaged: Offered((DEALER, SUPERVISOR, INSPECTOR), called_by=()),
    requests.ReplaceCard: Offered((SUPERVISOR,), called_by=("CARD-DAMAGED", "CARD-SUSPECT")),
    requests.DismissSuspicion: Offered((SUPERVISOR,), called_by=("CARD-DAMAGED", "CARD-SUSPECT")),
    requests.AcknowledgeReport: Offered((MANAGEMENT,), Reach.HOST),
    requests.CountAll: Offered((SUPERVISOR, TECHNICIAN), called_by=("COUNT", "OUTCOME")),
    requests.HandCount: Offered((SUPERVISOR,), called_by=("COUNT",)),
    requests.SettleIncident: Offered(DECIDES),
    requests.RuleRound: Offered((SUPERVISOR,), called_by=("JAM", "SWAP")),
    requests.BeginSwap: Offered(DECIDES, called_by=("SWAP", "JAM-REPEATED")),
    requests.CountedOut: Offered((SUPERVISOR,)),
    requests.BeginIncidentReload: Offered(DECIDES, called_by=()),
    requests.SettleUnknown: Offered((SUPERVISOR,), called_by=("OUTCOME",)),
    # Run by hand.
    manual_requests.IssueForm: Offered((SUPERVISOR, PIT, MANAGEMENT), called_by=()),
    manual_requests.OrderManual: Offered((MANAGEMENT,), Reach.HOST, ()),
    manual_requests.EnterLate: Offered((*EVERYBODY, TECHNICIAN)),
    manual_requests.EndManual: Offered((MANAGEMENT,), Reach.HOST),
    # The jackpot.
    requests.LockBets: Offered(AT_THE_TABLE, called_by=()),
    requests.MarkBets: Offered(AT_THE_TABLE),
    requests.RefuseChip: Offered(AT_THE_TABLE, called_by=()),
    requests.SettleChips: Offered((SUPERVISOR,)),
    requests.ClaimJackpot: Offered(AT_THE_TABLE),
    requests.PayJackpot: Offered(DECIDES, called_by=("JACKPOT",)),
    requests.DenyJackpot: Offered(DECIDES, called_by=("JACKPOT",)),
    # The day: opening, load, rounds, closing.
    requests.OpenTable: Offered((DEALER, SUPERVISOR, MANAGEMENT)),
    requests.ConfirmShown: Offered((DEALER,)),
    requests.ConfirmMixed: Offered((DEALER,)),
    requests.ConfirmHandShuffled: Offered((DEALER,)),
    requests.ProveEmpty: Offered((DEALER, SUPERVISOR, TECHNICIAN)),
    requests.BeginLoad: Offered(AT_THE_TABLE),
    requests.LoadPacket: Offered(AT_THE_TABLE),
    requests.CorrectPacket: Offered((SUPERVISOR,), called_by=("PACKET",)),
    requests.BeginCardChange: Offered(DECIDES, called_by=()),
    requests.EndRound: Offered(AT_THE_TABLE, called_by=()),
    requests.OpenCards: Offered(AT_THE_TABLE, called_by=()),
    requests.HoldOver: Offered(AT_THE_TABLE, called_by=()),
    requests.CountHeldOver: Offered(AT_THE_TABLE, called_by=("HELD",)),
    requests.AnnounceClosing: Offered((DEALER, SUPERVISOR, MANAGEMENT), called_by=()),
    requests.BeginUnload: Offered(AT_THE_TABLE),
    requests.EnterSort: Offered((DEALER,)),
    requests.SettleSort: Offered((MANAGEMENT,), Reach.HOST),
    requests.CloseTable: Offered((DEALER, SUPERVISOR, MANAGEMENT)),
    # Two decks in turn.
    batch_requests.LoadDeck: Offered(AT_THE_TABLE),
    batch_requests.ShuffleDeck: Offered(AT_THE_TABLE),
    batch_requests.TakeOutDeck: Offered(AT_THE_TABLE),
    batch_requests.DealPacket: Offered(AT_THE_TABLE),
    batch_requests.PutBackCards: Offered(AT_THE_TABLE),
    batch_requests.CollectDeck: Offered(AT_THE_TABLE),
    batch_requests.CountDeck: Offered((SUPERVISOR,)),
    batch_requests.ReplaceDeck: Offered((SUPERVISOR,)),
    # A shoe shuffled by hand.
    shoe_requests.CountBacks: Offered(AT_THE_TABLE),
    shoe_requests.CutCards: Offered((DEALER, SUPERVISOR, INSPECTOR)),
    shoe_requests.FillShoe: Offered(AT_THE_TABLE),
    shoe_requests.BurnCard: Offered(AT_THE_TABLE),
    shoe_requests.BeginRound: Offered(AT_THE_TABLE),
    shoe_requests.CountDealt: Offered(AT_THE_TABLE),
    shoe_requests.ShowWarningCard: Offered(AT_THE_TABLE),
    shoe_requests.InterruptPlay: Offered(AT_THE_TABLE, called_by=()),
    shoe_requests.SpreadCards: Offered(AT_THE_TABLE, called_by=()),
    shoe_requests.GatherCards: Offered(AT_THE_TABLE),
    shoe_requests.BeginHandShoe: Offered((SUPERVISOR,), called_by=("SWAP", "JAM-REPEATED")),
    shoe_requests.EmptyByHand: Offered((SUPERVISOR,)),
    shoe_requests.EndHandShoe: Offered(DECIDES),
    # Cards that are not as they should be.
    defect_requests.ReportDefect: Offered((DEALER, SUPERVISOR, INSPECTOR), called_by=()),
    defect_requests.ClaimExposed: Offered((DEALER, SUPERVISOR), called_by=()),
    defect_requests.KeepMoney: Offered(DECIDES, called_by=()),
    defect_requests.AwardMoney: Offered(DECIDES),
    exchange_requests.ExchangeCards: Offered((SUPERVISOR,)),
    exchange_requests.AuthoriseSingleCard: Offered((MANAGEMENT,), Reach.HOST),
}

_OF_A_HAND = "a word for each hand, quicker than a badge: with the command line, or a panel at the control socket"
# Acts that the page does not offer, and why.
NOT_OFFERED: Mapping[type[Request], str] = {
    service_requests.OpenWorkOrder: "the technician's, with the command line",
    service_requests.CloseWorkOrder: "the technician's, with the command line",
    service_requests.RunSelfTest: "the technician's, with the command line",
    service_requests.RunDealTest: "the technician's, with the command line",
    **dict.fromkeys(get_args(AnyBlackjackRequest), _OF_A_HAND),
    requests.CallSupervisor: "who reads the page at the table presses CALL",
    requests.AcknowledgeAlert: "a pager's word: who reads the page takes the alert, or cannot come",
    requests.AdoptDevice: "two persons by PIN, with the command line",
    requests.AcceptJournal: "two persons by PIN, with the command line",
    people_requests.EnrolBadge: "whoever enrols holds badges before the reader, with the command line",
    people_requests.WithdrawBadge: "a lost badge is told by radio: whoever hears it uses the command line",
    people_requests.HandOverSection: "whoever takes a section says so on the page; to give it, with the command line",
    requests.ShowPresence: "the reader is away: nobody can sign in with a badge, two persons do it by PIN",
    requests.RecordMachine: "the workshop's entry, with the command line",
    requests.ShowJackpot: "for displays of a table that has no jackpot of its own, with the command line",
}
