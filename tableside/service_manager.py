"""Words to the service manager that started us (sd_notify(3)): ready, alive, stopping. Without one: nothing.

*Alive* is said from the event loop itself, at half the manager's period, and only while every table's hub makes
progress (BR-063): an idle table is well, a hub that is stuck in a turn is not.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NoReturn

READY, ALIVE, STOPPING = b"READY=1", b"WATCHDOG=1", b"STOPPING=1"
US_PER_S = 1_000_000


class ServiceManager:
    """What the environment says of it. `send` hands a word over and never waits."""

    def __init__(self, period_s: float | None, send: Callable[[bytes], None]) -> None:
        self.period_s = period_s
        self._send = send

    def tell(self, word: bytes) -> None:
        """Say something."""
        self._send(word)

    async def run(self, is_well: Callable[[], bool]) -> NoReturn:
        """Say that we live, as long as all is well, until cancelled. Where nobody asks, nothing is said."""
        while True:
            if self.period_s is None:
                await asyncio.Event().wait()
                continue
            if is_well():
                self._send(ALIVE)
            await asyncio.sleep(self.period_s / 2)


def service_manager(environment: Mapping[str, str]) -> ServiceManager:
    """The manager that this process was started by, if any."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address:
        return ServiceManager(None, lambda _word: None)
    # An address that begins with @ has no file: the kernel writes it with a zero in front.
    where = "\0" + address[1:] if address.startswith("@") else address

    def send(word: bytes) -> None:
        # A manager that does not listen is no reason to stop a table.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            sender.sendto(word, where)

    return ServiceManager(_period_s(environment), send)


def _period_s(environment: Mapping[str, str]) -> float | None:
    microseconds, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not microseconds.isdecimal() or int(microseconds) == 0 or process not in ("", str(os.getpid())):
        return None
    return int(microseconds) / US_PER_S
