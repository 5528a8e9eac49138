"""What a scenario waits for and what it expects, as data: answers, rows, alerts, locks, state, what eyes see.

A condition names one thing; its other keys narrow it down. What comes and goes (an alert, a lock, what is seen) need
only have been so once since the step began; what must not be, and the state, must be so when the waiting ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from .speaking import Said
from .watch import Row, StandingAlert, Watch

# How often what tells nobody that it changed is looked at again, in real seconds.
LOOK_AGAIN_S = 0.25
NOT_GIVEN = msgspec.UNSET
Value = bool | int | float | str


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"is_": "is"}):
    """One thing that must be so.

    `answer` (accepted, refused, done, impossible), `rule` and `says`: of the step's own act.
    `row`: a row of this type came, with these fields (`has`); `no_row`: none came. `times`: so many at least.
    `alert`, `no_alert`, `cleared`: by the text's id; `asked`, `taken_by`: staff ids.
    `lock`, `no_lock`: by its reason, with its scope before it (`deal:jam exit`).
    `state`, `seen`: a path through the table's state, or through what eyes see; `is`, `at_least`, `at_most`.
    `round`: this round, or a later one, has begun; with `dealt`: so many of its cards are out.
    """

    answer: str = ""
    rule: str = ""
    says: str = ""
    row: str = ""
    no_row: str = ""
    has: dict[str, Value] = {}
    times: int = 1
    alert: str = ""
    no_alert: str = ""
    cleared: str = ""
    asked: str = ""
    taken_by: str = ""
    lock: str = ""
    no_lock: str = ""
    state: str = ""
    seen: str = ""
    is_: Value | msgspec.UnsetType = NOT_GIVEN
    at_least: int | None = None
    at_most: int | None = None
    round: int = 0
    dealt: int = 0

    @property
    def kinds(self) -> list[str]:
        """Which of the things it names; one is right."""
        return [name for name in KINDS if getattr(self, name)]

    def __str__(self) -> str:
        given = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if getattr(self, name) != getattr(NOTHING, name)
        }
        return ", ".join(f"{name.rstrip('_')} = {value!r}" for name, value in given.items())


NOTHING = Condition()
# Having been so is enough.
HAPPEN = frozenset({"answer", "row", "alert", "cleared", "lock", "seen", "round"})
KINDS = ("answer", "row", "no_row", "alert", "no_alert", "cleared", "lock", "no_lock", "state", "seen", "round")


class Eyes(Protocol):
    """What looks at the table."""

    async def look(self) -> Mapping[str, Any]: ...


@dataclass(slots=True)
class Outlook:
    """From where conditions are judged: rows after `since`, and the answer of the step's own act."""

    watch: Watch
    eyes: Eyes
    since: int = 0
    answer: Said | None = None

    async def unmet(self, conditions: Sequence[Condition]) -> list[Condition]:
        """Those that do not hold now."""
        state = (
            await self.watch.told("state") if any(one.state or one.lock or one.no_lock for one in conditions) else {}
        )
        seen = await self.eyes.look() if any(one.seen for one in conditions) else {}
        return [one for one in conditions if not self._holds(one, state, seen)]

    async def until(self, conditions: Sequence[Condition], within_s: float) -> list[Condition]:
        """Wait until all hold; returns those that still do not after so many real seconds."""
        loop = asyncio.get_running_loop()
        end_s = loop.time() + within_s
        unmet = open_ = list(conditions)
        while True:
            try:
                async with asyncio.timeout_at(end_s):
                    unmet = await self.unmet(open_)
            except TimeoutError:
                return unmet  # nobody answers
            open_ = [one for one in open_ if one in unmet or one.kinds[0] not in HAPPEN]
            if not unmet or loop.time() >= end_s:
                return unmet
            try:
                async with asyncio.timeout(min(LOOK_AGAIN_S, max(0.0, end_s - loop.time()))):
                    await self.watch.next_news()
            except TimeoutError:
                continue

    def _holds(self, one: Condition, state: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
        match one.kinds[0]:
            case "answer":
                return self._is_answered(one)
            case "row":
                return len(self._rows(one.row, one.has)) >= one.times
            case "no_row":
                return not self._rows(one.no_row, one.has)
            case "alert":
                return self._stands(one)
            case "no_alert":
                return self.watch.find_alert(one.no_alert) is None
            case "cleared":
                return self._is_cleared(one.cleared)
            case "lock":
                return one.lock in _locks(state)
            case "no_lock":
                return one.no_lock not in _locks(state)
            case "state":
                return _fits(one, at_path(state, one.state))
            case "seen":
                return _fits(one, at_path(seen, one.seen))
        return self.watch.round > one.round or (self.watch.round == one.round and self.watch.dealt >= one.dealt)

    def _is_answered(self, one: Condition) -> bool:
        said = self.answer or {}
        words = f"{said.get('text', '')} {said.get('next_step', '')}"
        return said.get("answer") == one.answer and one.rule in said.get("rule", "") and one.says in words

    def _rows(self, kind: str, has: Mapping[str, Value]) -> list[Row]:
        return [
            row
            for row in self.watch.since(self.since, kind)
            if all(_matches(at_path(row.body, name), value) for name, value in has.items())
        ]

    def _stands(self, one: Condition) -> bool:
        return any(self._is_meant(alert, one) for alert in self.watch.alerts.values())

    @staticmethod
    def _is_meant(alert: StandingAlert, one: Condition) -> bool:
        return (
            alert.text == one.alert
            and (not one.asked or one.asked in alert.asked)
            and (not one.taken_by or alert.taken_by == one.taken_by)
        )

    def _is_cleared(self, text: str) -> bool:
        """Raised at some time, cleared since the step began."""
        texts = self.watch.alert_texts
        return any(texts.get(row.body["alert"]) == text for row in self.watch.since(self.since, "AlertCleared"))


def at_path(value: Any, path: str) -> Any:
    """Where a path of names and numbers leads, dots between them; None where it leads nowhere."""
    for name in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _fits(one: Condition, value: Any) -> bool:
    if one.is_ is not NOT_GIVEN:
        return bool(value == one.is_)
    number = len(value) if isinstance(value, list | dict) else value
    is_enough = one.at_least is None or (number is not None and number >= one.at_least)
    return is_enough and (one.at_most is None or (number is not None and number <= one.at_most))


def _matches(value: Any, wanted: Value) -> bool:
    """A text matches where it stands within; everything else must be equal."""
    return wanted in value if isinstance(value, str) and isinstance(wanted, str) else bool(value == wanted)


def _locks(state: Mapping[str, Any]) -> set[str]:
    return {f"{lock['scope']}:{lock['reason']}" for lock in state.get("locks", ())}
