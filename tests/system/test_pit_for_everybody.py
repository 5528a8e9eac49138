"""What axe-core finds wrong with the supervisor's page for people who see, hear or point otherwise: nothing.

axe-core comes from npm into the peers' place; where it cannot be had the test is skipped and says why.
`TABLESIDE_SCREENSHOTS=FOLDER` keeps the pictures of each language at each size.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.mosquitto import free_port
from tests.support.peer_environment import peer_node
from tests.support.pit import NEEDS_CHROMIUM, SIZES, TABLE, Pit, browser, opened, picture, pit_page
from tests.support.processes import until

pytestmark = [pytest.mark.system, pytest.mark.timeout(300), NEEDS_CHROMIUM]
LANGUAGES = {"English": "en", "Português": "pt", "繁體中文": "zh"}


@pytest.fixture(scope="module")
def axe() -> str:
    """The script that looks at a page from within it."""
    place = peer_node("axe-core@4.14.1")
    return (place / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """A table in play with an alert of each class, a complaint, and somebody signed in at another screen."""
    with pit_page(tmp_path_factory.mktemp("axe"), free_port(), sign_in_s=300) as made:
        opened(made)
        drawn: list[str] = []
        until(lambda: drawn.extend(made.hands("draw", to="bank")["cards"]) or drawn, lambda: made.running.log)
        assert made.do("raise-complaint", text="a card was swapped")["answer"] == "accepted"
        made.world("spoil-next-card", spot="exit", defect="askew")
        until(lambda: _is_jammed(made) or made.hands("draw", to="bank") is None, lambda: str(made.state()["alerts"]))
        yield made


def _is_jammed(pit: Pit) -> bool:
    return any(alert["text"] == "JAM-EXIT" for alert in pit.state()["alerts"])


def sign_in(pit: Pit, page: Any) -> None:
    page.locator("#screen").get_by_role("button").first.click()
    page.locator("#screen.waiting").wait_for()
    pit.tap_anew("S-201")
    page.locator("#screen.in").wait_for()


def found(page: Any, axe: str) -> list[str]:
    """What axe-core finds, as it says it. It comes by the browser: the page's own policy lets no other script in."""
    page.evaluate(axe)
    result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{one['id']}: {one['help']}: {json.dumps([node['html'][:120] for node in one['nodes'][:3]])}"
        for one in result["violations"]
    ]


@pytest.mark.peer
@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_the_pit_at_a_table_in_a_form_and_when_it_is_old(
    pit: Pit, axe: str, is_dark: bool
) -> None:
    with browser(is_dark=is_dark) as made:
        page = made.screen(pit.address)
        assert found(page, axe) == []
        page.locator("a.tile").first.click()
        page.locator(".boxes").wait_for()
        assert found(page, axe) == []
        sign_in(pit, page)
        page.locator(".acts").wait_for()
        page.locator("details[data-key=more] summary").click()
        assert found(page, axe) == []
        for act in ("Settle the complaint", "Say what was taken out", "Enter a hand count"):
            button = page.locator("#main").get_by_role("button", name=act)
            button.first.click()
            assert found(page, axe) == [], act
            page.keyboard.press("Escape")
        page.evaluate("document.body.append(document.createElement('img'))")
        assert any(one.startswith("image-alt") for one in found(page, axe)), "it would say nothing whatever it saw"


@pytest.mark.parametrize("size", SIZES)
def test_each_language_fits_each_screen(pit: Pit, size: str) -> None:
    """Nothing to scroll sideways, each button large enough for a finger, every glyph there."""
    with browser() as made:
        page = made.screen(f"{pit.address}/#{TABLE}", size)
        sign_in(pit, page)
        for name, short in LANGUAGES.items():
            page.get_by_role("button", name=name).click()
            page.locator(f"html[lang^={short}]").wait_for()
            page.locator(".acts").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (size, name)
            heights = page.evaluate("[...document.querySelectorAll('button')].map((each) => each.offsetHeight)")
            assert min(height for height in heights if height) >= 40
            picture(page, f"table-{size}-{short}")
            press_first(page, short, size)
        page.goto(pit.address)
        page.wait_for_selector(".tile")
        picture(page, f"pit-{size}")


def press_first(page: Any, short: str, size: str) -> None:
    """The form of a complaint, opened and left."""
    page.locator("#main button[data-key^='settle-complaint']").click()
    page.locator("#form[open]").wait_for()
    picture(page, f"form-{size}-{short}")
    assert page.evaluate("document.getElementById('form').scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    page.locator("#form[open]").wait_for(state="detached")
