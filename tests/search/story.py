"""What a story is: a setting from a seed, and acts in order. Plain data, so that it can be cut, kept and told again."""

from __future__ import annotations

import random
from typing import Any

import msgspec

# How often mechanics are quicker than at a real table: a quick one gives long stories, a slow one long motions.
PACES = (20.0, 20.0, 8.0, 2.0)


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that somebody or something does (`deeds.py`), and how long nothing else is done after it."""

    does: str
    with_: dict[str, Any] = {}
    then_s: float = 0.0

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.with_.items())
        return f"{self.does}({given}) then {self.then_s:g} s"


class Setting(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the house is like. `is_honest`: no sensor fails and nobody tells a wrong number, so accounts must agree."""

    seed: int
    pace: float
    decks: int
    is_honest: bool
    noise: float  # chance of each fault of a bad line, a chunk
    reinsert: str = "before"
    has_presence_s: int = 60


class Story(msgspec.Struct, frozen=True):
    """A setting and its acts."""

    setting: Setting
    acts: tuple[Act, ...] = ()

    def __str__(self) -> str:
        lines = "".join(f"\n  {number:3} {act}" for number, act in enumerate(self.acts, 1))
        return f"{self.setting}{lines}"


def setting_of(seed: int) -> Setting:
    """The house that a seed stands for."""
    chance = random.Random(f"setting {seed}")
    return Setting(
        seed=seed,
        pace=chance.choice(PACES),
        decks=chance.choice((1, 1, 1, 3)),
        is_honest=chance.random() < 0.6,
        noise=chance.choice((0.0, 0.0, 0.002)),
        reinsert=chance.choice(("before", "before", "after")),
        has_presence_s=chance.choice((60, 60, 20)),
    )
