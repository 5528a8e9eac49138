"""Reads of a running daemon, and the act that is asked most often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import click

from tableside.cli.alert_lines import alert_lines
from tableside.cli.answered import settle, told
from tableside.cli.connection import Connection, new_id, socket_path
from tableside.cli.options import reaching_daemon
from tableside.cli.plain import columns, say, say_json
from tableside.cli.standing import standing_lines

MS_PER_S = 1_000


@click.command()
@click.option("--table", default="", help="Only this table.")
@reaching_daemon
def status(table: str, socket: str | None, config: str, as_json: bool) -> None:
    """How each table stands and what it waits for; daemon, disks, devices. --json: the daemon's part alone."""
    with Connection(socket_path(socket, config)) as daemon:
        what = told(daemon.ask({"id": new_id(), "act": "status", "table": table}), as_json=as_json)
        if as_json:
            say_json(what)
            return
        tables = cast(dict[str, Any], what)["tables"]
        states = [told(daemon.ask({"id": new_id(), "act": "state", "table": name}), as_json=False) for name in tables]
    for state in states:
        for line in standing_lines(cast(dict[str, Any], state)):
            say(line)
    for line in status_lines(cast(dict[str, Any], what)):
        say(line)


@click.command()
@click.option("--table", default="", help="Only this table.")
@click.option("--language", help="In en, pt_PT or zh_Hant_MO; in the table's first language if not named.")
@reaching_daemon
def alerts(table: str, language: str | None, socket: str | None, config: str, as_json: bool) -> None:
    """The standing alerts, gravest first, as people read them."""
    with Connection(socket_path(socket, config)) as daemon:
        what = told(daemon.ask({"id": new_id(), "act": "alerts", "table": table}), as_json=as_json)
    if as_json:
        say_json(what)
        return
    for line in alert_lines(cast(list[dict[str, Any]], what), language):
        say(line)


def status_lines(what: dict[str, Any], *, has_counts: bool = False) -> list[str]:
    """The daemon's status as lines; with every counter of the links where wanted."""
    loop = what["loop"]
    lines = [
        f"host {what['host']}, version {what['version']}, profile {what['profile']}, process {what['pid']}",
        f"event loop: {loop['lag_ms']} ms late, at most {loop['most_lag_ms']} ms, {loop['late_samples']} times late",
    ]
    lines += [f"disk of {path}: {level}" for path, level in what["space"].items()]
    lines += [f"table {name}: not running: {why}" for name, why in what["refused_tables"].items()]
    for name, table in what["tables"].items():
        lines += _table_lines(name, table, has_counts=has_counts)
    return lines


def _table_lines(name: str, table: dict[str, Any], *, has_counts: bool) -> list[str]:
    journal = table["journal"]
    lines = [
        f"table {name}: {table['stopped'] or 'running'}, row {table['row']}",
        f"  journal {journal['journal_bytes']} bytes, {journal['reserve_rows']} rows on the reserve",
    ]
    if table["locked"]:
        lines.append(f"  everything is locked: {table['locked']}")
    lines += [f"  journal: {trouble}" for trouble in journal["troubles"]]
    devices = table["devices"].items()
    rows = [
        (f"  {device}", "connected" if health["is_connected"] else "away", f"lost {health['losses']} times")
        for device, health in devices
    ]
    lines += columns(rows) if rows else []
    lines += [f"  {device} is away: {health['why_away']}" for device, health in devices if health["why_away"]]
    if has_counts:
        lines += [f"  {device}: {_who(health)}" for device, health in devices]
        lines += [f"  {device}: {count} {value}" for device, health in devices for count, value in _counts(health)]
    if (ledger := table["ledger"]) is not None:
        away = f"away: {ledger['why_away']}" if ledger["why_away"] else "connected"
        lines.append(f"  ledger {away}, lost {ledger['losses']} times, {ledger['waiting']} entries to be told")
    lines += [f"  {reader}: {n} codes keyed, which nothing asked for" for reader, n in table["codes_ignored"].items()]
    return lines + [f"  {task}: made anew {times} times after a fault" for task, times in table["restarts"].items()]


def _who(health: dict[str, Any]) -> str:
    """Who it is, how far that can be believed, and when a byte last came."""
    firmware = f", firmware {health['firmware']}" if health["firmware"] else ""
    silent_ms = health["silent_ms"]
    heard = "no byte has ever come" if silent_ms is None else f"last byte {silent_ms / MS_PER_S:.1f} s ago"
    return f"{health['model']} {health['serial']}{firmware}, {health['trust']}, {heard}"


def _counts(health: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Counters by name; those of a kind are told one by one."""
    for name, value in health["counts"].items():
        if isinstance(value, dict):
            yield from ((f"{name} {kind}", number) for kind, number in value.items())
        else:
            yield name, value


@click.command()
@click.argument("alert", type=int)
@click.option("--as", "staff", envvar="TABLESIDE_STAFF", required=True, metavar="STAFF", help="Your staff id.")
@click.option("--table", default="", help="Which table; none needed where the host has one.")
@reaching_daemon
def take(alert: int, staff: str, table: str, socket: str | None, config: str, as_json: bool) -> None:
    """Take an alert by its number: you are going."""
    message: dict[str, object] = {
        "id": new_id(),
        "act": "take-alert",
        "table": table,
        "staff": staff,
        "fields": {"alert": alert},
    }
    with Connection(socket_path(socket, config)) as daemon:
        settle(daemon.ask(message), as_json=as_json)
