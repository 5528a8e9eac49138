"""Run by an interpreter that has python-pcapng: prints what it reads of a capture, one JSON list a packet.

Each: interface, nanoseconds, direction as the peer calls it, comment, bytes in hex.
"""

from __future__ import annotations

import json
import sys

from pcapng import FileScanner
from pcapng.blocks import EnhancedPacket

with open(sys.argv[1], "rb") as capture:
    for block in FileScanner(capture):
        if isinstance(block, EnhancedPacket):
            way = str(block.options["epb_flags"].inout)
            at_ns = block.timestamp_high << 32 | block.timestamp_low
            comment = block.options["opt_comment"]
            print(json.dumps([block.interface.options["if_name"], at_ns, way, str(comment), block.packet_data.hex()]))
