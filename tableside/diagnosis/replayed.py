"""What today's driver makes of a recording, held against what stands in the journal of its table. Pure.

Notices are told apart by their boot and number, which the device gave them. A notice of the recording that the journal
has not is *missing*; one that says something else is *different*. What the journal has and the recording has not was
told before or after it, and is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from drivers.fact import Fact, Notice


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One notice. `what`: missing or different; `then` is what the journal has, empty where it has nothing."""

    boot: int
    number: int
    what: str
    then: dict[str, object]
    now: dict[str, object]


class ReplayTold(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `diag replay RECORDING --against JOURNAL`."""

    device: str
    notices: int
    same: int
    differences: tuple[Difference, ...]


def differences(device: str, told: Iterable[Fact], journal: Iterable[object]) -> ReplayTold:
    """`told`: what today's driver makes; `journal`: what the rows hold, of whichever device."""
    then = {_position(what): what for what in journal if isinstance(what, Notice) and what.device == device}
    notices = [fact for fact in told if isinstance(fact, Notice)]
    found = [one for fact in notices if (one := _difference(fact, then)) is not None]
    return ReplayTold(device=device, notices=len(notices), same=len(notices) - len(found), differences=tuple(found))


def _position(notice: Notice) -> tuple[int, int]:
    return notice.boot, notice.number


def _difference(now: Notice, journal: Mapping[tuple[int, int], Notice]) -> Difference | None:
    then = journal.get(_position(now))
    if then == now:
        return None
    return Difference(
        boot=now.boot,
        number=now.number,
        what="missing" if then is None else "different",
        then={} if then is None else msgspec.to_builtins(then),
        now=msgspec.to_builtins(now),
    )
