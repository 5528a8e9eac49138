"""What any code means: an alert, a fault of a device, a refusal, or everything under a rule. Pure; needs no daemon.

Made of the catalogue alone, in any of its languages; the manual and `tableside diag explain` are made of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import msgspec

from tableside.catalogue import (
    LANGUAGES,
    AlertClass,
    AlertText,
    Deed,
    FaultText,
    RefusalText,
    Spoken,
    Standing,
    Status,
    alert_text,
    catalogue,
)
from tableside.cli.steps import STEPS
from tableside.phrases import phrase

FAULT_PREFIX = "FAULT-"
NEAREST = 5
# How alike a code must be to be offered; below that, nothing is near.
ALIKE = 0.5
CLASSES = {
    AlertClass.GO_NOW: "1: go now, play is stopped",
    AlertClass.ACT: "2: somebody must act, play goes on or waits",
    AlertClass.TABLE_ONLY: "at the table only",
    AlertClass.LINE: "a line, never an alert",
    AlertClass.SAME: "as the alert that it raises",
}
_STEPS = {act: f"tableside {group} {step}" for group, steps in STEPS.items() for step, act in steps.items()}


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """One entry in one language; every text is for people, every empty one has nothing to say."""

    code: str
    kind: str
    language: str
    status: Status
    rule: str
    lines: tuple[str, str]
    where: str
    class_: str = msgspec.field(name="class")
    lamp: str
    come: tuple[str, ...]
    told: tuple[str, ...]
    blocks: tuple[str, ...]
    latched: bool
    cleared_by: tuple[str, ...]
    clears: str
    hands: tuple[str, ...]
    pictures: tuple[str, ...]
    provoke: tuple[str, ...]
    raised_as: str = ""


def codes() -> tuple[str, ...]:
    """Every code that there is: alerts, faults, refusals."""
    listed = catalogue()
    return (
        *(entry.id for entry in listed.alert),
        *(fault_code(entry.number) for entry in listed.fault),
        *(entry.code for entry in listed.refusal),
    )


def rules() -> tuple[str, ...]:
    """Every rule that an entry cites."""
    listed = catalogue()
    cited = (*(entry.rule for entry in listed.alert), *(entry.rule for entry in listed.refusal))
    return tuple(dict.fromkeys(rule for rule in cited if rule))


def fault_code(number: int) -> str:
    """How a fault's number is asked for."""
    return f"{FAULT_PREFIX}{number}"


def explain(asked: str, language: str) -> tuple[Explained, ...]:
    """What stands under a code, a fault's number or a rule, however it is written; empty where nothing does."""
    wanted = _normal(asked)
    return tuple(_explained(entry, language) for entry in _entries() if wanted and wanted in _names(entry))


def nearest(asked: str) -> tuple[str, ...]:
    """Codes and rules that look like it, the likeliest first."""
    return tuple(get_close_matches(_normal(asked), (*codes(), *rules()), NEAREST, ALIKE))


def told_fields(entry: Explained) -> Iterator[tuple[str, str]]:
    """What goes with the two lines, as label and text in the entry's language; what does not apply is left out."""

    def label(english: str) -> str:
        return phrase("label", english, entry.language)

    yes_no = label("yes") if entry.latched else label("no")
    yield from (
        (label(name), text)
        for name, text in (
            ("rule", entry.rule),
            ("raised as", entry.raised_as),
            ("where", entry.where),
            ("class", entry.class_),
            ("lamp", entry.lamp),
            ("who comes", ", ".join(entry.come)),
            ("told", ", ".join(entry.told)),
            ("blocks", ", ".join(entry.blocks) or label("nothing")),
            ("latched", yes_no),
            ("cleared by", ", ".join(entry.cleared_by) or label("goes by itself")),
            ("clears when", entry.clears),
            ("hands", " → ".join(entry.hands)),
            ("to provoke it", "; ".join(entry.provoke) or label("no way at the simulated table yet")),
            ("texts", label(entry.status)),
        )
        if text
    )


def commands(entry: Standing) -> tuple[str, ...]:
    """How a provocation is typed, step by step; what a simulated person does by skill is said in words."""
    return tuple(_command(deed) for deed in entry.provoke)


def _normal(asked: str) -> str:
    """`jam_exit`, `fault 4`, `4` and `csm-5` as they are listed."""
    text = re.sub(r"[\s_]+", "-", asked.strip().upper())
    return fault_code(int(text)) if text.isdecimal() else re.sub(r"\AFAULT-?0*(\d+)\Z", rf"{FAULT_PREFIX}\1", text)


def _entries() -> Iterator[Spoken]:
    listed = catalogue()
    yield from listed.alert
    yield from listed.fault
    yield from listed.refusal


def _names(entry: Spoken) -> tuple[str, ...]:
    match entry:
        case AlertText():
            return (entry.id, entry.rule.upper())
        case FaultText():
            return (fault_code(entry.number),)
        case RefusalText():
            return (entry.code, entry.rule)
    raise AssertionError(f"{type(entry).__name__} is no entry of the catalogue")


def _explained(entry: Spoken, language: str) -> Explained:
    match entry:
        case AlertText():
            return _alert(entry, language)
        case FaultText():
            return _fault(entry, language)
        case RefusalText():
            return _refusal(entry, language)
    raise AssertionError(f"{type(entry).__name__} is no entry of the catalogue")


def _alert(entry: AlertText, language: str) -> Explained:
    return Explained(
        code=entry.id,
        kind=phrase("label", "alert", language),
        rule=entry.rule,
        **_standing(entry, language),
        **_as_raised(entry, language),
    )


def _fault(entry: FaultText, language: str) -> Explained:
    raised = alert_text(entry.alert)
    name = catalogue().words["fault"][str(entry.number)][language]
    return Explained(
        code=fault_code(entry.number),
        kind=f"{phrase('label', 'fault', language)}: {name}",
        rule=raised.rule,
        raised_as=entry.alert,
        **_standing(entry, language),
        **(_as_raised(raised, language) | {"latched": bool(entry.cleared_by)}),
    )


def _refusal(entry: RefusalText, language: str) -> Explained:
    return Explained(
        code=entry.code,
        kind=phrase("label", "refusal", language),
        language=language,
        status=entry.status_in(language),
        rule=entry.rule,
        lines=entry.lines(language),
        where="",
        class_=phrase("label", "an answer to who asked", language),
        lamp="",
        come=(),
        told=(),
        blocks=(phrase("label", "this request alone", language),),
        latched=False,
        cleared_by=(),
        clears=phrase("clears", "at once: nothing stands, the request was not carried out", language),
        hands=(),
        pictures=(),
        provoke=(),
    )


def _standing(entry: Standing, language: str) -> dict[str, Any]:
    words = catalogue().words
    return {
        "language": language,
        "status": entry.status_in(language),
        "lines": entry.lines(language),
        "where": words["where"][entry.where][language] if entry.where else "",
        "cleared_by": tuple(words["role"][role][language] for role in entry.cleared_by),
        "clears": phrase("clears", entry.clears, language),
        "hands": tuple(phrase("hand", hand, language) for hand in entry.hands),
        "pictures": tuple(picture(hand) for hand in entry.hands),
        "provoke": commands(entry),
    }


def _as_raised(entry: AlertText, language: str) -> dict[str, Any]:
    """What goes with the alert that stands for it."""
    roles = catalogue().words["role"]
    return {
        "class_": phrase("label", CLASSES[entry.class_], language),
        "lamp": phrase("label", entry.lamp, language),
        "come": tuple(roles[role][language] for role in entry.come),
        "told": tuple(roles[role][language] for role in entry.told),
        "blocks": tuple(phrase("scope", scope, language) for scope in entry.blocks),
        "latched": entry.latched,
    }


def picture(hand: str) -> str:
    """The file of a movement's drawing, in `tableside/pictures`."""
    return f"{hand.replace(' ', '-')}.svg"


def _command(deed: Deed) -> str:
    fields = [
        f"{name}={shlex.quote(str(value).lower() if value is True else str(value))}"
        for name, value in deed.with_.items()
    ]
    if deed.world:
        return " ".join(("tableside-sim inject", deed.world, *fields))
    if deed.does in _STEPS:
        options = [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in deed.with_.items()]
        return " ".join((_STEPS[deed.does], *options))
    return " ".join((f"{deed.person}:", deed.does, *fields))


def reviewed(language: str) -> tuple[int, int]:
    """How many texts of a language a native speaker of the trade has reviewed, and how many there are."""
    assert language in LANGUAGES
    entries = tuple(_entries())
    return sum(entry.status_in(language) is Status.REVIEWED for entry in entries), len(entries)
