"""Who holds a device node: asked only when an opening was refused, so that the message can say it (BR-020, BR-027)."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
GROUP_MAY_USE = stat.S_IRGRP | stat.S_IWGRP


def holder_of(node: str) -> str | None:
    """Name and process number of who holds the lock, else of who has the node open; None where /proc tells neither.

    Blocking (reads /proc): to be called in a thread.
    """
    try:
        status = os.stat(node)
    except OSError:
        return None
    for pid in [*_lockers(status), *_openers(status)]:
        name = _text(PROC / str(pid) / "comm")
        if name:
            return f"{name} (process {pid})"
    return None


def rights_of(node: str) -> str:
    """Owner, group and mode of a node, the account that wants it, and what lets it in: never to run as root."""
    try:
        status = os.stat(node)
    except OSError as error:
        return f"{node} has gone meanwhile ({error.strerror}); plug the device in anew"
    group, account = _group(status.st_gid), _user(os.geteuid())
    groups = ", ".join(sorted({_group(gid) for gid in {os.getegid(), *os.getgroups()}}))
    is_group_let_in = status.st_gid != 0 and status.st_mode & GROUP_MAY_USE == GROUP_MAY_USE
    remedy = (
        f"add the account to the group (usermod -aG {group} {account}) and start the service anew"
        if is_group_let_in
        else 'name a group in the udev rule of the device (GROUP="…", MODE="0660"), add the account to it, plug in anew'
    )
    return (
        f"{node} belongs to {_user(status.st_uid)}:{group}, mode {stat.S_IMODE(status.st_mode):04o}; "
        f"this account is {account}, in the groups {groups}. Next step: {remedy}"
    )


def _lockers(status: os.stat_result) -> Iterator[int]:
    """Process numbers of the holders of a flock, from lines as `1: FLOCK  ADVISORY  WRITE 708 00:15:5 0 EOF`."""
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in (_text(PROC / "locks") or "").splitlines():
        fields = line.split()
        if len(fields) > 5 and fields[1] == "FLOCK" and fields[5] == file and int(fields[4]) > 0:
            yield int(fields[4])


def _openers(status: os.stat_result) -> Iterator[int]:
    for directory in PROC.glob("[0-9]*/fd"):
        try:
            entries = list(os.scandir(directory))
        except OSError:
            continue  # another account's process, or one that has just ended
        for entry in entries:
            try:
                found = os.stat(entry.path)
            except OSError:
                continue
            if stat.S_ISCHR(found.st_mode) and found.st_rdev == status.st_rdev:
                yield int(directory.parent.name)
                break


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
