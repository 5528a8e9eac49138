"""What somebody left at a broker for a device, or as from one: dropped by the links, and told once (BR-037)."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from dataclasses import dataclass

from tableside.inputs import CommandTurnedAway
from tableside.outputs.northbound.messages import TurnedAway

# A retained frame comes at every connection. So many different ones are remembered; a broker with more is past help.
REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Left:
    """One retained frame: of which device, by its address, and on which topic."""

    address: str
    topic: str
    size: int

    def told_of(self, device: str) -> CommandTurnedAway:
        """As its table is told."""
        return CommandTurnedAway(
            client=device,
            command="",
            why=TurnedAway.RETAINED.value,
            text=f"a frame of {self.size} bytes is retained at the broker: dropped. Clear that topic",
            topic=self.topic[:200],
        )


class LeftBehind:
    """Filled by links, emptied by the daemon."""

    def __init__(self) -> None:
        self._waiting: deque[Left] = deque()
        self._known: dict[str, None] = {}
        self._news = asyncio.Event()

    def found(self, address: str, topic: str, payload: bytes) -> None:
        """A link found it; the same frame on the same topic is told once in a run."""
        key = f"{topic} {hashlib.sha256(payload).hexdigest()}"
        if key in self._known:
            return
        self._known[key] = None
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        self._waiting.append(Left(address, topic, len(payload)))
        self._news.set()

    async def next(self) -> Left:
        """The next one, once there is one."""
        while not self._waiting:
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()
