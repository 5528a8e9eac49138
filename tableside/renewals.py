"""Permits that stand are renewed at a third of their time, by the hub's own task and by nobody else (semantics §1.1).
So is what the jackpot displays and the warning lamps show.

Renewals are neither rows nor inputs: a hub that hangs renews nothing, the table stops, displays say *one moment*, lamps
blink red.
"""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace

from drivers.displays.showing import STALE_MS
from drivers.events import PermitKind
from drivers.lamps.goal import STALE_S
from firmware_bridge.clock import NS_PER_MS, NS_PER_S
from tableside.decisions import Decision, DisplaySet, LampSet, PermitGranted, PermitRevoked

_LAMP_THIRD_NS = round(STALE_S * NS_PER_S) // 3


class Renewals:
    """The grants that were handed out and not taken back, each with its next renewal's time (monotonic ns)."""

    def __init__(self) -> None:
        self._due: dict[tuple[str, PermitKind], tuple[PermitGranted, int]] = {}
        self._shown: dict[str, tuple[DisplaySet, int]] = {}
        self._lit: dict[str, tuple[LampSet, int]] = {}

    def note(self, decision: Decision, now_ns: int) -> None:
        """A decision goes to its device: a grant is renewed from here on, one that is revoked no more."""
        if isinstance(decision, PermitGranted):
            third = decision.duration_ms * NS_PER_MS // 3
            self._due[decision.device, decision.what] = (decision, now_ns + third)
        elif isinstance(decision, PermitRevoked):
            self._due.pop((decision.device, decision.what), None)
        elif isinstance(decision, DisplaySet):
            self._shown[decision.device] = (decision, now_ns + STALE_MS * NS_PER_MS // 3)
        elif isinstance(decision, LampSet):
            self._lit[decision.device] = (decision, now_ns + _LAMP_THIRD_NS)

    def next_ns(self) -> list[int]:
        """When each is due."""
        return [due_ns for _, due_ns in (*self._due.values(), *self._shown.values(), *self._lit.values())]

    def take_due(
        self, standing: Container[str], lamps: Container[str], now_ns: int
    ) -> list[PermitGranted | DisplaySet | LampSet]:
        """The renewals that are due; grants that the state no longer has (`device:what`) are forgotten.

        `lamps` are those that want to be told again: the lamp of a machine or a switch box keeps what it was told.
        """
        due: list[PermitGranted | DisplaySet | LampSet] = [
            shown for shown, due_ns in self._shown.values() if due_ns <= now_ns
        ]
        for device, (lamp, due_ns) in tuple(self._lit.items()):
            if device not in lamps:
                del self._lit[device]
            elif due_ns <= now_ns:
                due.append(lamp)
        for key, (grant, due_ns) in tuple(self._due.items()):
            if f"{grant.device}:{grant.what}" not in standing:
                del self._due[key]
            elif due_ns <= now_ns:
                due.append(replace(grant, is_fresh=False))
        return due

    def take_all(self) -> list[PermitRevoked]:
        """Everything stops: a revoke for each, and nothing is renewed any more."""
        grants = [grant for grant, _ in self._due.values()]
        self._due.clear()
        self._shown.clear()
        self._lit.clear()
        return [PermitRevoked(device=grant.device, what=grant.what, why="the hub stops") for grant in grants]
