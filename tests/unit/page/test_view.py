"""What the supervisor's page is told, without a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from drivers import events
from firmware_bridge.clock import Instant, WallQuality
from tableside.catalogue import LANGUAGES
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.outputs.texts import Texts
from tableside.page import view
from tableside.page.words import NAMES, words_by_language
from tableside.procedures.round_slice import RoundState
from tableside.procedures.session import SessionState
from tableside.requests import CallSupervisor, TakeAlert
from tests.support.advised import RULING, advised
from tests.support.session import open_table
from tests.support.table import Table
from tests.unit.test_jackpot import FOUR_ACES, won

SITE = Path(__file__).parents[3] / "tableside" / "page" / "site"


def seen(table: Table) -> dict[str, Any]:
    now = Instant(table.now_ns, table.now_ns, WallQuality.SIMULATED)
    return state_view(table.state, Texts(("en",), "UTC"), Curtain(), now)


def tile(table: Table) -> dict[str, Any]:
    return dict(view.tile(seen(table), 7))


def test_a_calm_table_says_what_it_is_doing() -> None:
    told = tile(open_table())
    assert (told["session"], told["round_state"], told["alerts"], told["stopped"]) == ("open", "waiting", 0, [])
    assert told["rounds_this_hour"] == 7


def test_what_nobody_has_taken_stands_before_what_somebody_has_and_both_before_a_calm_table() -> None:
    calm, called, taken = open_table(), open_table(), open_table()
    for table in (called, taken):
        assert table.ask(CallSupervisor, by="").is_accepted
    assert taken.ask(TakeAlert, by="S1", alert=tile(taken)["worst"]["alert"]).is_accepted
    tiles = [tile(calm), tile(taken), tile(called)]
    assert sorted(tiles, key=view.order) == [tiles[2], tiles[1], tiles[0]]


def test_a_jackpot_that_is_checked_says_so() -> None:
    told = tile(won((5, FOUR_ACES)))["jackpot"]
    assert (told["state"], told["currency"]) == ("pending", "EUR")


def test_a_table_whole_has_locks_cards_devices_and_incidents() -> None:
    whole = view.whole(seen(won((5, FOUR_ACES))), [], {})
    assert [incident["kind"] for incident in whole["incidents"]] == ["jackpot win"]  # type: ignore[attr-defined]
    assert {lock["scope"] for lock in whole["locks"]} >= {"feed", "deal"}  # type: ignore[attr-defined]
    assert whole["account"]["brought"] == 416  # type: ignore[index]


def test_a_machine_that_does_not_answer_is_said_where_no_lock_stands() -> None:
    table = open_table()
    assert view.away(seen(table)) == []
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    assert tile(table)["away"] == ["shuffler"]


# --- words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_that_the_page_says_is_there_in_each_language(language: str) -> None:
    words = words_by_language()[language]
    said = set(re.findall(r'\bsay\("([^"]+)"', (SITE / "paint.js").read_text() + (SITE / "pit.js").read_text()))
    said |= {state.value for state in (*SessionState, *RoundState)}
    assert said - set(words) == set()
    assert language in NAMES


def test_the_page_never_takes_a_text_for_markup() -> None:
    for name in ("paint.js", "pit.js"):
        text = (SITE / name).read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)


def test_the_page_is_light() -> None:
    assert sum(path.stat().st_size for path in SITE.iterdir()) < 150_000


def test_a_table_whole_lists_the_rulings_that_are_asked() -> None:
    (asked,) = view.whole(seen(advised(RULING)), [], {})["advice"]  # type: ignore[misc]  # a list of what JSON holds
    assert (asked["number"], asked["rule"], asked["decides"]) == (1, "BJ-2", "floor supervisor")
