"""The side channel: people's hands, faults and eyes, one JSON line a message. Devices never hear of it.

Acts: `look` (`everything` in the laboratory), `person` and `world` with a deed, `proofs` (which causes have fired).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from .deed_words import mistake
from .deeds import Impossible, PersonDeed, Proof, WorldDeed, members
from .looking import look, look_at_everything
from .room import Room
from .undone import moved_nothing

MAX_LINE_BYTES = 65_536
OWNER_ONLY = 0o600


class Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line. `deed` belongs to `person` and `world`, `everything` to `look`."""

    id: str
    act: str
    deed: msgspec.Raw = msgspec.Raw()
    everything: bool = False


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer: *told*, *done*, *impossible* (hands cannot), or *mistaken* (the message was no message).

    *done* with a text: hands came away with nothing, and why. Who deals looks, and tries again.
    """

    id: str
    answer: str
    what: object = None
    text: str = ""


@dataclass(slots=True)
class Cause:
    """A deed of the world that was carried out, its proof, and whether that has ever held."""

    deed: WorldDeed
    proof: Proof
    has_fired: bool = False

    def look(self) -> None:
        """Once fired, always fired: what it did may be mended meanwhile."""
        self.has_fired = self.has_fired or self.proof()


class SideDesk:
    """Answers the side channel of one room."""

    def __init__(self, room: Room) -> None:
        self.causes: list[Cause] = []
        self._room = room
        room.stage.watch(self._look_at_causes)
        self._person = msgspec.json.Decoder(type=_any_of(PersonDeed))
        self._world = msgspec.json.Decoder(type=_any_of(WorldDeed))
        self._message = msgspec.json.Decoder(type=Message)
        self._acts: Mapping[str, Callable[[Message], Awaitable[Said]]] = {
            "look": self._look,
            "person": self._person_does,
            "world": self._world_does,
            "proofs": self._proofs,
        }

    async def answer(self, line: bytes) -> bytes:
        """One line in, one line out, without their ends."""
        return msgspec.json.encode(await self._said(line))

    async def _said(self, line: bytes) -> Said:
        name = ""
        try:
            message = self._message.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return Said(id=name, answer="mistaken", text=str(error))
        name = message.id
        try:
            act = self._acts.get(message.act)
            if act is None:
                return Said(id=name, answer="mistaken", text=f"act: one of {', '.join(self._acts)}")
            return await act(message)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return Said(id=name, answer="mistaken", text=mistake(message.act, message.deed, error))
        except Impossible as why:
            return Said(id=name, answer="impossible", text=str(why))

    async def _look(self, message: Message) -> Said:
        self._room.stage.settle()
        if not message.everything:
            return Said(id=message.id, answer="told", what=look(self._room))
        if not self._room.plan.simulation.is_lab:
            raise Impossible("everything is shown only where the simulation file says is_lab = true")
        return Said(id=message.id, answer="told", what=look_at_everything(self._room))

    async def _person_does(self, message: Message) -> Said:
        deed: PersonDeed = self._person.decode(message.deed)
        seen = deed.carry_out(self._room)
        why = deed.why_nothing(self._room) if moved_nothing(seen) else ""
        return Said(id=message.id, answer="done", what=seen, text=why)

    async def _world_does(self, message: Message) -> Said:
        deed: WorldDeed = self._world.decode(message.deed)
        self.causes.append(Cause(deed, await deed.carry_out(self._room)))
        return Said(id=message.id, answer="done", what={"cause": len(self.causes)})

    async def _proofs(self, message: Message) -> Said:
        """Every cause by number, and whether it has had its effect."""
        self._room.stage.settle()
        told = [
            {"cause": number, "deed": msgspec.to_builtins(cause.deed), "fired": cause.has_fired}
            for number, cause in enumerate(self.causes, 1)
        ]
        return Said(id=message.id, answer="told", what=told)

    def _look_at_causes(self) -> None:
        for cause in self.causes:
            cause.look()


def _any_of(kind: type[Any]) -> Any:
    """The union of all deeds of a kind."""
    union: Any = None
    for member in members(kind):
        union = member if union is None else union | member
    return union


class SideChannel:
    """The unix socket before the desk."""

    def __init__(self, desk: SideDesk, path: Path) -> None:
        self._desk = desk
        self._path = path
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen from now on. Raises `OSError`."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.unlink(missing_ok=True)
        mask = os.umask(0o777 & ~OWNER_ONLY)
        try:
            self._server = await asyncio.start_unix_server(self._serve, self._path, limit=MAX_LINE_BYTES)
        finally:
            os.umask(mask)

    async def run(self) -> None:
        """Serve until cancelled; then the path is gone."""
        assert self._server is not None, "open it first"
        try:
            async with self._server:
                await self._server.serve_forever()
        finally:
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, line by line; whatever becomes of it ends it alone."""
        try:
            while line := await reader.readline():
                writer.write(await self._desk.answer(line) + b"\n")
                await writer.drain()
        except (OSError, ValueError):
            return  # the other side is gone, or sent a line without end
        finally:
            writer.close()
