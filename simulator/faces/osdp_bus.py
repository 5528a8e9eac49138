"""Several readers on one pair of wires: all hear all, one cable carries what they answer."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.faces.osdp import OsdpReader


class OsdpReaders:
    """The face of a bus: the same interface as one reader."""

    def __init__(self, readers: Sequence[OsdpReader]) -> None:
        self.readers = tuple(readers)

    def boot(self, now_ns: int) -> None:
        """Power for all."""
        for reader in self.readers:
            reader.boot(now_ns)

    def power_off(self) -> None:
        """Power for none."""
        for reader in self.readers:
            reader.power_off()

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable."""
        for reader in self.readers:
            reader.connected(is_message_based=is_message_based)

    def disconnected(self) -> None:
        """The cable is gone."""
        for reader in self.readers:
            reader.disconnected()

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from the panel."""
        for reader in self.readers:
            reader.receive(chunk, now_ns)

    def update(self, now_ns: int) -> int | None:
        """Let time pass; when to be called again."""
        wakes = [wake for wake in (reader.update(now_ns) for reader in self.readers) if wake is not None]
        return min(wakes, default=None)

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        return [data for reader in self.readers for data in reader.take_output()]
