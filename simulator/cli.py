"""`tableside-sim`: a simulated table on real cables, and a look at it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .side_client import Mistaken, SideChannelRefused, answers, ask, ask_hands

if TYPE_CHECKING:
    from .director import Outcome
    from .own_daemon import OwnDaemon
    from .room import Room

# As in sysexits: what is asked is not understood; the file is wrong; something cannot be done now.
EXIT_USAGE = 64
EXIT_CONFIG = 78
EXIT_UNAVAILABLE = 69

Asks = Callable[[Path, dict[str, object]], object]

SIDE_CHANNEL = click.option(
    "--side-channel",
    type=click.Path(path_type=Path),
    default=Path("run/simulator.sock"),
    show_default=True,
    help="The running simulator's side channel.",
)


class WholeHelp(click.Group):
    """Lists every command with its whole first paragraph: click cuts it where the line ends."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """In the order of the names, the lines broken between words."""
        rows = [
            (name, " ".join((self.commands[name].help or "").partition("\n\n")[0].split()))
            for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


EXIT_CODES = (
    "Exit codes: 0 done; 1 a step of a scenario did not come out as expected; 2 the command line cannot be understood; "
    f"{EXIT_USAGE} there is no such deed, or not so; "
    f"{EXIT_UNAVAILABLE} no simulator or daemon answers, or hands or the world cannot do it now, and nothing was done; "
    f"{EXIT_CONFIG} a file is not there or cannot be used."
)


@click.group(
    cls=WholeHelp,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=EXIT_CODES,
)
def main() -> None:
    """Simulated devices, cards and people of a casino card table."""


@main.command(epilog="Example: tableside-sim serve demo/simulation.toml --pace 20 --lab")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--pace", type=float, help="How many times as quick mechanics and people are; links keep real time.")
@click.option("--lab", is_flag=True, help="Let `look --lab` show what is hidden from eyes at the table.")
def serve(plan: Path, pace: float | None, lab: bool) -> None:
    """Simulate what PLAN names until stopped (Ctrl-C)."""
    import msgspec

    from .cables import CableRefused
    from .keeping import KeepingRefused
    from .plan import PlanRefused, read_plan
    from .serve import serve as run_simulator

    try:
        given = read_plan(plan)
        settings = given.simulation
        changed = msgspec.structs.replace(
            settings, pace=settings.pace if pace is None else pace, is_lab=settings.is_lab or lab
        )
        asyncio.run(run_simulator(msgspec.structs.replace(given, simulation=changed), _say_ready))
    except (PlanRefused, CableRefused, KeepingRefused, ValueError) as refused:
        click.echo(str(refused), err=True)
        sys.exit(EXIT_CONFIG)
    except OSError as error:
        _is_no_file(error, plan)


@main.command(
    epilog="Example: tableside-sim scenario scenarios/first_rounds.toml --plan demo/simulation.toml "
    "--control-socket run/control.sock --table BJ-07"
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--plan", type=click.Path(path_type=Path), required=True, help="What `serve` simulates.")
@click.option("--pace", type=float, help="The pace that `serve` was given, where not the plan's.")
@click.option("--control-socket", type=click.Path(path_type=Path), required=True, help="The running daemon's.")
@click.option("--table", required=True, help="The table at which people act.")
@click.option("--language", default="en", show_default=True, help="Of the alerts that are told.")
@click.option("--daemon", help="The daemon's command line: it is started, killed where FILE says so, and stopped.")
def scenario(
    file: Path, plan: Path, pace: float | None, control_socket: Path, table: str, language: str, daemon: str | None
) -> None:
    """Let people play FILE at the running table; exit 1 where a step does not come out as expected."""
    from .own_daemon import DaemonRefused, OwnDaemon
    from .plan import RATES, PlanRefused, read_plan
    from .play import HOW_TO_KILL, Where, kills_daemon, play, told
    from .scenario import ScenarioRefused

    try:
        given = read_plan(plan).simulation
        answers(Path(given.side_channel), "simulator", "start one with `tableside-sim serve`")
        if daemon is None:
            if kills_daemon(file) and _has_no_launcher():
                click.echo(f"{file} kills the daemon: {HOW_TO_KILL}", err=True)
                sys.exit(EXIT_USAGE)
            answers(control_socket, "daemon", "start it with `tableside run`")
        where = Where(
            control_socket,
            Path(given.side_channel),
            table,
            pace or given.pace,
            language,
            lapse_chance=RATES[given.chance].lapses,
        )
        own = None if daemon is None else OwnDaemon(daemon, control_socket)
        outcome = asyncio.run(_played(play(file, where, click.echo, own), own))
    except (PlanRefused, ScenarioRefused) as refused:
        click.echo(str(refused), err=True)
        sys.exit(EXIT_CONFIG)
    except (SideChannelRefused, DaemonRefused) as refused:
        click.echo(str(refused), err=True)
        sys.exit(EXIT_UNAVAILABLE)
    except OSError as error:
        _is_no_file(error, file)
    click.echo(told(outcome))
    sys.exit(0 if outcome.is_right else 1)


async def _played(playing: Coroutine[Any, Any, Outcome], own: OwnDaemon | None) -> Outcome:
    """The scenario; a daemon of its own is there before it and gone after it."""
    if own is None:
        return await playing
    try:
        await own.start()
        return await playing
    finally:
        playing.close()
        await own.stop()


def _has_no_launcher() -> bool:
    """Who launches us speaks through a pipe; a terminal and the null device are nobody."""
    try:
        return stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (AttributeError, OSError):  # closed, or none of the system's
        return True


@main.command()
@SIDE_CHANNEL
@click.option("--lab", is_flag=True, help="Everything, also what lies face down or in the machine.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON.")
def look(side_channel: Path, lab: bool, as_json: bool) -> None:
    """What eyes at the table could see."""
    _tell(side_channel, {"act": "look", "everything": lab}, as_json=as_json)


@main.command()
@SIDE_CHANNEL
@click.argument("deed")
@click.argument("with_", metavar="[KEY=VALUE]...", nargs=-1)
def inject(side_channel: Path, deed: str, with_: tuple[str, ...]) -> None:
    """Let something happen to the table, such as: provoke fault="jam at the exit".

    `tableside-sim deeds` lists what can happen, `tableside-sim faults` the faults that can be provoked.
    """
    _tell(side_channel, {"act": "world", "deed": {"does": deed, **_fields(with_)}})


@main.command()
def faults() -> None:
    """The fault catalogue: what can be injected by name (inject provoke fault="jam at the exit")."""
    from .faults import CATALOGUE

    for fault in CATALOGUE.values():
        click.echo(f"{fault.name}: {fault.cause}; {fault.effect}{' (can be mended)' if fault.mend else ''}")


@main.command()
def deeds() -> None:
    """What hands can do (person) and what can happen (inject), with what each needs."""
    from .deed_words import deeds_of, form, said
    from .world.table import Felt

    for act, title in (("person", "tableside-sim person …"), ("world", "tableside-sim inject …")):
        click.echo(title)
        for kind in deeds_of(act).values():
            click.echo(f"  {form(kind)}")
            click.echo(f"      {said(kind)}")
    places = ", ".join(f'"{name}"' if " " in name else name for name in Felt(1).piles)
    click.echo(f"Places: {places} and so on; any other name is a place of its own.")
    click.echo("What stands in brackets may be left out; a value with blanks stands in quotes.")


@main.command()
@SIDE_CHANNEL
@click.argument("deed")
@click.argument("with_", metavar="[KEY=VALUE]...", nargs=-1)
def person(side_channel: Path, deed: str, with_: tuple[str, ...]) -> None:
    """Do what a person's hands do, such as: press-key key=done.

    `tableside-sim deeds` lists what hands can do. What finds nothing to be done with says what there is.
    """
    _tell(side_channel, {"act": "person", "deed": {"does": deed, **_fields(with_)}}, asks=ask_hands)


@main.command()
@SIDE_CHANNEL
def proofs(side_channel: Path) -> None:
    """Which injected causes have had their effect."""
    _tell(side_channel, {"act": "proofs"})


def _say_ready(room: Room) -> None:
    for device in room.devices.values():
        click.echo(f"{device.plan.kind} {device.name} ({device.plan.serial_number}) at {device.plan.address}")
    click.echo(f"pace {room.plan.simulation.pace:g}, seed {room.plan.simulation.seed}. Stop with Ctrl-C.")


def _is_no_file(error: OSError, file: Path) -> NoReturn:
    click.echo(f"{error.filename or file}: {error.strerror or error}", err=True)
    sys.exit(EXIT_CONFIG)


def _tell(side_channel: Path, message: dict[str, object], *, as_json: bool = False, asks: Asks = ask) -> None:
    try:
        told = asks(side_channel, message)
    except Mistaken as mistaken:
        click.echo(str(mistaken), err=True)
        sys.exit(EXIT_USAGE)
    except SideChannelRefused as refused:
        click.echo(str(refused), err=True)
        sys.exit(EXIT_UNAVAILABLE)
    click.echo(json.dumps(told, ensure_ascii=False, indent=None if as_json else 2))


def _fields(given: tuple[str, ...]) -> dict[str, object]:
    """`key=value` as JSON values: a number, true or false where it reads as one, else a text."""
    fields: dict[str, object] = {}
    for item in given:
        key, mark, value = item.partition("=")
        if not mark:
            raise click.BadParameter(f"{item!r} is no KEY=VALUE")
        try:
            fields[key] = json.loads(value)
        except ValueError:
            fields[key] = value
    return fields
