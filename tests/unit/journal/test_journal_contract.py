"""What every journal does, whether a thread writes it or the loop itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from firmware_bridge.clock import LoopClock
from tableside.journal.chain import verify
from tableside.journal.record import Draft, RecordKind
from tableside.journal.store import DraftRefused, Journal, JournalUnavailable, RequestRepeated
from tests.support.journals import EPOCH, STORES, TABLE, draft, open_journal

INPUT, DECISION, CHECKPOINT = RecordKind.INPUT, RecordKind.DECISION, RecordKind.CHECKPOINT


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def journal(store: str, tmp_path: Path) -> AsyncIterator[Journal]:
    async with open_journal(store, tmp_path) as journal:
        yield journal


async def test_first_row_says_whose_journal_it_is(journal: Journal) -> None:
    (first,) = journal.records()
    assert (first.seq, first.kind, first.previous) == (1, RecordKind.GENESIS, bytes(32))
    assert (journal.genesis.table, journal.genesis.epoch) == (TABLE, EPOCH)
    assert journal.opening.is_new


async def test_rows_come_back_as_they_were_given(journal: Journal) -> None:
    drafts = [draft(1, request="r-1"), draft(2, DECISION, request="r-1"), draft(3, CHECKPOINT, body=bytes(70_000))]
    result = await journal.commit(drafts)
    assert (result.first_seq, result.last_seq, result.where) == (2, 4, "journal")
    assert result.seconds >= 0
    rows = list(journal.records(after=1))
    assert [Draft(r.kind, r.type, r.body, r.at_ns, r.wall_ns, r.quality, r.request) for r in rows] == drafts
    assert verify(journal.records(), table=TABLE, anchor=journal.tail) == []
    assert journal.tail.seq == 4


async def test_commits_side_by_side_are_each_whole_and_in_one_chain(journal: Journal) -> None:
    results = await asyncio.gather(*(journal.commit([draft(n), draft(n, DECISION)]) for n in range(40)))
    spans = sorted((result.first_seq, result.last_seq) for result in results)
    assert spans == [(seq, seq + 1) for seq in range(2, 82, 2)]
    by_seq = {row.seq: row for row in journal.records()}
    for number, result in enumerate(results):
        assert {by_seq[result.first_seq].at_ns, by_seq[result.last_seq].at_ns} == {number}
    assert verify(by_seq.values()) == []


async def test_reading_pages_on_and_stops_at_the_row_that_was_last(journal: Journal) -> None:
    await journal.commit([draft(n) for n in range(1, 1_600)])
    reading = journal.records(after=1)
    assert next(reading).at_ns == 1
    await journal.commit([draft(5_000)])
    assert [row.at_ns for row in reading] == list(range(2, 1_600))


async def test_kinds_are_chosen(journal: Journal) -> None:
    await journal.commit([draft(1), draft(2, DECISION), draft(3, CHECKPOINT), draft(4)])
    assert [row.at_ns for row in journal.records(kinds={INPUT, CHECKPOINT})] == [1, 3, 4]


async def test_same_request_has_its_answer_for_ever_br_038(journal: Journal) -> None:
    await journal.commit([draft(1), draft(2, DECISION)])
    await journal.commit(
        [draft(3, request="r-7"), draft(4, DECISION), draft(5, DECISION), draft(6), draft(7, DECISION)]
    )
    found = journal.find_request("r-7")
    assert found is not None
    assert found.at_ns == 3
    assert [row.at_ns for row in journal.decisions_of(found)] == [4, 5]
    assert journal.find_request("r-8") is None


async def test_repeated_request_is_refused_and_hurts_no_other_commit_br_038(journal: Journal) -> None:
    await journal.commit([draft(1, request="r-1")])
    results = await asyncio.gather(
        journal.commit([draft(2), draft(3, request="r-1")]),
        journal.commit([draft(4, request="r-2")]),
        journal.commit([draft(5, request="r-3"), draft(6, request="r-3")]),
        journal.commit([draft(7, request="r-3")]),
        return_exceptions=True,
    )
    assert [type(result) for result in results[::2]] == [RequestRepeated, RequestRepeated]
    assert [row.at_ns for row in journal.records(after=1)] == [1, 4, 7]
    assert verify(journal.records()) == []


async def test_decision_may_carry_the_request_it_answers(journal: Journal) -> None:
    await journal.commit(
        [draft(1, request="r-1"), draft(2, DECISION, request="r-1"), draft(3, DECISION, request="r-1")]
    )
    found = journal.find_request("r-1")
    assert found is not None
    assert found.at_ns == 1


@pytest.mark.parametrize(
    "wrong",
    [
        draft(2**63),
        Draft(INPUT, "lone surrogate \ud800", b"", 0, 0, "synchronised"),
        Draft(INPUT, "text for a body", "body", 0, 0, "synchronised"),  # type: ignore[arg-type]  # the fault itself
        Draft(INPUT, "float time", b"", 1.5, 0, "synchronised"),  # type: ignore[arg-type]  # the fault itself
        draft(1, RecordKind.GENESIS),
    ],
    ids=lambda wrong: wrong.type,
)
async def test_what_cannot_be_stored_is_refused_whole(journal: Journal, wrong: Draft) -> None:
    with pytest.raises(DraftRefused):
        await journal.commit([draft(1), wrong])
    with pytest.raises(DraftRefused):
        await journal.commit([])
    await journal.commit([draft(2)])
    assert [row.at_ns for row in journal.records(after=1)] == [2]


async def test_last_checkpoint_is_the_newest(journal: Journal) -> None:
    assert journal.last_checkpoint() is None
    await journal.commit([draft(1, CHECKPOINT), draft(2)])
    await journal.commit([draft(3, CHECKPOINT), draft(4)])
    found = journal.last_checkpoint()
    assert found is not None
    assert found.at_ns == 3


async def test_order_is_the_sequence_whatever_the_clocks_say_br_052_br_053(journal: Journal) -> None:
    """Clock steps, the hour that comes twice, 1970, 2038 and 2100: none is a key, each row keeps what it was given."""
    walls = [0, 2**31 * 10**9, 4_102_444_800 * 10**9, 1_761_440_400 * 10**9, 1_761_440_400 * 10**9, -5]
    for wall in walls:
        await journal.commit([Draft(INPUT, "CardsOut", b"", 7, wall, "free-running")])
    rows = list(journal.records(after=1))
    assert [row.wall_ns for row in rows] == walls
    assert [row.seq for row in rows] == [2, 3, 4, 5, 6, 7]
    assert all(row.boot and row.quality == "free-running" and row.at_ns == 7 for row in rows)


async def test_closed_journal_says_so(journal: Journal) -> None:
    await journal.close()
    await journal.close()
    with pytest.raises(JournalUnavailable, match="closed"):
        await journal.commit([draft(1)])


@pytest.mark.parametrize("store", ["stored", "in-loop"], indirect=True)
async def test_one_file_after_a_clean_stop_and_all_of_it_after_a_restart_br_038(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        await journal.commit([draft(1, request="r-1"), draft(2, DECISION)])
        before = list(journal.records())
    assert sorted(os.listdir(tmp_path)) == ["BJ-1.db", "BJ-1.reserve"]
    async with open_journal(store, tmp_path) as journal:
        assert not journal.opening.is_new
        assert journal.opening.findings == ()
        assert list(journal.records()) == before
        found = journal.find_request("r-1")
        assert found is not None
        assert [row.at_ns for row in journal.decisions_of(found)] == [2]
        with pytest.raises(RequestRepeated):
            await journal.commit([draft(9, request="r-1")])
        await journal.commit([draft(3)])
        assert verify(journal.records()) == []


@pytest.mark.virtual_time
@pytest.mark.parametrize("store", ["in-loop", "memory"], indirect=True)
async def test_twin_lives_in_virtual_time(store: str, tmp_path: Path) -> None:
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=10**18)
    async with open_journal(store, tmp_path, clock) as journal:
        result = await journal.commit([draft(1)])
        assert result.seconds == 0
        assert [row.boot for row in journal.records()] == ["virtual", "virtual"]
