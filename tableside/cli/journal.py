"""`tableside journal`: read, check, copy and report on a table's record, with or without a daemon."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tableside.cli.failing import Failed
from tableside.cli.plain import say, say_json, warn
from tableside.cli.whole_help import WholeHelp
from tableside.exit_codes import ExitCode
from tableside.journal.reader import JournalReader
from tableside.journal.store import JournalRefused, JournalUnavailable
from tableside.journal.verify import verify_journal

if TYPE_CHECKING:
    from tableside.journal.chain import Finding
    from tableside.reports.story import Story

reserve_option = click.option(
    "--reserve",
    type=click.Path(path_type=Path),
    help="The reserve file: rows that still stand there, and the number that tells a cut tail.",
)
file_argument = click.argument("file", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="JSON, ASCII only.")


@click.group(cls=WholeHelp)
def journal() -> None:
    """Read, check, copy and report on a table's record. FILE is the journal, live or a copy."""


def _print(file: Path, reserve: Path | None, write: Callable[[Story, Sequence[Finding]], str]) -> None:
    """Verify, read, write: a document says whether the chain holds that it rests on."""
    from tableside.reports.story import NoStory, read_story

    with _reading(file, reserve) as reader:
        try:
            findings = verify_journal(file, reserve=reserve).findings
            document = write(read_story(reader.rows.records()), findings)
        except (NoStory, JournalRefused, JournalUnavailable) as none:
            raise Failed(ExitCode.DATA, str(none)) from none
    say(document.rstrip("\n"))
    if findings:
        raise Failed(ExitCode.FOUND, f"the chain of {file} is broken: `tableside journal verify {file}`")


@contextmanager
def _reading(file: Path, reserve: Path | None) -> Iterator[JournalReader]:
    try:
        with JournalReader(file, reserve) as reader:
            yield reader
    except JournalRefused as refused:
        code = ExitCode.DATA if file.exists() else ExitCode.NO_INPUT
        raise Failed(code, str(refused)) from refused


@journal.command()
@file_argument
@reserve_option
@click.option("--after", type=int, default=0, help="Only rows above this number.")
@click.option("--last", type=click.IntRange(min=1), help="Only so many rows from the end.")
@click.option("--type", "kinds", multiple=True, help="Only rows of this type; again for each.")
@json_option
def show(file: Path, reserve: Path | None, after: int, last: int | None, kinds: tuple[str, ...], as_json: bool) -> None:
    """Print rows, one a line. Cards of the round in progress are not named."""
    from collections import deque

    from tableside.cli.rows import line_of_row
    from tableside.control.curtain import Curtain
    from tableside.control.views import entry_view
    from tableside.journal.record import RecordKind
    from tableside.reports.rounds import open_round_since

    with _reading(file, reserve) as reader:
        curtain = Curtain(open_round_since(reader.rows.records(0, {RecordKind.DECISION})))
        rows = (record for record in reader.rows.records(after) if not kinds or record.type in kinds)
        for record in deque(rows, maxlen=last) if last is not None else rows:
            view = entry_view(record, "", curtain)
            if as_json:
                say_json(view)
            else:
                say(line_of_row(view))


@journal.command()
@file_argument
@reserve_option
@click.option("--table", help="Whose journal it must be.")
@click.option("--explain", is_flag=True, help="Replay it, and list every turn that this version decides otherwise.")
@json_option
def verify(file: Path, reserve: Path | None, table: str | None, explain: bool, as_json: bool) -> int:
    """Check the file, its schema, every row's hash and the chain; ends with 1 where anything is wrong."""
    from tableside.cli.verifying import explained, verified

    try:
        report = verified(file, reserve=reserve, table=table)
    except JournalRefused as refused:
        raise Failed(ExitCode.DATA if file.exists() else ExitCode.NO_INPUT, str(refused)) from refused
    lines, told = report.lines, report.told
    is_wrong = report.is_wrong
    if explain and not is_wrong:
        with _reading(file, reserve) as reader:
            more = explained(reader.rows.records())
        lines, told, is_wrong = lines + more.lines, told | more.told, more.is_wrong
    if as_json:
        say_json(told)
    else:
        for line in lines:
            say(line)
    return ExitCode.FOUND if is_wrong else ExitCode.DONE


@journal.command()
@file_argument
@reserve_option
@click.option("--out", type=click.Path(path_type=Path), help="Into this file, which appears whole or not at all.")
def export(file: Path, reserve: Path | None, out: Path | None) -> None:
    """Every column of every row as JSON lines, so that others can check the chain without this program.

    Stops before the first row that names a card of the round in progress.
    """
    from tableside.journal.export import export_journal, export_lines
    from tableside.reports.rounds import BeforeSecrets

    with _reading(file, reserve) as reader:
        rows = BeforeSecrets(reader.rows)
        if out is None:
            for line in export_lines(rows):
                sys.stdout.buffer.write(line)
        else:
            try:
                say(f"{export_journal(rows, out)} rows")
            except OSError as error:
                raise Failed(ExitCode.CANNOT_CREATE, f"{out} cannot be written: {error.strerror}") from error
        if rows.stopped_at is not None:
            warn(f"stopped before row {rows.stopped_at}: it names a card of the round in progress; export again later")


@journal.command()
@file_argument
@click.argument("target", type=click.Path(path_type=Path))
@reserve_option
def copy(file: Path, target: Path, reserve: Path | None) -> None:
    """Copy a journal, live or not, verify the copy, then put it in place; an older TARGET stays until then."""
    from tableside.journal.copy import copy_journal

    try:
        report = copy_journal(file, target, reserve=reserve)
    except JournalRefused as refused:
        raise Failed(ExitCode.CANNOT_CREATE if file.exists() else ExitCode.NO_INPUT, str(refused)) from refused
    say(f"{target}: {report.rows} rows, the last is {report.tail.seq}, hash {report.tail.hash.hex()}")


@journal.group(cls=WholeHelp)
def report() -> None:
    """Documents made from the journal alone, as printable text."""


@report.command("damaged-cards")
@file_argument
@reserve_option
@click.option("--incident", type=int, help="Only this one.")
def damaged_cards(file: Path, reserve: Path | None, incident: int | None) -> None:
    """The report on damaged cards to the inspection service (CSM-1)."""
    from tableside.reports.damaged_card import damaged_card_report

    _print(file, reserve, lambda story, findings: damaged_card_report(story, findings, incident))


@report.command()
@click.argument("serial")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
def machine(serial: str, files: tuple[Path, ...]) -> None:
    """The history of one machine by its serial number, over the journals FILES of all tables: moves, faults, parts."""
    from tableside.reports.machine import machine_report
    from tableside.reports.story import NoStory, read_story

    read = []
    for file in files:
        with _reading(file, None) as reader:
            try:
                read.append((read_story(reader.rows.records()), verify_journal(file).findings))
            except (NoStory, JournalRefused, JournalUnavailable) as none:
                raise Failed(ExitCode.DATA, f"{file}: {none}") from none
    try:
        say(machine_report(serial, read).rstrip("\n"))
    except NoStory as none:
        raise Failed(ExitCode.DATA, str(none)) from none
    broken = [str(file) for file, (_story, findings) in zip(files, read, strict=True) if findings]
    if broken:
        raise Failed(ExitCode.FOUND, f"the chain is broken: {', '.join(broken)}: `tableside journal verify`")


@report.command()
@file_argument
@reserve_option
@click.option("--number", type=int, help="Which session; the last one if not named.")
def session(file: Path, reserve: Path | None, number: int | None) -> None:
    """One session: figures, then loads, counts, incidents, differences, unload and sort in order."""
    from tableside.reports.session import session_report

    _print(file, reserve, lambda story, findings: session_report(story, findings, number))


@report.command("form")
@file_argument
@reserve_option
@click.option("--number", type=int, help="Which form; the last one if not named.")
def form(file: Path, reserve: Path | None, number: int | None) -> None:
    """The numbered form for manual operation, to be printed and laid ready: `tableside manual issue` numbers it."""
    from tableside.reports.manual_form import manual_form

    _print(file, reserve, lambda story, findings: manual_form(story, findings, number))
