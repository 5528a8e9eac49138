"""Sensible people: from what stands, the next thing that anybody of good sense would do to come back to play.

A list of rules in the order in which people would think of them; each looks and says what it would do, or nothing.
The crew drives stories forward, and in the end it is the judge of liveness: whatever happened, it must get there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from drivers.events import PermitKind
from tableside import devices
from tableside.locks import Scope
from tableside.procedures.lid import LidState
from tableside.procedures.rounds import RoundState
from tableside.procedures.session import SessionState
from tableside.state import TableState
from tests.search import at_machine, of_day
from tests.search.house import House
from tests.search.story import Act
from tests.search.words import MANAGER, PATIENCE, S1, S2, tap, wait

Rule = Callable[["Crew", TableState], Act | None]


class Crew:
    """Looks at a house and says what comes next."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tried: dict[str, int] = {}
        self._due: list[Act] = []
        self._last: Act | None = None
        self._looked = ""
        self.idle_turns = 0  # acts since something moved

    def next(self) -> Act | None:
        """What to do now; None: the table is open, idle, and plays."""
        state = self.house.state
        if state is None:
            return Act("heal", {}, 2)
        if self._due:
            return self._due.pop(0)
        self._note_progress(state)
        if self._last is not None and self._last.does == "ask" and self._wants_tap():
            self._last = None
            return self._tap_for(state)
        for rule in RULES:
            act = rule(self, state)
            if act is not None:
                self._last = act
                self.tried[str(act)] = self.tried.get(str(act), 0) + 1
                return act
        return None

    def _note_progress(self, state: TableState) -> None:
        """Where something has moved, patience begins anew."""
        looks = repr((state.procedures, state.account, sorted(state.locks.standing)))
        self.idle_turns += 1
        if looks != self._looked:
            self._looked = looks
            self.idle_turns = 0
            self.tried.clear()

    def is_tired_of(self, act: Act) -> bool:
        """The same was tried again and again."""
        return self.tried.get(str(act), 0) >= PATIENCE

    def _wants_tap(self) -> bool:
        said = self.house.last_answer
        return said.get("answer") == "refused" and "tap" in said.get("next_step", "")

    def _tap_for(self, state: TableState) -> Act:
        supervisor = S1 if state.procedures.people.dealer != S1 else S2
        if "both" in self.house.last_answer.get("next_step", ""):
            self._due = [tap(supervisor)]
            return tap(MANAGER)
        return tap(supervisor)

    # What people see

    @property
    def machine(self) -> Any:
        """The shuffler in play."""
        return self.house.room.table.machine

    @property
    def felt(self) -> Any:
        return self.house.room.table.felt

    @property
    def on_felt(self) -> int:
        """Cards that lie about, outside tray, hopper and machine."""
        return int(self.house.room.table.census()["table"])


def come_to_idle(crew: Crew, state: TableState) -> Act | None:
    """Nothing is left to do but to wait for what machines do by themselves."""
    return None if is_idle(state) else wait(11)


def is_idle(state: TableState) -> bool:
    """Open, between rounds, nothing locked, the machine may deal."""
    machine = devices.machine(state)
    return (
        state.procedures.session.state is SessionState.OPEN
        and state.procedures.rounds.state is RoundState.WAITING
        and all(lock.scope is Scope.JACKPOT_BETS for lock in state.locks.standing.values())
        and not state.commands.open
        and state.procedures.lid.state is LidState.SHUT
        and f"{machine}:{PermitKind.DEAL}" in state.permits.granted
    )


RULES: Sequence[Rule] = (
    at_machine.wait_for_devices,
    at_machine.trust_memory,
    at_machine.accept_journal,
    at_machine.at_open_lid,
    at_machine.at_spares_lid,
    at_machine.answer_for_lid,
    at_machine.inspect,
    at_machine.clear_faults,
    at_machine.clear_jam,
    at_machine.resume,
    at_machine.settle_incidents,
    at_machine.clear_alerts,
    at_machine.settle_complaints,
    at_machine.replace_damaged,
    at_machine.wait_for_count,
    at_machine.settle_unknown,
    at_machine.count_by_hand,
    of_day.swap,
    of_day.open_table,
    of_day.prepare,
    of_day.load,
    of_day.reload,
    of_day.end_round,
    of_day.close,
    come_to_idle,
)
