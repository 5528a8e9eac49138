"""The PyPI package `pyalphasign` 0.1.0: what it builds. Run in its own environment; it reads nothing back.

It has neither STRING files nor a memory table nor ACK mode, so TEXT, the priority file and the run sequence are all
that can be held against it.
"""

from __future__ import annotations

import json

from alphasign.command.write_special_functions import WriteSpecialFunctions
from alphasign.command.write_text import WriteText
from alphasign.packet import Packet


def main():
    sequence = WriteSpecialFunctions()
    sequence.set_run_sequence(b"SLA")
    commands = {
        "text": WriteText(b"\x1e1\x10a", label="A", position=" ", mode="b"),
        "won": WriteText("JACKPOT WON", label="0", position=" ", mode="c"),
        "sequence": sequence,
    }
    for name, command in commands.items():
        command.checksum = True
        packet = Packet()
        packet.add_command(command)
        # Its FFh are pauses for its own sender, which never sends them.
        print(json.dumps({"built": name, "bytes": packet.to_bytes().replace(b"\xff", b"").hex()}), flush=True)


main()
