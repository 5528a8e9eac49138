"""MQTT against a real broker: who is on-line, what a broker may keep, and brokers that go wrong."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from firmware_bridge.links import mqtt, mqtt_client
from firmware_bridge.links.address import Surroundings, open_link
from firmware_bridge.links.base import LinkAbsent, LinkClosed, LinkForbidden
from firmware_bridge.links.mqtt import MqttLink, open_mqtt, open_mqtt_device
from firmware_bridge.links.mqtt_status import LinkStatus
from tests.support.collector import DEADLINE_S, Collector, until
from tests.support.mosquitto import Mosquitto, mosquitto, open_sockets

__all__ = ["mosquitto"]

pytestmark = pytest.mark.peer


async def device_on(broker: Mosquitto, boot: int = 3, connection: int = 1) -> MqttLink:
    return await open_mqtt_device(broker.host, broker.port, "pit/7", "csm", boot=boot, connection=connection)


async def host_of(device: MqttLink) -> MqttLink:
    link = await open_link(device.address)
    assert isinstance(link, MqttLink)
    return link


@contextlib.asynccontextmanager
async def stranger(broker: Mosquitto) -> AsyncIterator[aiomqtt.Client]:
    """Somebody else at the broker, with the library and none of our code."""
    async with aiomqtt.Client(broker.host, broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        yield client


async def retained_status(broker: Mosquitto) -> LinkStatus:
    async with stranger(broker) as client:
        await client.subscribe("pit/7/csm/link")
        async for message in client.messages:
            assert message.retain
            assert isinstance(message.payload, bytes)
            return LinkStatus.decode(message.payload)
    raise AssertionError


async def test_frames_expire_on_the_way_down_and_are_never_retained(mosquitto: Mosquitto) -> None:
    """TDL 2.2; BR-037."""
    async with stranger(mosquitto) as client:
        await client.subscribe("#", qos=1)
        device = await device_on(mosquitto)
        host = await open_link(device.address)
        await host.write(b"down we go")
        await device.write(b"up again")
        seen: dict[str, aiomqtt.Message] = {}
        async with asyncio.timeout(DEADLINE_S):
            async for message in client.messages:
                seen[str(message.topic)] = message
                if len(seen) == 3:
                    break
    assert set(seen) == {"pit/7/csm/link", "pit/7/csm/down", "pit/7/csm/up"}
    down, up = seen["pit/7/csm/down"], seen["pit/7/csm/up"]
    assert (down.payload, down.qos, up.payload, up.qos) == (b"down we go", 1, b"up again", 1)
    assert down.properties is not None
    assert 0 < down.properties.MessageExpiryInterval <= 2
    async with stranger(mosquitto) as late:
        await late.subscribe("#", qos=1)
        async with asyncio.timeout(DEADLINE_S):
            async for message in late.messages:
                assert str(message.topic) == "pit/7/csm/link"
                break
        await asyncio.sleep(0.05)
        assert len(late.messages) == 0
    await host.close()
    await device.close()


async def test_a_retained_frame_is_nobodys(mosquitto: Mosquitto) -> None:
    """BR-037: whoever left it there; who opens the link is told on which topic it lies."""
    async with stranger(mosquitto) as client:
        await client.publish("pit/7/csm/up", b"old", qos=1, retain=True)
        await client.publish("pit/7/csm/down", b"old", qos=1, retain=True)
    device = await device_on(mosquitto)
    told: list[tuple[str, str, bytes]] = []
    host = await open_link(device.address, Surroundings(left_behind=lambda *left: told.append(left)))
    await until(lambda: len(told) == 2, lambda: str(told))
    assert sorted(told) == [(device.address, f"pit/7/csm/{way}", b"old") for way in ("down", "up")]
    at_device, at_host = Collector(), Collector()
    device.start(at_device)
    host.start(at_host)
    await host.write(b"new")
    await device.write(b"new")
    await at_device.until_bytes(3)
    await at_host.until_bytes(3)
    assert at_device.chunks == at_host.chunks == [b"new"]
    await host.close()
    await device.close()


async def test_a_device_that_was_never_there_and_one_that_is_off_line_are_told_apart(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"mqtt://{mosquitto.host}:{mosquitto.port}/pit/7/csm"
    monkeypatch.setattr(mqtt_client, "ANSWER_TIMEOUT_S", 0.3)
    with pytest.raises(LinkAbsent, match="no device has ever been on-line there"):
        await open_link(address)
    monkeypatch.undo()
    device = await device_on(mosquitto)
    await device.close()
    await until_offline(mosquitto)
    with pytest.raises(LinkAbsent, match="the device is off-line"):
        await open_link(address)


async def until_offline(broker: Mosquitto) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while (await retained_status(broker)).is_online:
            pass


async def test_a_device_that_hangs_up_is_off_line_by_its_will(mosquitto: Mosquitto) -> None:
    device = await device_on(mosquitto, boot=3, connection=7)
    assert await retained_status(mosquitto) == LinkStatus(True, 3, 7)
    host, got = await open_link(device.address), Collector()
    host.start(got)
    await device.close()
    assert "went off-line (boot 3, 7)" in str(await got.until_lost())
    assert await retained_status(mosquitto) == LinkStatus(False, 3, 7)
    await host.close()


async def test_the_will_of_an_older_connection_changes_nothing(mosquitto: Mosquitto) -> None:
    """BR-040: the host goes on, and the retained status is on-line again."""
    device = await device_on(mosquitto, boot=3, connection=2)
    host, at_host, at_device = await open_link(device.address), Collector(), Collector()
    host.start(at_host)
    device.start(at_device)
    async with stranger(mosquitto) as client:
        for contrary in (LinkStatus(False, 3, 1).encode(), LinkStatus(False, 3, 2).encode()[:-1], b"not a status"):
            await client.publish("pit/7/csm/link", contrary, qos=1, retain=True)
    await host.write(b"still here")
    await at_device.until_bytes(10)
    assert at_host.lost == []
    async with asyncio.timeout(DEADLINE_S):
        while await current_status_bytes(mosquitto) != LinkStatus(True, 3, 2).encode():
            pass
    await host.close()
    await device.close()


async def current_status_bytes(broker: Mosquitto) -> object:
    async with stranger(broker) as client:
        await client.subscribe("pit/7/csm/link")
        async for message in client.messages:
            return message.payload
    return None


@pytest.mark.parametrize(("boot", "connection"), [(3, 2), (4, 1)])
async def test_a_device_that_connects_anew_ends_the_hosts_link(
    mosquitto: Mosquitto, boot: int, connection: int
) -> None:
    """What was under way went to a connection that is gone: the keeper makes a new session."""
    first = await device_on(mosquitto, boot=3, connection=1)
    host, got, at_first = await open_link(first.address), Collector(), Collector()
    host.start(got)
    first.start(at_first)
    again = await device_on(mosquitto, boot=boot, connection=connection)
    await got.until_lost()
    assert "the device connected anew" in str(got.lost[0]) or "went off-line" in str(got.lost[0])
    await at_first.until_lost()
    renewed = await open_link(first.address)
    await asyncio.gather(host.close(), first.close(), again.close(), renewed.close())
    assert len(got.lost) == len(at_first.lost) == 1


async def test_a_broker_that_dies_ends_both_ends_and_is_used_again_when_it_is_back(mosquitto: Mosquitto) -> None:
    """BR-042: nothing is expected of its memory; everything is subscribed and said anew."""
    for connection in range(1, 4):
        device = await device_on(mosquitto, connection=connection)
        host, at_host, at_device = await open_link(device.address), Collector(), Collector()
        host.start(at_host)
        device.start(at_device)
        await host.write(b"hello")
        await at_device.until_bytes(5)
        mosquitto.stop()
        await asyncio.gather(at_host.until_lost(), at_device.until_lost())
        assert "the connection to the broker ended" in str(at_device.lost[0])
        await asyncio.gather(host.close(), device.close())
        with pytest.raises(LinkAbsent, match="no broker there"):
            await device_on(mosquitto)
        mosquitto.start()
        assert (len(at_host.lost), len(at_device.lost)) == (1, 1)


async def test_a_frozen_broker_holds_the_writers_and_then_ends_the_link(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BR-025: closing does not wait for it either."""
    monkeypatch.setattr(mqtt_client, "ANSWER_TIMEOUT_S", 0.5)
    device = await device_on(mosquitto)
    host, idle = await host_of(device), await host_of(device)
    got = Collector()
    host.start(got)
    idle.start(Collector())
    mosquitto.freeze()
    try:
        with pytest.raises(LinkClosed):
            await write_many(host, b"x" * 100, 10_000)
        assert "did not take a message" in str(await got.until_lost())
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.gather(host.close(), idle.close(), device.close())
    finally:
        mosquitto.thaw()


async def write_many(link: MqttLink, message: bytes, count: int) -> None:
    for _ in range(count):
        await link.write(message)


async def test_what_is_unread_beyond_the_limit_ends_the_link_and_says_so(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "UNREAD_LIMIT_BYTES", 5_000)
    device = await device_on(mosquitto)
    host, got = await open_link(device.address), Collector()
    host.start(got)
    host.pause_reading()
    for _ in range(60):
        await device.write(b"x" * 100)
    assert "unread, reading was paused for too long" in str(await got.until_lost())
    await host.close()
    await device.close()


async def test_an_account_that_the_broker_does_not_know_is_forbidden(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path, settings="allow_anonymous false")
    broker.start()
    try:
        with pytest.raises(LinkForbidden, match="Check its account at the broker"):
            await open_mqtt(broker.host, broker.port, "pit/7", "csm")
    finally:
        broker.stop()


async def test_a_topic_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_client, "ANSWER_TIMEOUT_S", 0.3)
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite other/#\n", encoding="utf-8")
    rights.chmod(0o600)
    broker = Mosquitto(tmp_path, settings=f"allow_anonymous true\nacl_file {rights}")
    broker.start()
    try:
        # mosquitto 2.0 grants the subscription and delivers nothing: then nobody has ever been on-line there
        with pytest.raises((LinkForbidden, LinkAbsent)):
            await open_mqtt(broker.host, broker.port, "pit/7", "csm")
    finally:
        broker.stop()


async def test_a_connection_that_was_taken_over_is_said_to_be_so() -> None:
    """BR-041: two devices under one name, at a broker that tells (mosquitto 2.0 does not). MQTT 5 §3.14.2.1: 8E."""

    async def broker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for packet_type, answer in ((0x10, b"\x20\x03\0\0\0"), (0x82, b"\x90\x05%b\0\1\1"), (0x32, b"\x40\x02%b")):
            head = await reader.readexactly(2)
            assert head[0] | 1 == packet_type | 1
            body = await reader.readexactly(head[1])
            topic_size = int.from_bytes(body[:2], "big")
            number = body[2 + topic_size :][:2] if packet_type == 0x32 else body[:2]
            writer.write(answer % number if b"%b" in answer else answer)
        writer.write(b"\xe0\x02\x8e\0")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(broker, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    device, got = await open_mqtt_device("127.0.0.1", port, "pit/7", "csm", boot=1, connection=1), Collector()
    device.start(got)
    assert "two devices are set up as one" in str(await got.until_lost())
    await device.close()
    server.close()
    await server.wait_closed()


async def test_a_broker_knows_a_device_by_its_serial_number(mosquitto: Mosquitto) -> None:
    """tdl.md 2.2: whatever its topic is called."""
    where = (mosquitto.host, mosquitto.port, "pit/7", "csm")
    device = await open_mqtt_device(*where, boot=1, connection=1, serial="000123")
    await until(lambda: " as tdl-000123 " in mosquitto.log, lambda: mosquitto.log)
    await device.close()


async def has_session(broker: Mosquitto, client_id: str, *, kept_s: int = 0) -> bool:
    """Whether the broker kept something under this name; it is kept so long from now on."""
    told: list[bool] = []
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = kept_s
    client = aiomqtt.Client(
        broker.host,
        broker.port,
        identifier=client_id,
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=False,
        properties=properties,
    )
    connected = client._client.on_connect
    assert connected is not None

    def note(*given: Any) -> None:
        told.append(given[2].session_present)
        connected(*given)

    client._client.on_connect = note
    async with client:
        return told[0]


async def test_a_device_takes_up_no_session_and_leaves_none(mosquitto: Mosquitto) -> None:
    """TDL 2.2: clean start, session expiry 0. What a broker kept for it is dead."""
    where = (mosquitto.host, mosquitto.port, "pit/7", "csm")
    assert not await has_session(mosquitto, "tdl-000123", kept_s=3_600)
    assert await has_session(mosquitto, "tdl-000123", kept_s=3_600), "the broker keeps sessions"
    device = await open_mqtt_device(*where, boot=1, connection=1, serial="000123")
    assert re.search(r" as tdl-000123 \(p5, c1,", mosquitto.log), "clean start"
    await device.close()
    assert not await has_session(mosquitto, "tdl-000123")


async def test_an_opening_that_is_given_up_hangs_up_when_it_comes_about(mosquitto: Mosquitto) -> None:
    device = await device_on(mosquitto)
    before = open_sockets()
    for turns in range(12):
        opening = asyncio.create_task(open_link(device.address))
        for _ in range(turns * 3):
            await asyncio.sleep(0)
        opening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await (await opening).close()
    await until(lambda: open_sockets() <= before, lambda: f"{before} sockets, have {open_sockets()}")
    await device.close()


async def test_on_mqtt_a_device_says_itself_that_it_is_simulated(mosquitto: Mosquitto) -> None:
    device = await device_on(mosquitto)
    host = await open_link(device.address)
    assert not host.is_simulated
    await host.close()
    await device.close()


def test_the_property_that_the_library_writes_is_the_one_meant() -> None:
    """paho takes any attribute without a word; a misspelt one would be lost."""
    properties = Properties(PacketTypes.PUBLISH)
    properties.MessageExpiryInterval = 2
    assert properties.pack() == b"\x05\x02\x00\x00\x00\x02"  # MQTT 5 §2.2.2.2: identifier 02, four bytes


async def test_a_cancel_that_the_library_forgets_is_not_lost() -> None:
    """Found by a daemon that did not stop: its publish was answered in the turn in which it was cancelled."""
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def forgetful() -> str:
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            return await answer

    async def working() -> None:
        while True:
            await mqtt_client.cancellable(forgetful())

    task = asyncio.create_task(working())
    await asyncio.sleep(0)
    task.cancel()
    answer.set_result("taken")
    with pytest.raises(asyncio.CancelledError):
        await task
