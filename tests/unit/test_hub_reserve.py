"""Rows on the reserve, and a daemon that dies meanwhile: the next one knows how the table was told it stands."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from tableside.journal.file import JournalFile
from tableside.journal.record import CommitResult, Draft, Row
from tableside.requests import CallSupervisor
from tests.support.jumping_loop import run_virtual
from tests.unit.test_hub import Bench

LOCK = "deal:journal"


def refuse(_file: JournalFile, _rows: list[Row]) -> None:
    raise sqlite3.OperationalError("disk I/O error")


def break_journal(bench: Bench) -> None:
    """Rows go to the reserve from now on."""
    bench.journal._file._transact = partial(refuse, bench.journal._file)  # type: ignore[method-assign]


async def call(bench: Bench) -> None:
    """Something that is recorded."""
    assert (await bench.hub.ask(CallSupervisor(id="r1"))).is_accepted
    await asyncio.sleep(0.1)


async def hang(_drafts: Sequence[Draft]) -> CommitResult:
    """A disk that answers no more."""
    await asyncio.Event().wait()
    raise AssertionError


async def die(bench: Bench) -> None:
    """As by kill -9: nothing is carried over."""
    await bench.stop()
    bench.journal._file.is_closed = True
    bench.journal._file.connection().close()
    assert bench.journal._file.reserve is not None
    bench.journal._file.reserve.close()


def test_a_journal_that_is_well_again_at_the_next_start_is_told_and_frees_the_table(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        break_journal(bench)
        await call(bench)
        assert LOCK in bench.hub.state.locks.standing
        await die(bench)
        again = Bench(tmp_path)
        assert LOCK in again.hub.state.locks.standing
        await again.start()
        assert LOCK not in again.hub.state.locks.standing
        await again.stop()

    run_virtual(main())


def test_a_daemon_that_died_before_it_could_say_so_says_it_at_its_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first row went to the reserve, and the fact that it did was never written."""

    async def main() -> None:
        bench = Bench(tmp_path)
        await bench.start()
        break_journal(bench)
        commit = bench.journal.commit

        async def first_only(drafts: Sequence[Draft]) -> CommitResult:
            bench.journal.commit = hang  # type: ignore[method-assign]  # it dies in the next one
            return await commit(drafts)

        bench.journal.commit = first_only  # type: ignore[method-assign]
        await call(bench)
        assert LOCK not in bench.hub.state.locks.standing
        await die(bench)
        monkeypatch.setattr(JournalFile, "_transact", refuse)  # still broken when it is opened again
        again = Bench(tmp_path)
        await again.start()
        assert LOCK in again.hub.state.locks.standing
        await again.stop()

    run_virtual(main())
