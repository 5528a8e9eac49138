"""What stands under the daemon: clock, journal store, cables, threads. Tests put the in-loop twins in their place."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from firmware_bridge.clock import Clock
from firmware_bridge.links.apart import run_apart
from firmware_bridge.links.base import Link
from tableside.journal.opening import Place
from tableside.journal.store import Journal
from tableside.pins import is_pin

# scrypt with the parameters of `pins` takes 0.1 s; a machine that needs longer than this has other troubles.
PIN_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Interfaces of the process to the world.

    `connect` opens a new link to an address or raises `LinkRefused`; `next_session` counts for ever;
    `compare_pin` takes a PIN and a stored hash and must not hold up the loop.
    """

    clock: Clock
    open_journal: Callable[[Place], Awaitable[Journal]]
    connect: Callable[[str], Awaitable[Link]]
    next_session: Callable[[], int]
    compare_pin: Callable[[str, str], Awaitable[bool]]
    digest_key: bytes = field(repr=False)
    jitter: Callable[[], random.Random] = random.Random


async def compare_pin_apart(pin: str, stored: str) -> bool:
    """Compare in a thread of its own: the hash is slow on purpose."""
    return await run_apart(lambda: is_pin(pin, stored), name="compare a PIN", timeout_s=PIN_LIMIT_S)
