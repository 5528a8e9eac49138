"""Event journalled → received by its consumer, against a bare aiomqtt publish → receive on the same mosquitto.

Ours: from the moment in which the hub publishes the durable row, through cursor, journal read, shaping and JSON, to
the moment in which the consumer's client has the message. Peer: a message of the same size between two bare clients.
"""

from __future__ import annotations

import asyncio
import socket
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import aiomqtt
import msgspec

from benchmarks.compare import ROUNDS, Reach, Row, rows
from tableside.configuration.broker import BrokerPlace
from tableside.configuration.shape import Consumer
from tableside.daemon import Daemon
from tableside.hub import Entry
from tableside.inputs import SpaceEnough
from tableside.outputs.northbound.mqtt_broker import open_mqtt_broker
from tests.support.mosquitto import PROGRAM, running_mosquitto
from tests.support.simulated_host import SimulatedTable, ground, host_in, new_clock

OURS = "event journalled to received"
PEER = "bare aiomqtt publish to receive"
REACH = Reach(PEER, 1.5)
SAMPLES = 200
TOPIC = "bench/BJ-1/events/store"
# Both sides alike: else an acknowledgement behind another waits 40 ms for the network's own.
NO_DELAY = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)
BYTES = 300  # of a message of ours


def measure(rounds: int = ROUNDS, samples: int = SAMPLES) -> list[Row]:
    """The median of each round; nothing where mosquitto is not installed."""
    if PROGRAM is None:
        print("northbound: skipped, mosquitto is not installed")
        return []
    figures = asyncio.run(_measured(rounds, samples))
    return rows(f"event journalled → received, median of {rounds * samples}", OURS, figures, [REACH], "ms")


async def _measured(rounds: int, samples: int) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {OURS: [], PEER: []}
    with tempfile.TemporaryDirectory(prefix="northbound-bench-") as name, running_mosquitto(Path(name)) as broker:
        async with AsyncExitStack() as stack:

            async def client() -> aiomqtt.Client:
                made = aiomqtt.Client(
                    broker.host, broker.port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=NO_DELAY
                )
                return await stack.enter_async_context(made)

            bare = _Bare(await client(), await client())
            await bare.open()
            ours = _Ours(Path(name), broker.port, await client())
            await ours.open(stack)
            for number in range(rounds):
                got: dict[str, list[float]] = {OURS: [], PEER: []}
                for sample in range(samples):
                    for side in (OURS, PEER) if (number + sample) % 2 else (PEER, OURS):
                        got[side].append(await (ours.one() if side == OURS else bare.one()))
                for side, figures in got.items():
                    taken[side].append(statistics.median(figures))
    return taken


class _Bare:
    """Two clients and a message."""

    def __init__(self, sender: aiomqtt.Client, receiver: aiomqtt.Client) -> None:
        self._sender = sender
        self._receiver = receiver

    async def open(self) -> None:
        await self._receiver.subscribe("bare", qos=1)

    async def one(self) -> float:
        """Milliseconds."""
        started = time.perf_counter()
        publishing = asyncio.ensure_future(self._sender.publish("bare", b"x" * BYTES, qos=1))
        await anext(aiter(self._receiver.messages))
        took = time.perf_counter() - started
        await publishing
        return took * 1_000


class _Ours:
    """A daemon whose devices are away, and its consumer."""

    def __init__(self, folder: Path, port: int, consumer: aiomqtt.Client) -> None:
        self._folder = folder
        self._port = port
        self._consumer = consumer
        self._journalled = 0.0

    async def open(self, stack: AsyncExitStack) -> None:
        await self._consumer.subscribe(TOPIC, qos=1)
        table = SimulatedTable()
        table.away.update(table.outlets)
        host = replace(
            host_in(self._folder),
            broker=BrokerPlace("mqtt://127.0.0.1/bench", "127.0.0.1", self._port, "bench", None),
            consumers=(Consumer(name="store", output="events"),),
        )
        for path in (host.journal_directory, host.reserve_directory):
            path.mkdir(exist_ok=True)
        daemon = Daemon(host, replace(ground(new_clock(), table.connect), open_broker=open_mqtt_broker), "bench")
        await daemon.open()
        stop = asyncio.Event()
        running = asyncio.create_task(daemon.run(stop))

        async def end() -> None:
            stop.set()
            await running
            await table.close()

        stack.push_async_callback(end)
        self._table = daemon.tables["BJ-1"]
        self._table.hub._listeners = (self._listen, *self._table.hub._listeners)
        await self._settled()

    def _listen(self, _entries: Sequence[Entry]) -> None:
        self._journalled = time.perf_counter()

    async def _settled(self) -> None:
        """Until everything that the start made has come."""
        row = 0
        while row < self._table.published or self._table.stopped:
            row = await self._take()

    async def _take(self) -> int:
        message = await anext(aiter(self._consumer.messages))
        assert isinstance(message.payload, bytes)
        told = msgspec.json.decode(message.payload)
        await self._consumer.publish("bench/BJ-1/acks/store", msgspec.json.encode({"id": told["id"]}), qos=1)
        return int(told["row"])

    async def one(self) -> float:
        """Milliseconds."""
        await self._table.tell(SpaceEnough())
        message = await anext(aiter(self._consumer.messages))
        took = (time.perf_counter() - self._journalled) * 1_000
        assert isinstance(message.payload, bytes)
        told = msgspec.json.decode(message.payload)
        await self._consumer.publish("bench/BJ-1/acks/store", msgspec.json.encode({"id": told["id"]}), qos=1)
        await asyncio.sleep(0.002)  # the acknowledgement is taken meanwhile, as it is between two cards
        return took
