"""Chip slots that speak TDL, profile 5: open under a permit, chips told by meter and seat, then collected."""

from __future__ import annotations

from typing import NoReturn

from drivers.events import LampColour, LampPattern, PermitKind, Verb
from drivers.tdl import Surroundings, TdlLine, TdlSettings, orders
from firmware_bridge.wire.tdl.codes import NoticeKind, Profile

# TDL 11: what profile 5 sends. Anything else is kept raw and touches nothing.
NOTICE_KINDS = frozenset(
    {
        NoticeKind.BOOTED,
        NoticeKind.CHIPS_IN,
        NoticeKind.FAULT,
        NoticeKind.FAULT_GONE,
        NoticeKind.PERMIT_ENDED,
        NoticeKind.COMMAND_ENDED,
        NoticeKind.TAMPER,
        NoticeKind.NOTICES_LOST,
        NoticeKind.CHIP_RETURNED,
    }
)


class TdlSlots:
    """Takes chips while the permit stands, and gives back what is late, second or of another value. A `TdlDevice`."""

    def __init__(self, settings: TdlSettings, around: Surroundings) -> None:
        self.name = settings.name
        self.line = TdlLine(settings, around, Profile.CHIP_SLOT, NOTICE_KINDS)

    async def run(self) -> NoReturn:
        """Keep it connected until cancelled."""
        await self.line.run()

    def resume_notices(self, boot: int, number: int) -> None:
        """The journal holds the notices of `boot` up to `number`: let them flow."""
        self.line.resume_notices(boot, number)

    def acknowledge(self, boot: int, number: int) -> None:
        """The journal holds the notices of `boot` up to `number`."""
        self.line.acknowledge(boot, number)

    def permit(self, what: PermitKind, duration_ms: int, limit_cards: int | None) -> None:
        """Open the slots, or keep them open; they close by themselves `duration_ms` from now."""
        self.line.grant(what, duration_ms, limit_cards)

    def revoke(self, what: PermitKind) -> None:
        """Close the slots now; goes before everything that waits."""
        self.line.order(orders.revoke(what))

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """They have no lamp."""

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """COLLECT (seat, 0 all), SELF_TEST, ADOPT: once. Any other verb the device refuses by itself."""
        self.line.order(*orders.command(verb, epoch, number, argument))

    def ask_outcome(self, epoch: int, number: int) -> None:
        """Ask what became of a command."""
        self.line.order(orders.outcome(epoch, number))

    def read_levels(self) -> None:
        """Permits and meters now."""
        self.line.read_levels()

    def clear_fault(self, fault: int) -> None:
        """A person has acted: the fault may go."""
        self.line.clear_fault(fault)
