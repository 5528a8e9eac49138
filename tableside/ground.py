"""What stands under the daemon: clock, journal store, cables, threads. Tests put the in-loop twins in their place."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware_bridge.clock import Clock
from firmware_bridge.links.apart import run_apart
from firmware_bridge.links.base import Link
from tableside.jackpot.stores import new_store
from tableside.journal.opening import Place
from tableside.journal.store import Journal
from tableside.ledger_keeper import NewStore
from tableside.left_behind import LeftBehind
from tableside.outputs.northbound.broker import OpenBroker
from tableside.outputs.northbound.cursors import WriteFile, write_whole
from tableside.pins import is_pin
from tableside.usb_list import Look, look_apart

# scrypt with the parameters of `pins` takes 0.1 s; a machine that needs longer than this has other troubles.
PIN_LIMIT_S = 10.0
# Some hundred kilobytes at most; a disk that takes longer has troubles that the journal tells of.
WRITE_LIMIT_S = 10.0


async def at_once(write: Callable[[], None]) -> None:
    """In the loop, for tests in virtual time."""
    write()


async def write_apart(write: Callable[[], None]) -> None:
    """In a thread of its own: a disk may be slow. Raises what it raises, and TimeoutError."""
    await run_apart(write, name="write traces", timeout_s=WRITE_LIMIT_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Interfaces of the process to the world.

    `connect` opens a new link to an address or raises `LinkRefused`; `next_session` counts for ever;
    `compare_pin` takes a PIN and a stored hash, `write_file` replaces a file's content; neither may hold up the loop.
    `open_broker` and `post` (HTTP) reach other systems and raise `LinkRefused` or `LinkClosed`.
    `write` runs what writes traces; `look_at_usb` says what is plugged in; links put into `left_behind` what lies at
    a broker. `new_ledger` makes the store of a linked jackpot.
    """

    clock: Clock
    open_journal: Callable[[Place], Awaitable[Journal]]
    connect: Callable[[str], Awaitable[Link]]
    next_session: Callable[[], int]
    compare_pin: Callable[[str, str], Awaitable[bool]]
    digest_key: bytes = field(repr=False)
    seal_key: bytes = field(repr=False)
    open_broker: OpenBroker
    write_file: WriteFile
    post: Callable[[str, bytes], Awaitable[None]]
    jitter: Callable[[], random.Random] = random.Random
    write: Callable[[Callable[[], None]], Awaitable[None]] = at_once
    look_at_usb: Look = look_apart
    new_ledger: NewStore = new_store
    left_behind: LeftBehind = field(default_factory=LeftBehind)


async def compare_pin_apart(pin: str, stored: str) -> bool:
    """Compare in a thread of its own: the hash is slow on purpose."""
    return await run_apart(lambda: is_pin(pin, stored), name="compare a PIN", timeout_s=PIN_LIMIT_S)


async def write_file_apart(path: Path, content: bytes) -> None:
    """Write whole in a thread of its own: a disk may take long to be sure."""
    await run_apart(lambda: write_whole(path, content), name=f"write {path.name}", timeout_s=WRITE_LIMIT_S)
