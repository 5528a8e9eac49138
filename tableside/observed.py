"""A table that is only observed: it has a shoe and no shuffler, and no procedure of the house runs there.

Its facts are recorded, alerts go to people, what needs a word gets one. Whatever would begin a procedure is refused.
"""

from __future__ import annotations

from drivers import card_events as facts
from tableside import hand_shoe_table, people_requests, requests
from tableside.house import House, TableKind
from tableside.refusals import refusal
from tableside.requests import Request
from tableside.tables import Refusal

RULE = "SHOE-7"
ASKED: frozenset[type[Request]] = frozenset(
    {
        requests.TakeAlert,
        requests.AcknowledgeAlert,
        requests.DeclineAlert,
        requests.ClearAlert,
        requests.TakeSection,
        people_requests.EnrolBadge,
        people_requests.WithdrawBadge,
        people_requests.HandOverSection,
        requests.CallSupervisor,
        requests.StopPlay,
        requests.ResumePlay,
        requests.LockBets,
        requests.OpenCards,
        requests.ShowJackpot,
        requests.SettleIncident,
        requests.SettleUnknown,
        requests.ClearFault,
        requests.InspectDevice,
        requests.RecordMachine,
        requests.AdoptDevice,
        requests.AcceptJournal,
    }
)


# What only a shoe tells. An antenna and a reader tell other facts of cards.
_OF_SHOES = (
    facts.CardDrawn,
    facts.CardDrawnAgain,
    facts.CardDrawnOutside,
    facts.CutCardSeen,
    facts.GameEnded,
    facts.ShoeErrorBegan,
    facts.ShoeErrorEnded,
    facts.ShoeLockTold,
    facts.ShoeSettingChanged,
    facts.ShoeStarted,
    facts.ShoeStoodBy,
)


def is_of_no_shoe_here(house: House, what: object) -> bool:
    """A fact of a shoe that is not the table's: it touches no game of this table."""
    return isinstance(what, _OF_SHOES) and what.device != house.shoe


def objection(house: House, request: Request) -> Refusal | None:
    """Why this table does not do it; None: it does."""
    if house.kind is not TableKind.SHOE:
        return hand_shoe_table.objection(house, request, ASKED)
    if type(request) in ASKED:
        return None
    return refusal("TABLE-OBSERVED", rule=RULE, table=house.table)
