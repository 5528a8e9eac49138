"""Where each consumer of a table stands, over restarts: one small file beside the journal.

A cursor follows from acknowledgements and is worth no row: where the file is lost, or older than the truth, consumers
get again what they have, and nothing is missing. So it is written seldom, and whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import structlog

from tableside.journal.disk import FILE_MODE, sync_directory
from tableside.outputs.northbound.window import Position

# So many refusals are remembered, so that each is recorded once: a retained command comes at every connection.
REFUSALS = 256
SUFFIX = ".cursors"

_log = structlog.get_logger("northbound")

WriteFile = Callable[[Path, bytes], Awaitable[None]]


class _Kept(msgspec.Struct, frozen=True):
    format: int = 1
    consumers: dict[str, Position] = {}
    refusals: tuple[str, ...] = ()


class Cursors:
    """Positions by consumer, and the keys of commands that were turned away. `write` must not hold up the loop."""

    def __init__(self, path: Path, write: WriteFile) -> None:
        self._path = path
        self._write = write
        kept = _read(path)
        self._positions: dict[str, Position] = dict(kept.consumers)
        self._refusals: dict[str, None] = dict.fromkeys(kept.refusals)
        self._is_told = False
        self.is_changed = False

    def position(self, consumer: str) -> Position:
        """Where a consumer stands; a new one at the beginning of the journal."""
        return self._positions.get(consumer, Position())

    def put(self, consumer: str, position: Position) -> None:
        """It has come so far."""
        if self._positions.get(consumer) != position:
            self._positions[consumer] = position
            self.is_changed = True

    def is_first(self, refusal: str) -> bool:
        """Whether this refusal was not recorded yet; from now on it was."""
        if refusal in self._refusals:
            return False
        self._refusals[refusal] = None
        while len(self._refusals) > REFUSALS:
            del self._refusals[next(iter(self._refusals))]
        self.is_changed = True
        return True

    async def keep(self) -> None:
        """Write what has changed; where that fails, the next one tries again (told once)."""
        if not self.is_changed:
            return
        self.is_changed = False
        kept = _Kept(consumers=self._positions, refusals=tuple(self._refusals))
        try:
            await self._write(self._path, msgspec.json.encode(kept))
            self._is_told = False
        except (OSError, TimeoutError) as error:
            self.is_changed = True
            if not self._is_told:
                self._is_told = True
                _log.warning("cursors_not_kept", path=str(self._path), why=str(error))


def _read(path: Path) -> _Kept:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Kept)
    except FileNotFoundError:
        return _Kept()
    except (OSError, msgspec.MsgspecError) as error:
        _log.warning("cursors_unreadable", path=str(path), why=str(error))
        return _Kept()


def write_whole(path: Path, content: bytes) -> None:
    """The whole content or the old one, whatever happens meanwhile. Blocks. Raises `OSError`."""
    partial = path.with_name(path.name + ".partial")
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(file, "wb") as writing:
        writing.write(content)
        writing.flush()
        os.fsync(writing.fileno())
    partial.rename(path)
    sync_directory(path.parent)
