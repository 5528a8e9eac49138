"""A journal's file is known by the name under which it was opened, without a look at its status."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tableside.journal.identity import FileIdentity, LogOutOfPlace, OutOfPlace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("BJ-1.db", "BJ-1.db-wal"):
        (folder / name).write_bytes(b"rows")
    return folder / "BJ-1.db"


def test_file_and_log_in_place(path: Path) -> None:
    identity = FileIdentity(path)
    identity.check(has_log=True)
    assert identity.sizes() == (4, 4)
    identity.close()


def test_file_replaced_by_another_of_the_same_name(path: Path) -> None:
    identity = FileIdentity(path)
    (path.parent / "other").write_bytes(b"rows")
    os.replace(path.parent / "other", path)
    with pytest.raises(OutOfPlace, match="removed or replaced"):
        identity.check(has_log=True)
    identity.close()


def test_file_removed_and_another_made(path: Path) -> None:
    identity = FileIdentity(path)
    path.unlink()
    path.write_bytes(b"rows")
    with pytest.raises(OutOfPlace, match="removed or replaced"):
        identity.check(has_log=True)
    identity.close()


def test_folder_moved_away_and_back(path: Path) -> None:
    identity = FileIdentity(path)
    path.parent.rename(path.parent.with_name("away"))
    with pytest.raises(OutOfPlace, match="removed or replaced"):
        identity.check(has_log=True)
    path.parent.with_name("away").rename(path.parent)
    identity.check(has_log=True)
    identity.close()


def test_log_removed_counts_only_while_the_file_is_open(path: Path) -> None:
    identity = FileIdentity(path)
    log = path.with_name("BJ-1.db-wal")
    log.unlink()
    log.write_bytes(b"")
    with pytest.raises(LogOutOfPlace):
        identity.check(has_log=True)
    identity.check(has_log=False)
    identity.note_log()
    identity.check(has_log=True)
    identity.close()


def test_nothing_is_held_after_a_refusal_or_the_end(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    path.with_name("BJ-1.db-wal").unlink()
    with pytest.raises(FileNotFoundError):
        FileIdentity(path)
    path.with_name("BJ-1.db-wal").write_bytes(b"")
    identity = FileIdentity(path)
    identity.close()
    identity.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_name_that_ends_like_a_removed_file_is_refused(tmp_path: Path) -> None:
    """The kernel marks removed files so; one that really bears such a name could not be told from it."""
    odd = tmp_path / "BJ-1.db (deleted)"
    odd.write_bytes(b"")
    odd.with_name(f"{odd.name}-wal").write_bytes(b"")
    identity = FileIdentity(odd)
    with pytest.raises(OutOfPlace):
        identity.check(has_log=True)
    identity.close()


def test_a_journal_in_memory_is_always_in_place() -> None:
    identity = FileIdentity(None)
    identity.check(has_log=True)
    assert identity.sizes() == (0, 0)
    identity.close()
