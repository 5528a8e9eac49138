"""A batch table: two decks in turn through one machine. What is asked there, and nowhere else (procedures/batch.py)."""

from __future__ import annotations

from tableside import batch_requests, requests
from tableside.house import House, TableKind
from tableside.refusals import refusal
from tableside.request_shapes import Request
from tableside.tables import Refusal

RULE = "CSM-5"
OWN: frozenset[type[Request]] = frozenset(
    {
        batch_requests.LoadDeck,
        batch_requests.ShuffleDeck,
        batch_requests.TakeOutDeck,
        batch_requests.DealPacket,
        batch_requests.PutBackCards,
        batch_requests.CollectDeck,
        batch_requests.CountDeck,
        batch_requests.ReplaceDeck,
    }
)
# What any table with a machine is asked: lid, jam, counts, presence.
OF_MACHINES: frozenset[type[Request]] = frozenset(
    {
        requests.OpenLid,
        requests.CardsTakenOut,
        requests.CallTechnician,
        requests.TechnicianDone,
        requests.CountAll,
        requests.ReportDamaged,
        requests.ReplaceCard,
        requests.DismissSuspicion,
        requests.AcknowledgeReport,
        requests.HandCount,
        requests.ShowPresence,
    }
)


def objection(house: House, request: Request, of_any_table: frozenset[type[Request]]) -> Refusal | None:
    """Why this table does not do it; None: it does. `of_any_table` is asked wherever people are called."""
    is_own = type(request) in OWN
    if house.kind is not TableKind.BATCH:
        if not is_own:
            return None
        return refusal("TABLE-NOT-BATCH", table=house.table)
    if is_own or type(request) in OF_MACHINES | of_any_table:
        return None
    return refusal("TABLE-IS-BATCH", table=house.table)
