"""Alerts in the table's languages, as people read them: local time, names instead of ids. Pure.

The catalogue holds the texts; here its fields become what a person at the table understands.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tableside.catalogue import LANGUAGES, render

# What a pager or a short message shows; longer ones are cut by the network, in the middle of the next step.
PAGE_CHARACTERS = 160
TIME_FIELD = "time"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NS_PER_US = 1_000


def local_time(wall_ns: int, zone: ZoneInfo) -> str:
    """UTC ns as people at the table read a clock, with seconds."""
    return (_EPOCH + timedelta(microseconds=wall_ns // _NS_PER_US)).astimezone(zone).strftime("%H:%M:%S")


def said_fields(fields: Mapping[str, str], zone: ZoneInfo) -> dict[str, str]:
    """An alert's fields with its time as local time; one that is no number stays as it is."""
    time = fields.get(TIME_FIELD, "")
    return {**fields, TIME_FIELD: local_time(int(time), zone)} if time.isdecimal() else dict(fields)


class Texts:
    """The texts of one table: its languages, the first one first, and the house's time zone."""

    def __init__(self, languages: tuple[str, ...], time_zone: str) -> None:
        self.languages = languages
        self.zone = ZoneInfo(time_zone)

    def lines(self, text: str, fields: Mapping[str, str], language: str = "") -> tuple[str, str]:
        """Fact and next step. Raises `AlertUnknown`, `LanguageUnknown`."""
        return render(text, language or self.languages[0], said_fields(fields, self.zone))

    def in_all(self, text: str, fields: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Fact and next step by language: the table's first, then the others that there are texts in."""
        languages = dict.fromkeys((*self.languages, *LANGUAGES))
        return {language: self.lines(text, fields, language) for language in languages}

    def page(self, number: int, level: int, text: str, fields: Mapping[str, str], language: str = "") -> str:
        """The paging line (docs/protocols/paging.md): class, number, fact, next step, at most 160 characters."""
        fact, step = self.lines(text, fields, language)
        line = f"{level}/{number} {fact} {step}"
        # The texts leave room for every field that a table can fill; a line that has none is cut where it shows.
        return line if len(line) <= PAGE_CHARACTERS else line[: PAGE_CHARACTERS - 1] + "…"
