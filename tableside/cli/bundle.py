"""`tableside diag bundle`: the service file, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from tableside.cli.failing import Failed
from tableside.cli.options import reaching_daemon, recordings
from tableside.cli.plain import say, say_json
from tableside.exit_codes import ExitCode

SUFFIX = ".zip"


@click.command("bundle")
@click.argument("file", type=click.Path(path_type=Path))
@recordings
@click.option("--table", default="", help="Only this table; all of the host's where none is named.")
@reaching_daemon
def bundle(file: Path, files: tuple[Path, ...], table: str, socket: str | None, config: str, as_json: bool) -> None:
    """Write the service file FILE (.zip): faults, figures, what is due, rows of devices, traces, versions, settings.

    Without anybody's identity, badge, PIN, key or card. A file that is there is left as it is; what could not be had is
    said.
    """
    import msgspec

    from tableside.cli.sources import DAEMON, Asked, source_of
    from tableside.diagnosis.bundle import Gathered, write_bundle

    if file.suffix != SUFFIX:
        raise click.UsageError(f"{file.name}: a service file is a ZIP archive, name it so: {file.stem}{SUFFIX}")
    if file.exists():
        raise Failed(ExitCode.CANNOT_CREATE, f"{file} is there already: it is left as it is; name another file")
    source = source_of(Asked(files, table, socket, config))
    path = None if files else Path(config)
    gathered = Gathered(
        source=source.kind,
        stories=source.stories,
        until_ns=source.until_ns,
        status=_status(socket, config) if source.kind == DAEMON else None,
        config=path if path is not None and path.is_file() else None,
        journals=_journals(path),
    )
    try:
        contents = write_bundle(file, gathered)
    except OSError as error:
        raise Failed(ExitCode.CANNOT_CREATE, f"{file}: {error.strerror or error}") from error
    if as_json:
        say_json(msgspec.to_builtins(contents))
        return
    say(f"{file}: {len(contents.parts)} parts, {file.stat().st_size} bytes")
    say(f"redacted: {contents.redaction}")
    for missing in contents.left_out:
        say(f"not in it: {missing}")


def _status(socket: str | None, config: str) -> dict[str, Any]:
    from tableside.cli.answered import told
    from tableside.cli.connection import Connection, new_id, socket_path

    with Connection(socket_path(socket, config)) as daemon:
        return cast(dict[str, Any], told(daemon.ask({"id": new_id(), "act": "status"}), as_json=False))


def _journals(config: Path | None) -> Path | None:
    """Where the host keeps journals and traces; None where its file is not at hand."""
    from tableside.cli.kept import journals_of

    return journals_of(str(config)) if config is not None and config.is_file() else None
