"""The display page without a browser: what it serves, what it believes, and what bad input gets."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import pytest

from drivers.displays.page import PageDisplay, PageSettings
from drivers.displays.page.address import PageAddressRefused, parse_page_address
from drivers.displays.page.viewers import MAX_VIEWERS, PAINT_LIMIT_S, SILENT_S, Viewers
from drivers.displays.page.words import WORDS
from drivers.displays.showing import Showing
from drivers.events import DisplayLost, DisplayReady, DisplayShowed, Fact, Shown
from tableside.configuration.shape import Device, DeviceRole
from tableside.diagnosis.device_status import device_status
from tableside.diagnosis.evidence import evidence_of
from tableside.diagnosis.why import Cause, why
from tableside.equipment import page_health
from tests.support.collector import until
from tests.support.page import LANGUAGES, Page, served_page

AMOUNT = Showing(1, Shown.AMOUNT, 1_234_56, "EUR")
SHOWED = DisplayShowed(device="page", version=1, what=Shown.AMOUNT)
LIMIT_S = 30.0


async def ask(page: Page, method: str, path: str, body: bytes = b"") -> tuple[int, str]:
    """One request, as any program could send it: status, and head with body."""
    host, port = parse_page_address(page.address)
    async with asyncio.timeout(LIMIT_S):
        reader, writer = await asyncio.open_connection(host, port)
        head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        raw = (await reader.read()).decode("utf-8")
        writer.close()
    return int(raw.split()[1]), raw


@contextlib.asynccontextmanager
async def opened(page: Page) -> AsyncIterator[AsyncIterator[dict[str, object]]]:
    """A page that is open: what it is told, message by message."""
    host, port = parse_page_address(page.address)
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())

    async def told() -> AsyncIterator[dict[str, object]]:
        while True:
            async with asyncio.timeout(LIMIT_S):
                line = await reader.readline()
            if not line:
                return
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))

    try:
        yield told()
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def until_amount(told: AsyncIterator[dict[str, object]]) -> dict[str, object]:
    async for message in told:
        if "text" in message:
            return message
    raise AssertionError("the stream has ended")


async def test_what_a_page_is_told_and_what_it_says_back(unused_tcp_port: int) -> None:
    async with served_page(unused_tcp_port) as page:
        page.goal[:] = [AMOUNT]
        async with opened(page) as told:
            greeting = await anext(told)
            assert greeting["wait"] == [WORDS[Shown.WAIT][language] for language in LANGUAGES]
            message = await until_amount(told)
            assert (message["version"], message["what"], message["text"]) == (1, "amount", "EUR 1,234.56")
            assert page.count(DisplayShowed) == 0, "told is not painted"
            said = {"viewer": greeting["viewer"], "version": 1, "what": "amount"}
            status, _ = await ask(page, "POST", "/shown", json.dumps(said).encode())
            assert status == 200
            await page.until_told(SHOWED)
        await until(lambda: page.count(DisplayLost) == 2, "the page that was closed")


async def test_a_technician_is_told_that_no_page_is_open_and_when_one_last_said_something(unused_tcp_port: int) -> None:
    """It has no cable whose bytes could tell: neither *no power or no cable* nor *no byte has ever come* is true."""
    async with served_page(unused_tcp_port) as page:
        health = page_health(page.driver)
        assert (health["is_connected"], health["silent_ms"]) == (False, None)
        device = Device(
            name="page", role=DeviceRole.DISPLAY, driver="display-page", address=page.address, serial_number="W",
            model="page", display_characters=13,
        )  # fmt: skip
        found = why(evidence_of(device, health, "", ()))
        assert found.named_cause is Cause.NO_PAGE
        assert page.address in found.next_step
        page.goal[:] = [AMOUNT]
        async with opened(page) as told:
            greeting = await anext(told)
            await until_amount(told)
            said = {"viewer": greeting["viewer"], "version": 1, "what": "amount"}
            await ask(page, "POST", "/shown", json.dumps(said).encode())
            await page.until_told(SHOWED)
            health = page_health(page.driver)
            assert health["is_connected"]
            assert isinstance(health["silent_ms"], int)
            assert device_status(device, None, health, None, 0)["silent_ms"] == health["silent_ms"]


async def test_all_open_pages_must_show_it(unused_tcp_port: int) -> None:
    async with served_page(unused_tcp_port) as page, opened(page) as one, opened(page) as other:
        viewers = [(await anext(stream))["viewer"] for stream in (one, other)]
        await until(lambda: page.count(DisplayReady), "a page to be open")
        page.show(AMOUNT)
        for count, viewer in enumerate(viewers):
            assert page.count(DisplayShowed) == 0, count
            said = {"viewer": viewer, "version": 1, "what": "amount"}
            assert (await ask(page, "POST", "/shown", json.dumps(said).encode()))[0] == 200
        await page.until_told(SHOWED)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/shown", b'{"viewer":"guessed","version":1,"what":"amount"}', 409),
        ("POST", "/shown", b'{"viewer":1,"version":"1","what":"amount"}', 409),
        ("POST", "/shown", b'{"viewer":"x","version":1,"what":"free money"}', 409),
        ("POST", "/shown", b'{"viewer":"x","version":1,"what":["amount"]}', 409),
        ("POST", "/shown", b"[]", 409),
        ("POST", "/shown", b"not json", 400),
        ("POST", "/shown", b"x" * 5_000, 413),
        ("GET", "/shown", b"", 405),
        ("GET", "/../../etc/passwd", b"", 404),
        ("GET", "/page.py", b"", 404),
        ("GET", "/", b"", 200),
        ("GET", "/page.js", b"", 200),
    ],
)
async def test_bad_requests_get_their_answer(
    method: str, path: str, body: bytes, status: int, unused_tcp_port: int
) -> None:
    async with served_page(unused_tcp_port) as page:
        got, raw = await ask(page, method, path, body)
        assert got == status
        assert page.count(DisplayReady) == 0, "whoever only asks is no display"
        if status == 200:
            assert "content-security-policy: default-src 'none'" in raw
            assert "://" not in raw.partition("\r\n\r\n")[2], "nothing of another host"


async def test_an_address_that_is_taken_is_said_and_tried_again(unused_tcp_port: int) -> None:
    async def report(_fact: Fact) -> None:
        pass

    async with served_page(unused_tcp_port) as page:
        other = PageDisplay(PageSettings("other", page.address), report)
        task = asyncio.create_task(other.run())
        try:
            await until(lambda: other.keeper.why_away, "why the second is away")
            assert "in use" in other.keeper.why_away
        finally:
            task.cancel()
            await asyncio.wait([task])


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1",
        "https://127.0.0.1:1",
        "http://127.0.0.1:99999",
        "http://a:1/x",
        "127.0.0.1:80",
        "http://u@h:1",
    ],
)
def test_an_address_that_serves_no_page_is_refused(text: str) -> None:
    with pytest.raises(PageAddressRefused):
        parse_page_address(text)


def test_pages_are_counted_silent_ones_dropped_and_late_ones_named() -> None:
    names = iter("abcdefghijkl")
    viewers = Viewers(lambda: next(names))
    first = viewers.come(0.0)
    assert first is not None
    for _ in range(MAX_VIEWERS - 1):
        assert viewers.come(0.0) is not None
    assert viewers.come(0.0) is None, "there are enough"
    goal = (1, Shown.AMOUNT)
    assert not viewers.is_late(goal, 0.0, PAINT_LIMIT_S)
    assert viewers.is_late(goal, 0.0, PAINT_LIMIT_S + 1)
    assert viewers.painted("a", goal, SILENT_S)
    assert not viewers.all_show(goal)
    viewers.drop_silent(SILENT_S + 1)
    assert len(viewers) == 1
    assert viewers.all_show(goal)
    assert not viewers.painted("b", goal, SILENT_S + 1), "a page that was dropped is not believed"


def test_every_word_stands_in_every_language() -> None:
    for what in set(Shown) - {Shown.AMOUNT, Shown.NOTHING}:
        assert set(WORDS[what]) == set(LANGUAGES)
