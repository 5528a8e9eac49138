"""What `diag watch --screen` reads from the daemon: rows over one connection, the status over another for each look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from tableside.cli.answered import told
from tableside.cli.connection import Connection, new_id
from tableside.cli.failing import Failed
from tableside.exit_codes import ExitCode


class DaemonFeed:
    """Of one table of one daemon. Its rows begin with the next one."""

    def __init__(self, path: Path, table: str) -> None:
        self._path = path
        self._table = table

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Every row as it is written. Raises `Failed`."""
        with Connection(self._path) as daemon:
            told(daemon.ask({"id": new_id(), "act": "subscribe", "table": self._table}), as_json=False)
            for line in daemon.follow():
                yield cast(dict[str, Any], line["entry"])
        raise Failed(ExitCode.NO_DAEMON, "the daemon has hung up")

    def status(self) -> Mapping[str, Any]:
        """As `diag status` has it. Raises `Failed`."""
        with Connection(self._path) as daemon:
            asked = daemon.ask({"id": new_id(), "act": "status", "table": self._table})
            return cast(dict[str, Any], told(asked, as_json=False))
