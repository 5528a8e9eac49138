"""The PyPI package `alphasignpy` 0.1.1: what it builds, and how it reads a sign's replies. Run in its own environment.

    alphasignpy_bytes.py [name=reply in hex ...]

Says one JSON line a command that it builds, and one a reply that it was given.
"""

from __future__ import annotations

import json
import sys

from alphasign.commands.special import WriteSpecialFunction, parse_general_info
from alphasign.commands.string_file import ReadString, WriteString, parse_read_string_response
from alphasign.commands.text import ReadText, WriteText, parse_read_text_response
from alphasign.packet import Packet
from alphasign.protocol import DisplayMode, DisplayPosition, FileProtection, FileType

MEMORY = [
    {"label": "A", "type": FileType.TEXT, "size": 0x80, "protection": FileProtection.LOCKED},
    {"label": "a", "type": FileType.STRING, "size": 0x20, "protection": FileProtection.LOCKED},
]
HELD = {"position": DisplayPosition.MIDDLE_LINE, "mode": DisplayMode.HOLD}
COMMANDS = {
    "text": WriteText(b"\x1e1\x10a", label="A", **HELD),
    "won": WriteText("JACKPOT WON", label="0", position=DisplayPosition.MIDDLE_LINE, mode=DisplayMode.FLASH),
    "release": WriteText("", label="0"),
    "amount": WriteString("EUR 1,234.56", label="a"),
    "memory": WriteSpecialFunction.configure_memory(MEMORY),
    "acknowledge": WriteSpecialFunction.enable_ack_nak(True),
    "sequence": WriteSpecialFunction.set_run_sequence("SLA"),
    "read string": ReadString("a"),
    "read text": ReadText("A"),
}


def main():
    for name, command in COMMANDS.items():
        # Its FFh are pauses for its own sender, which never sends them.
        data = Packet().add(command).to_bytes().replace(b"\xff", b"")
        print(json.dumps({"built": name, "bytes": data.hex()}), flush=True)
    for argument in sys.argv[1:]:
        name, _, reply = argument.partition("=")
        print(json.dumps({"read": name, "as": READERS[name](bytes.fromhex(reply))}), flush=True)


def string(reply):
    label, data = parse_read_string_response(reply)
    return [label, data.decode()]


def text(reply):
    label, position, mode, data = parse_read_text_response(reply)
    return [label, position.name, mode.name, data.hex()]


READERS = {"string": string, "text": text, "general": lambda reply: parse_general_info(reply)}
main()
