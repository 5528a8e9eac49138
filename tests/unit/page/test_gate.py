"""The door of the page: names, origins, headers that stand there twice, lengths, cookies."""

from __future__ import annotations

import pytest

from tableside.page import gate
from tableside.page.gate import MAX_BODY_BYTES, Headers, cookie_of, objection, post_objection

HOSTS = frozenset({"127.0.0.1", "localhost"})
OWN = {
    "host": "127.0.0.1:8377",
    "origin": "http://127.0.0.1:8377",
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
    "content-length": "10",
    gate.OWN_HEADER: gate.OWN_VALUE,
}


def headers(**changes: str | None) -> Headers:
    """The page's own, with changes; None leaves one out."""
    given = {**OWN, **{name.replace("_", "-"): value for name, value in changes.items()}}
    return [(name.encode(), value.encode()) for name, value in given.items() if value is not None]


def test_the_pages_own_post_comes_in() -> None:
    assert objection(headers(), HOSTS) is None
    assert post_objection(headers()) is None
    assert post_objection(headers(sec_fetch_site=None)) is None, "an older browser does not say it"
    assert post_objection(headers(content_type="application/json; charset=utf-8")) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8377",
        "127.0.0.1.evil.example",
        "127.0.0.1:8377@evil.example",
        "evil.example#127.0.0.1",
        "127.0.0.1:8377, evil.example",
        "127.0.0.1:notaport",
        "[::1]:8377",
        "",
        None,
    ],
)
def test_other_names_are_not_this_page(host: str | None) -> None:
    refused = objection(headers(host=host), HOSTS)
    assert refused is not None
    assert refused.status == 400


@pytest.mark.parametrize("name", gate.ONCE)
def test_a_header_that_decides_stands_there_once(name: str) -> None:
    twice = [*headers(cookie="a=b"), (name.upper().encode(), OWN.get(name, "a=b").encode())]
    refused = objection(twice, HOSTS)
    assert refused is not None
    assert name in refused.text


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": None}, 403),
        ({"origin": "http://127.0.0.1:8378"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "none"}, 403),
        ({gate.OWN_HEADER: None}, 403),
        ({gate.OWN_HEADER: "2"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "application/json, text/plain"}, 415),
        ({"content_type": None}, 415),
        ({"content_length": None}, 411),
        ({"content_length": "-1"}, 411),
        ({"content_length": "1e3"}, 411),
        ({"content_length": str(MAX_BODY_BYTES + 1)}, 413),
        ({"transfer_encoding": "chunked"}, 411),
    ],
)
def test_a_post_that_is_not_the_pages_own_is_refused(changes: dict[str, str | None], status: int) -> None:
    refused = post_objection(headers(**changes))
    assert refused is not None
    assert refused.status == status


def test_a_cookie_is_read_by_its_whole_name_and_once() -> None:
    assert cookie_of(headers(cookie="a=1; tableside=abc; b=2"), "tableside") == "abc"
    assert cookie_of(headers(cookie="xtableside=abc; tableside2=def"), "tableside") == ""
    assert cookie_of(headers(cookie="tableside=abc; tableside=def"), "tableside") == ""
    assert cookie_of(headers(), "tableside") == ""
