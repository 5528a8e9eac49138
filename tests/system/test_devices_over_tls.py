"""Devices on MQTT in TLS, against the mosquitto of docs/howto/run-a-broker.md: who gets in, and who may write where."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware_bridge.links import mqtt_client, mqtt_tls
from firmware_bridge.links.address import open_link
from firmware_bridge.links.base import Link, LinkAbsent, LinkForbidden, LinkRefused
from firmware_bridge.links.mqtt import MqttLink, open_mqtt_device
from firmware_bridge.links.mqtt_tls import Certificates
from tests.support.certificates import Authority
from tests.support.collector import Collector, until
from tests.support.documented_broker import Documented, documented, refused_handshakes
from tests.support.mosquitto import needs_mosquitto, running_mosquitto

__all__ = ["documented", "refused_handshakes"]
pytestmark = [
    pytest.mark.peer,
    pytest.mark.system,
    needs_mosquitto,
    # paho-mqtt leaves the socket of a refused handshake to the garbage collector, which may come in mid-test
    pytest.mark.filterwarnings("ignore:unclosed <ssl:ResourceWarning"),
]

PREFIX = "house/pit-1/BJ-1/devices"


def address_of(documented: Documented, device: str = "wall-1", *, name: str = "BJ-1", scheme: str = "mqtts") -> str:
    query = f"?certificates={documented.folder}&name={name}" if scheme == "mqtts" else ""
    return f"{scheme}://{documented.broker.host}:{documented.broker.port}/{PREFIX}/{device}{query}"


async def device_at(documented: Documented, topic: str = "wall-1", *, name: str = "wall-1") -> MqttLink:
    files = Certificates.of(documented.folder, name)
    broker = documented.broker
    return await open_mqtt_device(broker.host, broker.port, PREFIX, topic, boot=1, connection=1, certificates=files)


async def test_a_table_and_its_device_under_the_documented_rights(documented: Documented) -> None:
    device = await device_at(documented)
    host = await open_link(address_of(documented))
    at_device, at_host = Collector(), Collector()
    device.start(at_device)
    host.start(at_host)
    await host.write(b"down")
    await device.write(b"up")
    await at_device.until_bytes(4)
    await at_host.until_bytes(2)
    await device.close()
    assert "went off-line" in str(await at_host.until_lost())
    await host.close()


async def test_a_device_writes_its_own_topics_and_no_other(documented: Documented) -> None:
    """Not its neighbour's, not a table's, and it does not speak to itself as a host."""
    device, other = await device_at(documented), await device_at(documented, "wall-2", name="wall-2")
    at_other, at_device = Collector(), Collector()
    other.start(at_other)
    device.start(at_device)
    heard: list[str] = []

    async def hear() -> None:
        async with documented.client("BJ-1") as table:
            await table.subscribe([(f"{PREFIX}/+/up", 1), (f"{PREFIX}/+/link", 1), ("house/pit-1/BJ-1/link", 1)])
            ready.set()
            async for message in table.messages:
                heard.append(f"{message.topic} {bytes(message.payload)!r}")  # type: ignore[arg-type]  # noqa: PERF401 - each is looked at while more come

    ready = asyncio.Event()
    hearing = asyncio.create_task(hear())
    await ready.wait()
    async with documented.client("wall-1") as client:
        for topic in ("wall-2/up", "wall-2/link", "wall-2/down", "wall-1/down"):
            await client.publish(f"{PREFIX}/{topic}", b"forged", qos=1)
        await client.publish("house/pit-1/BJ-1/link", b"forged", qos=1)
        await client.publish("house/pit-1/BJ-1/commands/page", b"forged", qos=1)
        await client.publish(f"{PREFIX}/wall-1/up", b"own", qos=1)
        await until(lambda: any(text.endswith("b'own'") for text in heard), lambda: str(heard))
    assert not [text for text in heard if "forged" in text]
    assert (at_other.chunks, at_device.chunks) == ([], [])
    hearing.cancel()
    await asyncio.wait({hearing})
    await asyncio.gather(device.close(), other.close())


async def test_nothing_less_than_tls_is_spoken(documented: Documented, tmp_path: Path) -> None:
    """No downgrade, neither end: a plain client gets nowhere, and we do not speak to a plain broker (BR-043)."""
    with pytest.raises(LinkRefused):
        await open_link(address_of(documented, scheme="mqtt"))
    (tmp_path / "plain").mkdir()
    with running_mosquitto(tmp_path / "plain") as plain:
        there = f"mqtts://{plain.host}:{plain.port}/{PREFIX}/wall-1?certificates={documented.folder}&name=BJ-1"
        with pytest.raises(LinkAbsent, match="no broker there"):
            await open_link(there)
    context = mqtt_tls.tls_of(Certificates.of(documented.folder, "BJ-1"), "x")
    assert context.minimum_version == mqtt_tls.ssl.TLSVersion.TLSv1_2
    assert context.check_hostname
    assert context.verify_mode == mqtt_tls.ssl.CERT_REQUIRED


async def test_a_broker_of_another_house_is_refused_by_name(documented: Documented) -> None:
    device = await device_at(documented)
    Authority(documented.folder)  # another authority: the broker's certificate is not its
    with pytest.raises(LinkRefused, match="certificate verify failed"):
        await open_link(address_of(documented))
    await device.close()


@pytest.mark.parametrize("called", ["localhost", "broker"])
async def test_a_broker_that_is_called_otherwise_is_refused(documented: Documented, called: str) -> None:
    """Its certificate names 127.0.0.1: whoever sits at another name is somebody else."""
    address = address_of(documented).replace(documented.broker.host, called)
    with pytest.raises(LinkRefused):
        await open_link(address)


async def test_a_device_of_another_house_gets_in_nowhere(documented: Documented, tmp_path: Path) -> None:
    strangers = Authority(tmp_path / "strangers")
    strangers.issue("wall-1")
    files = Certificates(documented.folder / "ca.crt", strangers.folder / "wall-1.crt", strangers.folder / "wall-1.key")
    broker = documented.broker
    with pytest.raises(LinkRefused):
        await open_mqtt_device(broker.host, broker.port, PREFIX, "wall-1", boot=1, connection=1, certificates=files)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: (folder / "BJ-1.key").chmod(0o640), "can be read by others (mode 0640): chmod 600 on it"),
        (lambda folder: (folder / "BJ-1.crt").unlink(), "BJ-1.crt is not there: a folder with ca.crt"),
        (lambda folder: (folder / "BJ-1.key").write_text("TEST, no key"), "cannot be used"),
    ],
)
async def test_files_that_may_not_be_used_are_not_used(documented: Documented, harm: object, said: str) -> None:
    assert callable(harm)
    harm(documented.folder)
    with pytest.raises(LinkForbidden) as refused:
        await open_link(address_of(documented))
    assert said in str(refused.value)


async def test_rubbish_in_the_handshake_is_refused_and_leaves_a_way_to_a_healthy_broker(
    documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-043: TLS rubbish among the causes; each is refused within the limit."""
    monkeypatch.setattr(mqtt_client, "ANSWER_TIMEOUT_S", 0.3)
    monkeypatch.setattr(mqtt_client, "CONNECT_TIMEOUT_S", 0.5)
    talking: list[asyncio.StreamWriter] = []

    async def rubbish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talking.append(writer)
        await reader.read(1)
        writer.write(b"\x16\x03\x03\x00\x40" + b"\xff" * 64)

    server = await asyncio.start_server(rubbish, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    there = f"mqtts://127.0.0.1:{port}/{PREFIX}/wall-1?certificates={documented.folder}&name=BJ-1"
    for _ in range(3):
        with pytest.raises(LinkRefused):
            await open_link(there)
    for writer in talking:
        writer.close()
    server.close()
    await server.wait_closed()
    device = await device_at(documented)
    host: Link = await open_link(address_of(documented))
    await asyncio.gather(host.close(), device.close())
