"""The record's disks: a journal is worth what its disk keeps over a power cut (BR-046 to BR-049)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from tableside.doctor.symptoms import Symptom, Verdict, Ward, well
from tableside.journal.space import SpaceLevel, space_facts

# File systems that forget with the power, and those whose locks and syncs are another machine's promise (sqlite.org,
# "How To Corrupt An SQLite Database File", §2.1).
FORGETFUL = frozenset({"tmpfs", "ramfs", "overlay"})
DISTANT = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "virtiofs"})
OTHERS = stat.S_IRWXG | stat.S_IRWXO
PERCENT = 100


def folders(ward: Ward) -> Iterator[Symptom]:
    """Journal, reserve and the control socket's folder are there, ours, and closed to others."""
    host = ward.host
    for name, path in (("journals", host.journal_directory), ("reserve", host.reserve_directory)):
        if not path.exists():
            yield Symptom(Verdict.ADVICE, f"{name}: {path} is not there yet", "the daemon makes it, if it may")
        elif not os.access(path, os.W_OK | os.X_OK):
            remedy = "run this as the daemon's account, or give it the folder: chown -R tableside"
            yield Symptom(Verdict.WRONG, f"{name}: this account cannot write in {path}", remedy)
        elif stat.S_IMODE(path.stat().st_mode) & OTHERS:
            text = f"{name}: others may look into {path}, where people's names stand"
            yield Symptom(Verdict.ADVICE, text, f"chmod 700 {path}")
        else:
            yield well(f"{name}: {path}")


def file_systems(ward: Ward) -> Iterator[Symptom]:
    """On what the journals lie."""
    for path in dict.fromkeys((ward.host.journal_directory, ward.host.reserve_directory)):
        kind = file_system_of(path, ward.text("/proc/self/mountinfo") or "")
        if kind in FORGETFUL:
            yield Symptom(Verdict.WRONG, f"{path} lies on {kind}, which forgets", "put it on a disk of this host")
        elif kind in DISTANT:
            text = f"{path} lies on {kind}: what another machine promises to keep"
            yield Symptom(Verdict.WRONG, text, "put it on a disk of this host")
        elif not kind:
            yield Symptom(Verdict.UNTOLD, f"on what {path} lies", "look at `findmnt`")
        else:
            yield well(f"{path} lies on {kind}")


def second_disk(ward: Ward) -> Iterator[Symptom]:
    """A reserve on the journal's own disk fails with it."""
    journal, reserve = (_existing(path) for path in (ward.host.journal_directory, ward.host.reserve_directory))
    if journal.stat().st_dev == reserve.stat().st_dev:
        text = "journals and their reserve lie on one disk: what fails one fails both"
        yield Symptom(Verdict.ADVICE, text, "name a folder of a second disk in reserve_directory")
    else:
        yield well("the reserve has a disk of its own")


def space(ward: Ward) -> Iterator[Symptom]:
    """Room, by the same measure as the daemon's own alert."""
    for fact in space_facts(dict.fromkeys(map(_existing, (ward.host.journal_directory, ward.host.reserve_directory)))):
        part = PERCENT * fact.free_bytes // fact.total_bytes if fact.total_bytes else 0
        text = f"{fact.path}: {part} % of the disk is free"
        if fact.level is SpaceLevel.ENOUGH:
            yield well(text)
        else:
            verdict = Verdict.ADVICE if fact.level is SpaceLevel.LOW else Verdict.WRONG
            yield Symptom(verdict, text, "move old journals away with `tableside journal copy`, then delete them")


def file_system_of(path: Path, mountinfo: str) -> str:
    """The type of the file system that a path lies on, of proc(5)'s mountinfo; empty where it does not tell."""
    best, kind = -1, ""
    for line in mountinfo.splitlines():
        head, _, tail = line.partition(" - ")
        fields = head.split()
        if len(fields) < 5 or not tail:
            continue
        place = Path(fields[4].replace("\\040", " "))
        if path.is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), tail.split()[0]
    return kind


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(each for each in (path, *path.parents) if each.exists())
