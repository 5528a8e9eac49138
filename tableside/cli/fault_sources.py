"""Where faults are read from: as `sources.py` has it, and further a cable's recording or the device itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from drivers.every_fact import AnyFact
from tableside.cli.failing import Failed
from tableside.cli.plain import warn
from tableside.cli.reading import is_journal, reading
from tableside.cli.sources import JOURNAL, Asked, source_of
from tableside.diagnosis.retelling import retell
from tableside.exit_codes import ExitCode
from tableside.reports.story import Told

if TYPE_CHECKING:
    from tableside.configuration.shape import Device

RECORDING, DEVICE = "recording", "device"
Tables = Sequence[tuple[str, Iterable[Told]]]


def tables_told(
    files: tuple[Path, ...], table: str, device: str, socket: str | None, config: str
) -> tuple[str, Tables]:
    """The rows of each table with its name (empty where none is known), and from where they are. Raises `Failed`."""
    if files and not any(is_journal(file) for file in files):
        return RECORDING, [("", _of_recording(file)) for file in files]
    if "://" in device:
        raise Failed(ExitCode.USAGE, "name the device as its table's file does: an address says nothing of its faults")
    source = source_of(Asked(files, table, socket, config))
    tables = [(story.house.table, story.told) for story in source.stories]
    if source.kind == JOURNAL and not files and device:
        from tableside.cli.configured import device_of

        now = _asked(device_of(Path(config), table, device))
        tables = [(name, [*rows, *now]) if _knows(rows, device) else (name, rows) for name, rows in tables]
        return DEVICE if now else JOURNAL, tables
    return source.kind, tables


def _knows(rows: Iterable[Told], device: str) -> bool:
    return any(getattr(told.what, "device", "") == device for told in rows)


def _asked(device: Device) -> list[Told]:
    """What it says now, where nobody else holds it; its faults stand in its first word."""
    from tableside.diagnosis.directly import facts_directly

    told = asyncio.run(facts_directly(device, lambda text: warn(f"{text}: nobody holds it")))
    return [Told(0, wall_ns, fact) for wall_ns, fact in told if isinstance(fact, AnyFact)]


def _of_recording(file: Path) -> list[Told]:
    with reading(file) as recording:
        offset_ns = recording.head.wall_offset_ns or 0
        facts = retell(recording).facts
        return [Told(0, at_ns + offset_ns, fact) for at_ns, fact in facts if isinstance(fact, AnyFact)]
