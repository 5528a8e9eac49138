"""A real device, named on the command line, as a rig: reached by its address, with nobody at it."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.links.address import open_link, parse_address
from firmware_bridge.links.address_kinds import SerialAddress
from firmware_bridge.links.base import Link
from tests.support.tdl_rigs import Hands


class RigRefused(ValueError):
    """The command line does not say clearly enough which device may be moved: says what is missing."""


@dataclass(frozen=True, slots=True)
class NamedDevice:
    """Who may be moved, and where it is."""

    address: str
    serial: str
    model: str


def named_device(chosen: list[str], *, serial: str | None, model: str | None, may_move: str | None) -> NamedDevice:
    """The one device of the command line. Raises RigRefused unless serial number and *may move* are the same."""
    if len(chosen) != 1:
        raise RigRefused(f"{len(chosen)} TDL devices named: these tests move one at a time")
    if not serial or not model:
        raise RigRefused("--serial-number and --model as on the plate are needed: the address is only a hint")
    if may_move != serial:
        raise RigRefused(
            f"--may-move {serial} is needed, and {may_move or 'nothing'} is given: these tests move cards; "
            "make sure that nobody's hands are in the machine"
        )
    return NamedDevice(chosen[0].partition("=")[2], serial, model)


class NamedRig:
    """The device of the command line. What needs hands is skipped."""

    hands: Hands | None = None
    has_counted_feed = True

    def __init__(self, device: NamedDevice) -> None:
        self.address, self.serial, self.model = device.address, device.serial, device.model
        self.sees_cable = not isinstance(parse_address(device.address), SerialAddress)
        self._link: Link | None = None

    async def connect(self) -> Link:
        await self.cut()
        self._link = await open_link(self.address)
        return self._link

    async def cut(self) -> None:
        if self._link is not None:
            await self._link.close()
            self._link = None
