"""Help: no sentence is cut, an example parses, exit codes are said once, at the top."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from simulator.cli import main as simulator
from tableside.cli.do import group_of_steps
from tableside.cli.examples import EXAMPLES, example
from tableside.cli.groups import tableside
from tableside.cli.steps import STEPS
from tableside.exit_codes import MEANINGS, ExitCode

EXAMPLE = re.compile(r"Example: (tableside.*)", re.DOTALL)


def groups(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    """Every group below, with itself."""
    yield path
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from groups(command, *path, name)


def helped(command: click.Group, *path: str) -> str:
    """What `--help` prints on a terminal of 80 columns."""
    done = CliRunner().invoke(command, [*path, "--help"], env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("program", [tableside, simulator], ids=["tableside", "tableside-sim"])
def test_no_list_of_commands_cuts_a_sentence(program: click.Group) -> None:
    for path in groups(program):
        shown = helped(program, *path)
        assert "..." not in shown.replace("[ARGS]...", "").replace("[KEY=VALUE]...", ""), shown
        listed = shown.partition("Commands:")[2]
        assert listed.rstrip().endswith((".", ")")), shown


def test_exit_codes_are_said_once_at_the_top() -> None:
    assert set(MEANINGS) == set(ExitCode)
    words = " ".join(helped(tableside).split())
    for code, said in MEANINGS.items():
        assert words.count(f"{code.value} {said}") == 1
    assert "Exit codes: 0 done" in helped(simulator)


@pytest.mark.parametrize(("group", "step"), [(group, step) for group, steps in EXAMPLES.items() for step in steps])
def test_an_example_is_one_that_the_command_takes(group: str, step: str) -> None:
    command = group_of_steps(group).commands[step]
    line = example(group, step)
    assert line is not None
    command.make_context(step, shlex.split(line)[4:])
    assert " ".join(line.split()) in " ".join(helped(tableside, group, step).split())


def test_a_step_that_takes_more_than_who_asks_has_an_example() -> None:
    """What has no example takes a staff id, or says in its help what the one word may be."""
    plain = {"table section", "round hold-over", "complaint raise", "presence show", "alert decline"}
    for group, steps in STEPS.items():
        for step in steps:
            asked = [one for one in group_of_steps(group).commands[step].params if one.required and one.name != "staff"]
            assert not asked or example(group, step) or f"{group} {step}" in plain, (group, step)


@pytest.mark.parametrize("command", ["serve", "scenario"])
def test_an_example_of_the_simulator_is_one_that_it_takes(command: str) -> None:
    found = EXAMPLE.search(simulator.commands[command].epilog or "")
    assert found
    simulator.commands[command].make_context(command, shlex.split(found[1])[2:])
