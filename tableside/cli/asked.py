"""An act of a technician that takes its time: asked once, followed to the row that ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import click

from tableside.cli.answered import settle, told
from tableside.cli.connection import Connection, Line, new_id, socket_path
from tableside.cli.failing import Failed
from tableside.cli.options import reaching_daemon
from tableside.cli.plain import say, say_json, warn
from tableside.cli.progress import Advance, progress
from tableside.exit_codes import ExitCode

F = TypeVar("F", bound=Callable[..., Any])
Row = Mapping[str, Any]
Counts = Callable[[Row, Advance], None]
# COUNT_ALL takes two minutes and waits for the end of a round; a deal test ends by itself after five minutes.
LIMIT_S = 360.0


def asking(command: F) -> F:
    """Who asks, at which table, and that somebody stands there."""
    for option in (
        reaching_daemon,
        click.option("--table", envvar="TABLESIDE_TABLE", default="", help="Which table, where the host has several."),
        click.option("--as", "staff", envvar="TABLESIDE_STAFF", required=True, metavar="STAFF", help="Your staff id."),
    ):
        command = option(command)
    return command


armed = click.option(
    "--yes-i-am-there",
    "is_there",
    is_flag=True,
    help="You stand at it, hands off, lid shut: without this nothing moves.",
)


class Asked:
    """Who asks for what, where, and how it is printed."""

    def __init__(self, staff: str, table: str, socket: str | None, config: str, as_json: bool) -> None:
        self._staff = staff
        self._table = table
        self._path = socket_path(socket, config)
        self._as_json = as_json

    def print(self, what: dict[str, Any], text: str) -> None:
        """The result."""
        if self._as_json:
            say_json(what)
        else:
            say(text)

    def see_to_its_end(
        self,
        act: str,
        fields: dict[str, object],
        is_end: Callable[[Row], bool],
        title: str,
        counts: Counts | None = None,
    ) -> Row:
        """Ask once, then follow the table's rows to the one that ends it. Raises `Failed`."""
        with Connection(self._path) as rows, Connection(self._path) as daemon:
            told(rows.ask({"id": new_id(), "act": "subscribe", "table": self._table}), as_json=self._as_json)
            message: Line = {"id": new_id(), "act": act, "table": self._table, "staff": self._staff, "fields": fields}
            answer = daemon.ask(message)
            if answer["answer"] != "accepted":
                settle(answer, as_json=self._as_json)
            with progress(title, is_wanted=not self._as_json) as advance:
                return self._followed(rows, is_end, advance, counts or progressed)

    def _followed(self, rows: Connection, is_end: Callable[[Row], bool], advance: Advance, counts: Counts) -> Row:
        try:
            for line in rows.follow(LIMIT_S):
                row = cast(dict[str, Any], line["entry"])
                if is_end(row):
                    return row
                counts(row, advance)
        except TimeoutError:
            text = f"not at its end within {LIMIT_S:g} s; `tableside diag watch` tells more"
            raise Failed(ExitCode.TIMEOUT, text) from None
        except KeyboardInterrupt:
            warn("what was begun goes on; its end goes on record (`tableside diag watch`)")
            raise
        raise Failed(ExitCode.OUTCOME_UNKNOWN, "the daemon has hung up: its journal tells what became of it")


def progressed(row: Row, advance: Advance) -> None:
    """What a device tells of a command that runs."""
    body = row["body"]
    if row["type"] == "CommandProgressed" and body["done"] is not None and body["of"]:
        advance(body["done"], body["of"])
