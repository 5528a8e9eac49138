"""Alerts as people read them: local time, every language, and a page that fits its pager."""

from __future__ import annotations

import pytest

from firmware_bridge.clock import NS_PER_S
from tableside.catalogue import LANGUAGES, catalogue, fields_of
from tableside.outputs.texts import PAGE_CHARACTERS, Texts, local_time

# The longest of each that a house can name: 16 characters for names of tables and devices.
LONGEST = {"table": "ABCDEFGHIJ-12345", "device": "shuffler-1234567", "time": "1790000000000000000"}
OTHERS = "1234"


def test_a_time_is_local_and_has_seconds() -> None:
    """BR-053: stored in UTC, shown in the house's zone, summer time included."""
    texts = Texts(("en", "pt_PT"), "Europe/Lisbon")
    summer, winter = 1_790_000_000 * NS_PER_S, 1_800_000_000 * NS_PER_S
    fact, _ = texts.lines("READER-OFFLINE", {"table": "BJ-07", "time": str(summer)})
    assert "15:13:20" in fact
    assert local_time(winter, texts.zone) == "08:00:00"
    assert local_time(summer, Texts(("en",), "Asia/Macau").zone) == "22:13:20"


def test_a_time_that_is_none_stays_visible() -> None:
    fact, _ = Texts(("en",), "Europe/Lisbon").lines("READER-OFFLINE", {"table": "BJ-07", "time": "soon"})
    assert "soon" in fact


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_alert_fits_a_pager_in_every_language(language: str) -> None:
    texts = Texts((language,), "Europe/Lisbon")
    for entry in catalogue().alert:
        names = {name for line in entry.lines(language) for name in fields_of(line)}
        fields = {name: LONGEST.get(name, OTHERS) for name in names}
        page = texts.page(1_234, entry.class_.level, entry.id, fields)
        assert len(page) <= PAGE_CHARACTERS
        assert not page.endswith("…"), (entry.id, page)


def test_all_languages_of_a_table_are_given_in_its_order() -> None:
    texts = Texts(("zh_Hant_MO", "en"), "Asia/Macau")
    assert list(texts.in_all("JAM-EXIT", {"table": "BJ-07"})) == ["zh_Hant_MO", "en", "pt_PT"]
