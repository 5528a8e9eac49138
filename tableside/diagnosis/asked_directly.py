"""A device of the configuration asked without a daemon, where nobody holds its port: nothing goes on record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from drivers.events import FirmwareTold, FirmwareUntold
from drivers.firmware.gat_port import prove_once
from firmware_bridge.links.address import open_link
from firmware_bridge.links.base import LinkRefused
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import SessionOver
from firmware_bridge.session.gat import GatSession, NotTold
from firmware_bridge.wire.gat.messages import Status
from tableside.configuration.shape import Device
from tableside.equipment import firmware_port_settings


async def prove_directly(device: Device, progress: Callable[[str], None]) -> FirmwareTold | FirmwareUntold:
    """One proof over a link of its own."""
    settings = firmware_port_settings(device)
    try:
        link = await open_link(device.address)
    except LinkRefused as refused:
        return FirmwareUntold(device=device.name, of=settings.of, why=str(refused))
    session = GatSession(link, LinkCounts(), baud=settings.baud)
    running = asyncio.create_task(session.run())

    def tell(status: Status) -> None:
        progress("done" if status.is_done else status.calculation.name.lower())

    try:
        await asyncio.sleep(0)  # the session listens before it asks
        return await prove_once(session, settings, progress=[tell])
    except (NotTold, SessionOver) as error:
        return FirmwareUntold(device=device.name, of=settings.of, why=str(error))
    finally:
        running.cancel()
        await asyncio.wait([running])
