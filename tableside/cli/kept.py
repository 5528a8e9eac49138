"""Traces that were kept of an incident, read from their files: no daemon is needed."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tableside.cli.failing import Failed
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from tableside.diagnosis.captures import Passed

PCAPNG, OSDPCAP = "pcapng", "osdpcap"
FORMATS = (PCAPNG, OSDPCAP)


def kept_files(config: str, table: str, incident: int, device: str | None) -> list[Path]:
    """The recordings of an incident, of one device or of all. Raises `Failed`."""
    from tableside.diagnosis.kept_traces import FOLDER, SUFFIX

    folder = _of_table(journals_of(config) / FOLDER, table)
    place = folder / str(incident)
    files = sorted(place.glob(f"{device or '*'}{SUFFIX}"))
    if files:
        return files
    if place.is_dir():
        names = ", ".join(sorted(path.stem for path in place.glob(f"*{SUFFIX}")))
        raise Failed(ExitCode.NO_DEVICE, f"of incident {incident} there are traces of {names}; none of {device}")
    numbers = sorted(int(each.name) for each in folder.iterdir() if each.name.isdigit()) if folder.is_dir() else []
    there = ", ".join(map(str, numbers)) or "none"
    text = f"no trace of incident {incident} in {folder}; of these there are: {there}. They are written 15 s after it"
    raise Failed(ExitCode.NO_INPUT, text)


def passed(files: Iterable[Path]) -> Iterator[Passed]:
    """All that the recordings hold, in the order of time. Raises `Failed`."""
    import heapq

    with ExitStack() as opened:
        yield from heapq.merge(*(_passed(file, opened) for file in files), key=lambda message: message.at_ns)


def export(messages: Iterable[Passed], form: str, save: Path) -> None:
    """Write a capture that other tools read. Raises `Failed`; a file that is there is left as it is."""
    from tableside.diagnosis import captures

    write: Callable[[Iterable[Passed]], Iterator[bytes]] = {PCAPNG: captures.pcapng, OSDPCAP: captures.osdpcap}[form]
    try:
        with save.open("xb") as out:
            for piece in write(messages):
                out.write(piece)
    except OSError as error:
        raise Failed(ExitCode.CANNOT_CREATE, f"{save}: {error.strerror}") from error


def _passed(file: Path, opened: ExitStack) -> Iterator[Passed]:
    from firmware_bridge.links.recording import Recording
    from tableside.diagnosis.captures import Passed
    from tableside.diagnosis.retelling import messages

    try:
        recording = Recording(opened.enter_context(file.open(encoding="utf-8", errors="replace")))
        head = recording.head
        for heard in messages(recording):
            at_ns = heard.at_ns + (head.wall_offset_ns or 0)
            yield Passed(head.device, head.profile, at_ns, heard.spoken.direction, heard.spoken.data, heard.spoken.text)
    except OSError as error:
        raise Failed(ExitCode.NO_INPUT, f"{file}: {error.strerror}") from error
    except ValueError as bad:
        raise Failed(ExitCode.DATA, f"{file}: {bad}") from bad


def journals_of(config: str) -> Path:
    """The folder of a host's journals, as its file names it. Raises `Failed`."""
    path = Path(config)
    try:
        named = tomllib.loads(path.read_text("utf-8"))["host"]["journal_directory"]
    except FileNotFoundError:
        raise Failed(ExitCode.NO_INPUT, f"there is no {path}: name the host's file with --config") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = f"{path} names no journal directory ({error}); `tableside config check {path}` says what is wrong"
        raise Failed(ExitCode.CONFIG, text) from None
    return Path(os.path.normpath(path.resolve().parent / str(named)))


def _of_table(folder: Path, table: str) -> Path:
    if table:
        return folder / table
    tables = sorted(place for place in folder.iterdir() if place.is_dir()) if folder.is_dir() else []
    if len(tables) > 1:
        raise Failed(ExitCode.USAGE, f"which table? --table, one of {', '.join(place.name for place in tables)}")
    return tables[0] if tables else folder
