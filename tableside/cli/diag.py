"""`tableside diag`: what a technician asks, live through the daemon or on a recording."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import click

from tableside.cli.alert_lines import alert_lines
from tableside.cli.answered import told
from tableside.cli.asking import status_lines
from tableside.cli.bundle import bundle
from tableside.cli.connection import Connection, new_id, socket_path
from tableside.cli.errors import errors
from tableside.cli.explain import explain
from tableside.cli.failing import Failed
from tableside.cli.firmware import verify_firmware
from tableside.cli.handover import handover
from tableside.cli.kept import FORMATS, export, kept_files, passed
from tableside.cli.moving import count, exercise, selftest, test_deal
from tableside.cli.options import reaching_daemon
from tableside.cli.plain import say, say_json, warn
from tableside.cli.pm import pm
from tableside.cli.reading import is_journal, reading
from tableside.cli.row_types import check_types
from tableside.cli.rows import line_of_row
from tableside.cli.sensors import sensors
from tableside.cli.shoe import shoe
from tableside.cli.standing import standing_lines
from tableside.cli.stats import stats
from tableside.cli.whole_help import WholeHelp
from tableside.cli.why import why
from tableside.cli.work_order import work_order
from tableside.exit_codes import ExitCode

NS_PER_S = 1_000_000_000
ARROWS = {"in": "<", "out": ">", "end": "|"}
file_argument = click.argument("file", type=click.Path(path_type=Path))


@click.group(cls=WholeHelp)
def diag() -> None:
    """For technicians: live through the daemon, or on a recording."""


diag.add_command(verify_firmware)
diag.add_command(why)
diag.add_command(explain)
diag.add_command(shoe)
diag.add_command(errors)
diag.add_command(stats)
diag.add_command(bundle)
diag.add_command(pm)
diag.add_command(sensors)
diag.add_command(work_order)
diag.add_command(selftest)
diag.add_command(exercise)
diag.add_command(count)
diag.add_command(test_deal)
diag.add_command(handover)


@diag.command()
@click.option("--table", default="", help="Only this table.")
@reaching_daemon
def status(table: str, socket: str | None, config: str, as_json: bool) -> int:
    """Daemon, journals, links with all their counters. Ends with 81 where a device is away."""
    with Connection(socket_path(socket, config)) as daemon:
        what = cast(
            dict[str, Any], told(daemon.ask({"id": new_id(), "act": "status", "table": table}), as_json=as_json)
        )
    if as_json:
        say_json(what)
    else:
        for line in status_lines(what, has_counts=True):
            say(line)
    devices = [health for one in what["tables"].values() for health in one["devices"].values()]
    return ExitCode.DONE if all(health["is_connected"] for health in devices) else ExitCode.NO_DEVICE


@diag.command()
@click.option("--table", default="", help="Which table; none needed where the host has one.")
@click.option("--after", type=int, help="Begin with the rows above this number; with the next one if not named.")
@click.option("--type", "kinds", multiple=True, help="Only rows of this type; again for each.")
@click.option("--screen", is_flag=True, help="On one screen, with the devices; needs the extra tui.")
@reaching_daemon
def watch(
    table: str, after: int | None, kinds: tuple[str, ...], screen: bool, socket: str | None, config: str, as_json: bool
) -> None:
    """Print every row of a table's record as it is written, until Ctrl-C.

    A --type that no row has is refused, with those that there are.
    """
    check_types(kinds)
    if screen:
        _on_screen(table, socket_path(socket, config), is_plain=not (as_json or kinds or after is not None))
        return
    message: dict[str, object] = {"id": new_id(), "act": "subscribe", "table": table}
    if after is not None:
        message["after"] = after
    with Connection(socket_path(socket, config)) as daemon:
        told(daemon.ask(message), as_json=as_json)
        for line in daemon.follow():
            row = cast(dict[str, Any], line["entry"])
            if not kinds or row["type"] in kinds:
                if as_json:
                    say_json(row)
                else:
                    say(line_of_row(row))
    raise Failed(ExitCode.NO_DAEMON, "the daemon has hung up")


def _on_screen(table: str, path: Path, *, is_plain: bool) -> None:
    if not is_plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("--screen takes a whole terminal, and neither --json, --type nor --after")
    try:
        from tableside.cli.watch_screen import WatchScreen
    except ModuleNotFoundError as missing:
        text = f"the screen needs what is not installed here ({missing.name}): pip install 'tableside[tui]'"
        raise Failed(ExitCode.USAGE, text) from None
    from tableside.cli.watch_feed import DaemonFeed

    WatchScreen(DaemonFeed(path, table), table).run()


@diag.command()
@click.argument("device", required=False)
@click.option("--recording", type=click.Path(path_type=Path), help="A recording instead of a running device.")
@click.option("--until", "incident", type=int, help="What was kept of this incident: 60 s before it, 15 s after.")
@click.option("--save", type=click.Path(path_type=Path), help="Keep it as a recording as well, or as --export says.")
@click.option("--export", "form", type=click.Choice(FORMATS), help="With --save: for Wireshark, or for tools of OSDP.")
@click.option("--table", default="", help="Which table; none needed where the host has one.")
@reaching_daemon
def trace(
    device: str | None,
    recording: Path | None,
    incident: int | None,
    save: Path | None,
    form: str | None,
    table: str,
    socket: str | None,
    config: str,
    as_json: bool,
) -> None:
    """Print what goes over a DEVICE's cable, message by message, until Ctrl-C; or what was kept of it.

    What would prove a person or carry a key is left out.
    """
    if incident is not None and recording is None:
        _kept(kept_files(config, table, incident, device), form, save, as_json=as_json)
        return
    if incident is not None or (device is None) == (recording is None):
        raise click.UsageError("name a device, or a recording with --recording, or an incident with --until")
    if recording is not None and form is not None:
        _kept([recording], form, save, as_json=as_json)
        return
    if form is not None:
        raise click.UsageError("--export makes a capture of what was kept: of --recording or --until")
    if recording is not None:
        for entry in _recorded(recording):
            _print(entry, as_json=as_json)
        return
    with Connection(socket_path(socket, config)) as daemon:
        message: dict[str, object] = {"id": new_id(), "act": "trace", "table": table, "device": device}
        about = cast(dict[str, Any], told(daemon.ask(message), as_json=as_json))
        with _saving(save, str(device), about) as keep:
            for line in daemon.follow():
                if "missed" in line:
                    warn(f"{line['missed']} messages were missed: this terminal is too slow")
                    continue
                entry = cast(dict[str, Any], line["trace"])
                _print(entry, as_json=as_json)
                keep(entry)
    raise Failed(ExitCode.NO_DAEMON, "the daemon has hung up")


@diag.command()
@file_argument
@click.option("--at", "row", type=int, help="A journal: how the table stood after this row; at its end if not named.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    help="A recording: the journal of its table, for what the driver made of it then.",
)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON, ASCII only: for a journal the whole state.")
def replay(file: Path, row: int | None, against: Path | None, as_json: bool) -> int:
    """FILE is a journal: how the table stood at a row. FILE is a recording: what today's driver makes of it.

    With --against the differences to what stands in the journal are told, and it ends with 1 where there are any.
    """
    if is_journal(file):
        _replay_journal(file, row, as_json=as_json)
        return ExitCode.DONE
    if against is None:
        _replay_recording(file, as_json=as_json)
        return ExitCode.DONE
    from tableside.cli.replayed import compare

    return compare(file, against, as_json=as_json)


def _replay_journal(file: Path, row: int | None, *, as_json: bool) -> None:
    from tableside.diagnosis.standing import NothingStands, standing_at
    from tableside.journal.store import JournalRefused

    try:
        view = standing_at(file, row)
    except (JournalRefused, NothingStands) as refused:
        raise Failed(ExitCode.DATA, str(refused)) from refused
    if as_json:
        say_json(view)
    else:
        for line in _as_it_stood(view):
            say(line)


def _as_it_stood(view: dict[str, Any]) -> Iterator[str]:
    """The table for people; --json tells all of it."""
    yield f"after row {view['row']}, {view['wall']}"
    yield from standing_lines(view)
    if view["alerts"]:
        yield from alert_lines(view["alerts"])
    for name, levels in view["devices"]["known"].items():
        yield f"  {name} ({levels['serial']}): {'connected' if levels['is_connected'] else 'away'}"


def _replay_recording(file: Path, *, as_json: bool) -> None:
    from tableside.control.curtain import shown
    from tableside.diagnosis.retelling import retell

    with reading(file) as recording:
        retold = retell(recording)
    begin_ns = retold.facts[0][0] if retold.facts else 0
    for at_ns, fact in retold.facts:
        body = shown(fact, hides_cards=True)
        if as_json:
            say_json({"at_ns": at_ns, "type": type(fact).__name__, "body": body})
        else:
            fields = " ".join(f"{name}={value}" for name, value in cast(dict[str, Any], body).items())
            say(f"{(at_ns - begin_ns) / NS_PER_S:10.3f} {type(fact).__name__} {fields}")
    if not as_json:
        say(", ".join(f"{name} {count}" for name, count in sorted(retold.counts.items())) or "nothing was said")


def _kept(files: list[Path], form: str | None, save: Path | None, *, as_json: bool) -> None:
    """What was kept, of all cables in the order of time; or into a capture."""
    if (form is None) != (save is None):
        raise click.UsageError("--export names the form of a capture, --save its file: give both")
    if form is not None and save is not None:
        export(passed(files), form, save)
        return
    for message in passed(files):
        if as_json:
            told = {"device": message.device, "at_ns": message.at_ns, "direction": message.direction.value}
            say_json(told | {"text": message.text, "data": message.data.hex()})
        else:
            at = f"{message.at_ns / NS_PER_S:.6f}"
            say(f"{at} {message.device} {ARROWS[message.direction.value]} {message.text}")


def _recorded(file: Path) -> Iterator[dict[str, Any]]:
    from tableside.control.views import heard_view
    from tableside.diagnosis.retelling import messages

    with reading(file) as recording:
        for heard in messages(recording):
            yield heard_view(heard)


@contextmanager
def _saving(file: Path | None, device: str, about: dict[str, Any]) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Keeps what is heard as a recording; what is secret never came here."""
    from firmware_bridge.links.recording import Direction, Entry, Head

    if file is None:
        yield lambda _entry: None
        return
    try:
        opened = file.open("x", encoding="utf-8")
    except OSError as error:
        raise Failed(ExitCode.CANNOT_CREATE, f"{file}: {error.strerror}") from error
    with opened:
        head = Head(device, about["profile"], about["redaction"], is_message_based=about["is_message_based"])
        opened.write(head.encode() + "\n")

        def keep(entry: dict[str, Any]) -> None:
            direction = Direction(entry["direction"])
            data = entry["text"].encode() if direction is Direction.END else bytes.fromhex(entry["data"])
            if data:
                opened.write(Entry(entry["at_ns"], direction, data).encode() + "\n")
                opened.flush()

        yield keep


def _print(entry: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(entry)
    else:
        say(f"{entry['at_ns'] / NS_PER_S:14.6f} {ARROWS[entry['direction']]} {entry['text']}")
