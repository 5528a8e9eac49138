"""The documented mosquitto: its settings and rights as docs/howto/run-a-broker.md shows them, certificates, kill -9."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tableside.daemon import Daemon
from tableside.inputs import SpaceEnough
from tableside.journal.export import utc_text
from tableside.outputs.northbound.mqtt_broker import open_mqtt_broker
from tableside.table_host import TableHost
from tests.support.certificates import Authority
from tests.support.collector import until
from tests.support.config_files import Edit
from tests.support.documented_broker import Documented, documented, refused_handshakes
from tests.support.mosquitto import needs_mosquitto
from tests.support.simulated_host import SimulatedTable, ground, host_in, new_clock

__all__ = ["documented", "refused_handshakes"]
pytestmark = [pytest.mark.peer, pytest.mark.system, needs_mosquitto]

BASE = "house/pit-1/BJ-1"


class Prompt(random.Random):
    """No spreading: there is one table."""

    def uniform(self, a: float, b: float) -> float:
        return 0.05


@asynccontextmanager
async def table_at(documented: Documented, folder: Path) -> AsyncIterator[Daemon]:
    table = SimulatedTable()
    table.away.update(table.outlets)
    toml = f"""
[broker]
address = "mqtts://{documented.broker.host}:{documented.broker.port}/house/pit-1"
certificates = "certificates"

[[consumers]]
name = "store"
output = "events"

[[clients]]
name = "page"
speaks_for = ["S-1"]
"""
    host = host_in(folder, Edit("host", "", toml))
    for path in (host.journal_directory, host.reserve_directory):
        path.mkdir(exist_ok=True)
    below = dataclasses.replace(
        ground(new_clock(), table.connect), open_broker=open_mqtt_broker, jitter=lambda: Prompt(1)
    )
    daemon = Daemon(host, below, "test")
    await daemon.open()
    stop = asyncio.Event()
    task = asyncio.create_task(daemon.run(stop))
    try:
        yield daemon
    finally:
        stop.set()
        await task
        await table.close()


def outputs_of(daemon: Daemon) -> dict[str, Any]:
    health: Any = daemon.tables["BJ-1"].health()["outputs"]
    broker: dict[str, Any] = health["broker"]
    return broker


async def keep(documented: Documented, kept: dict[str, int]) -> None:
    """The consumer: keeps, acknowledges, comes back when the broker does."""
    while True:
        try:
            async with documented.client("store") as client:
                await client.subscribe(f"{BASE}/events/store", qos=1)
                async for message in client.messages:
                    assert isinstance(message.payload, bytes)
                    told = msgspec.json.decode(message.payload)
                    if told["id"] in kept or told["follows"] == (list(kept.values())[-1] if kept else 0):
                        kept.setdefault(told["id"], told["row"])
                        await client.publish(f"{BASE}/acks/store", msgspec.json.encode({"id": list(kept)[-1]}), qos=1)
        except aiomqtt.MqttError:
            await asyncio.sleep(0.1)


async def ended(task: asyncio.Task[None]) -> None:
    """The library forgets a cancel that comes with an answer (`mqtt_client.cancellable`): it is told until it hears."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.1)


async def test_a_broker_that_is_killed_loses_no_event(documented: Documented, tmp_path: Path) -> None:
    """BR-042, and a broker's own acknowledgement counts for nothing: killed twice in the middle of events."""
    kept: dict[str, int] = {}
    async with table_at(documented, tmp_path) as daemon:
        table = daemon.tables["BJ-1"]
        keeping = asyncio.create_task(keep(documented, kept))
        try:
            for times in range(1, 3):  # a third within ten seconds would look like a rival of the same name
                before = table.published
                for _ in range(100):
                    await table.tell(SpaceEnough())
                await until(lambda: bool(kept), lambda: str(outputs_of(daemon)))
                documented.broker.stop()  # SIGKILL
                for _ in range(100):
                    await table.tell(SpaceEnough())
                await until(partial(has_come_to, table, before + 200), "two hundred rows")
                documented.broker.start()
                await until(partial(has_all, table, kept), lambda: f"{len(kept)} kept, {outputs_of(daemon)}")
                await until(partial(has_lost, daemon, times), lambda: str(outputs_of(daemon)))
        finally:
            await ended(keeping)
        assert list(kept.values()) == sorted(kept.values())


def has_come_to(table: TableHost, row: int) -> bool:
    return table.published >= row


def has_all(table: TableHost, kept: dict[str, int]) -> bool:
    return list(kept.values())[-1] == table.published


def has_lost(daemon: Daemon, times: int) -> bool:
    return bool(outputs_of(daemon)["losses"] == times)


async def test_what_is_retained_survives_a_kill(documented: Documented, tmp_path: Path) -> None:
    """The settings of the page: without autosave a broker that is killed forgets it."""
    async with table_at(documented, tmp_path) as daemon:
        await until(lambda: outputs_of(daemon)["is_connected"], lambda: str(outputs_of(daemon)))
        await until(lambda: (tmp_path / "memory" / "mosquitto.db").exists(), "the broker's memory on the disk")
    async with documented.client("store") as client:
        await client.subscribe(f"{BASE}/link", qos=1)
        await told_offline(client)
    await until(lambda: b'is_online":false' in (tmp_path / "memory" / "mosquitto.db").read_bytes(), "it is written")
    documented.broker.stop()
    documented.broker.start()
    async with documented.client("store") as client:
        await client.subscribe(f"{BASE}/+", qos=1)
        await told_offline(client)


async def told_offline(client: aiomqtt.Client) -> None:
    async with asyncio.timeout(30):
        async for message in client.messages:
            if str(message.topic).endswith("/link") and b'"is_online":false' in bytes(message.payload):  # type: ignore[arg-type]
                return


async def test_a_table_writes_its_own_topics_and_no_other(documented: Documented) -> None:
    heard: list[str] = []

    async def hear() -> None:
        async with documented.client("store") as store:
            await store.subscribe("house/pit-1/+/state", qos=1)
            ready.set()
            async for message in store.messages:
                heard.append(str(message.topic))  # noqa: PERF401 - each is looked at while more come

    ready = asyncio.Event()
    hearing = asyncio.create_task(hear())
    await ready.wait()
    async with documented.client("BJ-2") as other:
        await other.publish(f"{BASE}/state", b"{}", qos=1)
        await other.publish(f"{BASE}/commands/page", b"{}", qos=1)
        await other.publish("house/pit-1/BJ-2/state", b"{}", qos=1)
        await until(lambda: bool(heard), "the table's own state")
    await ended(hearing)
    assert heard == ["house/pit-1/BJ-2/state"]


async def test_who_has_no_certificate_of_the_house_gets_in_nowhere(documented: Documented, tmp_path: Path) -> None:
    with pytest.raises(aiomqtt.MqttError):
        async with documented.client("store", has_certificate=False):
            pass
    stranger = Authority(tmp_path / "strangers")
    stranger.issue("BJ-1")
    context = ssl.create_default_context(cafile=str(documented.folder / "ca.crt"))
    context.load_cert_chain(stranger.folder / "BJ-1.crt", stranger.folder / "BJ-1.key")
    with pytest.raises(aiomqtt.MqttError):
        async with aiomqtt.Client(documented.broker.host, documented.broker.port, tls_context=context, timeout=5):
            pass


async def test_a_table_does_not_speak_to_a_broker_of_another_house(documented: Documented, tmp_path: Path) -> None:
    async with table_at(documented, tmp_path) as daemon:
        await until(lambda: outputs_of(daemon)["is_connected"], lambda: str(outputs_of(daemon)))
    Authority(tmp_path / "certificates")  # another authority: the broker's certificate is not its
    async with table_at(documented, tmp_path) as daemon:
        await until(
            lambda: "certificate verify failed" in outputs_of(daemon)["why_away"], lambda: str(outputs_of(daemon))
        )


async def test_a_command_and_its_answer_by_response_topic_and_correlation(
    documented: Documented, tmp_path: Path
) -> None:
    async with table_at(documented, tmp_path) as daemon:
        await until(lambda: outputs_of(daemon)["is_connected"], lambda: str(outputs_of(daemon)))
        now = now_of(daemon)
        async with documented.client("page") as page:
            await page.subscribe(f"{BASE}/replies/page/#", qos=1)
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.ResponseTopic = f"{BASE}/replies/page/7"
            properties.CorrelationData = b"\x01\x02"
            command = {"id": "c1", "command": "stop", "issued": now[0], "expires": now[1], "text": "look"}
            await page.publish(f"{BASE}/commands/page", msgspec.json.encode(command), qos=1, properties=properties)
            async with asyncio.timeout(30):
                async for message in page.messages:
                    assert str(message.topic) == f"{BASE}/replies/page/7"
                    assert isinstance(message.payload, bytes)
                    assert msgspec.json.decode(message.payload)["answer"] == "accepted"
                    assert message.properties is not None
                    assert message.properties.CorrelationData == b"\x01\x02"
                    break
        assert daemon.tables["BJ-1"].state.locks.standing


def now_of(daemon: Daemon) -> tuple[str, str]:
    """Issued and expires on the daemon's clock, which is the test's."""
    wall_ns = daemon.desk._clock.now().wall_ns
    return utc_text(wall_ns), utc_text(wall_ns + 20 * 10**9)
