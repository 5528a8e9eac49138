"""Takes commands to the table and answers each; what is turned away is recorded once and answered with its reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

import msgspec
import structlog

from tableside.control.answers import Answer
from tableside.inputs import AnyInput, CommandTurnedAway
from tableside.journal.store import Journal
from tableside.outputs.northbound.broker import Connection, Received
from tableside.outputs.northbound.commands import Refused, Sound, client_of, digest_of, judged
from tableside.outputs.northbound.cursors import Cursors
from tableside.outputs.northbound.messages import CommandAnswered, TurnedAway
from tableside.outputs.northbound.topics import Topics
from tableside.requests import AnyRequest

# A system that has gone wrong must not fill the journal (BR-049): beyond this many refusals in a minute a client's
# are answered and counted, and no longer recorded.
RECORDED_A_MINUTE = 10
MINUTE_S = 60.0
# Names that the broker let through; a house has some dozen systems.
MAX_CLIENTS = 1_000

_log = structlog.get_logger("northbound")
_json = msgspec.json.Encoder()

Ask = Callable[[AnyRequest], Awaitable[Answer]]
Tell = Callable[[AnyInput], Awaitable[None]]


class Clerk:
    """One table's. `ask` puts a request to the table as the desk does, `tell` records a fact."""

    def __init__(
        self,
        table: str,
        topics: Topics,
        speaks_for: Mapping[str, frozenset[str]],
        cursors: Cursors,
        journal: Callable[[], Journal],
        ask: Ask,
        tell: Tell,
    ) -> None:
        self.turned_away = 0
        self.unrecorded = 0
        self._table = table
        self._topics = topics
        self._speaks_for = speaks_for
        self._cursors = cursors
        self._journal = journal
        self._ask = ask
        self._tell = tell
        self._minute: dict[str, tuple[datetime, int]] = {}

    async def take(self, connection: Connection, received: Received, now: datetime) -> None:
        """One message on a command topic."""
        client = client_of(received.topic)
        outcome = judged(received, self._topics, self._speaks_for, now)
        if isinstance(outcome, Refused):
            is_first = await self._turn_away(client, received, outcome, now)
            if received.is_retained and not is_first:
                return  # it comes at every connection, and whoever left it there was told
            answer = _of_refusal(self._table, outcome)
        else:
            answer = await self._put(client, received, outcome, now)
        topic = self._reply_topic(client, received)
        await connection.publish(topic, _json.encode(answer), correlation=received.correlation)

    async def _put(self, client: str, received: Received, sound: Sound, now: datetime) -> CommandAnswered:
        before = self._journal().find_request(sound.request.id)
        if before is None:
            return _of_answer(self._table, sound.command.id, await self._ask(sound.request), None)
        text = f"{sound.command.id} came before, at row {before.seq}; it does nothing again"
        repeated = Refused(sound.command.id, TurnedAway.REPEATED, text, "use a new id for each command")
        await self._turn_away(client, received, repeated, now)
        given = await self._ask(sound.request)  # the same id gets the same answer for ever
        return _of_answer(self._table, sound.command.id, given, TurnedAway.REPEATED)

    async def _turn_away(self, client: str, received: Received, refused: Refused, now: datetime) -> bool:
        """Record it, once. Returns whether this was the first time."""
        self.turned_away += 1
        key = f"{client}:{refused.why}:{refused.id or digest_of(received.payload)}"
        if not self._cursors.is_first(key):
            return False
        if not self._may_record(client, now):
            self.unrecorded += 1
            return True
        _log.warning("command_turned_away", client=client, command=refused.id, why=refused.why, topic=received.topic)
        await self._tell(
            CommandTurnedAway(
                client=client[:64],
                command=refused.id,
                why=refused.why.value,
                text=refused.text[:200],
                topic=received.topic[:200],
            )
        )
        return True

    def _may_record(self, client: str, now: datetime) -> bool:
        since, count = self._minute.get(client, (now, 0))
        if abs((now - since).total_seconds()) >= MINUTE_S:
            since, count = now, 0
        if len(self._minute) > MAX_CLIENTS and client not in self._minute:
            self._minute.clear()  # made-up names: the broker's rights are not set
        self._minute[client] = (since, count + 1)
        return count < RECORDED_A_MINUTE

    def _reply_topic(self, client: str, received: Received) -> str:
        own = self._topics.reply(client)
        asked = received.reply_topic
        return asked if asked is not None and self._topics.may_reply(asked, client) else own


def _of_refusal(table: str, refused: Refused) -> CommandAnswered:
    return CommandAnswered(
        table=table,
        id=refused.id,
        answer="refused",
        refusal=refused.why,
        text=refused.text,
        next_step=refused.next_step,
    )


def _of_answer(table: str, name: str, given: Answer, refusal: TurnedAway | None) -> CommandAnswered:
    word = given.answer.value
    return CommandAnswered(
        table=table,
        id=name,
        answer="accepted" if word == "accepted" else "refused" if word == "refused" else "unknown",
        refusal=refusal,
        rule=given.rule,
        text=given.text,
        next_step=given.next_step,
    )
