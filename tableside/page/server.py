"""The page's addresses: its files and words, a stream of pictures, and the screens' posts: sign in, act, sign out.

It listens on the loopback. What comes in passes the gate (`gate.py`); what a screen asks for is the sign-ins' and the
table's to grant.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from drivers.displays.page.server import HEADERS, listening, server_of
from tableside.page import gate
from tableside.page.acting import Acting
from tableside.page.board import Board
from tableside.page.forms import forms
from tableside.page.me import me_view
from tableside.page.sign_ins import SignInRefused, SignIns
from tableside.page.words import NAMES, words_by_language
from tableside.phrases import by_language

SITE = Path(__file__).parent / "site"
FILES = {
    "/": "pit.html",
    **{f"/{name}": name for name in ("pit.css", "pit.js", "paint.js", "account.js", "forms.js", "screen.js")},
}
# A section has a handful of screens, a wall and some phones; more are somebody else's.
MAX_VIEWERS = 64
# A form of the page is one packet on the loopback; who sends it drop by drop holds the place of others.
BODY_LIMIT_S = 5.0
LOOPBACK = "127.0.0.1"
COOKIE = "tableside"
# Where the port is taken, the next free one of so many.
TRIES = 10
# The daemon is gone within five seconds of its signal, and its tables' last orders come first.
END_S = 2.0

_log = structlog.get_logger("page")
Taken = Callable[[str, object], Awaitable[Response]]


class PageTaken(OSError):
    """None of the ports is free."""


class Gate:
    """Lets in what is asked under the page's own names, and posts of its own alone; all that leaves has its headers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            return  # there is nothing else here
        refused = gate.objection(scope["headers"], self._hosts)
        if refused is None and scope["method"] == "POST":
            refused = gate.post_objection(scope["headers"])
        if refused is None:
            await self._app(scope, receive, _with_headers(send))
        else:
            close = {**HEADERS, "Connection": "close"}  # what is left of its body is nobody's
            await Response(refused.text, refused.status, close)(scope, receive, send)


def _with_headers(send: Send) -> Send:
    """Whoever answers, a refusal of the routes included."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent


def application(
    board: Board, acting: Acting, sign_ins: SignIns, hosts: frozenset[str] = frozenset({LOOPBACK, "localhost"})
) -> Starlette:
    """The page over a board. Names of other hosts are refused: a page elsewhere cannot make a browser ask here."""
    app = Starlette(
        routes=[*_reads(board, sign_ins), *_posts(acting, sign_ins)], middleware=[Middleware(Gate, hosts=hosts)]
    )
    app.router.redirect_slashes = False  # an address is what stands here, and nothing near it
    return app


def _reads(board: Board, sign_ins: SignIns) -> list[Route]:
    viewers: set[object] = set()
    words, phrases = words_by_language(), by_language()

    async def file(request: Request) -> Response:
        return FileResponse(SITE / FILES[request.url.path], headers=HEADERS)

    async def told_names(_request: Request) -> Response:
        return JSONResponse(dict(NAMES), headers=HEADERS)

    async def told_words(request: Request) -> Response:
        """All that is said in one language, and what forms need; one language is a third of all."""
        language = request.query_params.get("language", "")
        if language not in words:
            return Response(f"no language of the page: {', '.join(words)}", 404, HEADERS)
        told = {"words": words[language], "phrases": phrases.get(language, {}), "forms": forms()}
        return JSONResponse({**told, "staff": board.staff()}, headers=HEADERS)

    async def events(request: Request) -> Response:
        name = request.query_params.get("table", "")
        if name and name not in board.tables:
            return Response(f"no table of this host: {', '.join(board.tables)}", 404, HEADERS)
        if len(viewers) >= MAX_VIEWERS:
            return Response("too many screens are open; close one", 503, HEADERS)
        stream = _pictures(board, name, viewers, lambda: me_view(sign_ins, token_of(request)))
        return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)

    others = {"/names.json": told_names, "/words.json": told_words, "/events": events}
    return [*(Route(path, file) for path in FILES), *(Route(path, told) for path, told in others.items())]


def _posts(acting: Acting, sign_ins: SignIns) -> list[Route]:
    async def sign_in(token: str, given: object) -> Response:
        table = given.get("table") if isinstance(given, dict) else None
        try:
            fresh = sign_ins.ask(table if isinstance(table, str) else "", token)
        except SignInRefused as refused:
            return JSONResponse({"answer": "refused", "said": refused.why.value}, 409, HEADERS)
        answer = JSONResponse({"answer": "accepted"}, 200, HEADERS)
        answer.set_cookie(COOKIE, fresh, path="/", httponly=True, samesite="strict")
        return answer

    async def sign_out(token: str, _given: object) -> Response:
        sign_ins.sign_out(token)
        answer = JSONResponse({"answer": "accepted"}, 200, HEADERS)
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    async def act(token: str, given: object) -> Response:
        answer = await acting.act(token, given)
        return JSONResponse(msgspec.to_builtins(answer), answer.status, HEADERS)

    posts: dict[str, Taken] = {"/sign-in": sign_in, "/sign-out": sign_out, "/act": act}
    return [Route(path, _posted(taken), methods=["POST"]) for path, taken in posts.items()]


def token_of(request: Request) -> str:
    """The screen's token, empty where there is none."""
    return gate.cookie_of(request.headers.raw, COOKIE)


def _posted(taken: Taken) -> Callable[[Request], Awaitable[Response]]:
    """A post's JSON, in bounds of size and time."""

    async def post(request: Request) -> Response:
        body = b""
        try:
            async with asyncio.timeout(BODY_LIMIT_S):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > gate.MAX_BODY_BYTES:
                        return Response("too long", 413, HEADERS)
        except TimeoutError:
            return Response("it never came to its end", 408, {**HEADERS, "Connection": "close"})
        try:
            given = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return Response("not JSON", 400, HEADERS)
        return await taken(token_of(request), given)

    return post


async def _pictures(
    board: Board, name: str, viewers: set[object], me: Callable[[], dict[str, object]]
) -> AsyncIterator[str]:
    """The picture now, and each that is newer; in between a beat, so that a silent stream is seen to be dead.

    Whose screen it is comes before the picture, where it has changed: what is offered hangs on it.
    """
    this, last = object(), -1
    said: dict[str, object] = {}
    viewers.add(this)
    try:
        while not board.is_closed:
            mine = me()
            if (now := {**mine, "left_s": None}) != said:
                said = now
                yield f"event: me\ndata: {json.dumps(mine, ensure_ascii=False)}\n\n"
            if board.number != last:
                last = board.number
                yield f"data: {board.picture(name)}\n\n"
            else:
                yield "event: beat\ndata: 0\n\n"
            await board.until_newer(last)
    finally:
        viewers.discard(this)


async def serve(
    board: Board, acting: Acting, sign_ins: SignIns, port: int, others: frozenset[int] = frozenset()
) -> None:
    """Serve until cancelled; `others` are ports that something else of the host is named to. Raises `PageTaken`."""
    listens = _free_socket(port, others)
    _log.info("page_served", address=f"http://{LOOPBACK}:{listens.getsockname()[1]}")
    server = server_of(application(board, acting, sign_ins))
    serving = asyncio.create_task(server.serve(sockets=[listens]), name="page server")
    beside = [
        asyncio.create_task(board.run(), name="page board"),
        asyncio.create_task(sign_ins.run(), name="page sign-ins"),
    ]
    try:
        done, _ = await asyncio.wait({serving, *beside}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        server.should_exit = True
        await board.close()  # streams end by themselves: nobody is cut off in the middle of a picture
        for task in beside:
            task.cancel()
        await asyncio.wait({serving, *beside}, timeout=END_S)
        listens.close()


def _free_socket(port: int, others: frozenset[int]) -> socket.socket:
    """The port that is named, else the next free one that nothing else of the host is named to."""
    for each in range(port, port + TRIES):
        if each != port and each in others:
            continue
        try:
            return listening(LOOPBACK, each)
        except OSError:
            continue
    raise PageTaken(f"ports {port} to {port + TRIES - 1} are taken: name another in [page] of the host's file")
