"""The face of an OSDP bus as a stage plays it: one wake-up time, output when it is due."""

from __future__ import annotations

from collections.abc import Sequence

from .osdp import OsdpReader
from .osdp_bus import OsdpReaders


class BadgeReadersFace:
    """Readers on one cable, off until `boot`."""

    boot_number = 0  # OSDP counts no boots
    profile = "osdp"

    def __init__(self, readers: Sequence[OsdpReader]) -> None:
        self.readers = tuple(readers)
        self._bus = OsdpReaders(readers)
        self._output: list[bytes] = []
        self._wake_ns: int | None = None

    @property
    def is_on(self) -> bool:
        return any(reader.is_on for reader in self.readers)

    @property
    def next_wake_ns(self) -> int | None:
        return self._wake_ns

    def boot(self, now_ns: int) -> None:
        """Power for all."""
        self._bus.boot(now_ns)

    def power_off(self) -> None:
        """Power for none."""
        self._bus.power_off()
        self._wake_ns = None

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable."""
        self._output.clear()
        self._bus.connected(is_message_based=is_message_based)

    def disconnected(self) -> None:
        """The cable is gone."""
        self._bus.disconnected()

    def is_host_present(self, now_ns: int) -> bool:
        """OSDP knows no session: whoever polls is the panel."""
        return False

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from the panel."""
        self._bus.receive(chunk, now_ns)
        self.update(now_ns)

    def update(self, now_ns: int) -> bool:
        """Let time pass; nothing here wakes another world."""
        self._bus.update(now_ns)
        self._output += self._bus.take_output()
        self._wake_ns = self._bus.update(now_ns)
        return False

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        output, self._output = self._output, []
        return output
