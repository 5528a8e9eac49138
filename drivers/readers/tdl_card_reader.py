"""The card reader that speaks TDL, profile 3: it sees each card as it is dealt, and holds nothing back.

It tells how many cards went by (a meter) and which (a count and an identity, each once). What it cannot read it tells
as unread; what it tells of cards to come it cannot know.
"""

from __future__ import annotations

from typing import NoReturn

from drivers.events import CommandAnswered, LampColour, LampPattern, Outcome, PermitAnswered, PermitKind, Reason, Verb
from drivers.tdl import Surroundings, TdlLine, TdlSettings, orders
from firmware_bridge.wire.tdl.codes import NoticeKind, Profile

# TDL 11: what profile 3 sends. Anything else is kept raw and touches nothing.
NOTICE_KINDS = frozenset(
    {
        NoticeKind.BOOTED,
        NoticeKind.CARDS_OUT,
        NoticeKind.FAULT,
        NoticeKind.FAULT_GONE,
        NoticeKind.COMMAND_ENDED,
        NoticeKind.TAMPER,
        NoticeKind.NOTICES_LOST,
        NoticeKind.CARD_READ,
    }
)
COMMANDS = frozenset({Verb.ADOPT, Verb.SELF_TEST})


class TdlCardReader:
    """Tells what is dealt past it; moves nothing and holds no permit. A `TdlDevice`."""

    def __init__(self, settings: TdlSettings, around: Surroundings) -> None:
        self.name = settings.name
        self.line = TdlLine(settings, around, Profile.CARD_READER, NOTICE_KINDS)

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
        """Refused: a card reader holds no permit (TDL 11)."""
        self.line.refuse(PermitAnswered(device=self.name, what=what, reason=Reason.NOT_OFFERED))

    def revoke(self, what: PermitKind) -> None:
        """Nothing stands that could be revoked."""

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """It has no lamp."""

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Adopting an epoch, and the device's test of itself."""
        if verb in COMMANDS:
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
        """Its meter now."""
        self.line.read_levels()

    def clear_fault(self, fault: int) -> None:
        """A person has acted: the fault may go."""
        self.line.clear_fault(fault)
