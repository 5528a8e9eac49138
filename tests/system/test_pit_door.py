"""The door of the supervisor's page of a running daemon, tried with bytes: no browser would send most of this.

What is refused has done nothing: the journal holds no request but those that were let in.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from tableside.page.gate import MAX_BODY_BYTES
from tests.support.mosquitto import free_port
from tests.support.pit import TABLE, Pit, pit_page
from tests.support.processes import DEADLINE_S, until

pytestmark = pytest.mark.system
ACT = {"id": "page-1", "act": "stop-play", "table": TABLE, "fields": {}, "seen": "stop: not stopped"}
COOKIES: dict[str, str] = {}


@dataclass
class Said:
    """An answer as its bytes say it."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        values = [value for key, value in self.headers if key == name]
        assert len(values) <= 1, f"{name} stands there twice"
        return values[0] if values else ""

    def json(self) -> Any:
        return json.loads(self.body)


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    with pit_page(tmp_path_factory.mktemp("door"), free_port(), sign_in_s=300) as made:
        COOKIES.clear()
        yield made


def port_of(pit: Pit) -> int:
    return int(pit.address.rpartition(":")[2])


def raw(pit: Pit, sent: bytes) -> bytes:
    """Bytes in, all bytes out until it hangs up."""
    with socket.create_connection(("127.0.0.1", port_of(pit)), DEADLINE_S) as line:
        line.sendall(sent)
        got = b""
        while chunk := line.recv(65_536):
            got += chunk
        return got


def parsed(answer: bytes) -> Said:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]
    return Said(int(first.split(" ")[1]), headers, body)


def asked(pit: Pit, target: str, method: str = "GET", **headers: str) -> Said:
    """A request whose connection ends with it."""
    given = {"Host": f"127.0.0.1:{port_of(pit)}", "Connection": "close"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    return parsed(raw(pit, "\r\n".join([*lines, "", ""]).encode("latin-1")))


def posted(pit: Pit, target: str, body: bytes, *, without: str = "", **headers: str) -> Said:
    """As the page's own script posts, with changes."""
    given = {
        "Host": f"127.0.0.1:{port_of(pit)}",
        "Origin": pit.address,
        "Sec-Fetch-Site": "same-origin",
        "X-Tableside": "1",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    given.pop(without, None)
    lines = ["POST " + target + " HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    return parsed(raw(pit, "\r\n".join([*lines, "", ""]).encode("latin-1") + body))


def cookie_of(pit: Pit, staff: str) -> str:
    """A screen of somebody's, signed in by the badge once for all tests of this module."""
    if staff not in COOKIES:
        answer = posted(pit, "/sign-in", json.dumps({"table": TABLE}).encode())
        assert answer.status == 200, answer.body
        cookie = COOKIES[staff] = answer.header("set-cookie").partition(";")[0]
        pit.tap(staff)
        until(lambda: posted(pit, "/act", b"{}", Cookie=cookie).status != 401, lambda: pit.running.log)
    return COOKIES[staff]


def act(pit: Pit, cookie: str, **changes: object) -> Said:
    return posted(pit, "/act", json.dumps({**ACT, **changes}).encode(), Cookie=cookie)


def is_stopped(pit: Pit) -> bool:
    return any(lock["reason"] == "stop asked" for lock in pit.state()["locks"])


# --- what anybody may ask -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    ["/", "/pit.js", "/names.json", "/words.json?language=en", "/words.json?language=%3Cb%3E", "/nothing", "/act"],
)
def test_every_answer_has_the_headers_that_keep_other_sites_out(pit: Pit, target: str) -> None:
    answer = asked(pit, target)
    policy = answer.header("content-security-policy")
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("cache-control") == "no-store"
    assert not answer.header("server")
    assert not answer.header("set-cookie")
    assert not any(name.startswith("access-control") for name, _ in answer.headers)


@pytest.mark.parametrize(
    "target",
    [
        "/../pyproject.toml",
        "/%2e%2e/server.py",
        "/..%2fserver.py",
        "/%252e%252e/server.py",
        "//etc/passwd",
        "/pit.js/../server.py",
        "/pit.css%00.html",
        "/site/pit.js",
        "/pit.js/",
        "/\\..\\server.py",
        "/act/../pit.js",
        "/events/x",
        "/words.json;x=1",
        "http://evil.example/",
    ],
)
def test_no_path_leads_anywhere_else(pit: Pit, target: str) -> None:
    answer = asked(pit, target)
    assert answer.status in (400, 404)
    assert b"evil" not in answer.body
    assert b"import" not in answer.body


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1@evil.example", "", "[::1]"])
def test_another_hosts_name_is_refused(pit: Pit, name: str) -> None:
    assert asked(pit, "/", Host=name).status == 400
    assert posted(pit, "/sign-in", b"{}", Host=name, Origin=f"http://{name}").status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "GET"])
@pytest.mark.parametrize("target", ["/act", "/sign-in", "/sign-out"])
def test_nothing_but_a_post_does_anything(pit: Pit, method: str, target: str) -> None:
    answer = asked(pit, target, method, Origin="http://evil.example", Access_Control_Request_Method="POST")
    assert answer.status in (400, 404, 405)
    assert not any(name.startswith("access-control") for name, _ in answer.headers)


def test_a_table_of_nobodys_has_no_stream_and_its_name_is_not_said_back(pit: Pit) -> None:
    answer = asked(pit, "/events?table=%3Cscript%3E")
    assert answer.status == 404
    assert b"script" not in answer.body


# --- bytes that two readers could understand in two ways ------------------------------------------------------------


def test_headers_that_stand_there_twice_or_crooked_are_refused(pit: Pit) -> None:
    port, body = port_of(pit), b"{}"
    own = (
        f"POST /act HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {pit.address}\r\nX-Tableside: 1\r\n"
        "Content-Type: application/json\r\nConnection: close\r\n"
    )
    for more in (
        "Content-Length: 2\r\nHost: evil.example\r\n",
        "Content-Length: 2\r\nOrigin: http://evil.example\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Content-Length : 2\r\n",
        "Content-Length: +2\r\n",
        "Content-Length: 2\r\nX-Tableside: 1\r\n",
        "Content-Length: 2\r\nCookie: a=b\r\nCookie: tableside=c\r\n",
        "Content-Length: 2\r\nX\x00Y: 1\r\n",
    ):
        status = parsed(raw(pit, (own + more + "\r\n").encode("latin-1") + body)).status
        assert status in (400, 403, 411), more


def test_a_request_hidden_in_anothers_body_is_no_request(pit: Pit) -> None:
    hidden = b"POST /sign-out HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n"
    answer = raw(
        pit,
        f"POST /act HTTP/1.1\r\nHost: 127.0.0.1:{port_of(pit)}\r\nContent-Length: {len(hidden)}\r\n\r\n".encode()
        + hidden,
    )
    assert answer.count(b"HTTP/1.1") == 1
    assert parsed(answer).status == 403


def test_a_head_without_end_is_hung_up_on(pit: Pit) -> None:
    endless = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"
    with suppress(ConnectionResetError):  # it hangs up while there is still something to read
        assert parsed(raw(pit, endless)).status in (400, 431)
    assert asked(pit, "/").status == 200


def test_a_body_is_bounded_in_size_and_in_time(pit: Pit) -> None:
    assert posted(pit, "/act", b"x", Content_Length=str(MAX_BODY_BYTES + 1)).status == 413
    assert posted(pit, "/act", b"x" * MAX_BODY_BYTES).status == 400
    assert posted(pit, "/act", b"half", Content_Length="100").status == 408


# --- posts that are not the page's own ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"without": "Origin"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"without": "X-Tableside"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_another_sites_post_does_nothing_even_with_a_badge_behind_it(
    pit: Pit, changes: dict[str, str], status: int
) -> None:
    cookie = cookie_of(pit, "S-201")
    answer = posted(pit, "/act", json.dumps(ACT).encode(), Cookie=cookie, **changes)  # type: ignore[arg-type]  # headers
    assert answer.status == status
    assert not is_stopped(pit)


def test_nobody_acts_without_a_badge(pit: Pit) -> None:
    for cookie in ("", "tableside=", "tableside=guess", "other=1", "tableside=a; tableside=b"):
        answer = act(pit, cookie)
        assert answer.status == 401
        assert answer.json()["said"] == "sign in first"
    assert not is_stopped(pit)


def test_the_cookie_is_for_this_page_alone(pit: Pit) -> None:
    answer = posted(pit, "/sign-in", json.dumps({"table": TABLE}).encode())
    cookie = answer.header("set-cookie").lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "domain" not in cookie
    token = cookie.partition("=")[2].partition(";")[0]
    assert len(token) >= 43, "32 bytes"
    assert token not in pit.running.log.lower()
    posted(pit, "/sign-out", b"{}", Cookie=answer.header("set-cookie").partition(";")[0])


# --- what a badge does not make right -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"NaN",
        b'{"id":1}',
        b"[" * 10_000,
        b'{"act":["stop-play"]}',
        b"\xff\xfe",
        json.dumps({**ACT, "staff": "R-401"}).encode(),
        json.dumps({**ACT, "via": "cli"}).encode(),
        json.dumps({**ACT, "pins": {"S-201": "200001"}}).encode(),
        json.dumps({**ACT, "act": "adopt-device"}).encode(),
        json.dumps({**ACT, "act": "state"}).encode(),
        json.dumps({**ACT, "id": "a:b"}).encode(),
        json.dumps({**ACT, "id": ""}).encode(),
        json.dumps({**ACT, "table": "../BJ-07"}).encode(),
        json.dumps({**ACT, "table": ""}).encode(),
        json.dumps({**ACT, "fields": {"why": "a\nb"}}).encode(),
        json.dumps({**ACT, "fields": {"why": "a\u001b[2Jb"}}).encode(),
        json.dumps({**ACT, "fields": {"why": "a\u202eb"}}, ensure_ascii=False).encode(),
        b'{"id":"page-2","act":"stop-play","table":"BJ-07","fields":{"why":"\\ud800"},"seen":"x"}',
        json.dumps({**ACT, "fields": {"why": "x" * 401}}).encode(),
        json.dumps({**ACT, "fields": {"wy": "typo"}}).encode(),
    ],
)
def test_what_cannot_be_understood_does_nothing_and_says_what_is_allowed(pit: Pit, body: bytes) -> None:
    answer = posted(pit, "/act", body, Cookie=cookie_of(pit, "S-201"))
    assert answer.status == 400
    assert not is_stopped(pit)


def test_a_role_that_reads_only_does_nothing(pit: Pit) -> None:
    answer = act(pit, cookie_of(pit, "I-701"))
    assert (answer.status, answer.json()["said"]) == (403, "not for your role")
    assert not is_stopped(pit)


def test_what_was_seen_before_it_changed_does_nothing(pit: Pit) -> None:
    answer = act(pit, cookie_of(pit, "S-201"), id="page-stale", seen="stop: stopped")
    assert (answer.status, answer.json()["said"]) == (409, "has changed meanwhile")
    assert not is_stopped(pit)


def test_one_id_is_answered_once_and_is_nobody_elses(pit: Pit) -> None:
    cookie = cookie_of(pit, "S-201")
    first = act(pit, cookie, id="page-once", fields={"why": "first"})
    assert first.status == 200
    again = act(pit, cookie, id="page-once", fields={"why": "second"})
    assert again.json() == first.json()
    other = act(pit, cookie_of(pit, "S-202"), id="page-once", fields={"why": "first"})
    assert (other.status, other.json()["said"]) == (409, "form was used")
    rows = [row for row in pit.rows("StopPlay") if row["id"] == "page-once"]
    assert [(row["by"], row["via"], row["why"]) for row in rows] == [("S-201", "page", "first")]
    assert pit.do("resume-play", "S-201")["answer"] == "accepted"
