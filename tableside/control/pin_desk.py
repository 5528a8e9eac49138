"""PINs, the second way when a badge reader is away: compared here, so that no hub and no journal sees one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from firmware_bridge.clock import NS_PER_S, Clock

# A person mistypes once or twice; who tries more is guessing. Six digits at three tries a minute last a year.
TRIES = 3
LOCKED_S = 60

Compare = Callable[[str, str], Awaitable[bool]]


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    locked_until_ns: int = 0


class PinWrong(Exception):
    """A PIN that proves nobody; its text never repeats it. `next_step` says what to do."""

    def __init__(self, text: str, next_step: str) -> None:
        super().__init__(text)
        self.next_step = next_step


class PinDesk:
    """Compares PINs with the stored hashes (by staff id), one at a time: each costs 0.1 s and 32 MiB."""

    def __init__(self, hashes: Mapping[str, str], compare: Compare, clock: Clock) -> None:
        self._hashes = hashes
        self._compare = compare
        self._clock = clock
        self._tries: dict[str, _Tries] = {}
        self._turn = asyncio.Lock()

    async def proved(self, pins: Mapping[str, str]) -> tuple[str, ...]:
        """The staff ids whose PINs are right, in the order given. Raises `PinWrong` at the first that is not."""
        for staff, pin in pins.items():
            await self._prove(staff, pin)
        return tuple(pins)

    async def _prove(self, staff: str, pin: str) -> None:
        stored = self._hashes.get(staff)
        if stored is None:
            raise PinWrong(f'"{staff}" has no PIN here', "two persons with a PIN, or a badge at the reader")
        async with self._turn:
            tries = self._tries.setdefault(staff, _Tries())
            left_ns = tries.locked_until_ns - self._clock.monotonic_ns()
            if left_ns > 0:
                raise PinWrong(
                    f"the PIN of {staff} was wrong {TRIES} times", f"wait {left_ns // NS_PER_S + 1} s, then once more"
                )
            if await self._compare(pin, stored):
                del self._tries[staff]
                return
            tries.wrong += 1
            if tries.wrong >= TRIES:
                tries.wrong, tries.locked_until_ns = 0, self._clock.monotonic_ns() + LOCKED_S * NS_PER_S
        raise PinWrong(f"the PIN of {staff} is not right", "type it again")
