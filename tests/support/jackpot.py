"""A table with jackpot chip slots whose meters a test turns."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from drivers import events
from drivers.events import Outcome, PermitKind, Reason
from tableside.decisions import CommandIntended
from tableside.house import ChipSlots, House
from tableside.procedures.jackpot_bets import BetState
from tableside.requests import LockBets
from tests.support.session import open_table
from tests.support.table import HOUSE, Table

SEATS = (1, 2, 3, 4, 5, 6, 7)
CHIP = 5_00
HOUSE_WITH_SLOTS = replace(HOUSE, chip_slots=(ChipSlots("slots", SEATS),), chip_value=CHIP, chip_currency="EUR")
SLOTS_ONLY = {events.Ability.SLOTS: events.Holding.ENFORCES}


class JackpotTable(Table):
    """A table with slots whose meters a test turns."""

    def __init__(self, house: House = HOUSE_WITH_SLOTS) -> None:
        super().__init__(house)
        self.meters = [0] * len(SEATS)
        self.lying = [0] * len(SEATS)

    def slots_ready(self, **changes: object) -> None:
        given: dict[str, Any] = {
            "abilities": SLOTS_ONLY,
            "content": None,
            "areas": None,
            "chips_in": tuple(self.meters),
            "chips_lying": tuple(self.lying),
        }
        self.ready("slots", **{**given, **changes})

    def chip(self, seat: int, *, is_told: bool = True) -> None:
        self.meters[seat - 1] += 1
        self.lying[seat - 1] += 1
        if is_told:
            self.notice(events.ChipsIn, "slots", seat=seat, meter=self.meters[seat - 1])

    def levels(self, *permits: PermitKind) -> None:
        self.give(
            events.LevelsRead(
                device="slots",
                boot=1,
                permits=permits,
                chips_in=tuple(self.meters),
                chips_lying=tuple(self.lying),
            )
        )

    def lock_bets(self) -> None:
        assert self.ask(LockBets, by="").is_accepted

    def collected(self, moved: int, outcome: Outcome = Outcome.DONE, reason: Reason = Reason.NONE) -> None:
        self.lying = [0] * len(SEATS)
        number = self.all_of(CommandIntended)[-1].number
        self.notice(events.CommandEnded, "slots", command=number, outcome=outcome, moved=moved, reason=reason)

    @property
    def bets(self) -> BetState:
        return self.state.procedures.jackpot_bets.state

    def stands(self, device: str, what: PermitKind) -> bool:
        return f"{device}:{what}" in self.state.permits.granted

    @property
    def alerts(self) -> list[str]:
        return [alert.text for alert in self.state.alerts.standing.values()]

    @property
    def in_doubt(self) -> list[str]:
        return [incident.text for incident in self.state.incidents.open.values() if incident.kind == "chips unsure"]


def open_with_slots() -> JackpotTable:
    """Loaded and idle; its slots have never answered yet."""
    with patch("tests.support.session.Table", JackpotTable):
        made = open_table(HOUSE_WITH_SLOTS)
    assert isinstance(made, JackpotTable)
    return made


def taking() -> JackpotTable:
    """Bets are taken, the slots stand open."""
    made = open_with_slots()
    made.slots_ready()
    assert made.bets is BetState.TAKING
    return made


def closing() -> JackpotTable:
    """No more bets: the slots have not said yet that they are shut."""
    made = taking()
    made.chip(2)
    made.lock_bets()
    return made


def collecting() -> JackpotTable:
    """Shut, and the chips go into the box."""
    made = closing()
    made.levels()
    return made


def locked() -> JackpotTable:
    """The bets stand, a card may leave."""
    made = collecting()
    made.collected(1)
    return made


def in_doubt() -> JackpotTable:
    """One chip more was collected than told."""
    made = collecting()
    made.collected(2)
    return made
