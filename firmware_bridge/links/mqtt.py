"""MQTT 5 through aiomqtt, which goes on where asyncio-mqtt ended: one frame a message, the broker only carries.

Topics `<prefix>/<device>/down`, `/up` and `/link`; QoS 1, frames never retained. A client object lives for one
connection: the library sends again what a lost one left over.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable

import aiomqtt
import paho.mqtt.client as paho
from aiomqtt.types import PahoSocket
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.links.base import (
    LinkAbsent,
    LinkClosed,
    LinkForbidden,
    LinkRefused,
    Receiver,
)
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate
from firmware_bridge.links.inbox import Inbox
from firmware_bridge.links.mqtt_status import BadStatus, LinkStatus

# TDL 2.2: a frame that the broker could not hand on for so long is dead.
DOWN_EXPIRY_S = 2
# A broker that is there answers in milliseconds.
CONNECT_TIMEOUT_S = 3.0
ANSWER_TIMEOUT_S = 3.0
# The broker tells everybody after one and a half of these that the device is gone.
KEEPALIVE_S = 5
# Unread messages beyond this end the link: a broker would throw away silently what we left with it.
UNREAD_LIMIT_BYTES = 262_144

# MQTT 5 §3.2.2.2 and §3.14.2.1
_FORBIDDEN_CODES = {0x86, 0x87, 0x8A, 0x8C}
_TAKEN_OVER = 0x8E

_FRAMES_ONLY = SubscribeOptions(qos=1, noLocal=True, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
_STATUS_NOW = SubscribeOptions(qos=1)
_STATUS_LATER = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)

# Looks at a message: bytes to deliver, or none. Raises `LinkClosed` where the message ends the link.
Judge = Callable[[str, bytes, bool], bytes | None]


class _Client(aiomqtt.Client):
    """aiomqtt's client with what it lacks: an end that waits for nobody."""

    def __init__(self, host: str, port: int, identifier: str, will: aiomqtt.Will | None = None) -> None:
        session = _properties(PacketTypes.CONNECT)
        session.SessionExpiryInterval = 0
        super().__init__(
            host,
            port,
            identifier=identifier,
            protocol=aiomqtt.ProtocolVersion.V5,
            will=will,
            clean_start=True,
            properties=session,
            keepalive=KEEPALIVE_S,
            timeout=ANSWER_TIMEOUT_S,
        )
        self._home_thread = threading.get_ident()
        self._client.connect_timeout = CONNECT_TIMEOUT_S
        self.pending_calls_threshold = UNREAD_LIMIT_BYTES  # how many are under way is the gate's affair

    def hang_up(self) -> None:
        """Close the socket without a word to the broker, as a cable does; it then publishes the will."""
        self._client._sock_close()

    def _on_socket_register_write(self, client: paho.Client, userdata: object, sock: PahoSocket) -> None:
        """At once where the loop calls: aiomqtt's later turn may find the descriptor closed, or another's."""
        if threading.get_ident() == self._home_thread:
            self._loop.add_writer(sock.fileno(), self._write_out)
        else:
            super()._on_socket_register_write(client, userdata, sock)

    def _on_disconnect(
        self,
        client: paho.Client,
        userdata: object,
        flags: paho.DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        """Also before the broker has answered, where aiomqtt would wait for its time limit."""
        if self._connected.done():
            super()._on_disconnect(client, userdata, flags, reason_code, properties)
        else:
            self._connected.set_exception(aiomqtt.MqttError(f"it hung up instead of answering: {reason_code}"))
            self._connected.exception()  # told, also where the opening was given up meanwhile

    def _write_out(self) -> None:
        try:
            self._client.loop_write()
        except Exception as error:
            if not self._disconnected.done():
                self._disconnected.set_exception(error)


class MqttLink:
    """One connection to a broker, between a host and a device. Made by `open_mqtt` and `open_mqtt_device`."""

    is_message_based = True
    is_simulated = False  # the broker is not the device: on MQTT a device says it itself

    def __init__(self, client: _Client, *, address: str, topic: str, expiry_s: int | None, judge: Judge) -> None:
        self.address = address
        self._client = client
        self._topic = topic
        self._frame_properties = _properties(PacketTypes.PUBLISH)
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
            self._lose(LinkClosed(f"{self.address}: {_loss_in_words(error)}"))

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

    def __init__(self, address: str, up: str, status: str) -> None:
        self._address = address
        self._up = up
        self._status = status
        self._held: LinkStatus | None = None
        self.first: asyncio.Future[LinkStatus] = asyncio.get_running_loop().create_future()

    def __call__(self, topic: str, payload: bytes, is_retained: bool) -> bytes | None:
        if topic == self._up:
            return None if is_retained else payload  # a retained frame is nobody's (BR-037)
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


async def open_mqtt(host: str, port: int, prefix: str, device: str, *, address: str = "") -> MqttLink:
    """The host's side: connected, subscribed, the device on-line. Raises `LinkRefused` and its kinds."""
    address = address or f"mqtt://{host}:{port}/{prefix}/{device}"
    base = f"{prefix}/{device}"
    client = _Client(host, port, identifier=f"host-{device}-{secrets.token_hex(4)}")
    watch = _DeviceWatch(address, f"{base}/up", f"{base}/link")
    await _enter(client, address, [(f"{base}/up", _FRAMES_ONLY), (f"{base}/link", _STATUS_NOW)])
    link = MqttLink(client, address=address, topic=f"{base}/down", expiry_s=DOWN_EXPIRY_S, judge=watch)
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
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
    host: str, port: int, prefix: str, device: str, *, boot: int, connection: int, serial: str = "", address: str = ""
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
    client = _Client(host, port, identifier=f"tdl-{serial or device}", will=will)
    await _enter(client, address, [(f"{base}/down", _FRAMES_ONLY), (status_topic, _STATUS_LATER)])
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


async def _enter(client: _Client, address: str, topics: list[tuple[str, SubscribeOptions]]) -> None:
    """Connect and subscribe. A connection that comes about too late is hung up on."""
    entering = asyncio.ensure_future(client.__aenter__())
    try:
        await asyncio.shield(entering)
        granted = await client.subscribe(topics)
    except asyncio.CancelledError:
        entering.add_done_callback(lambda entered: _hang_up_late(entered, client))
        raise
    except aiomqtt.MqttError as error:
        client.hang_up()
        raise _refusal(address, error) from error
    except BaseException:
        client.hang_up()
        raise
    refused = [str(code) for code in granted if getattr(code, "is_failure", False)]
    if refused:
        client.hang_up()
        raise LinkForbidden(f"{address}: the broker does not let this host subscribe ({', '.join(refused)})")


def _hang_up_late(entered: asyncio.Future[_Client], client: _Client) -> None:
    if not entered.cancelled():
        entered.exception()  # nobody else asks for it
    client.hang_up()


def _properties(packet: int) -> Properties:
    return Properties(packet)  # type: ignore[no-untyped-call]  # paho gives its class no types


def _code(error: BaseException | None) -> int | None:
    while error is not None:
        if isinstance(error, aiomqtt.MqttCodeError) and error.rc is not None:
            return error.rc.value if isinstance(error.rc, ReasonCode) else int(error.rc)
        error = error.__cause__
    return None


def _refusal(address: str, error: aiomqtt.MqttError) -> LinkRefused:
    if isinstance(error, aiomqtt.MqttCodeError):
        if _code(error) in _FORBIDDEN_CODES:
            return LinkForbidden(f"{address}: the broker refuses this host ({error}). Check its account at the broker")
        return LinkRefused(f"{address}: the broker refuses the connection ({error})")
    if "timed out" in str(error):
        return LinkRefused(f"{address}: the broker took the connection and then said nothing; restart it")
    return LinkAbsent(f"{address}: no broker there ({error}). Check its host, port and power")


def _loss_in_words(error: Exception) -> str:
    if _code(error) == _TAKEN_OVER:
        return "another client with the same name took the connection over: two devices are set up as one"
    return f"the connection to the broker ended ({error.__cause__ or error})"
