"""A table whose cards are shuffled by hand: what is asked there, and of no machine (procedures/hand_shoe.py)."""

from __future__ import annotations

import typing

from tableside import batch_table, requests
from tableside.house import House, TableKind
from tableside.refusals import Refusal, refusal
from tableside.request_shapes import Request
from tableside.shoe_requests import AnyShoeRequest

OWN: frozenset[type[Request]] = frozenset(typing.get_args(AnyShoeRequest))
# What rests on a machine that holds the cards.
OF_A_MACHINE: frozenset[type[Request]] = batch_table.OWN | {
    requests.ProveEmpty,
    requests.BeginLoad,
    requests.LoadPacket,
    requests.CorrectPacket,
    requests.BeginCardChange,
    requests.BeginIncidentReload,
    requests.HoldOver,
    requests.CountHeldOver,
    requests.OpenLid,
    requests.CardsTakenOut,
    requests.CallTechnician,
    requests.TechnicianDone,
    requests.CountAll,
    requests.HandCount,
    requests.BeginUnload,
    requests.BeginSwap,
    requests.CountedOut,
}


def objection(house: House, request: Request, of_any_table: frozenset[type[Request]]) -> Refusal | None:
    """Why this table does not do it; None: it does. `of_any_table` is asked wherever people are called."""
    if house.kind is TableKind.HAND_SHOE:
        if type(request) not in OF_A_MACHINE:
            return None
        return refusal("TABLE-HAS-NO-MACHINE", table=house.table)
    if type(request) in OWN and (house.kind is not TableKind.SHUFFLER or house.special_cards is None):
        return refusal("TABLE-NOT-BY-HAND", table=house.table)
    return batch_table.objection(house, request, of_any_table)
