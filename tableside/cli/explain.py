"""`tableside diag explain`: what a code means, in one language or two. From the catalogue alone: it needs no daemon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from tableside.cli.failing import Failed
from tableside.cli.plain import can_show, say, say_json, warn
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from tableside.explained import Explained


@click.command()
@click.argument("code")
@click.option("--language", default="en", show_default=True, help="In en, pt_PT or zh_Hant_MO.")
@click.option("--second", default="", help="The texts in this language too.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON, ASCII only.")
def explain(code: str, language: str, second: str, as_json: bool) -> None:
    """Say what CODE means: an alert, a fault of a device (4, or FAULT-4), a refusal, or all that a rule (CSM-5) has.

    Where it is, what it blocks, who clears it and when, which movements of a hand, how to provoke it. No daemon is
    asked. Ends with 65 where nothing has that code, and names the nearest ones.
    """
    import msgspec

    from tableside.catalogue import LANGUAGES
    from tableside.explained import explain as entries_of
    from tableside.explained import nearest

    for wanted in filter(None, (language, second)):
        if wanted not in LANGUAGES:
            raise click.UsageError(f"there are no texts in {wanted}; there are {', '.join(LANGUAGES)}")
    entries = entries_of(code, language)
    if not entries:
        near = nearest(code)
        hint = f"nearest: {', '.join(near)}" if near else "the manual lists every code (docs/manual)"
        raise Failed(ExitCode.DATA, f'nothing is called "{code}"; {hint}')
    others = entries_of(code, second) if second else ()
    if as_json:
        say_json({"entries": msgspec.to_builtins(entries), "second": msgspec.to_builtins(others)})
        return
    if not can_show("".join("".join(entry.lines) for entry in entries)):
        warn(f"This terminal cannot show {language}: a UTF-8 terminal can (LC_ALL=C.UTF-8).")
    for number, entry in enumerate(entries):
        for line in _lines(entry, others[number] if others else None):
            say(line)


def _lines(entry: Explained, other: Explained | None) -> Iterator[str]:
    from tableside.explained import told_fields

    yield f"{entry.code}  {entry.kind}"
    for told in filter(None, (entry, other)):
        yield f"   {told.lines[0]}"
        yield f"   → {told.lines[1]}"
    for label, text in told_fields(entry):
        yield f"  {label}: {text}"
    yield ""
