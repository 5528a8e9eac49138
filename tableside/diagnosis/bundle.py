"""The service file: what a maker needs to see of a fault, in one file, with nobody's identity and no secret in it.

A ZIP archive of JSON and of recordings. What could not be had is said in `about.json`, never left out in silence.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tableside.diagnosis.errors import errors
from tableside.diagnosis.handover import handover_told
from tableside.diagnosis.kept_traces import FOLDER, SUFFIX
from tableside.diagnosis.maintenance import upkeep_told
from tableside.diagnosis.redaction import STATEMENT, Redaction
from tableside.diagnosis.statistics import statistics_told
from tableside.journal.disk import FILE_MODE
from tableside.journal.export import utc_text
from tableside.reports.story import Story
from tableside.version import VERSION

# Rows of each table: some days of a busy table's faults, and a megabyte at most.
EXCERPT_ROWS = 5_000
FAULTS_TOLD = 200
SHIFT_HOURS = 72.0
# Of each table: each is some hundred kilobytes.
INCIDENTS_TOLD = 5


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """`about.json`, and what the command prints. `left_out`: what could not be had, each with the reason."""

    file: str
    made_at: str
    version: str
    python: str
    sqlite: str
    system: str
    source: str
    tables: tuple[str, ...]
    redaction: str
    parts: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a command has read. `status` is the daemon's, None where none runs.

    `config` is the host's file, `journals` the folder in which kept traces stand: where they are at hand.
    """

    source: str
    stories: tuple[Story, ...]
    until_ns: int
    status: Mapping[str, object] | None
    config: Path | None
    journals: Path | None


def write_bundle(target: Path, gathered: Gathered) -> Contents:
    """Write it, whole or not at all. Raises `OSError`, `FileExistsError` where the file is there already."""
    persons = [person for story in gathered.stories for person in story.house.persons]
    redaction = Redaction(persons)
    left_out: list[str] = []
    partial = target.with_name(f".{target.name}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            parts = []
            for name, content in _parts(gathered, redaction, left_out):
                archive.writestr(name, content)
                parts.append(name)
            contents = _about(target, gathered, tuple(parts), tuple(left_out))
            archive.writestr("about.json", msgspec.json.format(msgspec.json.encode(contents), indent=2))
        partial.chmod(FILE_MODE)
        os.link(partial, target)  # refuses where somebody has made it meanwhile
    finally:
        partial.unlink(missing_ok=True)
    return contents


def _about(target: Path, gathered: Gathered, parts: tuple[str, ...], left_out: tuple[str, ...]) -> Contents:
    return Contents(
        file=target.name,
        made_at=utc_text(gathered.until_ns),
        version=VERSION,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        system=f"{sys.platform} {platform.release()} {platform.machine()}",
        source=gathered.source,
        tables=tuple(story.house.table for story in gathered.stories),
        redaction=STATEMENT,
        parts=("about.json", *parts),
        left_out=left_out,
    )


def _parts(gathered: Gathered, redaction: Redaction, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    """Every part with its bytes, redacted."""
    tables = [(story.house.table, story.told) for story in gathered.stories]
    told: dict[str, msgspec.Struct] = {
        "errors": errors(gathered.source, tables, "", FAULTS_TOLD),
        "stats": statistics_told(gathered.source, gathered.stories),
        "pm": upkeep_told(gathered.source, gathered.stories, gathered.until_ns),
        "handover": handover_told(gathered.source, gathered.stories, gathered.until_ns, SHIFT_HOURS),
    }
    for name, what in told.items():
        yield f"{name}.json", _json(redaction.of(msgspec.to_builtins(what)))
    if gathered.status is None:
        left_out.append("status.json: no daemon answers")
    else:
        yield "status.json", _json(redaction.of(gathered.status))
    yield from _configuration(gathered.config, redaction, left_out)
    for story in gathered.stories:
        yield f"journal-{story.house.table}.jsonl", b"".join(_excerpt(story, redaction))
    yield from _traces(gathered, left_out)


def _excerpt(story: Story, redaction: Redaction) -> Iterator[bytes]:
    """The last rows that speak of devices, faults and who mended them; the journal itself does not leave."""
    for told in story.told[-EXCERPT_ROWS:]:
        body = redaction.of(msgspec.to_builtins(told.what))
        row = {"seq": told.seq, "at": utc_text(told.wall_ns), "type": type(told.what).__name__, "body": body}
        yield json.dumps(row).encode() + b"\n"


def _configuration(config: Path | None, redaction: Redaction, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    """The host's file and its tables' as JSON, without staff, secrets and what opens an address. Reads no key file."""
    if config is None or not config.is_file():
        left_out.append("config.json: the host's file is not here")
        return
    try:
        host = tomllib.loads(config.read_text("utf-8"))
        files = {config.name: host}
        for name in host.get("host", {}).get("tables", []):
            files[name] = tomllib.loads((config.parent / name).read_text("utf-8"))
    except (OSError, ValueError) as error:
        left_out.append(f"config.json: {error}")
        return
    yield "config.json", _json(redaction.of(files))


def _traces(gathered: Gathered, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    """The last incidents' recordings, as they were kept."""
    for story in gathered.stories:
        table = story.house.table
        folder = gathered.journals / FOLDER / table if gathered.journals is not None else None
        if folder is None or not folder.is_dir():
            left_out.append(f"traces of {table}: none are kept here")
            continue
        numbered = sorted((place for place in folder.iterdir() if place.name.isdigit()), key=lambda one: int(one.name))
        for place in numbered[-INCIDENTS_TOLD:]:
            for file in sorted(place.glob(f"*{SUFFIX}")):
                yield f"traces/{table}/{place.name}/{file.name}", file.read_bytes()


def _json(what: object) -> bytes:
    return json.dumps(what, indent=1, default=str).encode()
