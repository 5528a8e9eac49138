"""How far something is: a bar on a terminal that can redraw a line, else a line of text now and then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tableside.cli.plain import warn

# On a terminal that cannot redraw, and into a pipe: a line each fifth of the way.
STEPS = 5
Advance = Callable[[int, int], None]


@contextmanager
def progress(title: str, *, is_wanted: bool) -> Iterator[Advance]:
    """Call what it gives with how many are done and how many there are. On stderr: results alone go to stdout."""
    if not is_wanted:
        yield lambda _done, _of: None
    elif sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb"):
        with _bar(title) as advance:
            yield advance
    else:
        yield _lines(title)


def _lines(title: str) -> Advance:
    said = 0

    def advance(done: int, of: int) -> None:
        nonlocal said
        step = done * STEPS // of if of else 0
        if step > said:
            said = step
            warn(f"{title}: {done} of {of}")

    return advance


@contextmanager
def _bar(title: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of or None)
