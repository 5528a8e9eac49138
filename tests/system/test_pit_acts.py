"""Acts through the supervisor's page of a running daemon, in a real Chromium: under whose badge, once, or refused.

Skipped, with the reason, where Chromium or Playwright is absent. `TABLESIDE_SCREENSHOTS=FOLDER` keeps the pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.mosquitto import free_port
from tests.support.pit import NEEDS_CHROMIUM, TABLE, Browser, Pit, browser, opened, picture, pit_page
from tests.support.processes import until

WORDS = "Jogada válida — “ás de paus” ♣, 計算正確"
pytestmark = [pytest.mark.system, pytest.mark.timeout(300), NEEDS_CHROMIUM]


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """An open table; each test leaves it as it found it."""
    with pit_page(tmp_path_factory.mktemp("acts"), free_port()) as made:
        opened(made)
        yield made


@pytest.fixture
def chromium() -> Iterator[Browser]:
    with browser() as made:
        yield made


@pytest.fixture
def page(pit: Pit, chromium: Browser) -> Any:
    return chromium.screen(f"{pit.address}/#{TABLE}")


def sign_in(pit: Pit, page: Any, staff: str, name: str) -> None:
    """As a person does it: the button, then the badge, which must have been away for the reader to see it come."""
    page.locator("#screen").get_by_role("button", name="Sign in with your badge").click()
    page.locator("#screen.waiting").wait_for()
    pit.tap_anew(staff)
    page.locator("#screen.in").get_by_text(name).wait_for()


def press(page: Any, name: str) -> None:
    """A button of the page; what can be done at any time stands behind *More*."""
    button = page.locator("#main").get_by_role("button", name=name)
    if not button.first.is_visible():
        page.locator("details[data-key=more] summary").click()
    button.first.click()


def confirm(page: Any) -> None:
    page.locator("#form button.send").click()


def is_said(page: Any, text: str) -> None:
    page.locator("#form").get_by_text(text).first.wait_for()


def close(page: Any) -> None:
    page.locator("#form").get_by_role("button", name="Close").click()


def alerts(pit: Pit) -> dict[str, dict[str, Any]]:
    return {alert["text"]: alert for alert in pit.state()["alerts"]}


def complain(pit: Pit) -> int:
    assert pit.do("raise-complaint", text="a card was swapped")["answer"] == "accepted"
    (number,) = pit.state()["procedures"]["complaints"]["open"]
    return int(number)


def test_a_jam_is_cleared_through_the_page_with_one_tap_of_the_badge(pit: Pit, page: Any) -> None:
    """CSM-2: who goes, lid, what was taken out. The one tap takes the alert, signs in and proves presence."""
    draw(pit)
    pit.world("spoil-next-card", spot="exit", defect="askew")
    until(lambda: "JAM-EXIT" in alerts(pit) or pit.hands("draw", to="bank") is None, lambda: str(alerts(pit)))
    page.locator(".alert.level1").wait_for()
    picture(page, "jam")
    press(page, "I am going")
    is_said(page, "Tap your badge at the reader of BJ-07")
    pit.tap_anew("S-201")
    is_said(page, "Your tap has done it")
    picture(page, "jam-taken")
    close(page)
    press(page, "Open the lid")
    confirm(page)
    is_said(page, "Done and recorded")
    picture(page, "jam-lid")
    close(page)
    pit.hands("lift-lid")
    assert pit.hands("take-stuck", spot="exit", to="bank")["count"] == 1
    pit.hands("shut-lid")
    press(page, "Say what was taken out")
    page.get_by_label("Cards", exact=True).fill("1")
    page.get_by_label("Where they are now").select_option("on the table")
    confirm(page)
    is_said(page, "Done and recorded")
    close(page)
    page.locator(".alert.level1").wait_for(state="detached")
    assert [row["by"] for row in pit.rows("CardsTakenOut")] == ["S-201"]
    assert {row["via"] for kind in ("OpenLid", "CardsTakenOut") for row in pit.rows(kind)} == {"page"}
    assert "S-201" in [row["staff"] for row in pit.rows("ScreenSignedIn")], "who acts at which screen is on record"
    end_round(pit)


def draw(pit: Pit) -> str:
    """The next card, as soon as one stands at the exit."""
    drawn: list[str] = []
    until(lambda: drawn.extend(pit.hands("draw", to="bank")["cards"]) or drawn, lambda: str(pit.state()["locks"]))
    return drawn[0]


def end_round(pit: Pit) -> None:
    """The dealer puts the round's cards back."""
    assert pit.do("end-round", "D-101")["answer"] == "accepted"
    pit.hands("gather")
    pit.hands("lay-in-hopper", source="spread")
    until(lambda: pit.state()["procedures"]["rounds"]["state"] == "waiting", lambda: str(pit.state()["procedures"]))


def test_a_complaint_is_settled_in_the_words_that_were_typed_and_a_double_click_settles_it_once(
    pit: Pit, page: Any
) -> None:
    complain(pit)
    sign_in(pit, page, "S-201", "Inês Carvalho")
    press(page, "Settle the complaint")
    confirm(page)
    is_said(page, "Fill in: Decision")
    page.get_by_label("Decision").fill(WORDS)
    page.locator("#form button.send").dblclick()
    is_said(page, "Done and recorded")
    picture(page, "complaint")
    rows = pit.rows("SettleComplaint")
    assert [row["decision"] for row in rows if "válida" in row["decision"]] == [WORDS]
    assert not pit.state()["procedures"]["complaints"]["open"]


def test_markers_are_entered_by_seat(pit: Pit, page: Any) -> None:
    """JP-4: chips were collected by hand and replaced by markers."""
    sign_in(pit, page, "S-202", "Rui Matos")
    press(page, "Enter jackpot markers")
    page.get_by_label("2", exact=True).check()
    page.get_by_label("5", exact=True).check()
    picture(page, "markers")
    confirm(page)
    is_said(page, "Done and recorded")
    assert pit.state()["procedures"]["jackpot"]["bettors"] == [2, 5]
    close(page)
    draw(pit)
    until(lambda: pit.state()["procedures"]["rounds"]["state"] == "dealing", lambda: str(pit.state()["procedures"]))
    end_round(pit)


def test_a_replacement_is_entered_card_by_card(pit: Pit, page: Any) -> None:
    """CSM-1: the damaged card, its envelope, and the one from the reserve deck."""
    draw(pit)
    (seen,) = pit.hands("look-through", source="bank")["cards"]
    face, back = seen.split(" ")
    assert pit.do("report-damaged", "D-101")["answer"] == "accepted"
    sign_in(pit, page, "S-201", "Inês Carvalho")
    press(page, "Record the replacement")
    for legend in ("Damaged card", "Replaced by"):
        group = page.get_by_role("group", name=legend)
        for at, value in enumerate((face[:-1], face[-1], back)):
            group.get_by_role("combobox").nth(at).select_option(value)
    page.get_by_label("Envelope number").fill("E-77")
    picture(page, "replacement")
    confirm(page)
    is_said(page, "Done and recorded")
    (row,) = pit.rows("CardReplaced")
    assert (row["envelope"], row["by"]) == ("E-77", "S-201")
    close(page)
    pit.hands("move", source="bank", to="envelope 77", card=seen)
    pit.hands("move", source="reserve", to="bank", card=seen)
    assert pit.do("acknowledge-report", "R-401", incident=row["incident"], reference="R-1")["answer"] == "accepted"
    end_round(pit)  # the next test begins with a table whose cards are all in


def test_what_somebody_else_did_meanwhile_is_said_and_not_done_again(pit: Pit, page: Any) -> None:
    number = complain(pit)
    sign_in(pit, page, "S-201", "Inês Carvalho")
    press(page, "Settle the complaint")
    page.get_by_label("Decision").fill("too late")
    assert pit.do("settle-complaint", "S-202", decision="first", complaint=number)["answer"] == "accepted"
    is_said(page, "The table has changed meanwhile: look again")
    picture(page, "stale")
    assert page.locator("#form button.send").is_hidden()
    assert "too late" not in [row["decision"] for row in pit.rows("SettleComplaint")]


def test_a_lost_session_keeps_what_was_typed_and_the_next_tap_sends_it_once(pit: Pit, page: Any) -> None:
    complain(pit)
    sign_in(pit, page, "S-202", "Rui Matos")
    press(page, "Settle the complaint")
    page.get_by_label("Decision").fill("kept through the loss")
    other = page.context.new_page()  # the same screen in another tab: its cookie is the same
    other.goto(f"{pit.address}/#{TABLE}")
    other.locator("#screen").get_by_role("button", name="Sign out").click()
    page.locator("#screen:not(.in)").wait_for()
    until(lambda: ("S-202", "signed out") in outs(pit), lambda: str(outs(pit)))
    picture(page, "lost")
    page.locator("#form button.send").get_by_text("Sign in with your badge").click()
    is_said(page, "Tap your badge at the reader of BJ-07")
    pit.tap_anew("S-202")
    is_said(page, "Rui Matos")
    assert page.get_by_label("Decision").input_value() == "kept through the loss"
    confirm(page)
    is_said(page, "Done and recorded")
    assert [row["by"] for row in pit.rows("SettleComplaint") if "kept" in row["decision"]] == ["S-202"]


def outs(pit: Pit) -> list[tuple[str, str]]:
    return [(row["staff"], row["why"]) for row in pit.rows("ScreenSignedOut")]


def test_where_the_reader_goes_away_while_a_form_is_open_the_form_says_so_and_sends_nothing(
    pit: Pit, page: Any
) -> None:
    """A badge that was held and is taken away ends it the same way: `tests/unit/page/test_sign_ins.py`."""
    number = complain(pit)
    sign_in(pit, page, "S-201", "Inês Carvalho")
    press(page, "Settle the complaint")
    page.get_by_label("Decision").fill("never sent")
    pit.world("pull-cable", device="badges")
    is_said(page, "The badge reader does not answer: act with two PINs at the desk")
    picture(page, "reader-gone")
    page.locator("#form button.send").click()
    is_said(page, "The badge reader does not answer: act with two PINs at the desk")
    pit.world("plug-cable", device="badges")
    until(pit.is_connected, lambda: pit.running.log)
    assert "never sent" not in [row["decision"] for row in pit.rows("SettleComplaint")]
    assert pit.do("settle-complaint", "S-202", decision="at the desk", complaint=number)["answer"] == "accepted"


def test_who_only_reads_is_offered_nothing(pit: Pit, page: Any) -> None:
    pit.do("call-supervisor")
    sign_in(pit, page, "I-701", "Jorge Faria")
    page.get_by_text("Your role reads here and does not act.").wait_for()
    picture(page, "reads-only")
    assert page.locator("#main button").count() == 0
    clear_call(pit)


def clear_call(pit: Pit) -> None:
    number = alerts(pit)["CALL-PRESSED"]["alert"]
    assert pit.do("clear-alert", "S-201", alert=number)["answer"] == "accepted"


def test_of_two_who_go_at_once_one_has_it_and_the_other_is_told(pit: Pit, chromium: Browser) -> None:
    """Two screens, two badges: each sees at once what the other did."""
    mine, other = (chromium.screen(f"{pit.address}/#{TABLE}") for _ in range(2))
    sign_in(pit, mine, "S-202", "Rui Matos")
    sign_in(pit, other, "R-401", "Álvaro Nunes")
    pit.do("call-supervisor")
    for each in (mine, other):
        each.get_by_role("button", name="I am going").wait_for()
    press(mine, "I am going")
    is_said(mine, "Done and recorded")
    other.locator(".alert").get_by_text("Taken by Rui Matos").wait_for()
    assert other.get_by_role("button", name="I am going").count() == 0
    assert alerts(pit)["CALL-PRESSED"]["taken_by"] == "S-202"
    clear_call(pit)
    for each in (mine, other):
        each.locator(".alert").first.wait_for(state="detached")


def test_a_second_screen_does_not_wait_for_the_same_tap(pit: Pit, chromium: Browser) -> None:
    mine, other = (chromium.screen(f"{pit.address}/#{TABLE}") for _ in range(2))
    mine.locator("#screen").get_by_role("button", name="Sign in with your badge").click()
    mine.locator("#screen.waiting").wait_for()
    other.get_by_text("waits for a badge").wait_for()
    other.locator("#screen").get_by_role("button", name="Sign in with your badge").click()
    other.get_by_text("Another screen waits for a badge at this table").wait_for()
    mine.locator("#screen").get_by_role("button", name="Cancel").click()
    mine.locator("#screen.out").wait_for()


def has_focus(element: Any) -> bool:
    return bool(element.evaluate("each => each === document.activeElement"))


def test_everything_is_done_with_the_keyboard_and_the_focus_stays(pit: Pit, page: Any) -> None:
    sign_in(pit, page, "S-201", "Inês Carvalho")
    pit.do("call-supervisor")
    going = page.get_by_role("button", name="I have looked")
    until(lambda: going.focus() or has_focus(going), lambda: "the alert is painted again and again")
    assert pit.do("stop-play")["answer"] == "accepted"
    page.get_by_role("button", name="Let play go on").wait_for()
    assert has_focus(going), "a new picture takes the focus away"
    page.get_by_role("button", name="Let play go on").focus()
    page.keyboard.press("Enter")
    page.locator("#form[open]").wait_for()
    page.keyboard.press("Enter")
    is_said(page, "Done and recorded")
    page.keyboard.press("Escape")
    page.locator("#form[open]").wait_for(state="detached")
    page.locator(".alert").first.wait_for(state="detached")


def test_cards_under_way_and_the_account_are_drawn_in_numbers(pit: Pit, page: Any) -> None:
    told = page.locator("svg.account").get_attribute("aria-label")
    balances = pit.state()["account"]["balances"]
    assert f"machine {balances['machine']}" in told
    assert f"reserve {balances['reserve']}" in told


@pytest.mark.parametrize(("locale", "shown"), [("pt-PT", "Português"), ("zh-MO", "繁體中文"), ("fr-FR", "English")])
def test_a_browser_starts_in_its_own_language_where_there_is_one(pit: Pit, locale: str, shown: str) -> None:
    with browser(locale) as made:
        screen = made.screen(pit.address)
        assert screen.get_by_role("button", name=shown).get_attribute("aria-pressed") == "true"
