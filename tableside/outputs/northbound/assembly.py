"""From the configuration to what runs beside the tables: a connection to the broker each, and the HTTP outputs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import NoReturn

from firmware_bridge.links.mqtt_tls import Certificates
from firmware_bridge.session.backoff import OWN_CABLE_S, SHARED_BROKER_S, Backoff
from firmware_bridge.session.keeper import Keeper, Up
from tableside.config import HostConfig
from tableside.configuration.broker import BrokerPlace
from tableside.configuration.shape import Consumer
from tableside.control.answers import Answer
from tableside.control.desk import Table, ask_table
from tableside.ground import Ground
from tableside.journal.export import utc_text
from tableside.outputs.northbound.board import is_simulated
from tableside.outputs.northbound.broker import Access
from tableside.outputs.northbound.clerk import Clerk, Tell
from tableside.outputs.northbound.cursors import SUFFIX, Cursors
from tableside.outputs.northbound.delivery import Delivery, keep_on
from tableside.outputs.northbound.service import Northbound
from tableside.outputs.northbound.shapers import About, Bookmarks, Events, Pages
from tableside.outputs.northbound.topics import Topics
from tableside.outputs.northbound.window import Shaper
from tableside.requests import AnyRequest

Run = Callable[[], Coroutine[None, None, NoReturn]]
# Made of a table and what its messages say of it.
SHAPERS: Mapping[str, Callable[[Table, About], Shaper]] = {
    "events": lambda table, about: Events(about, lambda: table.curtain),
    "bookmarks": lambda table, about: Bookmarks(about),
    "pages": lambda table, about: Pages(about, lambda: table.state, table.texts),
}


class Outputs:
    """What one table tells others: `running` are its tasks by name, `health` is for the technician."""

    def __init__(self, table: Table, tell: Tell, host: HostConfig, ground: Ground) -> None:
        self.running: dict[str, Run] = {}
        self.health: dict[str, Callable[[], dict[str, object]]] = {}
        self._table = table
        self._ground = ground
        if host.broker is None and not host.consumers:
            return
        cursors = Cursors(host.journal_directory / f"{table.name}{SUFFIX}", ground.write_file)
        self.running["cursors"] = partial(keep_on, cursors)
        about = About(table.name, table.journal.genesis.epoch, lambda: is_simulated(table.state))
        by_broker: list[Delivery] = []
        for consumer in host.consumers:
            shaper = SHAPERS[consumer.output](table, about)
            if consumer.url is not None:
                self._by_http(consumer, Delivery(consumer.name, table, shaper, cursors))
            elif host.broker is not None:
                topic = Topics(host.broker.prefix, table.name).output(consumer.output, consumer.name)
                by_broker.append(Delivery(consumer.name, table, shaper, cursors, topic))
        if host.broker is not None:
            self._by_broker(host, host.broker, by_broker, cursors, tell)

    def _by_http(self, consumer: Consumer, delivery: Delivery) -> None:
        """Each message is posted until a server takes it; one that takes it has it."""
        url = consumer.url or ""

        async def attempt(up: Up) -> None:
            async def send(payload: bytes) -> None:
                await self._ground.post(url, payload)
                up()
                delivery.acknowledge_sent(payload)

            await delivery.run(send)

        keeper = Keeper(f"{consumer.name} of {self._table.name}", attempt, Backoff(OWN_CABLE_S, self._ground.jitter()))
        self.running[f"output {consumer.name}"] = keeper.run
        self.health[consumer.name] = lambda: {"why_away": keeper.why_away, **delivery.health()}

    def _by_broker(
        self, host: HostConfig, place: BrokerPlace, deliveries: list[Delivery], cursors: Cursors, tell: Tell
    ) -> None:
        table, topics = self._table, Topics(place.prefix, self._table.name)
        speaks_for = {client.name: frozenset(client.speaks_for) for client in host.clients}
        clerk = Clerk(
            table.name,
            topics,
            speaks_for,
            cursors,
            lambda: table.journal,
            partial(_ask, table),
            tell,
        )
        northbound = Northbound(
            table,
            host.name,
            access_of(place, topics, host.name),
            topics,
            deliveries,
            clerk,
            clock=self._ground.clock,
            open_broker=self._ground.open_broker,
            backoff=Backoff(SHARED_BROKER_S, self._ground.jitter()),
            boot=utc_text(self._ground.clock.now().wall_ns),
        )
        self.running["broker"] = northbound.run
        self.health["broker"] = northbound.health


def access_of(place: BrokerPlace, topics: Topics, host: str) -> Access:
    """Where and as whom a table connects. The name is the same at each start, so that its old session is taken over."""
    certificates = None
    if place.certificates is not None:
        certificates = Certificates.of(place.certificates, topics.table)
    return Access(
        address=place.address,
        host=place.host,
        port=place.port,
        client_id=f"tableside-{host}-{topics.table}",
        certificates=certificates,
        will_topic=topics.link,
        will=b"",
        filters=(topics.check, topics.link, topics.acks, topics.commands),
    )


async def _ask(table: Table, request: AnyRequest) -> Answer:
    return await ask_table(table, request.by, request)
