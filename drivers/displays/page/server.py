"""The page's few addresses: three files, a stream of what to show, and the page's word for what it has painted."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

SITE = Path(__file__).parent / "site"
FILES = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js"}
# Nothing of another host is ever loaded, asked, framed or sent to.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
# What a page says is a line of text; more is no page of ours.
MAX_BODY_BYTES = 1_000

Stream = Callable[[], AsyncIterator[dict[str, object]] | None]
Painted = Callable[[object], Awaitable[bool]]


def application(stream: Stream, painted: Painted) -> Starlette:
    """`stream` gives what one page is told, None where there are too many; `painted` takes what a page says."""

    async def file(request: Request) -> Response:
        return FileResponse(SITE / FILES[request.url.path], headers=HEADERS)

    async def events(request: Request) -> Response:
        told = stream()
        if told is None:
            return Response("too many pages are open; close one", 503, HEADERS)
        return StreamingResponse(_lines(told), media_type="text/event-stream", headers=HEADERS)

    async def shown(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                return Response("too long", 413, HEADERS)
        try:
            said = json.loads(body)
        except ValueError:
            return Response("not JSON", 400, HEADERS)
        is_known = await painted(said)
        return JSONResponse({"is_known": is_known}, 200 if is_known else 409, HEADERS)

    routes = [Route(path, file) for path in FILES]
    return Starlette(routes=[*routes, Route("/events", events), Route("/shown", shown, methods=["POST"])])


async def _lines(told: AsyncIterator[dict[str, object]]) -> AsyncIterator[str]:
    async for what in told:
        yield f"data: {json.dumps(what, ensure_ascii=False)}\n\n"


class PageServer(uvicorn.Server):
    """uvicorn within our loop: signals are the daemon's own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave them alone."""
        yield


def server_of(app: Starlette) -> PageServer:
    """A server that says nothing by itself and keeps nobody waiting at its end."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        http="h11",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return PageServer(config)


def listening(host: str, port: int) -> socket.socket:
    """The socket of the page. Raises OSError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen()
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made
