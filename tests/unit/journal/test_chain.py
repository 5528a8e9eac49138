"""The chain catches every kind of forgery that it is there for."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from tableside.journal.chain import (
    MOST_FINDINGS,
    FindingKind,
    Walker,
    chained,
    columns,
    parse_columns,
    stored_bytes,
    verify,
)
from tableside.journal.record import FORMAT, NO_PREVIOUS, Draft, Genesis, Record, RecordKind, Tail

# Each example is some rows hashed; forty of them meet each column's edges, and the suite stays quick.
settings.register_profile("chain", max_examples=40, deadline=None)
quick = settings.get_profile("chain")

COLUMN_NAMES = [field.name for field in fields(Record)]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
times = st.integers(-(2**63), 2**63 - 1)
drafts = st.builds(
    Draft,
    kind=st.sampled_from([RecordKind.INPUT, RecordKind.DECISION, RecordKind.CHECKPOINT]),
    type=texts,
    body=st.binary(max_size=40),
    at_ns=times,
    wall_ns=times,
    quality=texts,
    request=st.none() | texts,
)


def journal_of(drafts: list[Draft], table: str = "BJ-1", epoch: int = 7) -> list[Record]:
    first = Draft(RecordKind.GENESIS, "Genesis", Genesis(table, epoch, FORMAT, 0).body(), 0, 0, "synchronised")
    rows: list[Record] = []
    previous = NO_PREVIOUS
    for seq, d in enumerate([first, *drafts], start=1):
        row = Record(
            seq, FORMAT, d.kind, d.type, d.body, d.at_ns, d.wall_ns, d.quality, "boot", d.request, previous, b""
        )
        rows.append(replace(row, hash=chained(previous, columns(row))))
        previous = rows[-1].hash
    return rows


journals = st.lists(drafts, min_size=3, max_size=8).map(journal_of)


def kinds(rows: list[Record], **more: Any) -> set[FindingKind]:
    return {finding.kind for finding in verify(rows, **more)}


def test_golden_bytes_of_a_row() -> None:
    """Written by hand from the rule: previous hash, then u32 length and bytes of each column in declared order."""
    text = (
        "00000008 0000000000000002 00000008 0000000000000001 00000005 696e707574 00000002 4f6b 00000003 010203"
        "00000008 0000000000000007 00000008 ffffffffffffffff 0000000c 73796e6368726f6e69736564 00000001 62 ffffffff"
    )
    by_hand = bytes.fromhex(text)
    assert stored_bytes(2, 1, "input", "Ok", b"\x01\x02\x03", 7, -1, "synchronised", "b", None) == by_hand
    assert stored_bytes(2, 1, "input", "Ok", b"\x01\x02\x03", 7, -1, "synchronised", "b", "") == by_hand[:-4] + bytes(4)
    assert chained(bytes(32), by_hand) == hashlib.sha256(bytes(32) + by_hand).digest()


@quick
@given(journals)
def test_whole_chain_is_whole(rows: list[Record]) -> None:
    assert verify(rows, table="BJ-1", anchor=Tail(rows[-1].seq, rows[-1].hash)) == []


@quick
@given(journals)
def test_columns_are_read_back(rows: list[Record]) -> None:
    for row in rows:
        assert parse_columns(columns(row), previous=row.previous, digest=row.hash) == row


@quick
@given(journals, st.data())
def test_damaged_columns_are_no_row_or_another_one(rows: list[Record], data: st.DataObject) -> None:
    stored = bytearray(columns(rows[-1]))
    stored[data.draw(st.integers(0, len(stored) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    del stored[data.draw(st.integers(0, len(stored))) :]
    try:
        row = parse_columns(bytes(stored), previous=rows[-1].previous, digest=rows[-1].hash)
    except ValueError:
        return
    assert kinds([*rows[:-1], row])


@pytest.mark.parametrize("column", COLUMN_NAMES)
@quick
@given(journals, st.data())
def test_changed_column_is_caught(column: str, rows: list[Record], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    old = getattr(rows[at], column)
    new: object
    if isinstance(old, bytes):
        new = data.draw(st.binary(max_size=40).filter(lambda value: value != old))
    elif isinstance(old, int):
        new = data.draw(times.filter(lambda value: value != old))
    elif column == "kind":
        new = data.draw(st.sampled_from(list(RecordKind)).filter(lambda value: value != old))
    else:
        new = data.draw((texts | st.none() if column == "request" else texts).filter(lambda value: value != old))
    forged = [*rows]
    forged[at] = replace(rows[at], **{column: new})
    findings = verify(forged)
    assert findings
    assert findings[0].seq in {forged[at].seq, rows[at].seq, rows[min(at + 1, len(rows) - 1)].seq}


@quick
@given(journals, st.data())
def test_dropped_row_is_caught(rows: list[Record], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(rows) - 2))
    assert {FindingKind.GAP, FindingKind.BROKEN} <= kinds(rows[:at] + rows[at + 1 :])


@quick
@given(journals, drafts, st.data())
def test_inserted_row_is_caught_however_well_it_is_hashed(
    rows: list[Record], draft: Draft, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(rows) - 1))
    extra = journal_of([draft])[1]
    extra = replace(extra, seq=rows[at - 1].seq + 1, previous=rows[at - 1].hash)
    extra = replace(extra, hash=chained(extra.previous, columns(extra)))
    assert kinds([*rows[:at], extra, *rows[at:]])


@quick
@given(journals, st.data())
def test_swapped_rows_are_caught_with_their_numbers_swapped_too(rows: list[Record], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(rows) - 2))
    first, second = rows[at], rows[at + 1]
    forged = [*rows]
    forged[at], forged[at + 1] = second, first
    assert kinds(forged)
    forged[at], forged[at + 1] = replace(second, seq=first.seq), replace(first, seq=second.seq)
    assert kinds(forged)


@quick
@given(journals, st.data())
def test_cut_tail_is_caught_by_the_anchor(rows: list[Record], data: st.DataObject) -> None:
    anchor = Tail(rows[-1].seq, rows[-1].hash)
    cut = rows[: data.draw(st.integers(0, len(rows) - 1))]
    assert FindingKind.CUT in kinds(cut, anchor=anchor)


@quick
@given(journals, drafts)
def test_tail_that_was_rewritten_with_right_hashes_is_caught_by_the_anchor(rows: list[Record], other: Draft) -> None:
    extra = journal_of([other])[1]
    forged = replace(rows[-1], body=rows[-1].body + extra.body + b"!")
    forged = replace(forged, hash=chained(forged.previous, columns(forged)))
    assert kinds([*rows[:-1], forged]) == set()
    assert kinds([*rows[:-1], forged], anchor=Tail(rows[-1].seq, rows[-1].hash)) == {FindingKind.REPLACED}


@quick
@given(journals, st.lists(drafts, min_size=9, max_size=10))
def test_rows_of_another_file_are_caught(rows: list[Record], others: list[Draft]) -> None:
    foreign = journal_of(others, epoch=8)
    assert FindingKind.BROKEN in kinds([*rows, *foreign[len(rows) :]])
    assert kinds(foreign, table="BJ-1", anchor=Tail(rows[-1].seq, rows[-1].hash)) == {FindingKind.REPLACED}
    assert kinds(journal_of(others, table="BJ-2"), table="BJ-1") == {FindingKind.OTHER_TABLE}


def test_no_row_and_a_first_row_that_is_no_genesis() -> None:
    assert kinds([]) == {FindingKind.NO_GENESIS}
    rows = journal_of([])
    assert FindingKind.NO_GENESIS in kinds([replace(rows[0], kind=RecordKind.INPUT)])
    unreadable = replace(rows[0], body=b"{")
    unreadable = replace(unreadable, hash=chained(NO_PREVIOUS, columns(unreadable)))
    assert kinds([unreadable]) == {FindingKind.NO_GENESIS}


def test_later_format_is_named_not_guessed() -> None:
    rows = journal_of([Draft(RecordKind.INPUT, "Later", b"", 0, 0, "synchronised")])
    assert kinds([rows[0], replace(rows[1], format=FORMAT + 1)]) == {FindingKind.FORMAT}


def test_many_findings_are_counted_beyond_those_listed() -> None:
    rows = journal_of([Draft(RecordKind.INPUT, "Many", b"", 0, 0, "synchronised")] * 300)
    walker = Walker()
    for row in rows:
        walker.step(replace(row, body=row.body + b"!"))
    assert len(walker.end()) == MOST_FINDINGS
    assert walker.unlisted >= 300 - MOST_FINDINGS
