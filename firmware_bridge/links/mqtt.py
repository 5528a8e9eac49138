"""MQTT 5 through aiomqtt, which goes on where asyncio-mqtt ended: one frame a message, the broker only carries.

Topics `<prefix>/<device>/down`, `/up` and `/link`; QoS 1, frames never retained. A client object lives for one
connection: the library sends again what a lost one left over.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.links import mqtt_client
from firmware_bridge.links.address_kinds import LeftBehind
from firmware_bridge.links.base import LinkAbsent, LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate
from firmware_bridge.links.inbox import Inbox
from firmware_bridge.links.mqtt_client import BrokerClient, loss_in_words, properties_of
from firmware_bridge.links.mqtt_status import BadStatus, LinkStatus
from firmware_bridge.links.mqtt_tls import Certificates, tls_of

# TDL 2.2: a frame that the broker could not hand on for so long is dead.
DOWN_EXPIRY_S = 2
# Unread messages beyond this end the link: a broker would throw away silently what we left with it.
UNREAD_LIMIT_BYTES = 262_144

_FRAMES_ONLY = SubscribeOptions(qos=1, noLocal=True, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
# What a broker kept on a topic of frames is nobody's; the host wants to know that it lies there (BR-037).
_LEFT_BEHIND = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True)
_STATUS_NOW = SubscribeOptions(qos=1)
_STATUS_LATER = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)

# Looks at a message: bytes to deliver, or none. Raises `LinkClosed` where the message ends the link.
Judge = Callable[[str, bytes, bool], bytes | None]


class MqttLink:
    """One connection to a broker, between a host and a device. Made by `open_mqtt` and `open_mqtt_device`."""

    is_message_based = True
    is_simulated = False  # the broker is not the device: on MQTT a device says it itself

    def __init__(self, client: BrokerClient, *, address: str, topic: str, expiry_s: int | None, judge: Judge) -> None:
        self.address = address
        self._client = client
        self._topic = topic
        self._frame_properties = properties_of(PacketTypes.PUBLISH)
        if expiry_s is not None:
            self._frame_properties.MessageExpiryInterval = expiry_s
        self._judge = judge
        self._ending = Ending(address)
        self._gate = Gate(self._ending.check)
        self._inbox = Inbox(lambda: None)
        self._unacknowledged_bytes = 0
        self._publishing: set[asyncio.Task[None]] = set()
        self._reading = asyncio.create_task(self._read_on(), name=f"read {address}")

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver messages, one a chunk."""
        self._ending.started(receiver)
        self._inbox.start(receiver)

    async def write(self, data: bytes) -> None:
        """Publish one message; waits only while the broker acknowledges none. Raises `LinkClosed`."""
        self._ending.check()
        if not data:
            return
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    def pause_reading(self) -> None:
        """Keep what comes. Back-pressure does not pass a broker: 256 kB unread end the link, and say so."""
        self._inbox.pause()

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._inbox.resume()

    async def close(self) -> None:
        """Hang up at once, unsent messages discarded."""
        self._lose(LinkClosed(f"{self.address} closed by this side"))
        await self._ending.told()
        await asyncio.wait([self._reading, *self._publishing])

    def announce(self, topic: str, status: bytes) -> None:
        """Publish a retained status beside the frames."""
        self._send(topic, status, retain=True)

    def _put(self, data: bytes) -> None:
        if data:
            self._send(self._topic, bytes(data), retain=False)

    def _send(self, topic: str, data: bytes, *, retain: bool) -> None:
        self._unacknowledged_bytes += len(data)
        self._gate.level(self._unacknowledged_bytes)
        task = asyncio.create_task(self._publish(topic, data, retain=retain), name=f"publish {self.address}")
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)

    async def _publish(self, topic: str, data: bytes, *, retain: bool) -> None:
        properties = None if retain else self._frame_properties
        try:
            await self._client.publish(topic, data, qos=1, retain=retain, properties=properties)
        except Exception as error:
            self._lose(LinkClosed(f"{self.address}: the broker did not take a message: {error}"))
            return
        self._unacknowledged_bytes -= len(data)
        self._gate.level(self._unacknowledged_bytes)

    async def _read_on(self) -> None:
        try:
            async for message in self._client.messages:
                self._arrived(message)
        except LinkClosed as closed:
            self._lose(closed)
        except Exception as error:  # whatever it is, the reader does not end unnoticed (BR-026)
            self._lose(LinkClosed(f"{self.address}: {loss_in_words(error)}"))

    def _arrived(self, message: aiomqtt.Message) -> None:
        payload = message.payload if isinstance(message.payload, bytes) else b""
        chunk = self._judge(str(message.topic), payload, bool(message.retain))
        if chunk:
            self._inbox.put(chunk)
        if self._inbox.held_bytes > UNREAD_LIMIT_BYTES:
            raise LinkClosed(f"{self.address}: {self._inbox.held_bytes} bytes unread, reading was paused for too long")

    def _lose(self, reason: LinkClosed) -> None:
        if self._ending.end(reason):
            self._inbox.clear()
            self._gate.release()
            self._client.hang_up()
            for task in (self._reading, *self._publishing):
                if task is not asyncio.current_task():
                    task.cancel()


class _DeviceWatch:
    """The host's judge: frames of `/up`, and whether the device at the other end is still the one it was."""

    def __init__(self, address: str, base: str, left_behind: LeftBehind) -> None:
        self._address = address
        self._up, self._down = f"{base}/up", f"{base}/down"
        self._left_behind = left_behind
        self._held: LinkStatus | None = None
        self.first: asyncio.Future[LinkStatus] = asyncio.get_running_loop().create_future()

    def __call__(self, topic: str, payload: bytes, is_retained: bool) -> bytes | None:
        if topic in (self._up, self._down):
            if is_retained:
                self._left_behind(self._address, topic, payload)
                return None  # a retained frame is nobody's (BR-037)
            return payload if topic == self._up else None  # what another host says is the device's to judge
        try:
            status = LinkStatus.decode(payload)
        except BadStatus:
            return None  # not of this protocol: the device's own next word counts
        if not self.first.done():
            self.first.set_result(status)
        self._judge(status)
        return None

    def _judge(self, status: LinkStatus) -> None:
        held = self._held
        if held is None or status == held:
            self._held = status
        elif not status.is_older_than(held):
            what = "connected anew" if status.is_online else "went off-line"
            raise LinkClosed(f"{self._address}: the device {what} (boot {status.boot}, {status.connection})")


async def open_mqtt(
    host: str,
    port: int,
    prefix: str,
    device: str,
    *,
    address: str = "",
    certificates: Certificates | None = None,
    left_behind: LeftBehind = lambda _address, _topic, _payload: None,
) -> MqttLink:
    """The host's side: connected, subscribed, the device on-line; in TLS where there are `certificates`.

    `left_behind` is told at each connection what is retained on the topics of frames, which is dropped.

    Raises `LinkRefused` and its kinds.
    """
    address = address or f"mqtt://{host}:{port}/{prefix}/{device}"
    base = f"{prefix}/{device}"
    tls = None if certificates is None else tls_of(certificates, address)
    client = BrokerClient(host, port, identifier=f"host-{device}-{secrets.token_hex(4)}", tls=tls)
    watch = _DeviceWatch(address, base, left_behind)
    topics = [(f"{base}/up", _LEFT_BEHIND), (f"{base}/link", _STATUS_NOW)]
    await client.enter(address, topics, (f"{base}/down", _LEFT_BEHIND))
    link = MqttLink(client, address=address, topic=f"{base}/down", expiry_s=DOWN_EXPIRY_S, judge=watch)
    try:
        async with asyncio.timeout(mqtt_client.ANSWER_TIMEOUT_S):
            status = await watch.first
    except TimeoutError:
        await link.close()
        raise LinkAbsent(
            f"{address}: the broker answers, but no device has ever been on-line there. Check prefix and device name"
        ) from None
    except BaseException:
        await link.close()
        raise
    if not status.is_online:
        await link.close()
        raise LinkAbsent(f"{address}: the broker answers, but the device is off-line. Check its power and network")
    return link


async def open_mqtt_device(
    host: str,
    port: int,
    prefix: str,
    device: str,
    *,
    boot: int,
    connection: int,
    serial: str = "",
    address: str = "",
    certificates: Certificates | None = None,
) -> MqttLink:
    """The device's side, for simulated devices: on-line until the link is closed, then off-line by its will.

    `connection` numbers the MQTT connections since the boot, from 1. The broker knows the client by its `serial`
    number (TDL 2.2), or by its topic's name. Raises `LinkRefused` and its kinds.
    """
    address = address or f"mqtt://{host}:{port}/{prefix}/{device}"
    base, status_topic = f"{prefix}/{device}", f"{prefix}/{device}/link"
    online = LinkStatus(is_online=True, boot=boot, connection=connection)
    offline = LinkStatus(is_online=False, boot=boot, connection=connection)
    will = aiomqtt.Will(status_topic, offline.encode(), qos=1, retain=True)
    tls = None if certificates is None else tls_of(certificates, address)
    client = BrokerClient(host, port, identifier=f"tdl-{serial or device}", will=will, tls=tls)
    await client.enter(address, [(f"{base}/down", _FRAMES_ONLY), (status_topic, _STATUS_LATER)])
    link: MqttLink | None = None

    def judge(topic: str, payload: bytes, is_retained: bool) -> bytes | None:
        if topic != status_topic:
            return None if is_retained else payload
        if link is not None and _contradicts(payload, online):
            link.announce(status_topic, online.encode())
        return None

    try:
        await client.publish(status_topic, online.encode(), qos=1, retain=True)
    except BaseException:
        client.hang_up()
        raise
    link = MqttLink(client, address=address, topic=f"{base}/up", expiry_s=None, judge=judge)
    return link


def _contradicts(payload: bytes, online: LinkStatus) -> bool:
    """True for what may not stay as a device's status while it is on-line: an old will that came late (BR-040).

    Another on-line is let be: two devices under one name would answer each other for ever.
    """
    try:
        status = LinkStatus.decode(payload)
    except BadStatus:
        return True
    return not status.is_online and not online.is_older_than(status)
