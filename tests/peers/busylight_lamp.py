"""busylight-core in its own environment: its Blink1, its hardware's handle replaced by a pipe to the simulated lamp.

What it would hand to hidapi (`send_feature_report`) goes out as JSON lines; nothing else of it is touched.
"""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

from busylight_core.hardware import ConnectionType, Hardware  # type: ignore[import-not-found]  # of that environment
from busylight_core.vendors.thingm.blink1 import Blink1  # type: ignore[import-not-found]  # as above


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def main() -> None:
    """`{"rgb": [r, g, b]}` or `{"off": true}` on its input; each report that it sends is a line of its output."""
    hardware = Hardware(ConnectionType.HID, b"simulated", 0x27B8, 0x01ED, "2A01", "ThingM", "blink(1) mk2")

    def send(data: bytes) -> int:
        say(report=bytes(data).hex())
        return len(data)

    handle = SimpleNamespace(send_feature_report=send, open_path=lambda _path: None, close=lambda: None)
    hardware.__dict__["handle"] = handle  # where its cached property would keep it
    lamp = Blink1(hardware, reset=False, exclusive=True)
    say(name=lamp.name)
    for line in sys.stdin:
        told = json.loads(line)
        if "rgb" in told:
            lamp.on(tuple(told["rgb"]))
        else:
            lamp.off()
        say(done=told)


if __name__ == "__main__":
    main()
