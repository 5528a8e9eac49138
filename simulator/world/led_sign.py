"""An LED sign of the ALPHA family: its files, what runs, what takes it over, and what eyes read.

A TEXT that is written begins anew from a dark display (`blanks` counts it); a STRING that it calls changes in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NS_PER_S = 1_000_000_000
PRIORITY = "0"
# After its memory table is written a sign does not listen for a while (readerboard 0.7.0 waits 2 to 10 s).
DEAF_NS = 2 * NS_PER_S
POOL_BYTES = 5_482  # a BetaBrite Classic (readerboard 0.7.0, measured)
OVERHEAD_BYTES, POOL_OVERHEAD_BYTES = 13, 6  # a file's beside its size, the pool's (readerboard 0.7.0, measured)


@dataclass(slots=True)
class File:
    """One file of the memory table; `data` as it was written, a TEXT's without position and mode."""

    kind: str
    size: int
    entry: bytes
    data: bytes = b""
    position: int = 0x20
    mode: str = "b"


@dataclass(slots=True)
class Held:
    """What a sign keeps while it has power; with a battery also without."""

    files: dict[str, File] = field(default_factory=dict)
    sequence: str = ""
    priority: File | None = None


class LedSign:
    """One sign. `has_battery`: its files outlive a power cut; the ACK mode never does (assumed)."""

    def __init__(self, name: str, characters: int = 13, *, has_battery: bool = False, deaf_ns: int = DEAF_NS) -> None:
        self.name = name
        self.characters = characters
        self.has_battery = has_battery
        self.deaf_ns = deaf_ns
        self.is_powered = False
        self.is_acknowledging = False
        self.held = Held()
        self.blanks = 0
        self.changes: list[str] = []  # what eyes read, each time it changed
        self.deaf_until_ns = 0

    def power_on(self) -> None:
        """It starts with what it has kept."""
        self.is_powered, self.is_acknowledging, self.deaf_until_ns = True, False, 0
        if not self.has_battery:
            self.held = Held()
        self._changed()

    def power_off(self) -> None:
        self.is_powered = False
        self._changed()

    # What a host does; False: no such file, or no room

    def configure(self, entries: dict[str, File], now_ns: int) -> bool:
        """A new memory table: everything that was in the sign is gone, but not what takes it over."""
        used = POOL_OVERHEAD_BYTES + sum(file.size + OVERHEAD_BYTES for file in entries.values())
        if used > POOL_BYTES:
            return False
        self.held = Held(files=entries, priority=self.held.priority)
        self.deaf_until_ns = now_ns + self.deaf_ns
        self._blank()
        return True

    @property
    def free_bytes(self) -> int:
        """What is left of the pool."""
        used = sum(file.size + OVERHEAD_BYTES for file in self.held.files.values())
        return POOL_BYTES - POOL_OVERHEAD_BYTES - used

    def write_text(self, label: str, data: bytes, position: int, mode: str) -> bool:
        """A TEXT file, or the priority file."""
        if label == PRIORITY:
            self.held.priority = File("A", len(data), b"", data, position, mode)
        else:
            file = self.held.files.get(label)
            if file is None or file.kind != "A" or len(data) > file.size:
                return False
            file.data, file.position, file.mode = data, position, mode
        self._blank()
        return True

    def release(self) -> None:
        """The priority file lets go."""
        if self.held.priority is not None:
            self.held.priority = None
            self._blank()

    def write_string(self, label: str, data: bytes) -> bool:
        """A STRING file; what is too long empties it (readerboard 0.7.0, measured)."""
        file = self.held.files.get(label)
        if file is None or file.kind != "B":
            return False
        fits = len(data) <= file.size
        file.data = data if fits else b""
        self._changed()
        return fits

    def run(self, labels: str) -> None:
        """The run sequence."""
        self.held.sequence = labels
        self._blank()

    def visible_pages(self) -> list[bytes]:
        """What it draws, page by page, with STRINGs in their places; control codes as they stand."""
        if not self.is_powered:
            return []
        if self.held.priority is not None:
            return [self.held.priority.data]
        texts = [self.held.files[label].data for label in self.held.sequence if label in self.held.files]
        return [page for text in texts for page in self._expanded(text).split(b"\x0c")]

    def _expanded(self, text: bytes) -> bytes:
        out, place = bytearray(), 0
        while place < len(text):
            if text[place] == 0x10 and place + 1 < len(text):
                called = self.held.files.get(chr(text[place + 1]))
                out += called.data if called is not None and called.kind == "B" else b""
                place += 2
            else:
                out.append(text[place])
                place += 1
        return bytes(out)

    def _blank(self) -> None:
        self.blanks += 1
        self._changed()

    def _changed(self) -> None:
        """Kept for whoever watches; drawing is the face's, which knows the characters."""
        seen = b"|".join(self.visible_pages()).decode("latin-1")
        if not self.changes or self.changes[-1] != seen:
            self.changes.append(seen)
