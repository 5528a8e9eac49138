"""The page's addresses: its files, its words, and a stream of pictures. It listens on the loopback and only reads."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from drivers.displays.page.server import HEADERS, listening, server_of
from tableside.page.board import Board
from tableside.page.words import NAMES, words_by_language

SITE = Path(__file__).parent / "site"
FILES = {"/": "pit.html", "/pit.css": "pit.css", "/pit.js": "pit.js", "/paint.js": "paint.js"}
# A section has a handful of screens, a wall and some phones; more are somebody else's.
MAX_VIEWERS = 64
LOOPBACK = "127.0.0.1"
# Where the port is taken, the next free one of so many.
TRIES = 10

_log = structlog.get_logger("page")


class PageTaken(OSError):
    """None of the ports is free."""


def application(board: Board) -> Starlette:
    """The page over a board. Names of other hosts are refused: a page elsewhere cannot make a browser ask here."""
    viewers: set[object] = set()
    words = json.dumps({"words": words_by_language(), "names": NAMES}, ensure_ascii=False)

    async def file(request: Request) -> Response:
        return FileResponse(SITE / FILES[request.url.path], headers=HEADERS)

    async def told_words(_request: Request) -> Response:
        return Response(words, media_type="application/json", headers=HEADERS)

    async def events(request: Request) -> Response:
        name = request.query_params.get("table", "")
        if name and name not in board.tables:
            return Response(f"no table of this host: {', '.join(board.tables)}", 404, HEADERS)
        if len(viewers) >= MAX_VIEWERS:
            return Response("too many screens are open; close one", 503, HEADERS)
        return StreamingResponse(_pictures(board, name, viewers), media_type="text/event-stream", headers=HEADERS)

    routes = [Route(path, file) for path in FILES]
    return Starlette(
        routes=[*routes, Route("/words.json", told_words), Route("/events", events)],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[LOOPBACK, "localhost"], www_redirect=False)],
    )


async def _pictures(board: Board, name: str, viewers: set[object]) -> AsyncIterator[str]:
    """The picture now, and each that is newer; in between a beat, so that a silent stream is seen to be dead."""
    me, last = object(), -1
    viewers.add(me)
    try:
        while True:
            if board.number != last:
                last = board.number
                yield f"data: {board.picture(name)}\n\n"
            else:
                yield "event: beat\ndata: 0\n\n"
            await board.until_newer(last)
    finally:
        viewers.discard(me)


async def serve(board: Board, port: int) -> None:
    """Serve until cancelled. Raises `PageTaken`."""
    sockets = [_free_socket(port)]
    _log.info("page_served", address=f"http://{LOOPBACK}:{sockets[0].getsockname()[1]}")
    server = server_of(application(board))
    making = asyncio.create_task(board.run(), name="page board")
    try:
        await server.serve(sockets=sockets)
    finally:
        server.should_exit = True
        making.cancel()
        for each in sockets:
            each.close()


def _free_socket(port: int) -> socket.socket:
    for each in range(port, port + TRIES):
        try:
            return listening(LOOPBACK, each)
        except OSError:
            continue
    raise PageTaken(f"ports {port} to {port + TRIES - 1} are taken: name another in [page] of the host's file")
