"""Where rows go while the journal cannot be written, and where its last number is kept beside it.

Rows on the reserve are rows of the same chain: they have their final number and hash. They are carried over
once, whatever is killed in between, because the journal's own last number tells which of them it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tableside.journal.disk import Disk
from tableside.journal.record import Record, Tail
from tableside.journal.reserve_layout import END, HEAD_BYTES, MAGIC, packed_anchor, packed_row, read_content

# 1,000 rows with bodies of 4 kB: a day's bodies are 50 to 500 bytes, and a round ends within some hundred rows.
RESERVE_BYTES = 4_718_592


class ReserveFull(Exception):
    """The rows do not fit any more."""


class Reserve:
    """The rows that wait for the journal, and the anchor. Not thread-safe; `rows` may be read from anywhere."""

    def __init__(self, disk: Disk) -> None:
        """Read what a disk holds; raises `OSError`, and `ValueError` where the file is something else."""
        self._disk = disk
        content = read_content(disk.read(0, disk.size))
        self.rows = content.rows
        self.anchor = content.anchor
        self.is_torn = content.is_torn
        self._end = content.end
        self._generation = content.generation
        # True where bytes of rows may stand on the disk that are none of `rows`.
        self._is_dirty = content.is_torn or bool(content.rows)
        if disk.read(0, len(MAGIC)) != MAGIC:
            disk.write(0, MAGIC)
            disk.sync()

    @property
    def free_bytes(self) -> int:
        """Room for further rows."""
        return self._disk.size - self._end - len(END)

    def append(self, records: Sequence[Record]) -> None:
        """Make rows durable; all of them or none. Raises `ReserveFull`, `OSError`."""
        data = b"".join(packed_row(record) for record in records)
        if len(data) > self.free_bytes:
            raise ReserveFull(f"{len(data)} bytes do not fit into the {self.free_bytes} left")
        self._is_dirty = True
        self._disk.write(self._end, data + END)
        self._disk.sync()
        self._end += len(data)
        self.rows += tuple(records)

    def keep_only(self, rows: Iterable[Record]) -> None:
        """At opening: these of the rows the journal has not."""
        self.rows = tuple(rows)
        self._is_dirty = True

    def release(self) -> None:
        """The journal has all rows: forget them. Raises `OSError` where the disk still shows them; call again."""
        self.rows = ()
        self._end = HEAD_BYTES
        if not self._is_dirty:
            return
        self._disk.write(HEAD_BYTES, END)
        self._disk.sync()
        self._is_dirty = False

    def note(self, tail: Tail) -> None:
        """Move the anchor. Not synced by itself (see `sync`): it may be behind the journal, never before it."""
        self._disk.write(*packed_anchor(self._generation + 1, tail))
        self._generation += 1
        self.anchor = tail

    def sync(self) -> None:
        """Make the anchor durable."""
        self._disk.sync()

    def close(self) -> None:
        """Give the file and its lock up; what was written stays."""
        self._disk.close()
