"""Makes the next connection, for as long as the daemon lives (design rule 6).

A link and a session live once; the keeper owns the policy: when to try again, what to say, when to try slowly.
It knows no protocol: it is given one coroutine that connects, works and raises why it ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import NoReturn

import structlog

from firmware_bridge.links.base import LinkAbsent, LinkBusy, LinkForbidden, LinkRefused
from firmware_bridge.session.backoff import Backoff
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.supervised import run_together

# A link that held for a minute is a link; one that flaps faster keeps its longer waits (BR-046).
STABLE_S = 60.0

Up = Callable[[], None]
Attempt = Callable[[Up], Coroutine[object, object, None]]

_log = structlog.get_logger("keeper")


class Keeper:
    """Keeps one link (a device, or a bus with its stations) connected.

    `attempt(up)` opens a link, runs a session on it, calls `up()` once the other side has proved itself, and
    raises why it ended; it closes what it opened. Any exception leads to the next attempt: a fault that nobody
    foresaw is logged with its traceback and must not leave the table without its device (BR-026).
    """

    def __init__(self, name: str, attempt: Attempt, backoff: Backoff) -> None:
        self.name = name
        self.losses = 0  # sessions that were up and ended
        self.attempts_since_up = 0
        self.why_away = ""  # of the last attempt that ended; empty while a session stands
        self.ended_by = ""  # its kind in a word: an `Ending`, or how the link was refused
        self._attempt = attempt
        self._backoff = backoff
        self._up_since_s: float | None = None
        self._away_since_s = 0.0
        self._told: set[str] = set()  # what this absence has been logged for

    @property
    def is_up(self) -> bool:
        """True while a session stands that has proved the other side."""
        return self._up_since_s is not None

    async def run(self) -> NoReturn:
        """Connect again and again until cancelled."""
        self._away_since_s = asyncio.get_running_loop().time()
        while True:
            self.attempts_since_up += 1
            try:
                await run_together(self._attempt(self._came_up))
            except Exception as error:
                wait_s = self._ended(error)
            await asyncio.sleep(wait_s)

    def _came_up(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if self._told:
            away_s = round(now_s - self._away_since_s, 1)
            _log.info("link_back", link=self.name, attempts=self.attempts_since_up, away_s=away_s)
        self._up_since_s = now_s
        self.attempts_since_up = 0
        self.why_away = self.ended_by = ""
        self._told.clear()

    def _ended(self, error: Exception) -> float:
        now_s = asyncio.get_running_loop().time()
        if self._up_since_s is not None:
            self.losses += 1
            self._away_since_s = now_s
            if now_s - self._up_since_s >= STABLE_S:
                self._backoff.reset()
        self._up_since_s = None
        self.why_away = str(error) or type(error).__name__
        self.ended_by = _kind_of(error)
        is_permanent = isinstance(error, SessionOver) and error.is_permanent
        self._tell(error, is_permanent=is_permanent)
        if is_permanent:
            return self._backoff.quarantine_s()
        is_link_fault = not isinstance(error, SessionOver) or error.ending is Ending.LINK_LOST
        return self._backoff.next_s(is_link_fault=is_link_fault)

    def _tell(self, error: Exception, *, is_permanent: bool) -> None:
        """One line when lost, one when a person is needed, one for each kind of unforeseen fault; then silence."""
        is_foreseen = isinstance(error, OSError)
        event = "link_quarantined" if is_permanent else "link_lost" if is_foreseen else "link_failed_unforeseen"
        key = event if is_foreseen else type(error).__name__
        if key not in self._told:
            self._told.add(key)
            _log.warning(event, link=self.name, why=str(error), exc_info=None if is_foreseen else error)


# How a link was refused, in a word; what is none of these was refused for a reason of its own.
_REFUSALS: tuple[tuple[type[Exception], str], ...] = (
    (LinkAbsent, "absent"),
    (LinkForbidden, "forbidden"),
    (LinkBusy, "busy"),
    (LinkRefused, "refused"),
)


def _kind_of(error: Exception) -> str:
    if isinstance(error, SessionOver):
        return error.ending.value
    return next((word for kind, word in _REFUSALS if isinstance(error, kind)), "unforeseen")
