"""The catalogue: every alert, fault of a device and refusal, with its texts in three languages and what goes with it.

It is data (`alerts_catalogue.toml`), the same on phone, page, report, CLI and in the manual.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Literal

import msgspec

from drivers.events import LampColour, LampPattern
from tableside.house import Role
from tableside.scopes import Scope

FILE = "alerts_catalogue.toml"
LANGUAGES = ("en", "pt_PT", "zh_Hant_MO")
# Stands where a field was not given: the alert still goes out, and nothing is made up.
UNKNOWN = "?"
# The word for whatever a list of words does not have, where it has one for that.
OTHER = "other"
# {cards}; {cards:card|cards} is the number with its noun, {n?is|are} a word that goes with the number alone.
_FIELD = re.compile(r"\{([a-z_]+)(?:([:?])([^{}|]*)\|([^{}|]*))?\}")
ONE = "1"

Lamp = Literal["off", "red steady", "red blinking", "amber steady", "amber blinking", "blue steady"]
Lines = tuple[Annotated[str, msgspec.Meta(min_length=1)], Annotated[str, msgspec.Meta(min_length=1)]]


class AlertClass(StrEnum):
    """How urgent an alert is (see the head of the catalogue)."""

    GO_NOW = "1"
    ACT = "2"
    TABLE_ONLY = "table"
    LINE = "line"
    SAME = "same"

    @property
    def level(self) -> int:
        """1 or 2; 0 for what is seen at the table only."""
        return int(self.value) if self in (AlertClass.GO_NOW, AlertClass.ACT) else 0


class Status(StrEnum):
    """Whether a native speaker of the trade has looked at a text."""

    WRITTEN = "written"
    REVIEWED = "reviewed"


class Deed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"with_": "with"}):
    """One step of a provocation, as a scenario has it: a role of the cast or the world does something."""

    person: str = ""
    does: str = ""
    world: str = ""
    with_: dict[str, object] = {}


class Spoken(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two lines a language: the fact, and the next step."""

    en: Lines
    pt_PT: Lines  # noqa: N815 - a language, as everybody writes it
    zh_Hant_MO: Lines  # noqa: N815 - likewise
    status: dict[str, Status] = {}

    def status_in(self, language: str) -> Status:
        """*Written* until reviewed."""
        return self.status.get(language, Status.WRITTEN)

    def lines(self, language: str) -> Lines:
        """Fact and next step with their fields still open. Raises `LanguageUnknown`."""
        match language:
            case "en":
                return self.en
            case "pt_PT":
                return self.pt_PT
            case "zh_Hant_MO":
                return self.zh_Hant_MO
            case _:
                raise LanguageUnknown(f'no texts in "{language}"; there are {", ".join(LANGUAGES)}')


class Standing(Spoken, frozen=True, kw_only=True):
    """What stands until its condition holds: where hands are needed, which ones, and by whose act it goes.

    `cleared_by` is empty where it goes by itself. `hands` are the drawings of `tableside/pictures`, in order. `provoke`
    makes it happen at the simulated table; `provoke_at` says how that stands before.
    """

    clears: Annotated[str, msgspec.Meta(min_length=1)]
    cleared_by: tuple[Role, ...] = ()
    where: str = ""
    hands: tuple[str, ...] = ()
    provoke_at: str = "in play"
    provoke: tuple[Deed, ...] = ()


class AlertText(Standing, frozen=True, kw_only=True):
    """One alert."""

    id: Annotated[str, msgspec.Meta(pattern=r"\A[A-Z]+(-[A-Z]+)*\Z")]
    rule: str
    class_: AlertClass = msgspec.field(name="class")
    lamp: Lamp
    come: tuple[Role, ...]
    told: tuple[Role, ...] = ()
    blocks: tuple[Scope, ...]
    latched: bool
    panel: str

    @property
    def shown(self) -> tuple[LampColour, LampPattern]:
        """What the lamp shows while it stands."""
        colour, _, pattern = self.lamp.partition(" ")
        return LampColour(colour), LampPattern(pattern or LampPattern.STEADY)


class FaultText(Standing, frozen=True, kw_only=True):
    """One fault that a device names by number (TDL 10.4); `alert` is what the table raises for it."""

    number: int
    alert: str


class RefusalText(Spoken, frozen=True, kw_only=True):
    """One reason why a request is not granted. `rule` is empty where whoever refuses names it."""

    code: Annotated[str, msgspec.Meta(pattern=r"\A[A-Z]+(-[A-Z]+)*\Z")]
    rule: str = ""


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file: alerts in order, faults, refusals, neutral words for guests, words that stand in fields."""

    alert: tuple[AlertText, ...]
    fault: tuple[FaultText, ...] = ()
    refusal: tuple[RefusalText, ...] = ()
    panel: dict[str, dict[str, str]]
    words: dict[str, dict[str, dict[str, str]]]


class AlertUnknown(LookupError):
    """No such id in the catalogue."""


class LanguageUnknown(LookupError):
    """No such language in the catalogue."""


@cache
def catalogue() -> Catalogue:
    """The catalogue as shipped."""
    return parse_catalogue((resources.files(__package__) / FILE).read_text("utf-8"))


def parse_catalogue(text: str) -> Catalogue:
    """A catalogue from TOML. Raises `msgspec.ValidationError` or `tomllib.TOMLDecodeError`."""
    return msgspec.convert(tomllib.loads(text), Catalogue)


@cache
def _by_id() -> Mapping[str, AlertText]:
    return {alert.id: alert for alert in catalogue().alert}


def alert_text(alert_id: str) -> AlertText:
    """The entry called `alert_id`. Raises `AlertUnknown`."""
    try:
        return _by_id()[alert_id]
    except KeyError:
        raise AlertUnknown(f"{alert_id} is not in {FILE}; a new alert begins there") from None


def fields_of(line: str) -> frozenset[str]:
    """The names in braces of a line."""
    return frozenset(match[1] for match in _FIELD.finditer(line))


def render(alert_id: str, language: str, fields: Mapping[str, str]) -> tuple[str, str]:
    """Fact and next step as people read them, the words in the fields in the same language."""
    fact, step = alert_text(alert_id).lines(language)
    fields = {"technician": "called", **fields}  # rows of an earlier version do not say
    return filled(fact, language, fields), filled(step, language, fields)


def panel_words(key: str, language: str) -> str:
    """Neutral words for the table panel; empty where nothing is said to guests."""
    return catalogue().panel[key][language] if key else ""


def filled(line: str, language: str, fields: Mapping[str, str]) -> str:
    """A line with its fields; numbers with the form of their noun, words in the language."""

    def said(match: re.Match[str]) -> str:
        name, sign, one, more = match.groups()
        value = fields.get(name, UNKNOWN)
        if sign is None:
            return _word(name, value, language)
        form = one if value == ONE else more
        return f"{value} {form}" if sign == ":" else form

    return _FIELD.sub(said, line)


def _word(field: str, value: str, language: str) -> str:
    """A field's value in the reader's language, where the catalogue has words for it."""
    words = catalogue().words
    if field == "cards":  # "1 K♠ red, 2 7♦ blue": only the back colours are words
        backs = words["back"]
        return re.sub(r"[a-z]+", lambda match: backs.get(match[0], {}).get(language, match[0]), value)
    known = words.get(field, {})
    entry = known.get(value) or known.get(OTHER)
    return entry[language] if entry else value
