"""Holds every TDL message that went over the cables of `make run` against docs/protocols/tdl.cddl.

Nothing of ours decodes here: COBS, CRC-32, CBOR and the schema are other people's (cobs, zlib, cbor2, pycddl). Seen
from the devices, so *in* is what the host sent. A process that is killed cuts its last frame: such are counted only.
"""

from __future__ import annotations

import sys
from pathlib import Path

from firmware_bridge.links.recording import Direction, Recording
from tests.support.cddl_ear import CddlEar, HalfDuplex

FINDINGS_SHOWN = 10


def listen(folder: Path) -> CddlEar:
    """All recordings of the folder, heard. Raises `BadRecording`, `OSError`."""
    ear = CddlEar()
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            recording = Recording(lines)
            if recording.head.profile != "tdl":
                continue
            hear = _messages if recording.head.is_message_based else _stream
            hear(recording, ear)
    return ear


def _messages(recording: Recording, ear: CddlEar) -> None:
    """A broker's: each entry is one frame."""
    for entry in recording:
        if entry.direction is not Direction.END:
            ear.take_frame(entry.data, is_from_host=entry.direction is Direction.IN)


def _stream(recording: Recording, ear: CddlEar) -> None:
    ways = {way: HalfDuplex(ear, is_from_host=way is Direction.IN) for way in (Direction.IN, Direction.OUT)}
    for entry in recording:
        if entry.direction is not Direction.END:
            ways[entry.direction].note(entry.data)
    for way in ways.values():
        way.end()


def main() -> int:
    """Say what was heard; 1 where a message is not as the specification says, or where nothing was heard."""
    ear = listen(Path(sys.argv[1]))
    for finding in ear.findings[:FINDINGS_SHOWN]:
        print(finding)
    wrong = f"{len(ear.findings)} are not" if ear.findings else "every one is"
    print(f"TDL on the cables: {ear.messages + len(ear.findings)} messages of {len(ear.valid)} kinds, {wrong} as")
    print(
        f"docs/protocols/tdl.cddl says, read by other people's libraries; {ear.cut} were cut off by kills and cables."
    )
    return 1 if ear.findings or not ear.messages else 0


if __name__ == "__main__":
    sys.exit(main())
