"""What the northbound side needs of a broker; aiomqtt stands behind it (`mqtt_broker`), in tests a twin in the loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware_bridge.links.mqtt_tls import Certificates


@dataclass(frozen=True, slots=True)
class Access:
    """Where a table's broker is and as whom it connects. `certificates` None: without TLS."""

    address: str
    host: str
    port: int
    client_id: str
    certificates: Certificates | None
    will_topic: str
    will: bytes
    filters: Sequence[str]


@dataclass(frozen=True, slots=True)
class Received:
    """One message. `is_retained` also where it was published so and came live."""

    topic: str
    payload: bytes
    is_retained: bool
    reply_topic: str | None = None
    correlation: bytes | None = None


class Connection(Protocol):
    """One connection to a broker, subscribed; it lives once."""

    async def publish(
        self, topic: str, payload: bytes, *, is_retained: bool = False, correlation: bytes | None = None
    ) -> None:
        """At QoS 1; returns when the broker says that it has it. Raises `LinkClosed`."""

    def received(self) -> AsyncIterator[Received]:
        """What comes. Raises `LinkClosed` at the end."""

    async def close(self) -> None:
        """Hang up at once; the broker then publishes the will."""


OpenBroker = Callable[[Access], Awaitable[Connection]]
