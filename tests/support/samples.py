"""One or more samples of every input that a table can get: the exhaustive tests walk them all."""

from __future__ import annotations

import typing
from collections.abc import Iterator

import msgspec

from drivers import antenna_events, card_events, events
from drivers.events import KeyName, LampColour, LampPattern, Outcome, PermitEnding, PermitKind, Place, Reason, Shown
from tableside import (
    batch_requests,
    blackjack_requests,
    inputs,
    people_requests,
    requests,
    service_requests,
)
from tableside.cards import parse_card
from tableside.causes import Elsewhere
from tableside.games.blackjack import Choice
from tableside.house import Role
from tableside.inputs import AnyInput, DaemonStarted, DeadlinePassed
from tableside.jackpot import linked
from tableside.jackpot_requests import WhyNoBet
from tableside.machine_requests import Standing
from tableside.procedures.shoe_slice import ORDER
from tableside.requests import AnyRequest, Request, SortedDecks
from tableside.shoe_requests import BackCount
from tests.law.jackpot_table import SETTINGS
from tests.support.shoe_samples import OF_SHOES_AND_FORMS
from tests.support.table import HOUSE, Table

# As the rim hands an identity on.
SEALED = "sealed:" + "00" * 60
RED_7 = parse_card("7♣ red")
BACKS = (BackCount("red", 156), BackCount("blue", 156))
WHOLE = (SortedDecks("red", 3), SortedDecks("blue", 3))

REQUESTS: dict[type[Request], tuple[dict[str, object], ...]] = {
    **OF_SHOES_AND_FORMS,
    people_requests.EnrolBadge: ({"staff": "D2", "reader": "reader"}, {"staff": "X", "reader": "none"}),
    people_requests.WithdrawBadge: ({"staff": "D2"}, {"staff": "X"}),
    people_requests.HandOverSection: ({"staff": "S2"}, {"staff": "D1"}),
    requests.OpenTable: ({"dealer": "D1"}, {"dealer": "X"}),
    batch_requests.LoadDeck: ({"back": "red"}, {"back": "green"}),
    batch_requests.ShuffleDeck: ({},),
    batch_requests.TakeOutDeck: ({},),
    batch_requests.DealPacket: ({"cards": 5}, {"cards": 0}, {"cards": 99}),
    batch_requests.PutBackCards: ({}, {"cards": 3}, {"cards": 999}),
    batch_requests.CollectDeck: ({},),
    batch_requests.ReplaceDeck: ({"back": "red"}, {"back": "green"}),
    batch_requests.CountDeck: ({"back": "red", "cards": 52}, {"back": "red", "cards": 999}),
    requests.BeginLoad: ({"packets": 3}, {"packets": 1}),
    requests.LoadPacket: ({"cards": 104}, {"cards": 0}, {"cards": 156}),
    requests.CorrectPacket: ({"cards": 103}, {"cards": -1}),
    requests.BeginIncidentReload: ({"incident": 1, "packets": 3}, {"incident": 99, "packets": 0}),
    requests.RuleRound: ({"ruling": "void"}, {"ruling": "goes on"}, {"ruling": "maybe"}),
    requests.OpenCards: ({}, {"numbers": (1,), "reader": "eye"}, {"numbers": (0, 99)}, {"reader": "nowhere"}),
    requests.SettleComplaint: ({"complaint": 1, "decision": "counted again"}, {"complaint": 9, "decision": ""}),
    requests.CardsTakenOut: ({"cards": 1, "now": "table"}, {"cards": 1, "now": "tray"}, {"cards": -1, "now": "lap"}),
    requests.TechnicianDone: ({"work": "belt", "technician": "T1"}, {"work": "", "technician": "S1"}),
    requests.ClearFault: ({"device": "shuffler", "fault": 2}, {"device": "nowhere", "fault": 2}),
    requests.InspectDevice: (
        {"device": "shuffler", "finding": "cover screwed on again"},
        {"device": "nowhere", "finding": ""},
    ),
    requests.RecordMachine: (
        {"serial": "000777", "standing": Standing.WORKSHOP, "parts": ("roller 12-B",), "note": "worn"},
        {"serial": "", "standing": Standing.IN_SERVICE},
    ),
    requests.ReplaceCard: (
        {"damaged": RED_7, "envelope": "E-1", "replacement": RED_7},
        {"damaged": RED_7, "envelope": "", "replacement": parse_card("8♣ red")},
    ),
    requests.AcknowledgeReport: ({"incident": 1, "reference": "R-1"}, {"incident": 99, "reference": ""}),
    requests.CountHeldOver: ({"cards": 0}, {"cards": 2}),
    requests.HandCount: (
        {"place": "machine", "cards": 311},
        {"place": "table", "cards": 0},
        {"place": "aside", "cards": 1},
        {"place": "lap", "cards": -1},
    ),
    requests.SettleUnknown: ({"device": "shuffler", "command": 1, "moved": 0},),
    requests.SettleIncident: (
        {"incident": 1, "finding": "a card fell"},
        {"incident": 1, "finding": ""},
    ),
    requests.AcceptJournal: ({"why": "disk replaced"}, {"why": ""}),
    requests.AdoptDevice: ({"device": "shuffler"},),
    requests.EnterSort: ({"groups": WHOLE}, {"groups": ()}),
    requests.SettleSort: ({"incident": 1, "decision": "sealed"}, {"incident": 99, "decision": ""}),
    requests.BeginSwap: ({"spare": "spare", "incident": 1}, {"spare": "none", "incident": 99}),
    requests.CountedOut: ({"cards": 300}, {"cards": -1}),
    requests.TakeAlert: ({"alert": 1}, {"alert": 99}),
    requests.AcknowledgeAlert: ({"alert": 1}, {"alert": 99}),
    requests.DeclineAlert: ({"alert": 1}, {"alert": 99}),
    requests.ClearAlert: ({"alert": 1}, {"alert": 99}),
    requests.SetDealer: ({"dealer": "D2"}, {"dealer": "S1"}),
    requests.ShowJackpot: (
        {"what": Shown.AMOUNT, "amount": 123456, "currency": "EUR"},
        {"what": Shown.AMOUNT, "amount": 1, "currency": "ZZZ"},
        {"what": Shown.WON},
    ),
    requests.RefuseChip: ({"seat": 3, "chip": WhyNoBet.NO_MAIN_BET}, {"seat": 9, "chip": WhyNoBet.LATE}),
    requests.MarkBets: ({"seats": (1, 2)}, {"seats": (0,)}),
    requests.ClaimJackpot: (
        {"seat": 1, "cards": ("AS", "AH")},
        {"seat": 1, "cards": ("2S", "3H")},
        {"seat": 9, "cards": ("A",)},
    ),
    requests.PayJackpot: ({"seats": (1,), "amounts": (5_000,)}, {"seats": (), "amounts": ()}),
    requests.DenyJackpot: ({"seat": 1, "finding": "third card"}, {"seat": 9, "finding": ""}),
    blackjack_requests.TellSeats: ({"seats": (1, 3)}, {"seats": (0, 9)}),
    blackjack_requests.PlaceBet: (
        {"seat": 1, "amount": 1_000},
        {"seat": 3, "amount": 2_000, "from_seat": 5},
        {"seat": 9, "amount": 7},
    ),
    blackjack_requests.AddToBet: (
        {"seat": 1, "insurance": 500},
        {"seat": 3, "from_seat": 5, "split_along": 1},
        {"seat": 9},
    ),
    blackjack_requests.TellCard: (
        {"seat": 1, "card": "7C"},
        {"seat": 0, "card": "KS"},
        {"seat": 0, "is_face_down": True},
        {"seat": 4, "card": "AH"},
        {"seat": 9, "card": "joker"},
    ),
    blackjack_requests.TellChoice: tuple({"seat": 1, "choice": choice} for choice in Choice),
    blackjack_requests.TurnBankCard: ({"card": "9H"}, {"card": "9H", "while_dealing": True}, {"card": "no card"}),
    blackjack_requests.CollectHand: ({"seat": 1}, {"seat": 0}, {"seat": 9, "hand": 0}),
    blackjack_requests.PayBets: ({"seats": (1,), "amounts": (2_000,)}, {"seats": (1,), "amounts": ()}),
    requests.DecideAdvice: (
        {"number": 1, "decision": "another is drawn"},
        {"number": 1, "decision": "it counts", "is_against": True},
        {"number": 99, "decision": ""},
    ),
    requests.SettleChips: ({"seats": (1,), "finding": "one chip"}, {"seats": (9,), "finding": ""}),
    service_requests.OpenWorkOrder: (
        {"device": "shuffler", "order": "W-17"},
        {"device": "nowhere", "order": "", "hours": 99},
    ),
    service_requests.CloseWorkOrder: ({"device": "shuffler", "work": "belt"}, {"device": "nowhere", "work": ""}),
    service_requests.RunSelfTest: (
        {"device": "shuffler", "is_there": True},
        {"device": "spare", "part": 999, "is_there": True},
        {"device": "nowhere"},
    ),
    service_requests.RunDealTest: (
        {"device": "shuffler", "cards": 5, "is_there": True},
        {"device": "nowhere", "cards": 0, "is_there": True},
    ),
    requests.ShowPresence: ({"role": Role.FLOOR_SUPERVISOR}, {"role": Role.SURVEILLANCE}),
}
# Who asks: a dealer, a supervisor, room management, nobody.
ASKERS = ("D1", "S1", "M1", "")

FACTS: dict[type, tuple[dict[str, object], ...]] = {
    events.DeviceLost: ({"why": "cable"},),
    events.DeviceRejected: ({"why": "another model"},),
    events.DeviceBooted: ({"cause": "power"}, {"cause": "watchdog", "last_meter_in": 5, "last_meter_out": 5}),
    events.NoticesLost: ({"how_many": 2},),
    events.NoticeUnknown: ({"kind": 99, "body": "a0"},),
    events.LevelsRead: (
        {"boot": 1, "content": 0, "areas": (0, 0, 0), "is_path_clear": True},
        {"boot": 1, "content": 312, "areas": (0, 18, 294), "is_path_clear": True},
        {"boot": 1, "content": 7, "is_path_clear": False},
        {"boot": 1},
    ),
    events.CardsOut: ({"meter": 1}, {"meter": 400}, {"meter": 5_000}),
    events.CardsIn: ({"meter": 1}, {"meter": 400}, {"meter": 5_000}),
    events.TrayLevel: ({"cards": 3}, {"cards": 0}, {"fill_percent": 40}),
    events.BufferLow: ({"cards": 3},),
    events.BufferNormal: ({"cards": 12},),
    events.PacketEnded: ({"cards": 104}, {"cards": 0}),
    events.CardSuspected: ({"why": "bent", "place": Place.EXIT},),
    events.CardJammed: ({"place": Place.CAROUSEL}, {"place": Place.EXIT}),
    events.JamGone: ({"place": Place.CAROUSEL},),
    events.LidOpened: ({},),
    events.LidClosed: ({},),
    events.DeviceFaulted: ({"fault": 2, "place": Place.CAROUSEL}, {"fault": 14, "place": Place.EXIT}),
    events.DeviceFaultGone: ({"fault": 2, "place": Place.CAROUSEL},),
    events.LampChanged: ({"colour": LampColour.RED, "pattern": LampPattern.STEADY},),
    events.Tampered: ({"what": "cover"},),
    events.KeyPressed: tuple({"key": key} for key in KeyName),
    events.PermitEnded: tuple({"what": PermitKind.FEED, "why": why, "counted": 3} for why in PermitEnding),
    events.PermitAnswered: ({"what": PermitKind.DEAL, "reason": Reason.CONTENT_UNVERIFIED},),
    events.CommandEnded: (
        {"command": 1, "outcome": Outcome.DONE, "moved": 0},
        {"command": 2, "outcome": Outcome.FAILED, "reason": Reason.PERMIT, "moved": 3},
    ),
    events.CommandAnswered: tuple({"command": 1, "outcome": outcome} for outcome in Outcome),
    events.CommandProgressed: ({"command": 1},),
    events.ReaderLost: ({"why": "no answer"},),
    events.ReaderTroubled: ({"what": "cover opened"},),
    card_events.CardReaderReady: ({"model": "SHOE"}, {"model": "SHOE", "has_spoken": False}),
    card_events.CardReaderLost: ({"why": "no line"},),
    card_events.CardReaderTroubled: ({"why": "a telegram that is none"},),
    card_events.CardDrawn: (
        *({"card": SEALED, "target": target, "index": index} for target, index in ORDER),
        {"card": SEALED, "target": card_events.Target.BURN, "index": 1},
    ),
    card_events.CardDrawnAgain: ({"card": SEALED, "target": card_events.Target.PLAYER, "index": 1},),
    card_events.CardDrawnOutside: ({"card": SEALED, "mode": card_events.OutsideMode.LOCKED},),
    card_events.CardRead: ({"card": SEALED, "place": "seat 3"},),
    card_events.CardRemoved: ({"card": SEALED, "place": "seat 3"},),
    card_events.CardsAmbiguous: ({"places": ("seat 3", "seat 4"), "why": "one tag at two places"},),
    antenna_events.ChipRead: ({"value": 500, "place": "seat 3"},),
    antenna_events.ChipRemoved: ({"value": 500, "place": "seat 3"},),
    antenna_events.TagUnknown: ({"tag": "32:D0AC1F62", "place": "seat 3"},),
    antenna_events.UnknownTagGone: ({"tag": "32:D0AC1F62", "place": "seat 3"},),
    card_events.CardPassed: ({"card": SEALED, "count": 1, "back": 1}, {"card": SEALED, "count": 1, "back": 9}),
    card_events.SpecialCardPassed: tuple({"count": 1, "kind": kind} for kind in card_events.SpecialCard),
    card_events.CutCardSeen: ({},),
    card_events.GameEnded: tuple({"winner": winner} for winner in card_events.Winner),
    card_events.ShoeErrorBegan: ({"code": 4, "is_stopped": True}, {"code": 7, "is_stopped": False}),
    card_events.ShoeErrorEnded: ({"code": 4},),
    card_events.ShoeLockTold: ({"is_locked": True}, {"is_locked": False}),
    card_events.ShoeStarted: ({},),
    card_events.ShoeStoodBy: ({},),
    card_events.ShoeSettingChanged: ({"register": "01", "value": "00FF"},),
    events.DisplayReady: ({"model": "SIGN"},),
    events.DisplayLost: ({"why": "no answer"},),
    events.DisplayShowed: ({"version": 1, "what": Shown.AMOUNT}, {"version": 9, "what": Shown.WAIT}),
    events.ChipsIn: ({"seat": 1, "meter": 1}, {"seat": 2, "meter": 9}, {"seat": 9, "meter": 1}),
    events.ChipReturned: tuple({"seat": 1, "why": why} for why in events.ChipReturn),
    events.SlotTroubled: ({"why": "string found"},),
    events.SlotEvents: ({"counter": 1}, {"counter": 255}),
    events.DisplayTroubled: ({"why": "shows something else"},),
    events.LampReady: ({"model": "blink(1)"},),
    events.LampLost: ({"why": "no answer"},),
    events.LampShowed: (
        {"colour": LampColour.OFF, "pattern": LampPattern.STEADY},
        {"colour": LampColour.RED, "pattern": LampPattern.BLINKING},
    ),
    events.LampTroubled: ({"why": "shows something else"},),
    events.FirmwarePortReady: ({"model": "CSM-SIM"},),
    events.FirmwarePortLost: ({"why": "no answer"},),
    events.FirmwareTold: tuple(
        {
            "of": "shuffler",
            "maker": "EXAMPLE",
            "model": "CSM-SIM",
            "version": "2.1" if is_listed else "",
            "is_listed": is_listed,
            "differences": () if is_listed else ('"main" has another digest',),
            "key": "AA" * 20,
            "components": (("main", "B" * 40),),
        }
        for is_listed in (True, False)
    ),
    events.FirmwareUntold: ({"of": "shuffler", "why": "its calculation failed"},),
}

LEDGER = linked.Standing((linked.Pot("", 1_000_000, 10**10, 0, 10**10, 0, 0, 1),), SETTINGS, 0)
SYSTEM: tuple[AnyInput, ...] = (
    DaemonStarted(version="t", clock_boot="boot-2", house=HOUSE),
    inputs.LedgerTold(standing=LEDGER),
    inputs.LedgerTook(entry="BJ 3.a1b2c3d4.1", standing=LEDGER),
    inputs.LedgerLost(why="the server is down"),
    inputs.JournalOnReserve(why="full"),
    inputs.JournalRestored(rows=3),
    inputs.JournalReached(seconds=3.0, why="disk full"),
    inputs.JournalDoubted(findings=("row 9: changed",)),
    inputs.CommitSlow(seconds=6),
    inputs.SpaceLow(free_percent=5),
    inputs.SpaceEnough(),
    inputs.UsbStrangers(devices=("0951:1666 (stick) at port 1-2",), new=("0951:1666 (stick) at port 1-2",)),
    inputs.ClockStepped(seconds=-3),
    inputs.BadgeSighted(reader="reader", kind=events.SightingKind.TAP, staff="S1"),
    inputs.BadgeSighted(reader="reader", kind=events.SightingKind.TAP, staff="M1"),
    inputs.BadgeSighted(reader="reader", kind=events.SightingKind.HELD_FROM, staff="S2"),
    inputs.BadgeSighted(reader="reader", kind=events.SightingKind.HELD_TO, staff="S2"),
    inputs.BadgeSighted(reader="reader", kind=events.SightingKind.TAP, digest="00" * 16),
    inputs.ScreenSignedIn(screen=1, reader="reader", staff="S1"),
    inputs.ScreenSignedOut(screen=1, staff="S1", why="time is over"),
    inputs.NeighbourSighting(staff="S1", reader="next"),
    inputs.NeighbourSupervised(staff="S2"),
    inputs.AlertElsewhere(stands=Elsewhere("BJ 4", 14, "silence", 1, ("S1",), 1_790_000_000_000_000_000)),
    inputs.AlertElsewhereGone(table="BJ 4", alert=14),
    inputs.CardsOpened(round=1, cards=(inputs.OpenedCard(device="shoe", place="player 1", card="8♠"),)),
    inputs.CardsOpened(round=2, cards=(inputs.OpenedCard(device="shoe", place="player 1", card=""),)),
    inputs.CommandTurnedAway(client="page", command="c1", why="retained", text="x", topic="t"),
)

# Who tells what the shuffler does not.
TOLD_BY: dict[type, str] = {
    **dict.fromkeys(typing.get_args(card_events.AnyCardFact), "shoe"),
    card_events.CardPassed: "eye",
    card_events.SpecialCardPassed: "eye",
    **dict.fromkeys(typing.get_args(antenna_events.AnyAntennaFact), "antennas"),
    card_events.CardRead: "antennas",
    card_events.CardRemoved: "antennas",
    card_events.CardsAmbiguous: "antennas",
    events.KeyPressed: "switches",
    events.TrayLevel: "switches",
    events.ReaderLost: "reader",
    events.ReaderTroubled: "reader",
    **dict.fromkeys((events.ChipsIn, events.ChipReturned, events.SlotEvents, events.SlotTroubled), "slots"),
    **dict.fromkeys((events.DisplayReady, events.DisplayLost, events.DisplayShowed, events.DisplayTroubled), "sign"),
    **dict.fromkeys((events.LampReady, events.LampLost, events.LampShowed, events.LampTroubled), "lamp"),
    **dict.fromkeys(
        (events.FirmwarePortReady, events.FirmwarePortLost, events.FirmwareTold, events.FirmwareUntold), "port"
    ),
}

# Facts that stop something, whatever else is so.
STOPPING: tuple[tuple[type, dict[str, object]], ...] = (
    (events.CardJammed, {"place": Place.CAROUSEL}),
    (events.CardJammed, {"place": Place.EXIT}),
    (events.LidOpened, {}),
    (events.DeviceFaulted, {"fault": 2, "place": Place.CAROUSEL}),
    (events.DeviceFaulted, {"fault": 14, "place": Place.EXIT}),
    (events.Tampered, {"what": "cover"}),
    (events.NoticesLost, {"how_many": 2}),
    (events.CardSuspected, {"why": "bent", "place": Place.EXIT}),
)


def requests_of() -> Iterator[Request]:
    """Every request, asked by everybody, with and without sense."""
    number = 0
    for kind in typing.get_args(AnyRequest):
        for fields in REQUESTS.get(kind, ({},)):
            for by in ASKERS:
                number += 1
                yield kind(id=f"sample {number}", by=by, **fields)


def facts_of(table: Table) -> Iterator[AnyInput]:
    """Every fact, each notice with the next number of the device's present boot, and the timers that stand."""
    for kind, samples in FACTS.items():
        device = TOLD_BY.get(kind, "shuffler")
        for fields in samples:
            yield fact(table, kind, device, fields)
    for spare in (events.CardsOut, events.CardsIn, events.LidOpened):
        yield fact(table, spare, "spare", {"meter": 4} if "Cards" in spare.__name__ else {})
    yield from SYSTEM
    for name in table.state.timers.due:
        yield DeadlinePassed(name=name)


def fact(table: Table, kind: type, device: str, fields: dict[str, object]) -> AnyInput:
    """One fact as the device would tell it now."""
    if issubclass(kind, events.Notice):
        levels = table.state.devices.known.get(device)
        boot = max(1, levels.boot) if levels else 1
        number = levels.notice + 1 if levels else 1
        return kind(device=device, boot=boot, number=number, **fields)  # type: ignore[no-any-return]
    return kind(device=device, **fields)  # type: ignore[no-any-return]


def kinds_sampled() -> frozenset[type[msgspec.Struct]]:
    """Every kind of input that has a sample here."""
    given_by_table = {events.DeviceReady, events.ReaderReady, DeadlinePassed}
    return frozenset({*FACTS, *(type(what) for what in SYSTEM), *typing.get_args(AnyRequest), *given_by_table})
