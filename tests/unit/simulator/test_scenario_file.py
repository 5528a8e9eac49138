"""A scenario file: mistakes are told with their line, each before anything is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.kinds import KINDS
from simulator.scenario import ScenarioRefused, read_scenario

SCENARIOS = sorted((Path(__file__).parents[3] / "scenarios").glob("*.toml"))
HEAD = """
title = "t"
[[cast]]
name = "Ana"
as = "dealer"
staff_id = "D-101"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_our_scenarios_can_be_read(path: Path) -> None:
    scenario = read_scenario(path, KINDS)
    assert scenario.steps
    assert all(step.line for step in scenario.steps)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[steps]]\nperson = "Ana"\ndoes = "press-key"\nwith = { key = "dnoe" }', "line 7: .*dnoe"),
        ('[[steps]]\nperson = "Eve"\ndoes = "tap"', "line 7: 'Eve' is not in the cast"),
        ('[[steps]]\nperson = "Ana"\ndoes = "play"\nwith = { round = 5 }', "knows no 'round'; it takes rounds"),
        ('[[steps]]\nperson = "Ana"', "Ana does nothing"),
        ('[[steps]]\ndoes = "play"', "nobody does 'play'"),
        ('[[steps]]\nworld = "explode"', "the world cannot 'explode'; it can kill-daemon"),
        ('[[steps]]\nworld = "pull-cable"', "line 7: .*device"),
        ('[[steps]]\nperson = "Ana"\nworld = "kill-daemon"\ndoes = "play"', "person and world both"),
        ("[[steps]]\nexpect = [{ has = { a = 1 } }]", "a condition names one of"),
        ('[[steps]]\nwhen = [{ answer = "accepted" }]', "nobody has answered"),
        ('[[steps]]\nexpects = "nothing"', "expects"),
        ('[[cast]]\nname = "Ana"\nas = "dealer"\nstaff_id = "D-2"', "'Ana' stands twice"),
        ('[[cast]]\nname = "Bob"\nas = "ghost"\nstaff_id = "G-1"', "nobody can play 'ghost'"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    if "[[steps]]" not in text:
        text += '\n[[steps]]\nperson = "Ana"\ndoes = "play"'
    with pytest.raises(ScenarioRefused, match=says):
        read_scenario(written(tmp_path, text), KINDS)
