"""How far something is: lines where a line cannot be redrawn, a bar where it can, nothing beside JSON."""

from __future__ import annotations

import pytest

from tableside.cli.progress import STEPS, progress
from tests.unit.cli.test_plain import on_a_terminal

PROGRAM = (
    "from tableside.cli.progress import progress\n"
    "with progress('counting', is_wanted=True) as advance:\n"
    "    for done in range(313):\n"
    "        advance(done, 312)\n"
    "print('counted')\n"
)


def test_a_pipe_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("counting", is_wanted=True) as advance:
        for done in range(313):
            advance(done, 312)
        advance(7, 0)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert len(seen.err.splitlines()) == STEPS
    assert seen.err.splitlines()[-1] == "counting: 312 of 312"


def test_json_gets_nothing_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("counting", is_wanted=False) as advance:
        advance(312, 312)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_that_redraws_gets_a_bar_that_goes_again(columns: int) -> None:
    seen = on_a_terminal(PROGRAM, columns, TERM="xterm-256color", LANG="C.UTF-8")
    assert "Traceback" not in seen
    assert seen.rstrip().endswith("counted")
    assert "\x1b[" in seen


def test_a_dumb_terminal_gets_lines_and_no_escape() -> None:
    seen = on_a_terminal(PROGRAM, 40, TERM="dumb", LANG="C")
    assert "\x1b" not in seen
    assert seen.count("of 312") == STEPS
