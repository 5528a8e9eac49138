"""The PyPI package `usbip` 0.7.0: run in its own environment, never imported by ours.

usbip_peer.py keyboard PORT     serves a keyboard over USB/IP and types the reports that its input names, in hex
usbip_peer.py host PORT         takes the device 1209:0001 that is served there, and tells what it is and says
"""

from __future__ import annotations

import json
import os
import sys
import time

import usbip
from usbip.classes.device import hid
from usbip.device import USBDevice


def say(**what):
    print(json.dumps(what), flush=True)


def keyboard(port):
    device = USBDevice(0x1209, 0x0002, product="Peer's keyboard", manufacturer="usbip", serial="PEER1")
    keys = hid.HID(
        hid.keyboard_report_descriptor(), subclass=hid.SUBCLASS_BOOT, protocol=hid.PROTOCOL_KEYBOARD, in_mps=8
    )
    device.add(keys)
    with device.plug(via=usbip.USBIP("127.0.0.1", port)):
        say(serving=True)
        for line in sys.stdin:
            for report in json.loads(line)["reports"]:
                keys.send_report(bytes.fromhex(report))
                time.sleep(0.005)


def host(port):
    transport = usbip.USBIP("127.0.0.1", port)
    handle = usbip.open(0x1209, 0x0001, transport=transport)

    text = bytes(handle.control(0x80, 6, 0x0303, 0x0409, 255))
    say(serial=text[2:].decode("utf-16-le"))
    handle.bulk_out(0x01, b"asked by the peer")
    say(answer=bytes(handle.bulk_in(0x82, 64)).decode())
    try:
        handle.control(0xC0, 99, 0, 0, 2)
    except usbip.Stall:
        say(stalled=True)
    handle.close()
    say(closed=True)


try:
    {"keyboard": keyboard, "host": host}[sys.argv[1]](int(sys.argv[2]))
except BaseException as error:
    print(repr(error), flush=True)
    os._exit(1)  # the library's own threads would keep a dead program alive
