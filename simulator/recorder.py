"""Records what goes over a simulated device's cable, seen from the device: a file for each connection.

`tableside diag trace` records the same at the host's end; here a host that was killed is recorded to its last byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from firmware_bridge.clock import SystemClock
from firmware_bridge.links.base import Link
from firmware_bridge.links.recording import Head, RecordingWriter
from firmware_bridge.links.tap import TapLink

NOTHING_LEFT_OUT = "nothing is left out: the device is simulated"


class Recorder:
    """One device's recordings: `<folder>/<device>-<connection>.jsonl`."""

    def __init__(self, folder: Path, device: str, profile: str) -> None:
        self._folder = folder
        self._device = device
        self._profile = profile
        self._connections = 0

    def on(self, link: Link) -> Link:
        """The link of the next connection, recorded. Raises `OSError`."""
        self._connections += 1
        self._folder.mkdir(parents=True, exist_ok=True)
        head = Head(self._device, self._profile, NOTHING_LEFT_OUT, link.is_message_based)
        # By line: a simulator that is killed has written all but its last one.
        file = (self._folder / f"{self._device}-{self._connections:03}.jsonl").open("w", buffering=1, encoding="utf-8")
        return _RecordedLink(link, file, head)


class _RecordedLink(TapLink):
    """A tapped link whose recording ends with it."""

    def __init__(self, link: Link, file: TextIO, head: Head) -> None:
        super().__init__(link, RecordingWriter(file, head, SystemClock()))
        self._file = file

    async def close(self) -> None:
        """Close both."""
        await super().close()
        self._file.close()
