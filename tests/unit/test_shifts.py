"""Two hundred seeded shifts of alerts, with a supervisor on a break, a lost badge, a page that is dead: none is lost.

Whatever people fail to do, each alert that asks somebody to come is taken or passed on in time, and what is urgent ends
at room management (semantics §5, ADR 24). The checks stay on at every step of a shift.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

import pytest

from drivers.events import (
    CardJammed,
    DeviceFaulted,
    DeviceLost,
    JamGone,
    KeyName,
    KeyPressed,
    LidClosed,
    LidOpened,
    Place,
    Tampered,
)
from tableside.alert_requests import ClearAlert, TakeAlert
from tableside.alerts import ARRIVAL_S, Alert, Progress
from tableside.decisions import AlertCleared, AlertEscalated, AlertRaised, AlertTaken
from tests.support.table import HOUSE, Table

SHIFTS = 200
SHIFT_S = 4 * 3_600
STEP_S = (1, 90)
LOOK_S = 5.0
LIMITS_S = {1: HOUSE.class_1_neighbour_s, 2: HOUSE.class_2_neighbour_s}
# After the last step of the line nobody is left to ask; room management has been.
LAST_S = {1: HOUSE.class_1_management_s, 2: HOUSE.class_2_neighbour_s}


class Trouble(StrEnum):
    """Why the section's supervisor does not do what the alert asks."""

    NONE = "none"
    BREAK = "on a break"  # hears it and does nothing
    LOST_BADGE = "badge lost"  # takes it on the page, and can never tap
    DEAD_PAGE = "page dead"  # hears nothing; comes by now and then, and taps


def jam(table: Table, rng: random.Random) -> None:
    table.notice(CardJammed, place=rng.choice((Place.EXIT, Place.CAROUSEL)))


def lid(table: Table, _rng: random.Random) -> None:
    table.notice(LidOpened)


def tamper(table: Table, _rng: random.Random) -> None:
    table.notice(Tampered, what="cover")


def fault(table: Table, _rng: random.Random) -> None:
    table.notice(DeviceFaulted, fault=130, place=Place.CAROUSEL)


def call(table: Table, _rng: random.Random) -> None:
    table.notice(KeyPressed, device="switches", key=KeyName.CALL)


def lose(table: Table, _rng: random.Random) -> None:
    table.give(DeviceLost(device="shuffler", why="unplugged"))


def mend(table: Table, rng: random.Random) -> None:
    """Hands put right what they can: device back, jam out, lid shut."""
    state = table.state
    if not state.devices.known["shuffler"].is_connected:
        table.ready()
    for place in state.devices.known["shuffler"].jams:
        table.notice(JamGone, place=place)
    if state.devices.known["shuffler"].is_lid_open:
        table.notice(LidClosed)
    for alert in list(state.alerts.standing.values()):
        if rng.random() < 0.5:
            table.ask(ClearAlert, by="S2", alert=alert.number)


EVENTS = (jam, lid, tamper, fault, call, lose)


@dataclass
class Shift:
    """One seed. `seen` counts what became of alerts, so that a test can tell that all ways were walked."""

    seed: int
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.rng = random.Random(f"shift {self.seed}")
        self.table = Table()
        self.table.ready()
        self.table.ready("switches")
        self.trouble = Trouble.NONE
        self._raised_s: dict[int, float] = {}
        self._taken_s: dict[int, float] = {}
        self._read = 0

    def play(self) -> None:
        end_s = self.now_s + SHIFT_S
        while self.now_s < end_s:
            if self.rng.random() < 0.1:
                self.trouble = self.rng.choice(list(Trouble))
            if self.rng.random() < 0.3:
                self.rng.choice(EVENTS)(self.table, self.rng)
            self._people()
            if self.rng.random() < 0.2:
                mend(self.table, self.rng)
            self.check()
            self.wait(self.rng.uniform(*STEP_S))
        self.trouble = Trouble.BREAK
        self.wait(max(LAST_S.values()) + ARRIVAL_S + max(LAST_S.values()))
        for alert in self.standing():
            # Of class 2 the line ends at the neighbour.
            heard = "M1" in alert.asked if alert.level == 1 else alert.escalated
            assert heard or alert.progress is not Progress.NEW, f"nobody was left to hear of {alert}"

    def wait(self, seconds: float) -> None:
        """Time passes in steps of less than any limit, so that nothing late is overlooked."""
        for _ in range(math.ceil(seconds / LOOK_S)):
            self.table.wait(LOOK_S)
            self.check()

    @property
    def now_s(self) -> float:
        return self.table.now_ns / 1e9

    def standing(self) -> list[Alert]:
        return [alert for alert in self.table.state.alerts.standing.values() if alert.level]

    def _people(self) -> None:
        new = [alert for alert in self.standing() if alert.progress is Progress.NEW]
        asked = [alert for alert in new if "S1" in alert.asked]
        others = [alert for alert in new if {"S2", "P1", "M1"} & set(alert.asked)]
        if self.trouble in (Trouble.NONE, Trouble.LOST_BADGE) and asked and self.rng.random() < 0.6:
            self.table.ask(TakeAlert, by="S1", alert=self.rng.choice(asked).number)
        if self.trouble in (Trouble.NONE, Trouble.DEAD_PAGE) and self.rng.random() < 0.3:
            self.table.tap("S1")
        if others and self.rng.random() < 0.3:
            by = self.rng.choice(("S2", "P1", "M1"))
            self.table.ask(TakeAlert, by=by, alert=self.rng.choice(others).number)

    # --- what must hold at every step ---------------------------------------------------------------------

    def check(self) -> None:
        for decision in self.table.decided[self._read :]:
            if isinstance(decision, AlertRaised) and decision.level:
                assert decision.asked or decision.rides, f"{decision} asks nobody"
                if decision.rides:
                    continue
                self._raised_s[decision.alert] = self.now_s
            elif isinstance(decision, AlertEscalated):
                assert decision.asked, f"{decision} asks nobody"
                self.seen["escalated"] += 1
                self.seen["passed over"] += decision.alert in self._taken_s
                self._raised_s.pop(decision.alert, None)
                self._taken_s.pop(decision.alert, None)
            elif isinstance(decision, AlertTaken):
                self.seen["taken"] += 1
                self._raised_s.pop(decision.alert, None)
                self._taken_s[decision.alert] = self.now_s
            elif isinstance(decision, AlertCleared):
                self.seen["cleared"] += 1
                self._raised_s.pop(decision.alert, None)
                self._taken_s.pop(decision.alert, None)
        self._read = len(self.table.decided)
        levels = {alert.number: alert.level for alert in self.standing()}
        for number, since_s in self._raised_s.items():
            assert self.now_s - since_s <= LIMITS_S[levels[number]] + LOOK_S, (
                f"alert {number}: neither taken nor passed on"
            )
        for alert in self.standing():
            taken_s = self._taken_s.get(alert.number)
            if alert.level == 1 and alert.progress is Progress.TAKEN and taken_s is not None:
                assert self.now_s - taken_s <= ARRIVAL_S + LOOK_S, (
                    f"{alert}: taken, nobody came, and nobody else was asked"
                )


@pytest.fixture(scope="module")
def seen() -> Counter[str]:
    return Counter()


@pytest.mark.parametrize("tens", range(SHIFTS // 10))
def test_no_alert_is_lost_whatever_people_fail_to_do(tens: int, seen: Counter[str]) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        shift = Shift(seed)
        shift.play()
        seen += shift.seen
    assert seen["taken"]
    assert seen["escalated"]
    assert seen["passed over"]
    assert seen["cleared"]
