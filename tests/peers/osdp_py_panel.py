"""The PyPI package `osdp` 1.6 as control panel over TCP: run in its own environment, never imported by ours.

    osdp_py_panel.py PORT [master key in hex]

Says JSON lines: whether it is on-line, and each card.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time

import osdp

ADDRESS = 0x65


class Panel(osdp.ControlPanel):
    def on_raw_card_data_reply_received(self, address, raw_card_data):
        say(bits=raw_card_data.bit_count, data=bytes(raw_card_data.data).hex())


def say(**what):
    print(json.dumps(what), flush=True)


def main():
    logging.getLogger("osdp").setLevel(logging.WARNING)
    port, *rest = sys.argv[1:]
    master = bytes.fromhex(rest[0]) if rest else None
    panel = Panel(master)
    bus = panel.start_connection(osdp.TcpClientOsdpConnection("127.0.0.1", int(port)))
    panel.add_device(bus, ADDRESS, use_crc=True, use_secure_channel=master is not None)
    was_online = None
    while True:
        is_online = bool(panel.is_online(bus, ADDRESS))
        if is_online != was_online:
            say(online=is_online)
            was_online = is_online
            if is_online:
                identity = panel.id_report(bus, ADDRESS)
                say(serial=identity.serial_number)
        time.sleep(0.1)


try:
    main()
except BaseException as error:
    print(repr(error), flush=True)
    os._exit(1)  # the library's own thread would keep a dead program alive
