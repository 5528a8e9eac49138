"""What a TDL device needs to know of the world behind it: one equipment for each profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import (
    Holding,
    NoticeKind,
    Operation,
    Permit,
    PermitEnd,
    Profile,
    Reason,
)
from simulator.world.lamp import Light

from .memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the device says of itself. `abilities` in the order of IDENTITY."""

    model: str
    serial: str
    maker: str = "Tableside"
    firmware_version: str
    digest: bytes
    profiles: tuple[Profile, ...]
    abilities: tuple[Holding, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The running command came to its end. `reason` None: done."""

    reason: Reason | None
    cards: int | None


class Reporter(Protocol):
    """The face, as its equipment sees it."""

    @property
    def now_ns(self) -> int:
        """The device's own time, which no pace of the mechanics scales."""

    def notice(self, kind: NoticeKind, keys: dict[int, Value] | None = None) -> None:
        """Queue a notice; keys from 3 on."""

    def count(self, what: Permit, cards: int) -> None:
        """Cards passed under a permit."""

    def counted(self, what: Permit) -> int:
        """Cards counted under the permit so far."""

    def hinder(self, *, by_lid: bool = False) -> None:
        """End the permits that the equipment now forbids: by the lid, else by a fault or jam."""

    def end_permits(self, why: PermitEnd, *whats: Permit) -> None:
        """End these permits, where they stand."""

    def command_ended(self, ended: Ended) -> None:
        """The running command is over; told once the machine stands still."""


class Equipment(Protocol):
    """The world behind a face."""

    @property
    def identity(self) -> Identity: ...

    @property
    def operations(self) -> frozenset[Operation]:
        """What it offers beside the operations of every device."""

    @property
    def permits(self) -> frozenset[Permit]: ...

    @property
    def is_verified(self) -> bool:
        """False: the content is unverified."""

    def boot(self, memory: Memory) -> dict[int, Value]:
        """Power is on; returns the keys of *booted* beside its cause."""

    def power_off(self) -> None: ...

    def look_around(self, reporter: Reporter) -> None:
        """At boot, after *booted*: tell what stands."""

    def observe(self, reporter: Reporter, memory: Memory) -> bool:
        """Tell what happened since the last call; whether anything had."""

    def is_still(self, what: Permit) -> bool:
        """Whether nothing moves any more under this permit."""

    def permit_changed(self, what: Permit, *, stands: bool, remaining: int | None) -> None: ...

    def limit_reached(self, what: Permit, reporter: Reporter) -> None:
        """A permit has ended at its number of cards, and the machine stands still; that is told next."""

    def permit_hindrance(self, what: Permit) -> Reason | None:
        """Why the machine itself would not act under this permit now: lid, fault or jam, unverified."""

    def argument_hindrance(self, operation: int, argument: int | None) -> Reason | None:
        """Guard b of TDL 7.3: an argument that is missing or makes no sense."""

    def guard(self, operation: int, argument: int | None, *, has_deal_permit: bool) -> Reason | None:
        """Guards h to n of TDL 7.3."""

    def begin(self, operation: int, argument: int | None) -> None: ...

    def progress(self) -> tuple[int, int]: ...

    def state(self) -> dict[int, Value]:
        """The keys of STATE that are its own."""

    def faults(self) -> list[tuple[int, int]]:
        """What stands, oldest first; a jam is fault 0."""

    def meters(self) -> dict[int, Value]: ...

    def light(self, light: Light) -> Reason | None: ...

    def clear_fault(self, fault: int, place: int) -> bool:
        """True: it does not stand (any more)."""

    def memory_failed(self) -> None:
        """The memory could not be read at boot or written now: fault 8 stands."""
