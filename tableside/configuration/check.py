"""Everything that is wrong with a host's or a table's file, in one run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tableside.configuration.blackjack_rules import blackjack_findings
from tableside.configuration.broker import table_findings_at_broker
from tableside.configuration.device_rules import device_findings, shared_addresses
from tableside.configuration.draft import Draft
from tableside.configuration.host_rules import host_findings, table_in_host_findings
from tableside.configuration.ledger import ledger_findings, ledger_in_host_findings
from tableside.configuration.locate import Position, nearest_position
from tableside.configuration.mistake import MISSING, Finding, Mistake, nearest_of
from tableside.configuration.shape import HostFile, TableFile
from tableside.configuration.source import Source, read_source
from tableside.configuration.staff_rules import repeated_people, staff_findings
from tableside.configuration.table_rules import repeated, table_findings
from tableside.configuration.verify import verify

# The heading that says which of the two a file is.
KINDS: dict[str, type[msgspec.Struct]] = {"host": HostFile, "table": TableFile}


@dataclass(frozen=True, slots=True)
class Checked:
    """One file after the checks that it can pass alone."""

    source: Source
    draft: Draft
    mistakes: list[Mistake]


def check(path: Path) -> list[Mistake]:
    """All mistakes and warnings of a host's file with its tables' files, or of one table's file, in file order."""
    source = read_source(path)
    kind = _kind(source)
    if kind is None:
        return sorted(source.mistakes)
    checked = _checked(source, kind)
    # A set, because what is wrong in one file is found again when all of them are compared.
    return sorted(set(checked.mistakes if kind == "table" else _host_mistakes(checked)))


def _host_mistakes(host: Checked) -> Iterator[Mistake]:
    folder = host.source.path.parent
    tables = [_table(folder / name) for _, name in host.draft.part("host").texts("tables")]
    yield from host.mistakes
    for table in tables:
        yield from table.mistakes
        yield from table.source.place(table_in_host_findings(table.draft, host.draft, table.source.path.parent))
        yield from table.source.place(ledger_in_host_findings(table.draft, host.draft))
        yield from table.source.place(table_findings_at_broker(table.draft, host.draft, folder))
    yield from _across([host, *tables])


def _table(path: Path) -> Checked:
    source = read_source(path)
    if "host" in source.data:
        source.refuse(Position(1, 1), "is a host's file", "a table's file, with [table]")
        source.data = {}
    return _checked(source, "table")


def _kind(source: Source) -> str | None:
    """Which of the two kinds a file is; notes a mistake where that cannot be told."""
    headings = [name for name in source.data if name in KINDS]
    if len(headings) == 1:
        return headings[0]
    if headings:
        position = source.positions[(headings[1],)]
        source.refuse(position, "the file has both [host] and [table]", "one of them; a table has a file of its own")
    elif source.data:
        first = next(iter(source.data))
        likely = nearest_of(first, KINDS)
        hint = f'; did you mean "[{likely}]"' if likely else ""
        position = nearest_position(source.positions, (first,))
        problem = f"the file has neither [host] nor [table]{hint}"
        source.refuse(position, problem, "[host] in a host's file, [table] in a table's", first)
    return None


def _checked(source: Source, kind: str) -> Checked:
    if not source.data:
        return Checked(source, Draft((), {}), source.mistakes)
    sound, findings = verify(source.data, KINDS[kind])
    draft = Draft((), sound)
    if source.is_whole:
        findings += _rules(draft, kind, source.path.parent)
    else:  # what seems to be missing may stand in a line that could not be read
        findings = [finding for finding in findings if finding.problem != MISSING]
    return Checked(source, draft, source.mistakes + source.place(findings))


def _rules(draft: Draft, kind: str, folder: Path) -> Iterator[Finding]:
    yield from staff_findings(draft)
    if kind == "host":
        yield from host_findings(draft, folder)
    else:
        yield from table_findings(draft)
        yield from blackjack_findings(draft)
        yield from device_findings(draft, folder)
        yield from ledger_findings(draft, folder)


def _across(files: list[Checked]) -> Iterator[Mistake]:
    """What the files of a host must not share: table names, ports, people; told where it comes second."""
    # The path of each draft begins with the number of its file, so that findings find back to it.
    drafts = [Draft((number,), file.draft.values) for number, file in enumerate(files)]
    for finding in _shared(drafts, [file.source.path.parent for file in files]):
        number, *path = finding.path
        yield from files[int(number)].source.place([msgspec.structs.replace(finding, path=tuple(path))])


def _shared(drafts: list[Draft], folders: list[Path]) -> Iterator[Finding]:
    for part, name in repeated([draft.part("table") for draft in drafts], "name"):
        yield Finding(part.at("name"), f'"{name}" is another table already', "each name once")
    yield from repeated_people([person for draft in drafts for person in draft.parts("staff")])
    yield from shared_addresses(
        [(device, folder) for draft, folder in zip(drafts, folders, strict=True) for device in draft.parts("devices")]
    )
