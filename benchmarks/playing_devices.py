"""Shufflers of tables that play, behind pseudo-terminals: `python -m benchmarks.playing_devices COUNT`.

It prints the ports, a line each, and runs until its standard input ends. From the moment in which the host opens the
session each device tells one notice a second, a card out and a card back in turn, spread over the second among them.

That is 1,800 cards out and as many in an hour: half as much again as a fast table. A full one with a continuous
shuffler plays some 60 rounds an hour (Grochowski: 50, and 10 more with the machine) of about 20 cards.
"""

from __future__ import annotations

import os
import pty
import selectors
import sys
import time
import tty

from benchmarks.prepared import CARDS_IN, CARDS_OUT, tdl_device
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import MeterKey, NoticeKey
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream

NOTICE_PERIOD_S = 1.0
READ_SIZE = 65_536
BOOT = 1


class PlayingDevice:
    """One of them. `phase_s`: when in the second it speaks."""

    def __init__(self, phase_s: float) -> None:
        self.descriptor, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.node = os.ttyname(self._slave)
        self.due_s = float("inf")
        self._phase_s = phase_s
        self._answer = tdl_device()
        self._decoder = StreamDecoder()
        self._number = 0
        self._session = 0

    def heard(self) -> None:
        """Read what the host says, and answer."""
        chunk = os.read(self.descriptor, READ_SIZE)
        for frame in self._decoder.feed(chunk):
            if isinstance(frame, Garbage):
                raise ValueError(f"{self.node}: the host sent {frame}")
            if frame.type is MessageType.NOTICE_ACK and self.due_s == float("inf"):
                self._session, self.due_s = frame.session, time.monotonic() + self._phase_s
        if reply := self._answer(chunk):
            os.write(self.descriptor, reply)

    def play(self) -> None:
        """A card goes out, or comes back."""
        self._number += 1
        is_out = self._number % 2
        meter = (CARDS_OUT if is_out else CARDS_IN) + self._number // 2 + is_out
        body: dict[int, Value] = {
            NoticeKey.BOOT: BOOT,
            NoticeKey.NUMBER: self._number,
            NoticeKey.MS: self._number * 1_000,
            MeterKey.METER: meter,
        }
        kind = NoticeKind.CARDS_OUT if is_out else NoticeKind.CARDS_IN
        os.write(self.descriptor, encode_stream(Frame(MessageType.NOTICE, kind, 0, self._session, body)))
        self.due_s += NOTICE_PERIOD_S


def main() -> None:
    """Play until whoever started us is gone."""
    count = int(sys.argv[1])
    devices = [PlayingDevice(NOTICE_PERIOD_S * number / count) for number in range(count)]
    selector = selectors.DefaultSelector()
    for device in devices:
        selector.register(device.descriptor, selectors.EVENT_READ, device)
    selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
    print(*(device.node for device in devices), sep="\n", flush=True)
    while True:
        due_s = min(device.due_s for device in devices)
        wait_s = None if due_s == float("inf") else max(0.0, due_s - time.monotonic())
        for key, _ in selector.select(wait_s):
            if key.data is None:
                return
            key.data.heard()
        now_s = time.monotonic()
        for device in devices:
            if device.due_s <= now_s:
                device.play()


if __name__ == "__main__":
    main()
