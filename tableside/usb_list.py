"""Which USB devices may be plugged in at the host: those of its tables, and what its file allows beside them.

A device that stands on neither is used by nobody here, and people are told of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import NoReturn

from firmware_bridge.links.address import AddressError, parse_address
from firmware_bridge.links.address_kinds import UsbAddress
from firmware_bridge.links.apart import run_apart
from firmware_bridge.links.usb_place import Plugged, plugged_in

# A stranger is told within so long; a look reads some twenty small files of the kernel's.
LOOK_PERIOD_S = 2.0
_LOOK_LIMIT_S = 5.0
# The kernel's own: `usb1` is the first controller's root, not a device that was plugged in.
_ROOT = "usb"


class UsbList:
    """What may be plugged in."""

    def __init__(self, allowed: Iterable[str], addresses: Iterable[str]) -> None:
        """`allowed`: `VID:PID` or `VID:PID/SERIAL`; `addresses` of the tables' devices, of whatever kind."""
        self._kinds = set[tuple[str, str]]()
        self._ports = set[tuple[str, str]]()
        for text in allowed:
            kind, _, serial = text.partition("/")
            self._kinds.add((kind.lower(), serial))
        for address in addresses:
            self._add(address)

    def strangers(self, plugged: Iterable[Plugged]) -> tuple[str, ...]:
        """Those that stand on no list, in words, in order."""
        return tuple(str(device) for device in sorted(plugged) if not self._has(device))

    def _has(self, device: Plugged) -> bool:
        if device.port.startswith(_ROOT):
            return True
        kind = f"{device.vendor:04x}:{device.product:04x}"
        return bool({(kind, ""), (kind, device.serial)} & self._kinds) or (kind, device.port) in self._ports

    def _add(self, address: str) -> None:
        try:
            parsed = parse_address(address)
        except AddressError:
            return  # told when the configuration is checked
        if isinstance(parsed, UsbAddress) and parsed.server is None:
            place = parsed.place
            (self._kinds if place.serial else self._ports).add((place.kind, place.serial or place.port))


Look = Callable[[], Awaitable[frozenset[Plugged]]]


async def look_apart() -> frozenset[Plugged]:
    """What is plugged in now, read in a thread of its own. Raises TimeoutError."""
    return await run_apart(plugged_in, name="look at USB", timeout_s=_LOOK_LIMIT_S)


# Who stands on no list now, and who of them did not a moment ago.
TellStrangers = Callable[[tuple[str, ...], tuple[str, ...]], Awaitable[None]]


async def watch_usb(usb_list: UsbList, look: Look, tell: TellStrangers) -> NoReturn:
    """Tell who stands on no list: at the start, and whenever that changes."""
    told: tuple[str, ...] | None = None
    while True:
        try:
            strangers = usb_list.strangers(await look())
        except TimeoutError:
            strangers = told or ()  # the kernel is busy with its bus; looked at again
        if strangers != told:
            new = tuple(device for device in strangers if device not in (told or ()))
            told = strangers
            await tell(strangers, new)
        await asyncio.sleep(LOOK_PERIOD_S)
