"""The jackpot display that speaks TDL, profile 4: a goal is shown, and *one moment* where nobody renews it."""

from __future__ import annotations

from typing import NoReturn

from drivers.displays.showing import STALE_MS, Showing
from drivers.events import (
    CommandAnswered,
    LampColour,
    LampPattern,
    Outcome,
    PermitAnswered,
    PermitKind,
    Reason,
    Verb,
)
from drivers.tdl import Surroundings, TdlLine, TdlSettings, orders
from firmware_bridge.wire.tdl.codes import NoticeKind, Profile

# TDL 11: what profile 4 sends. Anything else is kept raw and touches nothing.
NOTICE_KINDS = frozenset(
    {
        NoticeKind.BOOTED,
        NoticeKind.FAULT,
        NoticeKind.FAULT_GONE,
        NoticeKind.COMMAND_ENDED,
        NoticeKind.TAMPER,
        NoticeKind.NOTICES_LOST,
    }
)
MAX_AMOUNT = 2**32 - 1  # TDL 14.2: an amount is 32 bits


class TdlDisplay:
    """Shows, and tells what it shows. A `TdlDevice` and a `Display`."""

    def __init__(self, settings: TdlSettings, around: Surroundings) -> None:
        self.name = settings.name
        self.line = TdlLine(settings, around, Profile.DISPLAY, NOTICE_KINDS)

    async def run(self) -> NoReturn:
        """Keep it connected until cancelled."""
        await self.line.run()

    def show(self, showing: Showing) -> None:
        """SHOW, then STATE: what it says that it shows is what counts."""
        self.line.order(orders.show(showing, STALE_MS), orders.state())

    def resume_notices(self, boot: int, number: int) -> None:
        """The journal holds the notices of `boot` up to `number`: let them flow."""
        self.line.resume_notices(boot, number)

    def acknowledge(self, boot: int, number: int) -> None:
        """The journal holds the notices of `boot` up to `number`."""
        self.line.acknowledge(boot, number)

    def permit(self, what: PermitKind, duration_ms: int, limit_cards: int | None) -> None:
        """Refused: a display holds no permit (TDL 11)."""
        self.line.refuse(PermitAnswered(device=self.name, what=what, reason=Reason.NOT_OFFERED))

    def revoke(self, what: PermitKind) -> None:
        """Nothing stands that could be revoked."""

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """It has no lamp."""

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Adopting an epoch, and the device's test of itself."""
        if verb in (Verb.ADOPT, Verb.SELF_TEST):
            self.line.order(*orders.command(verb, epoch, number, argument))
        else:
            refused = CommandAnswered(
                device=self.name, command=number, outcome=Outcome.REFUSED, reason=Reason.NOT_OFFERED
            )
            self.line.refuse(refused)

    def ask_outcome(self, epoch: int, number: int) -> None:
        """Ask what became of a command."""
        self.line.order(orders.outcome(epoch, number))

    def read_levels(self) -> None:
        """What it shows now."""
        self.line.read_levels()

    def clear_fault(self, fault: int) -> None:
        """A person has acted: the fault may go."""
        self.line.clear_fault(fault)
