"""One table at the broker: connected for as long as the daemon lives, its consumers served, its commands judged.

A connection begins with everything anew: subscribe, prove that we are heard, say that we are on-line, tell the state,
then send each consumer what it has not acknowledged (BR-042). The broker is expected to remember nothing.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NoReturn

import msgspec
import structlog

from firmware_bridge.clock import Clock
from firmware_bridge.links.base import LinkClosed
from firmware_bridge.session.backoff import Backoff
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.supervised import run_together
from tableside.control.desk import Table
from tableside.outputs.northbound.board import board
from tableside.outputs.northbound.broker import Access, Connection, OpenBroker, Received
from tableside.outputs.northbound.clerk import Clerk
from tableside.outputs.northbound.delivery import Delivery
from tableside.outputs.northbound.messages import Acknowledged, LinkTold
from tableside.outputs.northbound.topics import Topics

# The command path is proved within this long after a connection, or the connection is given up.
CHECK_LIMIT_S = 10.0
# A table in play makes some 20 rows a second in bursts; pages need no more than two pictures a second.
STATE_PERIOD_S = 0.5
# Three connections that end so soon mean that another client has our name (BR-041: not every broker says so).
FLAP_S = 10.0
FLAPS = 3
# Messages that wait to be looked at: acknowledgements are 40 bytes, commands some 300.
INBOX = 1_024

_log = structlog.get_logger("northbound")
_json = msgspec.json.Encoder()
_acknowledged = msgspec.json.Decoder(Acknowledged)
_link_told = msgspec.json.Decoder(LinkTold)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Northbound:
    """Runs until cancelled; whatever happens at the broker, the table goes on."""

    def __init__(
        self,
        table: Table,
        host: str,
        access: Access,
        topics: Topics,
        deliveries: Sequence[Delivery],
        clerk: Clerk,
        *,
        clock: Clock,
        open_broker: OpenBroker,
        backoff: Backoff,
        boot: str,
    ) -> None:
        self.keeper = Keeper(f"broker of {table.name}", self._attempt, backoff)
        self.unknown_topics = 0
        self.bad_acks = 0
        self.dropped = 0
        self._table = table
        self._host = host
        self._access = access
        self._topics = topics
        self._deliveries: Mapping[str, Delivery] = {topics.ack(one.consumer): one for one in deliveries}
        self._clerk = clerk
        self._clock = clock
        self._open_broker = open_broker
        self._boot = boot
        self._connections = 0
        self._flaps = 0

    async def run(self) -> NoReturn:
        """Until cancelled."""
        structlog.contextvars.bind_contextvars(table=self._table.name)
        await self.keeper.run()

    def health(self) -> dict[str, object]:
        """How it stands, for the technician."""
        return {
            "is_connected": self.keeper.is_up,
            "why_away": self.keeper.why_away,
            "losses": self.keeper.losses,
            "bad_acks": self.bad_acks,
            "dropped": self.dropped,
            "unknown_topics": self.unknown_topics,
            "consumers": {one.consumer: one.health() for one in self._deliveries.values()},
            "turned_away": self._clerk.turned_away,
        }

    # --- one connection -----------------------------------------------------------------------------------------

    async def _attempt(self, up: Up) -> None:
        """Raises why it ended."""
        self._connections += 1
        online = self.link_told(is_online=True)
        access = replace(self._access, will=_json.encode(self.link_told(is_online=False)))
        connection = await self._open_broker(access)
        began_s = asyncio.get_running_loop().time()
        try:
            await self._serve(connection, online, up)
        except (LinkClosed, SessionOver) as ended:
            self._watch_flapping(asyncio.get_running_loop().time() - began_s, ended)
            raise
        finally:
            await connection.close()

    async def _serve(self, connection: Connection, online: LinkTold, up: Up) -> None:
        heard: asyncio.Queue[Received] = asyncio.Queue(INBOX)
        proved = asyncio.Event()
        nonce = secrets.token_bytes(8)
        reading = self._read(connection, heard, nonce, proved)
        working = self._work(connection, heard, nonce, proved, online, up)
        await run_together(reading, working)

    async def _read(
        self, connection: Connection, heard: asyncio.Queue[Received], nonce: bytes, proved: asyncio.Event
    ) -> None:
        """Acknowledgements are taken at once, whatever else waits; the rest in its turn."""
        async for received in connection.received():
            if received.topic == self._topics.check:
                if received.payload == nonce:
                    proved.set()
            elif received.topic in self._deliveries:
                self._acknowledge(received)
            else:
                self._wait_its_turn(heard, received)

    def _wait_its_turn(self, heard: asyncio.Queue[Received], received: Received) -> None:
        try:
            heard.put_nowait(received)
        except asyncio.QueueFull:
            self.dropped += 1  # a flood: whoever sends it gets no answer, and the table goes on

    async def _work(
        self,
        connection: Connection,
        heard: asyncio.Queue[Received],
        nonce: bytes,
        proved: asyncio.Event,
        online: LinkTold,
        up: Up,
    ) -> None:
        await self._prove(connection, nonce, proved)
        await connection.publish(self._topics.link, _json.encode(online), is_retained=True)
        up()
        senders = [one.serve(connection) for one in self._deliveries.values()]
        await run_together(self._tell_state(connection), self._hear(connection, heard, online), *senders)

    async def _prove(self, connection: Connection, nonce: bytes, proved: asyncio.Event) -> None:
        """What we send ourselves comes back: the broker delivers to us, and its rights are set (BR-042)."""
        await connection.publish(self._topics.check, nonce)
        try:
            async with asyncio.timeout(CHECK_LIMIT_S):
                await proved.wait()
        except TimeoutError:
            raise LinkClosed(
                f"{self._access.address}: the broker does not give us what we send to {self._topics.check}. "
                "Check the rights of this table at the broker"
            ) from None

    def _watch_flapping(self, held_s: float, ended: LinkClosed | SessionOver) -> None:
        self._flaps = self._flaps + 1 if held_s < FLAP_S else 0
        if self._flaps >= FLAPS:
            self._flaps = 0
            name = self._access.client_id
            text = f"{ended}; {FLAPS} times in a row within {FLAP_S:g} s: does another daemon run as {name}?"
            raise SessionOver(Ending.WRONG_DEVICE, text) from ended  # tried again slowly, and said

    # --- out ----------------------------------------------------------------------------------------------------

    def link_told(self, *, is_online: bool) -> LinkTold:
        """What stands on the link topic for this connection."""
        return LinkTold(
            table=self._table.name, is_online=is_online, host=self._host, boot=self._boot, connection=self._connections
        )

    async def _tell_state(self, connection: Connection) -> NoReturn:
        """At each news, some together; the newest only."""
        while True:
            row = self._table.published
            now = self._clock.now()
            told = board(self._table.state, self._table.texts, self._host, row, self._table.stopped, now)
            await connection.publish(self._topics.state, _json.encode(told), is_retained=True)
            await self._table.until_news(row)
            await asyncio.sleep(STATE_PERIOD_S)

    # --- in -----------------------------------------------------------------------------------------------------

    def _acknowledge(self, received: Received) -> None:
        """A retained acknowledgement is as good as a fresh one: it says what the consumer has."""
        try:
            given = _acknowledged.decode(received.payload)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.bad_acks += 1
            return
        self._deliveries[received.topic].acknowledge(given.id)

    async def _hear(self, connection: Connection, heard: asyncio.Queue[Received], online: LinkTold) -> NoReturn:
        while True:
            received = await heard.get()
            if received.topic == self._topics.link:
                await self._contradict(connection, received, online)
            elif received.topic.startswith(f"{self._topics.base}/commands/"):
                await self._clerk.take(connection, received, _utc(self._clock))
            else:
                self.unknown_topics += 1

    async def _contradict(self, connection: Connection, received: Received, online: LinkTold) -> None:
        """A will of an earlier connection that came late does not stay (BR-040); a newer on-line is another daemon."""
        try:
            told = _link_told.decode(received.payload)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            told = None
        if told == online:
            return
        if told is not None and told.is_online and (told.boot, told.connection) > (online.boot, online.connection):
            text = f"{self._access.address}: another daemon runs as {self._access.client_id} (since {told.boot})"
            raise SessionOver(Ending.WRONG_DEVICE, text)
        await connection.publish(self._topics.link, _json.encode(online), is_retained=True)


def _utc(clock: Clock) -> datetime:
    return _EPOCH + timedelta(microseconds=clock.now().wall_ns // 1_000)
