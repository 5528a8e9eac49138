"""One HTTP/1.1 POST in the event loop: what a pager or a recorder needs, and no more."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from firmware_bridge.links.base import LinkClosed

# A server of the house answers in milliseconds.
ANSWER_LIMIT_S = 10.0
MAX_HEAD_BYTES = 16_384
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Place:
    """Where to post."""

    host: str
    port: int
    path: str
    is_secure: bool


def place_of(url: str) -> Place:
    """The parts of an address that the configuration's check has passed."""
    parts = urlsplit(url)
    path = parts.path or "/"
    return Place(
        parts.hostname or "",
        parts.port or PORTS[parts.scheme],
        f"{path}?{parts.query}" if parts.query else path,
        parts.scheme == "https",
    )


async def post(url: str, body: bytes) -> None:
    """Post JSON. Raises `LinkClosed` where the answer is not 2xx, or none comes."""
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            status = await _exchange(place_of(url), body)
    except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        why = str(error) or f"no answer within {ANSWER_LIMIT_S:g} s"
        raise LinkClosed(f"{url}: {why}. Check that the server runs and is reached") from error
    if not 200 <= status < 300:
        raise LinkClosed(f"{url}: the server answered {status} instead of 2xx")


async def _exchange(place: Place, body: bytes) -> int:
    context = ssl.create_default_context() if place.is_secure else None
    reader, writer = await asyncio.open_connection(place.host, place.port, ssl=context, limit=MAX_HEAD_BYTES)
    try:
        host = f"[{place.host}]" if ":" in place.host else place.host
        writer.write(
            f"POST {place.path} HTTP/1.1\r\nHost: {host}:{place.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode("ascii")
            + body
        )
        await writer.drain()
        line = await reader.readuntil(b"\r\n")
        version, _, rest = line.partition(b" ")
        if not version.startswith(b"HTTP/1."):
            raise ValueError("what answers there speaks no HTTP/1")
        return int(rest.split(b" ", 1)[0])
    finally:
        writer.transport.abort()
