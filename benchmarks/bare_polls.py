"""The least that polls a table at rest: `python -m benchmarks.bare_polls OSDP_NODE TDL_NODE…` runs until killed.

A plain event loop, pyserial's ports, `add_reader` and one timer a port: it writes the daemon's polls, prepared, at
the daemon's times (OSDP POLL each 200 ms, TDL PING each second), and reads what comes back without a look at it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from functools import partial
from itertools import cycle

import serial

from benchmarks.prepared import osdp_polls, tdl_pings

OSDP_PERIOD_S = 0.2
TDL_PERIOD_S = 1.0
READ_SIZE = 65_536


def _poll(node: str, polls: Sequence[bytes], period_s: float) -> serial.Serial:
    """Open the port and begin; the polls go on while the port is kept."""
    port = serial.Serial(node, 115_200, timeout=0)
    descriptor = port.fileno()
    os.set_blocking(descriptor, False)
    loop = asyncio.get_running_loop()
    following = cycle(polls)

    def write() -> None:
        os.write(descriptor, next(following))
        loop.call_later(period_s, write)

    loop.add_reader(descriptor, partial(os.read, descriptor, READ_SIZE))
    write()
    return port


async def run(nodes: Sequence[str]) -> None:
    """Poll for ever."""
    osdp, *others = nodes
    ports = [_poll(osdp, osdp_polls(), OSDP_PERIOD_S)]
    ports += [_poll(node, tdl_pings(), TDL_PERIOD_S) for node in others]
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1:]))
