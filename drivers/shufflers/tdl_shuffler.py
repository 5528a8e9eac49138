"""A shuffler that speaks TDL: continuous (profile 1), or batch (profile 2), which gives cards by command only."""

from __future__ import annotations

from typing import NoReturn

from drivers.events import LampColour, LampPattern, PermitKind, Verb
from drivers.tdl import Surroundings, TdlLine, TdlSettings, orders
from firmware_bridge.wire.tdl.codes import NoticeKind, Profile

# TDL 11: what profiles 1 and 2 send. Anything else is kept raw and touches nothing.
NOTICE_KINDS = frozenset(
    {
        NoticeKind.BOOTED,
        NoticeKind.CARDS_OUT,
        NoticeKind.CARDS_IN,
        NoticeKind.JAM,
        NoticeKind.JAM_GONE,
        NoticeKind.LID_OPENED,
        NoticeKind.LID_CLOSED,
        NoticeKind.FAULT,
        NoticeKind.FAULT_GONE,
        NoticeKind.LAMP,
        NoticeKind.BUFFER_LOW,
        NoticeKind.BUFFER_NORMAL,
        NoticeKind.PACKET_END,
        NoticeKind.PERMIT_ENDED,
        NoticeKind.SUSPECT_CARD,
        NoticeKind.COMMAND_ENDED,
        NoticeKind.TAMPER,
        NoticeKind.NOTICES_LOST,
    }
)


class TdlShuffler:
    """Takes cards in and gives them out; lid, lamp and counters of its own. A `TdlDevice`."""

    def __init__(self, settings: TdlSettings, around: Surroundings, profile: Profile = Profile.CONTINUOUS) -> None:
        self.name = settings.name
        self.line = TdlLine(settings, around, profile, NOTICE_KINDS)

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
        """Grant or renew; it ends by itself `duration_ms` from now, however long the order waits."""
        self.line.grant(what, duration_ms, limit_cards)

    def revoke(self, what: PermitKind) -> None:
        """End a permit now; goes before everything that waits."""
        self.line.order(orders.revoke(what))

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """The lamp shows this."""
        self.line.order(orders.lamp(colour, pattern))

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Send a moving command once; a verb that the machine has not is refused by itself."""
        self.line.order(*orders.command(verb, epoch, number, argument))

    def ask_outcome(self, epoch: int, number: int) -> None:
        """Ask what became of a command."""
        self.line.order(orders.outcome(epoch, number))

    def read_levels(self) -> None:
        """Content, lid, path, meters now."""
        self.line.read_levels()

    def clear_fault(self, fault: int) -> None:
        """A person has acted: the fault may go."""
        self.line.clear_fault(fault)
