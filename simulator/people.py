"""A simulated person: two hands for the table, a voice for the daemon, human timing, seeded.

People want things and know only what a person at the table can see. Their hands act through the room's side
channel, their words through the daemon's control socket, as any console's would.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import msgspec

from .hands_voice import SideVoice
from .speaking import Connect, Conversation, Said
from .watch import Watch

# A finger that slips presses twice this often, and somebody in a hurry forgets to say that he goes (assumed).
TWICE_CHANCE = 0.02
FORGET_CHANCE = 0.1
# A host takes a badge that comes back within two seconds for one that lies there (BR-033): real time at any pace.
BADGE_AWAY_S = 2.5

P = TypeVar("P", bound="Person")
Skill = Callable[..., Awaitable[Said | None]]


class CastMember(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"as_": "as"}):
    """A person of a scenario. `as` is what the person is; `pager` false: answers no alert by himself."""

    name: str
    as_: str
    staff_id: str
    badge: str = ""
    pin: str = ""
    pager: bool = True


@dataclass(slots=True)
class Scene:
    """What all people of a run share. `token` keeps the request ids of one run apart from another's."""

    watch: Watch
    side: SideVoice
    connect: Connect
    pace: float
    seed: int
    token: str
    retry_s: float
    lapse_chance: float = 0.0  # that a supervisor forgets to tap again in a load
    cast: dict[str, Person] = field(default_factory=dict)
    envelopes: int = 0
    tell: Callable[[str], None] = lambda text: None

    async def look(self) -> Mapping[str, Any]:
        """What eyes at the table see."""
        return await self.side.look()

    def first(self, kind: type[P]) -> P:
        """The first person of a kind. Raises LookupError."""
        for person in self.cast.values():
            if isinstance(person, kind):
                return person
        raise LookupError(f"nobody plays a {kind.__name__.lower()} in this scenario")

    async def wait(self, seconds: float) -> None:
        """People's time: quicker where the table is."""
        await asyncio.sleep(seconds / self.pace)


class Person:
    """Somebody with a staff id and a badge. What they can do beyond words and hands is in `skills`, by name."""

    skills: ClassVar[dict[str, str]] = {
        "wait": "pause",
        "tap the badge": "tap",
        "decide on the advice": "decide_advice",
    }

    def __init__(self, member: CastMember, scene: Scene) -> None:
        self.member = member
        self.scene = scene
        self.rng = random.Random(f"{member.name} {scene.seed}")
        self.line = Conversation(scene.connect, retry_s=scene.retry_s)
        self._said = 0
        self._may_tap_s = 0.0

    @property
    def name(self) -> str:
        return self.member.name

    @property
    def staff_id(self) -> str:
        return self.member.staff_id

    async def run(self) -> None:
        """Be there until cancelled."""
        await self.line.run()

    async def decide_advice(self, decision: str, against: bool = False) -> Said:
        """Say what is done about the latest advice that nobody has decided yet; the table's answer."""
        watch = self.scene.watch
        over = {row.body["number"] for kind in ("Decided", "AdviceLapsed") for row in watch.since(0, kind)}
        given = [row.body["number"] for row in watch.since(0, "Advised")]
        number = next((one for one in reversed(given) if one not in over), 0)
        return await self.say("decide-advice", number=number, decision=decision, is_against=against)

    # Words and hands

    async def say(self, act: str, **fields: object) -> Said:
        """A request under one's own staff id; the whole answer."""
        return await self.line.ask(self._message(act, fields))

    async def say_with_pins(self, act: str, pins: Mapping[str, str], **fields: object) -> Said:
        """The same where no badge reader answers: `pins` by staff id prove who is there."""
        return await self.line.ask(self._message(act, fields) | {"pins": dict(pins)})

    def _message(self, act: str, fields: Mapping[str, object]) -> dict[str, Any]:
        self._said += 1
        return {
            "id": f"{self.scene.token}-{self.staff_id}-{self._said}",
            "act": act,
            "table": self.scene.watch.table,
            "staff": self.staff_id,
            "fields": dict(fields),
        }

    async def do(self, does: str, **fields: object) -> dict[str, Any]:
        """A deed; what is seen of it. Raises `CannotDo`."""
        return await self.scene.side.person({"does": does, **fields})

    async def tap(self) -> None:
        """Tap the badge at the table's reader; not again before the reader has seen it go: that takes real time."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._may_tap_s - loop.time())
        await self.do("tap", badge=self.member.badge)
        self._may_tap_s = loop.time() + BADGE_AWAY_S

    async def press(self, key: str) -> None:
        """Press a key of the dealer's panel; sometimes the finger bounces."""
        await self.do("press-key", key=key)
        if self.rng.random() < TWICE_CHANCE:
            await self.scene.wait(0.3)
            await self.do("press-key", key=key)

    async def pause(self, seconds: float) -> None:
        """Do nothing for so long."""
        await self.scene.wait(seconds)

    async def dawdle(self, low_s: float, high_s: float) -> None:
        """Take one's time."""
        await self.scene.wait(self.rng.uniform(low_s, high_s))

    async def until(self, is_so: Callable[[], bool], within_s: float) -> bool:
        """Wait until rows have made it so, for so long of people's time at most. Whether it is."""
        loop = asyncio.get_running_loop()
        end_s = loop.time() + within_s / self.scene.pace
        while not is_so():
            try:
                async with asyncio.timeout_at(end_s):
                    await self.scene.watch.next_news()
            except TimeoutError:
                return is_so()
        return True
