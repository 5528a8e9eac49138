"""libosdp as one end of a bus: a program of its own, run in libosdp's environment, never imported by ours.

    libosdp_ends.py peripheral (tcp | pty) [key in hex] [needs-security]
    libosdp_ends.py panel PORT [key in hex]

Says JSON lines: where it listens, what it is, what it was told. Takes JSON lines: `{"card": bits, "data": hex}`,
`{"keys": digits}`, `{"command": {...}}`.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
import traceback
import tty

import osdp

ADDRESS = 0x65
# As in the captured session of the vectors, so that the two can be compared.
IDENTITY = osdp.PdId(version=1, model=1, vendor_code=0xFEBABE, serial_number=0xDEADBEAF, firmware_version=0x00AD_DEAD)


def say(**what):
    print(json.dumps(what), flush=True)


class Bytes(osdp.Channel):
    """A descriptor that never blocks."""

    def __init__(self, descriptor):
        super().__init__()
        self.descriptor = descriptor
        os.set_blocking(descriptor, False)

    def read(self, max_bytes):
        try:
            return os.read(self.descriptor, max_bytes)
        except (BlockingIOError, OSError):
            return b""

    def write(self, buf):
        try:
            return os.write(self.descriptor, buf)
        except (BlockingIOError, OSError):
            return 0

    def flush(self):
        while self.read(4096):
            pass


def listened(kind):
    """A descriptor that somebody is going to use, after saying where."""
    if kind == "pty":
        near, far = os.openpty()
        tty.setraw(far)
        say(pty=os.ttyname(far), kept_open=far)
        return near
    server = socket.create_server(("127.0.0.1", 0))
    say(port=server.getsockname()[1])
    connection, _ = server.accept()
    return connection.detach()


def peripheral(kind, key=None, needs_security=False):
    channel = Bytes(listened(kind))
    flags = [osdp.LibFlag.EnforceSecure] if needs_security else []
    info = osdp.PDInfo(ADDRESS, channel, scbk=key, flags=flags, id=IDENTITY)
    capability = osdp.Capability
    offered = osdp.PDCapabilities(
        [
            (capability.OutputControl, 1, 1),
            (capability.LEDControl, 1, 1),
            (capability.AudibleControl, 1, 1),
            (capability.TextOutput, 1, 1),
        ]
    )

    def told(command):
        say(command=plain(command))
        return 0, None

    device = osdp.PeripheralDevice(info, offered, log_level=osdp.LogLevel.Warning, command_handler=told)
    device.start()
    states = threading.Thread(target=tell_states, args=(device.is_sc_active,), daemon=True)
    states.start()
    for order in orders():
        if "card" in order:
            data = bytes.fromhex(order["data"])
            event = {
                "event": osdp.Event.CardRead,
                "reader_no": 0,
                "format": osdp.CardFormat.Wiegand,
                "direction": 0,
                "length": order["card"],
                "data": data,
            }
        else:
            event = {"event": osdp.Event.KeyPress, "reader_no": 0, "data": order["keys"].encode()}
        device.submit_event(event)


def panel(port, key=None):
    connection = socket.create_connection(("127.0.0.1", int(port)))
    info = osdp.PDInfo(ADDRESS, Bytes(connection.detach()), scbk=key, flags=[])

    def happened(_, event):
        say(event=plain(event))
        return 0

    control = osdp.ControlPanel([info], log_level=osdp.LogLevel.Warning, event_handler=happened)
    control.start()

    def state():
        return [bool(control.is_online(ADDRESS)), bool(control.is_sc_active(ADDRESS))]

    threading.Thread(target=tell_states, args=(state,), daemon=True).start()
    for order in orders():
        if order.get("ask") == "identity":
            identity = control.get_pd_id(ADDRESS)
            say(serial=identity.serial_number, vendor=identity.vendor_code)
        elif order.get("ask") == "amber":
            amber = osdp.CommandLEDColor.Amber
            command = {
                "command": osdp.Command.LED,
                "reader": 0,
                "led_number": 0,
                "control_code": 1,
                "on_count": 1,
                "off_count": 0,
                "on_color": amber,
                "off_color": amber,
                "timer_count": 0,
                "temporary": False,
            }
            control.submit_command(ADDRESS, command)
        elif order.get("ask") == "text":
            command = {
                "command": osdp.Command.Text,
                "reader": 0,
                "control_code": 1,
                "temp_time": 0,
                "offset_row": 1,
                "offset_col": 1,
                "data": "TABLE 7",
            }
            control.submit_command(ADDRESS, command)


def tell_states(state):
    """What changes is said."""
    last = None
    while True:
        now = state()
        if now != last:
            say(state=now)
            last = now
        time.sleep(0.05)


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def orders():
    """JSON lines from the input, until it ends."""
    for line in sys.stdin:
        yield json.loads(line)


def main():
    role, where, *rest = sys.argv[1:]
    key = bytes.fromhex(rest[0]) if rest and rest[0] != "-" else None
    if role == "panel":
        panel(where, key)
    else:
        peripheral(where, key, "needs-security" in rest)


try:
    main()
except BaseException:
    traceback.print_exc()
    os._exit(1)  # the library's own thread would keep a dead program alive
