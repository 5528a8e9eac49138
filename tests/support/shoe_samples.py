"""Samples of the requests of shoes by hand, exchanged and defective cards, and the form of manual operation."""

from __future__ import annotations

from tableside import defect_requests, exchange_requests, manual_requests, shoe_requests
from tableside.cards import parse_card
from tableside.games.defects import Defect, Where
from tableside.requests import Request
from tableside.shoe_requests import BackCount

RED_7 = parse_card("7♣ red")
BACKS = (BackCount("red", 156), BackCount("blue", 156))

OF_SHOES_AND_FORMS: dict[type[Request], tuple[dict[str, object], ...]] = {
    manual_requests.IssueForm: ({},),
    manual_requests.OrderManual: ({"form": 1, "why": "no power"}, {"form": 9, "why": "", "since": "25:00"}),
    manual_requests.EnterLate: (
        {"line": 1, "at": "21:45", "kind": manual_requests.LateKind.ROUND, "text": "22 cards"},
        {"line": 0, "at": "9", "kind": manual_requests.LateKind.OTHER, "text": ""},
    ),
    manual_requests.EndManual: ({"lines": 1}, {"lines": 0}, {"lines": 40}),
    shoe_requests.CountBacks: ({"counts": BACKS}, {"counts": ()}, {"counts": (BackCount("red", 999), BACKS[1])}),
    shoe_requests.CutCards: (
        {"occupied": (2, 5), "seat": 2},
        {"occupied": (2,), "seat": 3},
        {"occupied": (9, 9), "seat": 1},
        {"occupied": (), "seat": 0, "inspector": "I1"},
        {"occupied": (1,), "seat": 0, "inspector": "D1"},
    ),
    shoe_requests.BeginHandShoe: ({"incident": 1}, {"incident": 99}, {"why": "its motor is dead"}, {}),
    shoe_requests.EmptyByHand: ({"cards": 312}, {"cards": 999}),
    shoe_requests.EndHandShoe: ({"packets": 3}, {"packets": 1, "device": "nowhere"}),
    shoe_requests.CountDealt: ({"cards": 5}, {"cards": 0}),
    shoe_requests.InterruptPlay: ({"why": "no players"}, {"why": ""}),
    shoe_requests.SpreadCards: ({"why": "no bets"}, {"why": ""}),
    shoe_requests.GatherCards: ({}, {"why": "a torn card"}),
    exchange_requests.ExchangeCards: ({"out": BACKS[:1], "reference": "seal 1"}, {"out": (), "reference": ""}),
    exchange_requests.AuthoriseSingleCard: (
        {"authorised_by": "A. Inspector", "reference": "order 12"},
        {"authorised_by": "", "reference": ""},
    ),
    defect_requests.ReportDefect: (
        {"defect": Defect.DUPLICATE, "where": Where.HAND, "card": RED_7, "seat": 3},
        {"defect": Defect.MISSING, "where": Where.STUB},
        {"defect": Defect.JOKER, "where": Where.SPREAD, "seat": 99, "count": 0},
    ),
    defect_requests.ClaimExposed: ({"finding": 1}, {"finding": 99, "has_looked": True}),
    defect_requests.KeepMoney: ({"seats": (1, 2)}, {"seats": (0, 0)}),
    defect_requests.AwardMoney: ({"round": 1, "seat": 1}, {"round": 99, "seat": 9}),
}
