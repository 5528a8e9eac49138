"""Opening a journal: lay a new file or take up an old one, settle what stands on the reserve, check the chain.

The start trusts nothing it has not verified: the rows since the last checkpoint, which replay will read, are
walked with the anchor at their end.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.clock import Clock
from tableside.journal.chain import Finding, FindingKind, Walker
from tableside.journal.disk import DiskFile, DiskHeld, sync_directory
from tableside.journal.file import JournalFile
from tableside.journal.identity import FileIdentity
from tableside.journal.numbering import genesis_row
from tableside.journal.reading import Rows, not_in_file
from tableside.journal.record import EMPTY, FORMAT, GENESIS_TYPE, Draft, Genesis, RecordKind, Tail
from tableside.journal.reserve import RESERVE_BYTES, Reserve
from tableside.journal.reserve_layout import HOLDER_BYTES, HOLDER_OFFSET, MAGIC
from tableside.journal.schema import INSERT, Synchronous, has_table, lay, make_file, open_for_writing
from tableside.journal.store import JournalRefused, JournalUnavailable, Opening

EPOCH_LIMIT = 2**32  # the device link's epoch is a u32, and 0 there means "obeys nobody"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table's journal lives. `path` None is memory; `reserve` None is no reserve and no anchor: both
    for virtual time only."""

    table: str
    path: Path | None
    reserve: Path | None


def open_file(
    place: Place, *, clock: Clock, synchronous: Synchronous = Synchronous.FULL, epoch: int | None = None
) -> tuple[JournalFile, Opening]:
    """Open or make it. `epoch` is for a new journal, random where None. Raises `JournalRefused`."""
    with ExitStack() as undo:
        try:
            reserve = None if place.reserve is None else _open_reserve(place.reserve, place.table)
            if reserve is not None:
                undo.callback(reserve.close)
            if place.path is not None:
                make_file(place.path)
            connection = open_for_writing(place.path, synchronous)
            undo.callback(connection.close)
            is_new = not has_table(connection)
            if is_new:
                _lay(connection, place, clock, epoch)
            return _take_up(place, connection, reserve, clock=clock, synchronous=synchronous, is_new=is_new, undo=undo)
        except (sqlite3.Error, OSError, JournalUnavailable) as error:
            text = f"the journal {place.path} of table {place.table} cannot be opened: {error}"
            raise JournalRefused(text) from error


def _take_up(
    place: Place,
    connection: sqlite3.Connection,
    reserve: Reserve | None,
    *,
    clock: Clock,
    synchronous: Synchronous,
    is_new: bool,
    undo: ExitStack,
) -> tuple[JournalFile, Opening]:
    rows = Rows(lambda: connection)
    set_aside: str | None = None
    is_torn = reserve is not None and reserve.is_torn
    anchor = None if reserve is None else reserve.anchor
    if reserve is not None and place.reserve is not None and not _settle(reserve, rows):
        set_aside = _set_aside(place.reserve)
        reserve.close()
        reserve = _open_reserve(place.reserve, place.table)
        undo.callback(reserve.close)
    identity = FileIdentity(place.path)
    undo.callback(identity.close)
    file = JournalFile(
        place.path, connection, identity=identity, synchronous=synchronous, boot=clock.boot, reserve=reserve
    )
    if file.genesis.table != place.table:
        raise JournalRefused(f"{place.path} is the journal of table {file.genesis.table}, not of {place.table}")
    findings = check_since_checkpoint(file.rows, anchor)
    standing = len(file.standing())
    carried = standing if file.carry_over() else 0
    undo.pop_all()
    return file, Opening(is_new, tuple(findings), carried, is_torn, set_aside)


def check_since_checkpoint(rows: Rows, anchor: Tail | None) -> list[Finding]:
    """Walk the rows from the last checkpoint on, and compare with the anchor."""
    checkpoint = rows.last_checkpoint()
    start = EMPTY if checkpoint is None else Tail(checkpoint.seq - 1, checkpoint.previous)
    walker = Walker(start, anchor=anchor)
    if anchor is not None and anchor.seq <= start.seq:
        seen = rows.row(anchor.seq)
        if seen is None or seen.hash != anchor.hash:
            walker.report(FindingKind.REPLACED, anchor.seq, f"row {anchor.seq} is not the one that the anchor has seen")
    for record in rows.records(after=start.seq):
        walker.step(record)
    return walker.end()


def _lay(connection: sqlite3.Connection, place: Place, clock: Clock, epoch: int | None) -> None:
    now = clock.now()
    number = secrets.randbelow(EPOCH_LIMIT - 1) + 1 if epoch is None else epoch
    if not 0 < number < EPOCH_LIMIT:
        raise ValueError(f"epoch {number} is not a u32 above 0")
    body = Genesis(place.table, number, FORMAT, now.wall_ns).body()
    first = Draft(RecordKind.GENESIS, GENESIS_TYPE, body, now.at_ns, now.wall_ns, now.quality)
    connection.execute("BEGIN IMMEDIATE")
    lay(connection)
    connection.execute(INSERT, genesis_row(first, boot=clock.boot))
    connection.execute("COMMIT")
    if place.path is not None:
        sync_directory(place.path.parent)


def _open_reserve(path: Path, table: str) -> Reserve:
    try:
        disk = DiskFile(path, RESERVE_BYTES, magic=MAGIC)
    except ValueError as error:
        raise JournalRefused(f"{path} is no reserve: name another path for table {table}") from error
    except DiskHeld as error:
        raise JournalRefused(
            f"the journal of table {table} is being written by process {_holder(path)}: stop that one first"
        ) from error
    except OSError as error:
        raise JournalRefused(
            f"the reserve {path} of table {table} cannot be made: {error}; it needs {RESERVE_BYTES} bytes"
        ) from error
    try:
        reserve = Reserve(disk)
        disk.write(HOLDER_OFFSET, os.getpid().to_bytes(HOLDER_BYTES, "big"))
        return reserve
    except OSError as error:
        disk.close()
        raise JournalRefused(f"the reserve {path} of table {table} cannot be used: {error}") from error


def _holder(path: Path) -> int:
    """The process that wrote itself down; a hint for people, the lock alone is proof."""
    with path.open("rb") as file:
        file.seek(HOLDER_OFFSET)
        return int.from_bytes(file.read(HOLDER_BYTES), "big")


def _settle(reserve: Reserve, rows: Rows) -> bool:
    """Keep the rows that the journal has not; False where they are rows of another chain."""
    kept = not_in_file(reserve.rows, rows)
    if kept is None:
        return False
    if kept:
        reserve.keep_only(kept)
    else:
        reserve.release()
    return True


def _set_aside(path: Path) -> str:
    """Keep rows that belong nowhere as evidence, under the next free name."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    path.rename(aside)
    sync_directory(path.parent)
    return str(aside)
