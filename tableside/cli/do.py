"""One command for each act, made from the requests themselves: a new request is a new command by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_origin

import click
import msgspec

from tableside.cli.answered import settle
from tableside.cli.connection import Connection, new_id, socket_path
from tableside.cli.examples import example
from tableside.cli.options import reaching_daemon
from tableside.cli.steps import GROUPS, STEPS
from tableside.cli.whole_help import WholeHelp
from tableside.control.acts import ACTS, NO_BADGE, OF_SECTION, fields_of, said_of
from tableside.control.fields import kind_words
from tableside.requests import Request, SortedDecks
from tableside.shoe_requests import BackCount

SORT_FORM = "BACK:COMPLETE[:missing=7C,10H][:too_many=KS][:foreign=5D green]"
COUNT_FORM = "BACK:CARDS"
# What is typed for a field that is no single value.
FORMS = {SortedDecks: SORT_FORM, BackCount: COUNT_FORM}


def _act_command(name: str, act: str, epilog: str | None = None) -> click.Command:
    kind = ACTS[act]

    def run(**given: Any) -> None:
        _ask(act, kind, given)

    command = click.command(name, help=said_of(kind), epilog=epilog)(run)
    for option in (*_field_options(kind), *_asking_options(kind)):
        command = option(command)
    return reaching_daemon(command)


def _ask(act: str, kind: type[Request], given: dict[str, Any]) -> None:
    fields = {
        field.name: _value(field.type, given[field.name])
        for field in fields_of(kind)
        if given[field.name] not in (None, ())
    }
    message: dict[str, object] = {"id": given["request_id"] or new_id(), "act": act, "fields": fields}
    for key in ("table", "section", "staff"):
        if given.get(key):
            message[key] = given[key]
    if given["pin"]:
        message["pins"] = {staff: click.prompt(f"PIN of {staff}", hide_input=True, err=True) for staff in given["pin"]}
    with Connection(socket_path(given["socket"], given["config"])) as daemon:
        settle(daemon.ask(message), as_json=given["as_json"])


def _field_options(kind: type[Request]) -> list[Callable[..., Any]]:
    return [_flag_option(field) if field.type is bool else _field_option(field) for field in fields_of(kind)]


def _flag_option(field: msgspec.structs.FieldInfo) -> Callable[..., Any]:
    return click.option(_option_name(field), field.name, is_flag=True, help="Yes; no if not named.")


def _field_option(field: msgspec.structs.FieldInfo) -> Callable[..., Any]:
    is_list = get_origin(field.type) is tuple
    wanted = get_args(field.type)[0] if is_list else field.type
    form = FORMS.get(wanted)
    words = form or kind_words(wanted)
    return click.option(
        _option_name(field),
        field.name,
        type=int if wanted is int else str,
        required=field.required,
        multiple=is_list,
        metavar="GROUP" if form else words.split(" such as ")[0].upper(),
        help=_help(field, words, is_list=is_list),
    )


def _option_name(field: msgspec.structs.FieldInfo) -> str:
    return f"--{field.name.replace('_', '-')}"


def _help(field: msgspec.structs.FieldInfo, words: str, *, is_list: bool) -> str:
    again = "; again for each" if is_list else ""
    given = "" if field.required or field.default in ("", ()) else f"; {field.default} if not named"
    return f"{words}{again}{given}"


def _asking_options(kind: type[Request]) -> list[Callable[..., Any]]:
    options = [
        click.option("--table", envvar="TABLESIDE_TABLE", help="Which table; none needed where the host has one."),
        click.option(
            "--as",
            "staff",
            envvar="TABLESIDE_STAFF",
            required=kind not in NO_BADGE,
            metavar="STAFF",
            help="Your staff id.",
        ),
        click.option("--pin", multiple=True, metavar="STAFF", help="The second way: asks for this person's PIN."),
        click.option("--id", "request_id", help="Of an earlier try whose answer got lost: nothing is done twice."),
    ]
    if kind in OF_SECTION:
        options.insert(0, click.option("--section", help="Which section; that of the table if not named."))
    return options


def _value(wanted: object, given: Any) -> object:
    if get_origin(wanted) is tuple:
        return [_value(get_args(wanted)[0], one) for one in given]
    if wanted is BackCount:
        return _back_count(given)
    return _sorted_decks(given) if wanted is SortedDecks else given


def _back_count(text: str) -> dict[str, object]:
    back, _, cards = text.partition(":")
    if not back or not cards.isdecimal():
        raise click.UsageError(f"{text!r} is no count of a back; its form is {COUNT_FORM}")
    return {"back": back, "cards": int(cards)}


def _sorted_decks(text: str) -> dict[str, object]:
    """One back colour's finding from its short form."""
    back, _, rest = text.partition(":")
    complete, *lists = rest.split(":")
    if not complete.isdecimal():
        raise click.UsageError(f"{text!r} is no finding of the sort; its form is {SORT_FORM}")
    group: dict[str, object] = {"back": back, "complete": int(complete)}
    for part in lists:
        name, _, cards = part.partition("=")
        group[name.replace("-", "_")] = [
            card if " " in card.strip() else f"{card.strip()} {back}" for card in cards.split(",") if card.strip()
        ]
    return group


def group_of_steps(name: str) -> click.Group:
    """`tableside load`: the steps of one procedure."""
    commands = {step: _act_command(step, act, example(name, step)) for step, act in STEPS[name].items()}
    return WholeHelp(name, commands, help=GROUPS[name])


class _Acts(WholeHelp):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(ACTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _act_command(cmd_name, cmd_name) if cmd_name in ACTS else None


do = _Acts("do", help="Any act of docs/protocols/control.md by its name.")
