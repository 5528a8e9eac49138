"""The page put together over a daemon: what its viewers are told, who is signed in, and where acts go."""

from __future__ import annotations

from firmware_bridge.clock import Clock
from tableside.configuration.shape import Page
from tableside.daemon import Daemon
from tableside.page.acting import Acting
from tableside.page.board import Board
from tableside.page.me import screen_view
from tableside.page.server import serve
from tableside.page.sign_ins import SignIns


async def serve_page(page: Page, host: str, daemon: Daemon, clock: Clock) -> None:
    """Serve until cancelled. Raises `server.PageTaken`."""
    sign_ins = SignIns(daemon.tables, clock, page.sign_in_s)
    board = Board(
        host,
        daemon.tables,
        daemon.refused,
        clock,
        screens=lambda table: [screen_view(sign_ins, one) for one in sign_ins.at(table)],
    )
    sign_ins.changed = board.wake
    await serve(board, Acting(daemon.desk, daemon.tables, sign_ins), sign_ins, page.port)
