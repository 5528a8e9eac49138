"""The page put together over a daemon: what its viewers are told, who is signed in, and where acts go."""

from __future__ import annotations

from drivers.displays.page.address import parse_page_address
from firmware_bridge.clock import Clock
from tableside.config import HostConfig
from tableside.configuration.shape import Page
from tableside.daemon import Daemon
from tableside.page.acting import Acting
from tableside.page.board import Board
from tableside.page.me import screen_view
from tableside.page.server import serve
from tableside.page.sign_ins import SignIns

DISPLAY_PAGE = "display-page"


async def serve_page(page: Page, host: HostConfig, daemon: Daemon, clock: Clock) -> None:
    """Serve until cancelled. Raises `server.PageTaken`."""
    sign_ins = SignIns(daemon.tables, clock, page.sign_in_s)
    board = Board(
        host.name,
        daemon.tables,
        daemon.refused,
        clock,
        screens=lambda table: [screen_view(sign_ins, one) for one in sign_ins.at(table)],
        second_language=page.second_language,
    )
    sign_ins.changed = board.wake
    await serve(board, Acting(daemon.desk, daemon.tables, sign_ins), sign_ins, page.port, _of_displays(host))


def _of_displays(host: HostConfig) -> frozenset[int]:
    """Ports that display pages are named to: they come up where their table says, or not at all."""
    addresses = [device.address for table in host.tables for device in table.devices if device.driver == DISPLAY_PAGE]
    return frozenset(parse_page_address(address)[1] for address in addresses)
