"""A consumer of what the table tells, as another system of the house would be: keeps each event, says that it has it.

`python demo/store.py HOST PORT TOPIC ACKS`: until SIGTERM; then one line of what came. Imports nothing of ours.
"""

from __future__ import annotations

import json
import signal
import sys

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

RETRY_S = 1


class Store:
    """What came, in order."""

    def __init__(self, acks: str) -> None:
        self.count = 0
        self.row = 0
        self.repeated = 0
        self._acks = acks

    def take(self, client: mqtt.Client, _: object, message: mqtt.MQTTMessage) -> None:
        """One event. One that does not follow the last is not acknowledged, and comes again behind what is missing."""
        event = json.loads(message.payload)
        if event["row"] <= self.row:
            self.repeated += 1
        elif event["follows"] == self.row:
            self.row = event["row"]
            self.count += 1
        else:
            return
        client.publish(self._acks, json.dumps({"id": event["id"]}), qos=1)


def main() -> int:
    """Keep until told to end; 1 where nothing came."""
    host, port, topic, acks = sys.argv[1:5]
    store = Store(acks)
    client = mqtt.Client(CallbackAPIVersion.VERSION2, "store", protocol=mqtt.MQTTv5)
    client.on_message = store.take
    client.on_connect = lambda one, *_: one.subscribe(topic, qos=1)
    client.reconnect_delay_set(RETRY_S, RETRY_S)
    signal.signal(signal.SIGTERM, lambda *_: client.disconnect())
    client.connect(host, int(port))
    client.loop_forever()
    came = f"{store.count} events of the table came over MQTT to a consumer"
    print(f"Northbound: {came}, each kept once and in order, up to row {store.row}; {store.repeated} came twice.")
    return 0 if store.count else 1


if __name__ == "__main__":
    sys.exit(main())
