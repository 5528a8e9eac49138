"""What answers instead of a broker, or not at all: refused, each by its cause, and nothing is left (BR-043)."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from firmware_bridge.links import mqtt_client
from firmware_bridge.links.base import LinkRefused
from firmware_bridge.links.mqtt import open_mqtt
from firmware_bridge.links.mqtt_tls import Certificates
from tests.contract.test_mqtt_links import device_on, host_of
from tests.support.certificates import Authority
from tests.support.collector import until
from tests.support.mosquitto import Mosquitto, free_port, mosquitto, open_sockets

__all__ = ["mosquitto"]
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("silent", "took the connection and then said nothing"),
        ("closes", "no broker there .it hung up instead of answering: Unspecified error"),
        ("rubbish", "no broker there .it hung up instead of answering: Protocol error"),
    ],
)
async def test_something_that_is_no_broker_is_refused_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, said: str
) -> None:
    """BR-043: each cause is named; then a healthy broker is reached at once."""
    monkeypatch.setattr(mqtt_client, "ANSWER_TIMEOUT_S", 0.2)
    talking: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talking.append(writer)
        await reader.read(1)
        if behaviour == "rubbish":
            writer.write(b"HTTP/1.1 400 Bad Request\r\n" * 8)
        if behaviour == "closes":
            writer.close()

    before, tasks = open_sockets(), len(asyncio.all_tasks())
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for _ in range(3):
        with pytest.raises(LinkRefused, match=said):
            await open_mqtt("127.0.0.1", port, "pit/7", "csm")
    for writer in talking:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    server.close()
    await server.wait_closed()
    await until(lambda: (open_sockets(), len(asyncio.all_tasks())) <= (before, tasks), "sockets and tasks to end")


@pytest.mark.filterwarnings("ignore:unclosed <ssl:ResourceWarning")
async def test_whatever_came_before_a_healthy_broker_is_reached_at_once(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-043: silent, refused, reset, no such name, rubbish, in plain and in TLS, in any order; nothing is left."""
    monkeypatch.setattr(mqtt_client, "ANSWER_TIMEOUT_S", 0.1)
    talking: list[asyncio.StreamWriter] = []

    def serving(behaviour: str) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talking.append(writer)
            await reader.read(1)
            if behaviour == "rubbish":
                writer.write(b"HTTP/1.1 400 Bad Request\r\n" * 8)
            if behaviour == "reset":
                writer.transport.abort()

        return serve

    Authority(tmp_path).issue("host")
    files = Certificates.of(tmp_path, "host")
    servers = {
        name: await asyncio.start_server(serving(name), "127.0.0.1", 0) for name in ("silent", "reset", "rubbish")
    }
    ports = {name: server.sockets[0].getsockname()[1] for name, server in servers.items()}
    bad: list[tuple[str, int, Certificates | None]] = [
        *(("127.0.0.1", port, None) for port in ports.values()),
        ("127.0.0.1", free_port(), None),
        ("no-such-broker.invalid", 1883, None),
        ("127.0.0.1", ports["rubbish"], files),
        ("127.0.0.1", ports["reset"], files),
    ]
    device = await device_on(mosquitto)
    before, tasks = open_sockets(), len(asyncio.all_tasks())
    chance = random.Random(43)
    for _ in range(4):
        for host, port, certificates in chance.sample(bad, len(bad)):
            with pytest.raises(LinkRefused):
                await open_mqtt(host, port, "pit/7", "csm", certificates=certificates)
        await (await host_of(device)).close()
    for writer in talking:
        writer.close()
    for server in servers.values():
        server.close()
        await server.wait_closed()
    gc.collect()  # paho-mqtt leaves the socket of a refused handshake to it
    await until(lambda: (open_sockets(), len(asyncio.all_tasks())) <= (before, tasks), "sockets and tasks to end")
    await device.close()
