"""What the hub asks of a driver, and how a driver reports: the seam between devices and the table.

A driver runs for the life of the daemon: `run` keeps a connection (through the keeper), reports facts, and
carries out orders. Orders are goals or commands that the hub has journalled; they return at once and never
raise: what became of them is learnt from facts. Orders to a device that is away are dropped (its lost permits
have ended by themselves; open commands are asked for at the next connection, semantics §1.3).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn, Protocol

from drivers.displays.showing import Showing
from drivers.events import Fact, LampColour, LampPattern, PermitKind, Verb
from firmware_bridge.links.base import Link
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.keeper import Keeper

# Awaited by the driver: it returns when the hub has room, so back-pressure reaches the device (semantics §1.1).
Report = Callable[[Fact], Awaitable[None]]

# Awaited by the driver, once for each connection: the open cable. Raises LinkRefused.
Connect = Callable[[], Awaitable[Link]]


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """One device of the configuration that has nothing to set beside what every device has."""

    name: str
    address: str
    model: str = ""
    serial: str = ""
    is_simulated: bool = False


class Device(Protocol):
    """Any device that the table runs."""

    @property
    def name(self) -> str:
        """Its name at the table, as in the configuration."""

    async def run(self) -> None:
        """Keep the device connected until cancelled."""


class PlainDevice(Device, Protocol):
    """A device on a cable of its own that takes no orders; beside it what a technician sees of its cable."""

    async def run(self) -> NoReturn:
        """Keep the device connected until cancelled."""

    @property
    def keeper(self) -> Keeper:
        """Who keeps it connected."""

    @property
    def counts(self) -> LinkCounts:
        """What went over its cable."""


class TdlDevice(Device, Protocol):
    """A TDL device (shuffler, switch box): permits, lamp, commands, acknowledgements."""

    def resume_notices(self, boot: int, number: int) -> None:
        """The end of the handshake (TDL 4.2): the journal holds all notices up to `number` of `boot`: let them flow."""

    def acknowledge(self, boot: int, number: int) -> None:
        """NOTICE_ACK, after the commit (TDL 8.3)."""

    def permit(self, what: PermitKind, duration_ms: int, limit_cards: int | None) -> None:
        """Grant, change or renew a permit (TDL 9.2)."""

    def revoke(self, what: PermitKind) -> None:
        """End a permit now."""

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """The lamp shows this."""

    def command(self, verb: Verb, epoch: int, number: int, argument: int | None) -> None:
        """Send a moving command, once; then only ask OUTCOME (TDL 7). Answered as `CommandAnswered`.

        ADOPT alone is numbered only for us: on the wire it carries `epoch` as the new epoch and `argument` as the
        highest number ever given; its reply is answered under `number`, and OUTCOME is never asked for it.
        """

    def ask_outcome(self, epoch: int, number: int) -> None:
        """OUTCOME: asked until answered or the session ends; answered as `CommandAnswered(is_found=True)`."""

    def read_levels(self) -> None:
        """STATE and METERS; answered as `LevelsRead`."""

    def clear_fault(self, fault: int) -> None:
        """CLEAR_FAULT: a named act of a person stands behind it."""


class BadgeReader(Device, Protocol):
    """A badge reader: prompts are goals."""

    def prompt(self, *, is_amber: bool, beeps: int) -> None:
        """LED amber (a tap is asked for) or back to normal; so many beeps now."""


class Display(Device, Protocol):
    """A jackpot display: what it shows is a goal, and only the present one is ever sent."""

    def show(self, showing: Showing) -> None:
        """Show this; said again it renews for `STALE_MS` what is shown already. Answered as `DisplayShowed`."""


class Lamp(Device, Protocol):
    """A warning lamp of its own: what it shows is a goal, and only the present one is ever sent (drivers/lamps)."""

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """Show this; said again it renews for `STALE_S` what is shown already. Answered as `LampShowed`."""
