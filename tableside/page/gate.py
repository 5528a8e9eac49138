"""What comes to the page's door: which hosts' names it answers to, and which posts are the page's own. Pure.

Another site can make a browser send something here, but not with its own header, not as JSON without being asked
first, and not with our origin in `Origin`. Each of these is enough; all of them are asked for (ADR 38).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# The page's scripts send it; nobody else can without a question that is not answered here (CORS).
OWN_HEADER, OWN_VALUE = "x-tableside", "1"
# A sort with every card named is 20 kB.
MAX_BODY_BYTES = 32_768
# Headers that decide something here: twice is a trick, since each reader may believe another one.
ONCE = ("host", "origin", "content-type", "content-length", "sec-fetch-site", "cookie", OWN_HEADER)
_AUTHORITY = re.compile(r"(?P<name>[A-Za-z0-9.-]{1,253})(:(?P<port>[0-9]{1,5}))?")
_JSON = re.compile(r"application/json(; ?charset=utf-8)?", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,9}")

Headers = Sequence[tuple[bytes, bytes]]


class Refused(NamedTuple):
    """HTTP status, and a text for whoever sent it: no person reads it."""

    status: int
    text: str


def objection(headers: Headers, hosts: frozenset[str]) -> Refused | None:
    """Why a request is not let in, whatever it asks; `hosts`: the names under which the page is known."""
    found = _gathered(headers)
    twice = next((name for name in ONCE if len(found.get(name, ())) > 1), None)
    if twice is not None:
        return Refused(400, f"the header {twice} stands there twice")
    authority = _AUTHORITY.fullmatch(_one(found, "host"))
    if authority is None or authority["name"].lower() not in hosts:
        return Refused(400, "not a name of this page")
    return None


def post_objection(headers: Headers) -> Refused | None:
    """Why a post is not the page's own; after `objection`."""
    found = _gathered(headers)
    host, origin = _one(found, "host"), _one(found, "origin")
    # Behind a server that speaks TLS the browser's own word is https; the name must be the same.
    if origin not in (f"http://{host}", f"https://{host}"):
        return Refused(403, "of another origin")
    if _one(found, "sec-fetch-site") not in ("", "same-origin"):
        return Refused(403, "of another site")
    if _one(found, OWN_HEADER) != OWN_VALUE:
        return Refused(403, f"without the header {OWN_HEADER}")
    if not _JSON.fullmatch(_one(found, "content-type")):
        return Refused(415, "JSON alone is taken")
    if "transfer-encoding" in found:
        return Refused(411, "its length is to be said before")
    length = _one(found, "content-length")
    if not _NUMBER.fullmatch(length):
        return Refused(411, "its length is to be said before")
    return Refused(413, f"more than {MAX_BODY_BYTES} bytes") if int(length) > MAX_BODY_BYTES else None


def cookie_of(headers: Headers, name: str) -> str:
    """The one cookie of this name; two of it are none, since another application of the host may have set one."""
    pairs = [pair.strip().partition("=") for pair in _one(_gathered(headers), "cookie").split(";")]
    values = [value for key, _, value in pairs if key == name]
    return values[0] if len(values) == 1 else ""


def _gathered(headers: Headers) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1").strip())
    return found


def _one(found: Mapping[str, list[str]], name: str) -> str:
    values = found.get(name, ())
    return values[0] if len(values) == 1 else ""
