"""What the supervisor's page is told, without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from drivers import events
from firmware_bridge.clock import Instant, WallQuality
from tableside.catalogue import LANGUAGES
from tableside.control.acts import act_name
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.house import Role
from tableside.inputs import AnyInput, LedgerLost
from tableside.outputs.texts import Texts
from tableside.page import view
from tableside.page.acting import Said
from tableside.page.forms import CHOICES, forms
from tableside.page.offered import OFFERED
from tableside.page.sign_ins import Why
from tableside.page.words import NAMES, words_by_language
from tableside.phrases import by_language
from tableside.procedures.round_slice import RoundState
from tableside.procedures.session import SessionState
from tableside.requests import CallSupervisor, SortedDecks, TakeAlert
from tableside.rows import DECISIONS
from tests.law.jackpot_table import SETTINGS
from tests.support.advised import RULING, advised
from tests.support.session import open_table
from tests.support.table import Table
from tests.unit.test_jackpot import FOUR_ACES, won
from tests.unit.test_jackpot_linked import linked

SITE = Path(__file__).parents[3] / "tableside" / "page" / "site"


def seen(table: Table) -> dict[str, Any]:
    now = Instant(table.now_ns, table.now_ns, WallQuality.SIMULATED)
    return state_view(table.state, Texts(("en",), "UTC"), Curtain(), now)


def tile(table: Table) -> dict[str, Any]:
    return dict(view.tile(seen(table), 7, None))


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


def test_a_linked_jackpot_whose_ledger_is_away_shows_no_amount_and_says_why() -> None:
    table = linked()
    assert tile(table)["jackpot"]["shown"] == SETTINGS.start
    table.give(LedgerLost(why="the server is down"))
    told = tile(table)["jackpot"]
    assert (told["shown"], told["ledger"]) == (None, "the server is down")


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


SCRIPTS = "".join(path.read_text() for path in SITE.glob("*.js"))


def said_by_page() -> set[str]:
    """Every word that the page may say: those in its scripts, and those made of what it is told."""
    said = set(re.findall(r'\b(?:say|list|button)\("([^"]+)"', SCRIPTS))
    said |= {state.value for state in (*SessionState, *RoundState)}
    said |= {f"act {act_name(kind)}" for kind in OFFERED}
    fields = [field for fields in forms().values() for field in fields]
    said |= {f"field {field['name']}" for field in fields}
    said |= {f"field {name}" for name in msgspec.structs.fields(SortedDecks) for name in (name.name,) if name != "back"}
    said |= {f"choice {choice}" for choices in CHOICES.values() for choice in choices}
    said |= {f"said {word.value}" for word in (*Why, *Said)}
    said |= {f"role {role.value}" for role in Role}
    return said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_that_the_page_says_is_there_in_each_language(language: str) -> None:
    words = words_by_language()[language]
    assert said_by_page() - set(words) == set()
    assert language in NAMES


def test_every_line_of_an_event_names_fields_that_the_event_has() -> None:
    kinds = {kind.__name__: kind for kind in (*DECISIONS, *get_args(AnyInput))}
    for language in LANGUAGES:
        for word, text in words_by_language()[language].items():
            group, _, name = word.partition(" ")
            if group == "happened":
                fields = {field.name for field in msgspec.structs.fields(kinds[name])}
                assert set(re.findall(r"{(\w+)}", text)) <= fields, (language, name)


def test_a_line_of_an_event_names_no_card_that_may_be_secret() -> None:
    fields = {name for text in words_by_language()["en"].values() for name in re.findall(r"{(\w+)}", text)}
    assert not fields & {"card", "damaged", "replacement", "missing", "too_many", "foreign"}


def test_the_page_never_takes_a_text_for_markup() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", SCRIPTS)


def test_a_table_whole_lists_the_rulings_that_are_asked() -> None:
    (asked,) = view.whole(seen(advised(RULING)), [], {})["advice"]  # type: ignore[misc]  # a list of what JSON holds
    assert (asked["number"], asked["rule"], asked["decides"]) == (1, "BJ-2", "floor supervisor")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_light(language: str) -> None:
    """All that a browser loads before it shows anything: files, and what is said in its language."""
    words = {"words": words_by_language()[language], "phrases": by_language().get(language, {}), "forms": forms()}
    files = sum(path.stat().st_size for path in SITE.iterdir())
    assert files + len(json.dumps(words, ensure_ascii=False).encode()) <= 150_000
