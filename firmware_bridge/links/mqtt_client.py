"""One connection to an MQTT 5 broker through aiomqtt: opened, watched, ended without waiting for anybody.

A client object lives for one connection: the library sends again what a lost one left over. Sessions are clean and end
with the connection (TDL 2.2): a broker is expected to remember nothing (BR-042).
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Coroutine
from typing import Self, TypeVar

import aiomqtt
import paho.mqtt.client as paho
from aiomqtt.types import PahoSocket
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.links.base import LinkAbsent, LinkForbidden, LinkRefused

# A broker that is there answers in milliseconds.
CONNECT_TIMEOUT_S = 3.0
ANSWER_TIMEOUT_S = 3.0
# The broker tells everybody after one and a half of these that the client is gone.
KEEPALIVE_S = 5
# aiomqtt warns above so many calls under way; how many there are is the callers' affair.
PENDING_CALLS = 262_144

# MQTT 5 §3.2.2.2 and §3.14.2.1
_FORBIDDEN_CODES = {0x86, 0x87, 0x8A, 0x8C}
_TAKEN_OVER = 0x8E


T = TypeVar("T")


class BrokerClient(aiomqtt.Client):
    """aiomqtt's client with what it lacks: an end that waits for nobody."""

    def __init__(
        self,
        host: str,
        port: int,
        identifier: str,
        will: aiomqtt.Will | None = None,
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        session = properties_of(PacketTypes.CONNECT)
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
            tls_context=tls,
            # a frame behind another must not wait for the acknowledgement of the first: that is 40 ms on Linux
            socket_options=((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),),
        )
        self._home_thread = threading.get_ident()
        self._client.connect_timeout = CONNECT_TIMEOUT_S
        self.pending_calls_threshold = PENDING_CALLS

    async def enter(
        self, address: str, topics: list[tuple[str, SubscribeOptions]], *also: tuple[str, SubscribeOptions]
    ) -> None:
        """Connect and subscribe. One that comes about too late is hung up on. Raises `LinkRefused` and its kinds.

        What the broker does not grant of `also` is done without.
        """
        entering = asyncio.ensure_future(self.__aenter__())
        try:
            await asyncio.shield(entering)
            granted = await cancellable(self.subscribe([*topics, *also]))
        except asyncio.CancelledError:
            entering.add_done_callback(self._hang_up_late)
            raise
        except aiomqtt.MqttError as error:
            self.hang_up()
            raise _refusal(address, error) from error
        except BaseException:
            self.hang_up()
            raise
        refused = [str(code) for code in granted[: len(topics)] if getattr(code, "is_failure", False)]
        if refused:
            self.hang_up()
            raise LinkForbidden(f"{address}: the broker does not let this host subscribe ({', '.join(refused)})")

    def hang_up(self) -> None:
        """Close the socket without a word to the broker, as a cable does; it then publishes the will."""
        self._client._sock_close()

    def _hang_up_late(self, entered: asyncio.Future[Self]) -> None:
        if not entered.cancelled():
            entered.exception()  # nobody else asks for it
        self.hang_up()

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


async def cancellable(call: Coroutine[object, object, T]) -> T:
    """The result of a call of aiomqtt, or the cancel that it swallowed.

    It waits with `asyncio.wait_for`, which in Python 3.11 forgets a cancel that comes in the turn in which the broker
    answers: whoever was cancelled would go on, and whoever waits for its end would wait for ever.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    result = await call
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError
    return result


def properties_of(packet: int) -> Properties:
    """Empty properties of a kind of packet."""
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


def loss_in_words(error: Exception) -> str:
    """Why a connection ended, for people."""
    if is_taken_over(error):
        return "another client with the same name took the connection over: two devices are set up as one"
    return f"the connection to the broker ended ({error.__cause__ or error})"


def is_taken_over(error: Exception) -> bool:
    """Whether the broker told that another client came under the same name (BR-041; not every broker tells)."""
    return _code(error) == _TAKEN_OVER
