"""The supervisor's page of a running daemon in a real Chromium: what is read there, in which language, how old it is.

Skipped, with the reason, where Chromium or Playwright is absent. `TABLESIDE_SCREENSHOTS=FOLDER` keeps the pictures.
"""

from __future__ import annotations

import os
import shutil
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.processes import DEADLINE_S, Running, daemon, simulated_table, tableside, until

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
DEADLINE_MS = 1_000 * DEADLINE_S
TABLE = "BJ-07"


@pytest.fixture
def served(tmp_path: Path, unused_tcp_port: int) -> Iterator[tuple[Running, str]]:
    """A daemon of a simulated table, and the address of its page."""
    page = {"port = 8377": f'port = {unused_tcp_port}\nsecond_language = "zh_Hant_MO"'}
    with (
        simulated_table(tmp_path, edits=page) as config,
        daemon(config, tmp_path / "run" / "control.sock", tmp_path / "log") as running,
    ):
        until(lambda: "page_served" in running.log, lambda: running.log)
        yield running, f"http://127.0.0.1:{unused_tcp_port}"


@contextmanager
def tab(address: str, width: int, height: int) -> Iterator[playwright.Page]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            page = browser.new_context(viewport={"width": width, "height": height}).new_page()
            page.set_default_timeout(DEADLINE_MS)
            page.goto(address)
            page.wait_for_selector(".tile")
            yield page
        finally:
            browser.close()


def picture(page: playwright.Page, name: str) -> None:
    folder = os.environ.get("TABLESIDE_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def call_supervisor(running: Running) -> None:
    done = tableside("play", "call", "--socket", str(running.socket), "--table", TABLE)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1024, 768), (1920, 1080)], ids=["phone", "tablet", "wall"])
def test_an_alert_is_read_with_table_next_step_and_who_has_it_in_each_language(
    served: tuple[Running, str], width: int, height: int
) -> None:
    running, address = served
    with tab(address, width, height) as page:
        asked: list[str] = []
        errors: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        call_supervisor(running)
        page.wait_for_selector(".tile .alert.level2")
        said = {}
        for language in ("English", "Português", "繁體中文"):
            button = page.get_by_role("button", name=language)
            button.click()
            page.wait_for_function("each => each.getAttribute('aria-pressed') === 'true'", arg=button.element_handle())
            said[language] = page.locator(".alert").first.inner_text()
            assert said[language].count(TABLE) >= 1
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing to scroll sideways"
            picture(page, f"pit-{width}-{language}")
        assert len(set(said.values())) == 3
        assert "Inês Carvalho" in said["English"]
        page.locator(".tile").first.click()
        page.wait_for_selector(".boxes")
        picture(page, f"table-{width}")
        assert page.locator(".box").count() >= 5
        assert errors == []
        assert all(url.startswith(address) for url in asked)


def test_two_languages_stand_at_once_as_the_host_is_set_and_the_screen_asks(served: tuple[Running, str]) -> None:
    running, address = served
    call_supervisor(running)
    chinese, portuguese = "莊荷請監場到枱", "o pagador chama o fiscal-chefe"
    for asked, first, second in (("/", "English", chinese), ("/?second=pt_PT", "English", portuguese)):
        with tab(f"{address}{asked}", 1024, 768) as page:
            page.get_by_role("button", name=first).click()
            page.wait_for_selector(".alert .second")
            assert second in page.locator(".alert .second").first.inner_text()
            assert "dealer asks for the floor supervisor" in page.locator(".alert .fact").first.inner_text()
    with tab(address, 1024, 768) as page:
        page.get_by_role("button", name="繁體中文").click()
        page.wait_for_selector("html[lang^=zh]", state="attached")
        page.wait_for_selector(".alert")
        assert page.locator(".alert .second").count() == 0, "the second one is the first already"


def test_two_viewers_see_the_same_and_a_cleared_alert_goes_from_both(served: tuple[Running, str]) -> None:
    running, address = served
    with tab(address, 1024, 768) as page:
        other = page.context.new_page()
        other.goto(f"{address}/#{TABLE}")
        call_supervisor(running)
        for each in (page, other):
            each.wait_for_selector(".alert", timeout=DEADLINE_MS)
        alert = running.ask("alerts")[0]["alert"]
        done = tableside(
            "alert", "clear", "--alert", str(alert), "--as", "S-201", "--socket", str(running.socket), "--table", TABLE
        )
        assert done.returncode == 0, done.stdout + done.stderr
        for each in (page, other):
            each.wait_for_selector(".alert", state="detached", timeout=DEADLINE_MS)


def test_a_screen_whose_stream_is_dead_says_how_old_it_is_and_is_well_again_by_itself(
    served: tuple[Running, str], tmp_path: Path
) -> None:
    running, address = served
    with tab(address, 1024, 768) as page:
        assert page.locator("#old").is_hidden()
        running.end(signal.SIGKILL)
        page.wait_for_selector("#old:not([hidden])")
        assert "Do not rely on it" in page.locator("#old").inner_text()
        picture(page, "old")
        with daemon(running.config, running.socket, tmp_path / "log"):
            page.wait_for_selector("#old", state="hidden")


def status_of(address: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=DEADLINE_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_other_hosts_paths_and_methods_are_refused(served: tuple[Running, str]) -> None:
    _, address = served
    assert status_of(address) == 200
    assert status_of(address, Host="evil.example") == 400
    assert status_of(f"{address}/../pyproject.toml") == 404
    assert status_of(f"{address}/%2e%2e/server.py") == 404
    assert status_of(f"{address}/events?table=nobody") == 404
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        urllib.request.urlopen(urllib.request.Request(address, data=b"x"), timeout=DEADLINE_S)
    refused.value.close()
