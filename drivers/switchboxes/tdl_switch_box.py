"""The table's switch box that speaks TDL, profile 6: lamp, lid switch, discard tray, dealer's keys."""

from __future__ import annotations

from typing import NoReturn

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

# TDL 11: what profile 6 sends. Anything else is kept raw and touches nothing.
NOTICE_KINDS = frozenset(
    {
        NoticeKind.BOOTED,
        NoticeKind.TRAY,
        NoticeKind.LID_OPENED,
        NoticeKind.LID_CLOSED,
        NoticeKind.FAULT,
        NoticeKind.FAULT_GONE,
        NoticeKind.LAMP,
        NoticeKind.COMMAND_ENDED,
        NoticeKind.TAMPER,
        NoticeKind.NOTICES_LOST,
        NoticeKind.KEY,
    }
)


class TdlSwitchBox:
    """Shows the lamp and tells what hands do; moves nothing and holds no permit. A `TdlDevice`."""

    def __init__(self, settings: TdlSettings, around: Surroundings) -> None:
        self.name = settings.name
        self.line = TdlLine(settings, around, Profile.SWITCH_BOX, NOTICE_KINDS)

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
        """Refused: a switch box holds no permit (TDL 11.2)."""
        self.line.refuse(PermitAnswered(device=self.name, what=what, reason=Reason.NOT_OFFERED))

    def revoke(self, what: PermitKind) -> None:
        """Nothing stands that could be revoked."""

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """The lamp shows this."""
        self.line.order(orders.lamp(colour, pattern))

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Adopting an epoch is all that can be ordered; nothing here moves."""
        if verb is Verb.ADOPT:
            self.line.order(*orders.command(verb, epoch, number, argument))
        else:
            self._refuse(number)

    def ask_outcome(self, epoch: int, number: int) -> None:
        """Ask what became of a command (ADOPT has none)."""
        self.line.order(orders.outcome(epoch, number))

    def read_levels(self) -> None:
        """Lid, tray and lamp now."""
        self.line.read_levels()

    def clear_fault(self, fault: int) -> None:
        """A person has acted: the fault may go."""
        self.line.clear_fault(fault)

    def _refuse(self, number: int) -> None:
        self.line.refuse(
            CommandAnswered(device=self.name, command=number, outcome=Outcome.REFUSED, reason=Reason.NOT_OFFERED)
        )
