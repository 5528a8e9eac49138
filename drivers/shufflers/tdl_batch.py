"""A batch shuffler that speaks TDL, profile 2: a batch in, SHUFFLE, packets out by DEAL, or all of it by EJECT_ALL."""

from __future__ import annotations

from typing import NoReturn

from drivers.events import LampColour, LampPattern, PermitKind, Verb
from drivers.shufflers.tdl_continuous import NOTICE_KINDS
from drivers.tdl import Surroundings, TdlLine, TdlSettings, orders
from firmware_bridge.wire.tdl.codes import Profile


class TdlBatchShuffler:
    """Mixes a batch and counts it; gives cards by command only; lid, lamp and counters of its own. A `TdlDevice`."""

    def __init__(self, settings: TdlSettings, around: Surroundings) -> None:
        self.name = settings.name
        self.line = TdlLine(settings, around, Profile.BATCH, NOTICE_KINDS)

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
