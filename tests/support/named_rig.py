"""A real device, named on the command line, as a rig: reached by its address, with nobody at it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from drivers.events import DeviceReady, DeviceRejected, Fact
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.address import open_link, parse_address
from firmware_bridge.links.address_kinds import SerialAddress
from firmware_bridge.links.base import Link, LinkRefused
from tests.support.tdl_rigs import Hands

# Identity and full readback take a second at 9,600 baud; who has said nothing in ten is not there.
LOOK_S = 10.0
# TDL 10: a jam is fault 0.
JAM = 0


class RigRefused(ValueError):
    """No test may run on what the command line names: says why, and what to do."""


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


async def look_at(device: NamedDevice, *, epoch: int, limit_s: float = LOOK_S) -> DeviceReady:
    """Who answers there and how it stands, before any test: HELLO and reads, no order.

    Raises `RigRefused` where the port is held or absent, nobody answers, or the device is another one.
    """
    rig = NamedRig(device)
    told: asyncio.Queue[Fact | LinkRefused] = asyncio.Queue()

    async def connect() -> Link:
        try:
            return await rig.connect()
        except LinkRefused as refused:
            told.put_nowait(refused)
            raise

    around = Surroundings(
        report=told.put,
        connect=connect,
        next_session=lambda: random.randrange(1, 60_000),
        epoch=epoch,
    )
    driver = TdlShuffler(TdlSettings("shuffler", device.address, device.serial, device.model), around)
    working = asyncio.create_task(driver.run())
    try:
        async with asyncio.timeout(limit_s):
            return await _who_answers(told)
    except TimeoutError:
        why = driver.line.keeper.why_away
        raise RigRefused(
            f"no TDL device answers at {device.address} within {limit_s:g} s{f' ({why})' if why else ''}: "
            "is it switched on, is the cable in, and is no other host connected to it?"
        ) from None
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await rig.cut()


async def _who_answers(told: asyncio.Queue[Fact | LinkRefused]) -> DeviceReady:
    while True:
        match await told.get():
            case DeviceReady() as ready:
                return ready
            case DeviceRejected(why=why):
                raise RigRefused(
                    f"{why}. Nothing but HELLO was sent to it; name the device that is there, or change it"
                )
            case LinkRefused() as refused:
                raise RigRefused(str(refused))


def refuse_unfit(ready: DeviceReady) -> None:
    """Raises `RigRefused` where the lid is open, or a jam or fault stands: hands may be in it."""
    stands = ["its lid is open"] if ready.is_lid_open else []
    stands += [
        f"a card is jammed at the {place}" if fault == JAM else f"fault {fault} stands at the {place}"
        for fault, place in ready.faults
    ]
    if stands:
        raise RigRefused(f"{ready.serial} is not fit to be moved: {', '.join(stands)}. See to it, then start again")
