"""Reads of a running daemon, and the act that is asked most often."""

from __future__ import annotations

from typing import Any, cast

import click

from tableside.cli.answered import settle, told
from tableside.cli.connection import Connection, new_id, socket_path
from tableside.cli.options import reaching_daemon
from tableside.cli.plain import columns, say, say_json


@click.command()
@click.option("--table", default="", help="Only this table.")
@reaching_daemon
def status(table: str, socket: str | None, config: str, as_json: bool) -> None:
    """How the daemon, its tables and their devices are."""
    with Connection(socket_path(socket, config)) as daemon:
        what = told(daemon.ask({"id": new_id(), "act": "status", "table": table}))
    if as_json:
        say_json(what)
        return
    for line in _status_lines(cast(dict[str, Any], what)):
        say(line)


@click.command()
@click.option("--table", default="", help="Only this table.")
@click.option("--language", help="en, pt_PT or zh_Hant_MO; the table's first one if not named.")
@reaching_daemon
def alerts(table: str, language: str | None, socket: str | None, config: str, as_json: bool) -> None:
    """The standing alerts, gravest first, as people read them."""
    with Connection(socket_path(socket, config)) as daemon:
        what = told(daemon.ask({"id": new_id(), "act": "alerts", "table": table}))
    if as_json:
        say_json(what)
        return
    standing = cast(list[dict[str, Any]], what)
    for alert in standing:
        lines = alert["lines"]
        fact, step = lines.get(language) or next(iter(lines.values()))
        who = f"{alert['progress']} {alert['taken_by']}".rstrip()
        times = f", {alert['times']} times" if alert["times"] > 1 else ""
        say(f"{alert['alert']}  class {alert['class'] or 'table only'}  {who}{times}  since {alert['since']}")
        say(f"   {fact}")
        say(f"   → {step}")
    if not standing:
        say("no alert stands")


def _status_lines(what: dict[str, Any]) -> list[str]:
    loop = what["loop"]
    lines = [
        f"host {what['host']}, version {what['version']}, profile {what['profile']}, process {what['pid']}",
        f"event loop: {loop['lag_ms']} ms late, at most {loop['most_lag_ms']} ms",
    ]
    lines += [f"disk of {path}: {level}" for path, level in what["space"].items()]
    for name, why in what["refused_tables"].items():
        lines.append(f"table {name}: not running: {why}")
    for name, table in what["tables"].items():
        journal = table["journal"]
        lines.append(f"table {name}: {table['stopped'] or 'running'}, row {table['row']}")
        lines.append(f"  journal {journal['journal_bytes']} bytes, {journal['reserve_rows']} rows on the reserve")
        lines += [f"  journal: {trouble}" for trouble in journal["troubles"]]
        rows = [
            (f"  {device}", "connected" if health["is_connected"] else "away", f"lost {health['losses']} times")
            for device, health in table["devices"].items()
        ]
        lines += columns(rows) if rows else []
        lines += [f"  {task}: made anew {times} times after a fault" for task, times in table["restarts"].items()]
    return lines


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
