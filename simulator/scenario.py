"""A scenario file: a cast and steps with two verbs, *person does* and *world does*, each with what is expected.

Times are people's seconds unless they say `real`. A step runs once all before it have begun and its `when` holds; the
next one begins when it is over, or at once where it `goes_on`.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from .conditions import KINDS, Condition
from .deeds import PersonDeed, WorldDeed, deed_name, members
from .people import CastMember, Person

_STEP = re.compile(r"^\s*\[\[steps\]\]")
# What is done to other programs than the simulator, by whoever started them: the deed, then the program. Everything
# else that the world does is a deed of the room.
HOST_DEEDS = {f"{deed}-{program}": (deed, program) for program in ("daemon", "broker") for deed in ("kill", "start")}


class ScenarioRefused(ValueError):
    """A scenario file that cannot be played: every mistake, with its line."""


class Step(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename={"with_": "with"}):
    """One step. Exactly one of `person` and `world` acts; a step of neither only expects.

    `does` is a skill of the person, a deed of hands, or an act of the control socket; of the world, a deed.
    `after_s` passes before it, in people's time; `after_real_s` in that of links and deadlines.
    """

    says: str = ""
    person: str = ""
    world: str = ""
    does: str = ""
    with_: dict[str, object] = {}
    when: tuple[Condition, ...] = ()
    expect: tuple[Condition, ...] = ()
    after_s: float = 0
    after_real_s: float = 0
    within_s: float = 120
    goes_on: bool = False
    line: int = 0


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A day, or a part of one."""

    title: str
    seed: int = 1
    cast: tuple[CastMember, ...]
    steps: tuple[Step, ...]


def read_scenario(path: Path, kinds: dict[str, type[Person]]) -> Scenario:
    """A scenario file; `kinds` are the kinds of people there are. Raises `ScenarioRefused`, `OSError`."""
    text = path.read_text("utf-8")
    try:
        scenario = msgspec.toml.decode(text, type=Scenario)
    except msgspec.MsgspecError as error:
        raise ScenarioRefused(f"{path}: {error}") from error
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _STEP.match(line)]
    for step, line in zip(scenario.steps, lines, strict=True):
        step.line = line
    mistakes = [*_cast_mistakes(scenario, kinds)]
    for step in scenario.steps:
        mistakes += [f"line {step.line}: {mistake}" for mistake in _step_mistakes(step, scenario, kinds)]
    if mistakes:
        raise ScenarioRefused("\n".join(f"{path}: {mistake}" for mistake in mistakes))
    return scenario


def person_deeds() -> dict[str, type[PersonDeed]]:
    """What hands can do, by name."""
    return {deed_name(kind.__name__): kind for kind in members(PersonDeed)}


def world_deeds() -> dict[str, type[WorldDeed]]:
    """What the world can do, by name."""
    return {deed_name(kind.__name__): kind for kind in members(WorldDeed)}


def _cast_mistakes(scenario: Scenario, kinds: dict[str, type[Person]]) -> Iterable[str]:
    for name, times in Counter(member.name for member in scenario.cast).items():
        if times > 1:
            yield f"cast: {name!r} stands twice"
    for member in scenario.cast:
        if member.as_ not in kinds:
            yield f"cast {member.name!r}: nobody can play {member.as_!r}; there are {', '.join(kinds)}"


def _step_mistakes(step: Step, scenario: Scenario, kinds: dict[str, type[Person]]) -> Iterable[str]:
    if step.person and step.world:
        yield "person and world both do something; make two steps of it"
    if step.does and not step.person and not step.world:
        yield f"nobody does {step.does!r}"
    if step.world:
        yield from _world_mistakes(step)
    if step.person:
        yield from _person_mistakes(step, scenario, kinds)
    for condition in (*step.when, *step.expect):
        if len(condition.kinds) != 1:
            yield f"a condition names one of {', '.join(KINDS)}, this one {condition.kinds or 'none'}: {condition}"
    if any(condition.answer for condition in step.when):
        yield "nobody has answered before the step: `answer` is for expect"


def _world_mistakes(step: Step) -> Iterable[str]:
    deeds = world_deeds()
    if step.world in HOST_DEEDS:
        return
    if step.world not in deeds:
        yield f"the world cannot {step.world!r}; it can {', '.join([*HOST_DEEDS, *deeds])}"
        return
    yield from _deed_mistakes(step, deeds[step.world])


def _person_mistakes(step: Step, scenario: Scenario, kinds: dict[str, type[Person]]) -> Iterable[str]:
    member = next((member for member in scenario.cast if member.name == step.person), None)
    if member is None:
        yield f"{step.person!r} is not in the cast"
        return
    kind = kinds.get(member.as_)
    if kind is None:
        return
    if not step.does:
        yield f"{step.person} does nothing"
    elif step.does in kind.skills:
        skill = getattr(kind, kind.skills[step.does])
        known = list(inspect.signature(skill).parameters)[1:]
        for name in step.with_:
            if name not in known:
                yield f"{step.does!r} knows no {name!r}; it takes {', '.join(known) or 'nothing'}"
    elif step.does in person_deeds():
        yield from _deed_mistakes(step, person_deeds()[step.does])


def _deed_mistakes(step: Step, deed: type[PersonDeed] | type[WorldDeed]) -> Iterable[str]:
    try:
        msgspec.convert({"does": step.world or step.does, **step.with_}, deed)
    except msgspec.MsgspecError as error:
        yield str(error)
