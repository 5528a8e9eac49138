"""Files that a technician names: what they are, and recordings of cables opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tableside.cli.failing import Failed
from tableside.cli.plain import warn
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from firmware_bridge.links.recording import Recording

_SQLITE = b"SQLite format 3"


def is_journal(file: Path) -> bool:
    """Whether it begins as a journal does, and not as a recording. Raises `Failed`."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise Failed(ExitCode.NO_INPUT, f"{file}: {error.strerror}") from error


@contextmanager
def reading(file: Path) -> Iterator[Recording]:
    """A recording; what is wrong with it ends the command."""
    from firmware_bridge.links.recording import Recording

    is_journal(file)
    with file.open(encoding="utf-8", errors="replace") as opened:
        try:
            recording = Recording(opened)
            yield recording
        except ValueError as bad:
            raise Failed(ExitCode.DATA, f"{file}: {bad}") from bad
    if recording.is_cut:
        warn(f"{file} ends in the middle of a line: what was written until then was read")
