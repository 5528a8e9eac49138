"""Some stories of the search in each run of the tests; `python -m tests.search` plays thousands."""

from __future__ import annotations

import pytest

from tests.search.play import play_seed, play_story, shortened
from tests.search.story import Act, Story, setting_of

SEEDS = range(20)
ACTS = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_the_table_comes_back_and_its_record_holds(seed: int) -> None:
    played = play_seed(seed, ACTS)
    assert not played.findings, f"{played.findings[0]}\n{played.story}"
    assert played.rows > 100


def test_a_story_is_played_again_as_it_was_made() -> None:
    """Reproducible from its seed, and from its acts."""
    made = play_seed(3, 30)
    again = play_story(made.story)
    assert (made.rows, made.findings, made.story) == (again.rows, again.findings, again.story)


def test_a_finding_is_shortened_to_the_acts_that_make_it() -> None:
    """An act that no house knows stands for a finding: the six and the five around it have no part in it."""
    acts = (*(Act("wait", {}, 0.1) for _ in range(6)), Act("stand-still", {}), *(Act("wait") for _ in range(5)))
    story = Story(setting_of(3), acts)
    kind = play_story(story).kind
    assert kind == "exception KeyError"
    assert shortened(story, kind).acts == (Act("stand-still", {}),)
