"""Every act has one command under a name that people type, and asks for what the act needs."""

from __future__ import annotations

import click
import pytest

from tableside.cli.do import do, group_of_steps
from tableside.cli.groups import COMMANDS, tableside
from tableside.cli.steps import GROUPS, STEPS
from tableside.control.acts import ACTS, NO_BADGE, fields_of


def test_every_act_is_a_step_once() -> None:
    acts = [act for steps in STEPS.values() for act in steps.values()]
    assert sorted(acts) == sorted(ACTS)


def test_groups_and_commands_do_not_share_names() -> None:
    assert set(GROUPS) == set(STEPS)
    assert not set(GROUPS) & set(COMMANDS)


@pytest.mark.parametrize(("group", "step"), [(group, step) for group, steps in STEPS.items() for step in steps])
def test_a_step_asks_for_each_field_and_for_the_staff_id_where_a_badge_is_needed(group: str, step: str) -> None:
    kind = ACTS[STEPS[group][step]]
    command = group_of_steps(group).commands[step]
    options = {option.name: option for option in command.params}
    for field in fields_of(kind):
        assert options[field.name].required == field.required
    assert options["staff"].required == (kind not in NO_BADGE)
    assert command.help


def test_a_yes_is_a_flag_and_a_no_is_left_out() -> None:
    for group, steps in STEPS.items():
        for step, act in steps.items():
            options = {option.name: option for option in group_of_steps(group).commands[step].params}
            for field in fields_of(ACTS[act]):
                option = options[field.name]
                assert isinstance(option, click.Option)
                assert option.is_flag == (field.type is bool)


def test_do_has_every_act_by_its_name() -> None:
    context = click.Context(do)
    assert do.list_commands(context) == list(ACTS)
    assert all(do.get_command(context, act) is not None for act in ACTS)


def test_help_names_every_command_without_importing_them() -> None:
    text = tableside.get_help(click.Context(tableside))
    for name in (*COMMANDS, *GROUPS):
        assert f"  {name} " in text
