"""A broker in the loop, for virtual time: retained messages, wills, take-over; and, where a test asks, lies.

It goes down and comes up, forgets what it acknowledged, delivers twice. Rights are not its matter: mosquitto's are
tested with mosquitto.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import msgspec

from firmware_bridge.links.base import LinkAbsent, LinkClosed
from tableside.outputs.northbound.broker import Access, Received


@dataclass(frozen=True, slots=True)
class Sent:
    """What somebody published."""

    topic: str
    payload: bytes
    is_retained: bool
    correlation: bytes | None = None

    @property
    def body(self) -> dict[str, object]:
        body: dict[str, object] = msgspec.json.decode(self.payload)
        return body


class TwinConnection:
    """See `broker.Connection`."""

    def __init__(self, broker: TwinBroker, access: Access) -> None:
        self.access = access
        self.inbox: asyncio.Queue[Received | None] = asyncio.Queue()
        self._broker = broker

    async def publish(
        self, topic: str, payload: bytes, *, is_retained: bool = False, correlation: bytes | None = None
    ) -> None:
        if self not in self._broker.connections:
            raise LinkClosed("the broker is gone")
        await asyncio.sleep(self._broker.latency_s)
        if self not in self._broker.connections:
            raise LinkClosed("the broker is gone")
        self._broker.take(Sent(topic, payload, is_retained, correlation))

    async def received(self) -> AsyncIterator[Received]:
        while (received := await self.inbox.get()) is not None:
            yield received
        raise LinkClosed("the broker is gone")

    async def close(self) -> None:
        self._broker.drop(self)


@dataclass
class TwinBroker:
    """`forgets`: acknowledged messages that match are lost; `repeats`: those that match are delivered twice."""

    is_up: bool = True
    latency_s: float = 0.001
    forgets: Callable[[Sent], bool] = lambda _sent: False
    repeats: Callable[[Sent], bool] = lambda _sent: False
    connections: list[TwinConnection] = field(default_factory=list)
    listeners: list[Callable[[Sent], None]] = field(default_factory=list)
    retained: dict[str, Sent] = field(default_factory=dict)
    opened: list[float] = field(default_factory=list)
    is_deaf: Callable[[str], bool] = lambda _topic: False  # subscribed topics of which nothing is delivered

    async def open(self, access: Access) -> TwinConnection:
        """For `Ground.open_broker`."""
        self.opened.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.latency_s)
        if not self.is_up:
            raise LinkAbsent(f"{access.address}: no broker there")
        for other in tuple(self.connections):
            if other.access.client_id == access.client_id:
                self.drop(other)
        connection = TwinConnection(self, access)
        self.connections.append(connection)
        for sent in self.retained.values():
            self._deliver(connection, sent)
        return connection

    def take(self, sent: Sent, reply_topic: str | None = None) -> None:
        """A message from anybody."""
        if self.forgets(sent):
            return
        if sent.is_retained:
            self.retained[sent.topic] = sent
        for _ in range(2 if self.repeats(sent) else 1):
            for connection in tuple(self.connections):
                self._deliver(connection, sent, reply_topic)
            for listener in self.listeners:
                listener(sent)

    def publish(self, topic: str, payload: bytes, *, is_retained: bool = False, reply_topic: str | None = None) -> None:
        """What another system sends."""
        self.take(Sent(topic, payload, is_retained), reply_topic)

    def drop(self, connection: TwinConnection) -> None:
        """The connection ends, and its will is published."""
        if connection in self.connections:
            self.connections.remove(connection)
            connection.inbox.put_nowait(None)
            if self.is_up:
                self.take(Sent(connection.access.will_topic, connection.access.will, True))

    def go_down(self) -> None:
        """At once, with everything that it held."""
        self.is_up = False
        self.retained.clear()
        for connection in tuple(self.connections):
            self.drop(connection)

    def come_up(self) -> None:
        """Empty."""
        self.is_up = True

    def _deliver(self, connection: TwinConnection, sent: Sent, reply_topic: str | None = None) -> None:
        is_wanted = any(_matches(pattern, sent.topic) for pattern in connection.access.filters)
        if is_wanted and not self.is_deaf(sent.topic):
            received = Received(sent.topic, sent.payload, sent.is_retained, reply_topic, sent.correlation)
            connection.inbox.put_nowait(received)


def _matches(pattern: str, topic: str) -> bool:
    wanted, levels = pattern.split("/"), topic.split("/")
    return len(wanted) == len(levels) and all(one in ("+", level) for one, level in zip(wanted, levels, strict=True))


class Consumer:
    """Another system that keeps what it gets: by id, in the order of its first coming, and acknowledges it."""

    def __init__(self, broker: TwinBroker, topic: str, ack_topic: str) -> None:
        self.kept: dict[str, dict[str, object]] = {}
        self.got = 0
        self.gaps = 0
        self.is_listening = True
        self._last_row = 0
        self._broker = broker
        self._topic = topic
        self._ack_topic = ack_topic
        broker.listeners.append(self._hear)

    def _hear(self, sent: Sent) -> None:
        if sent.topic != self._topic or not self.is_listening:
            return
        self.got += 1
        body = sent.body
        name = str(body["id"])
        if name not in self.kept:
            if body["follows"] != self._last_row:
                self.gaps += 1  # something is missing in between: it is not acknowledged, and will come again
                return
            self.kept[name] = body
            self._last_row = int(str(body["row"]))
        last = list(self.kept)[-1]
        self._broker.publish(self._ack_topic, msgspec.json.encode({"id": last}))
