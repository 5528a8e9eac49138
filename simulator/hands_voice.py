"""The room, as people and scenarios reach it: deeds and looks over the side channel, whatever carries its lines."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .control import SideDesk
from .speaking import Said

Ask = Callable[[Said], Awaitable[Said]]


class CannotDo(Exception):
    """Hands, or the world, could not do it: what the side channel said."""


class SideVoice:
    """Asks the side channel; `ask` carries one message to it."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._asked = 0

    async def person(self, deed: Mapping[str, object]) -> dict[str, Any]:
        """What hands do; returns what the person sees of it. Raises `CannotDo`."""
        seen: dict[str, Any] = await self._what({"act": "person", "deed": deed})
        return seen

    async def world(self, deed: Mapping[str, object]) -> int:
        """What the world does; returns the number of the cause. Raises `CannotDo`."""
        done = await self._what({"act": "world", "deed": deed})
        return int(done["cause"])

    async def look(self, *, everything: bool = False) -> dict[str, Any]:
        """What eyes see. Raises `CannotDo` where everything is not to be shown."""
        seen: dict[str, Any] = await self._what({"act": "look", "everything": everything})
        return seen

    async def proofs(self) -> list[dict[str, Any]]:
        """Every cause, and whether it has fired."""
        proofs: list[dict[str, Any]] = await self._what({"act": "proofs"})
        return proofs

    async def _what(self, message: dict[str, Any]) -> Any:
        self._asked += 1
        said = await self._ask({"id": f"side-{self._asked}", **message})
        if said["answer"] in ("told", "done"):
            return said.get("what")
        raise CannotDo(said.get("text", said["answer"]))


def voice_of(desk: SideDesk) -> SideVoice:
    """Straight to a room's desk in the same process, through the same lines."""

    async def ask(message: Said) -> Said:
        said: Said = json.loads(await desk.answer(json.dumps(message, ensure_ascii=False).encode()))
        return said

    return SideVoice(ask)
