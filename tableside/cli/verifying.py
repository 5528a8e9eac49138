"""The words of `journal verify`: what was checked, what is wrong, what today's code would decide otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tableside.control.curtain import shown
from tableside.journal.record import Record
from tableside.journal.verify import verify_journal
from tableside.replay import deviations
from tableside.rows import decode_decision

# A deviation is shown with its first decision that differs; a fault of the code makes thousands of them.
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """Lines for people, the same for programs, and whether anything is wrong."""

    lines: list[str]
    told: dict[str, object]
    is_wrong: bool


def verified(file: Path, *, reserve: Path | None, table: str | None) -> Verdict:
    """Check file and chain. Raises `JournalRefused`."""
    report = verify_journal(file, reserve=reserve, table=table)
    genesis = report.genesis
    whose = f"table {genesis.table}, epoch {genesis.epoch:08X}" if genesis is not None else "of nobody"
    lines = [
        f"{file}: journal of {whose}",
        f"{report.rows} rows, {report.reserve_rows} of them on the reserve; the last is {report.tail.seq}",
        f"hash of the last row: {report.tail.hash.hex()}",
    ]
    lines += [f"the wall clock was set by {step.seconds:+.3f} s before row {step.seq}" for step in report.clock_steps]
    lines += [f"WRONG: {finding.text}" for finding in report.findings]
    if report.unlisted:
        lines.append(f"WRONG: {report.unlisted} more findings")
    lines.append("the chain holds" if report.is_sound else "the chain does NOT hold: keep this file as it is")
    told: dict[str, object] = {
        "file": str(file),
        "table": genesis.table if genesis is not None else None,
        "rows": report.rows,
        "reserve_rows": report.reserve_rows,
        "last_row": report.tail.seq,
        "last_hash": report.tail.hash.hex(),
        "is_sound": report.is_sound,
        "findings": [{"kind": one.kind.value, "row": one.seq, "text": one.text} for one in report.findings],
        "unlisted": report.unlisted,
        "clock_steps": [{"row": step.seq, "seconds": step.seconds} for step in report.clock_steps],
    }
    return Verdict(lines, told, not report.is_sound)


def _shown(body: bytes) -> str:
    """A decision without the cards that it names: the round may be open."""
    try:
        what = decode_decision(body)
    except msgspec.MsgspecError:
        return "a decision that this version cannot read"
    fields = json.dumps(shown(what, hides_cards=True), ensure_ascii=False)
    return f"{type(what).__name__} {fields}"


def explained(records: Iterable[Record]) -> Verdict:
    """Replay from the first row: every turn that this version decides otherwise than the journal says."""
    lines: list[str] = []
    listed: list[dict[str, object]] = []
    count = 0
    for deviation in deviations(records):
        count += 1
        if count > MOST_SHOWN:
            continue
        held = [_shown(body) for body in deviation.journalled]
        now = [_shown(body) for body in deviation.decided]
        lines.append(f"row {deviation.seq}: decided otherwise by this version")
        lines += [f"  journal: {body}" for body in held if body not in now]
        lines += [f"  now:     {body}" for body in now if body not in held]
        listed.append({"row": deviation.seq, "journal": held, "now": now})
    lines.append(f"{count} turns are decided otherwise" if count else "every turn is decided as it was")
    return Verdict(lines, {"deviations": count, "shown": listed}, count > 0)
