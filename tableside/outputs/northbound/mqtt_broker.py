"""A broker through aiomqtt: MQTT 5, QoS 1, TLS with the table's own certificate where the address is mqtts."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.links.base import LinkClosed
from firmware_bridge.links.mqtt_client import BrokerClient, cancellable, is_taken_over, loss_in_words, properties_of
from firmware_bridge.links.mqtt_tls import tls_of
from firmware_bridge.session.endings import Ending, SessionOver
from tableside.outputs.northbound.broker import Access, Received

# Retained ones are wanted, and marked: a command that somebody left at the broker is told once (BR-037).
_MARKED = SubscribeOptions(qos=1, noLocal=False, retainAsPublished=True)


class MqttConnection:
    """See `broker.Connection`."""

    def __init__(self, client: BrokerClient, address: str) -> None:
        self._client = client
        self._address = address

    async def publish(
        self, topic: str, payload: bytes, *, is_retained: bool = False, correlation: bytes | None = None
    ) -> None:
        """See `broker.Connection`."""
        properties = None
        if correlation is not None:
            properties = properties_of(PacketTypes.PUBLISH)
            properties.CorrelationData = correlation
        try:
            call = self._client.publish(topic, payload, qos=1, retain=is_retained, properties=properties)
            await cancellable(call)
        except (aiomqtt.MqttError, ValueError) as error:
            raise LinkClosed(f"{self._address}: the broker did not take a message on {topic}: {error}") from error

    async def received(self) -> AsyncIterator[Received]:
        """See `broker.Connection`. Raises `SessionOver` for good where another client took the name over (BR-041)."""
        try:
            async for message in self._client.messages:
                yield _received(message)
        except aiomqtt.MqttError as error:
            text = f"{self._address}: {loss_in_words(error)}"
            if is_taken_over(error):
                raise SessionOver(Ending.WRONG_DEVICE, text) from error
            raise LinkClosed(text) from error

    async def close(self) -> None:
        """See `broker.Connection`."""
        self._client.hang_up()


async def open_mqtt_broker(access: Access) -> MqttConnection:
    """Connected and subscribed. Raises `LinkRefused` and its kinds."""
    will = aiomqtt.Will(access.will_topic, access.will, qos=1, retain=True)
    tls = None if access.certificates is None else tls_of(access.certificates, access.address)
    client = BrokerClient(access.host, access.port, access.client_id, will, tls=tls)
    await client.enter(access.address, [(topic, _MARKED) for topic in access.filters])
    return MqttConnection(client, access.address)


def _received(message: aiomqtt.Message) -> Received:
    payload = message.payload if isinstance(message.payload, bytes) else b""
    properties = message.properties
    reply = getattr(properties, "ResponseTopic", None)
    correlation = getattr(properties, "CorrelationData", None)
    return Received(
        str(message.topic),
        payload,
        bool(message.retain),
        reply if isinstance(reply, str) else None,
        correlation if isinstance(correlation, bytes) else None,
    )
