"""`tableside diag watch --screen`: devices, what stands, and the record as it is written, on one screen. Extra `tui`.

It shows what the plain command prints and changes nothing. What is read comes from a *feed*, so that a test gives its
own; the feed is asked in threads of its own, and a daemon that hangs up is said at the top while the screen stays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Protocol, TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, RichLog, Static

from tableside.cli.failing import Failed
from tableside.cli.rows import line_of_row

# The devices' links are looked at so often; the rows come by themselves.
LOOK_S = 2.0
ROWS_KEPT = 2_000
COLUMNS = ("device", "link", "lost", "silent", "who")
# What a technician looks for first; `t` shows it alone.
TECHNICAL = ("Fault", "Jam", "Device", "Lock", "Command", "Alert", "Incident", "Reader", "Lamp", "Display", "Level")
MS_PER_S = 1_000
T = TypeVar("T")


class Feed(Protocol):
    """Where a screen reads."""

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Rows of the record as they are written; raises `Failed` where the daemon hangs up."""

    def status(self) -> Mapping[str, Any]:
        """The daemon's status; raises `Failed` where nobody answers."""


class WatchScreen(App[None]):
    """Until somebody leaves it by `q`."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #head { height: auto; padding: 0 1; text-style: bold; }
    #devices { height: auto; max-height: 40%; }
    #rows { height: 1fr; border-top: solid gray; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "leave"),
        Binding("p", "pause", "hold / go on"),
        Binding("t", "technical", "technical / all"),
    ]

    def __init__(self, feed: Feed, table: str) -> None:
        super().__init__()
        self._feed = feed
        self._table = table
        self._held: list[Mapping[str, Any]] = []
        self._seen: list[Mapping[str, Any]] = []
        self._is_held = False
        self._is_technical = False
        self._trouble = ""
        self._is_over = threading.Event()

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield DataTable(id="devices", cursor_type="none", show_cursor=False)
        yield RichLog(id="rows", max_lines=ROWS_KEPT, min_width=0, wrap=True, markup=False, highlight=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#devices", DataTable).add_columns(*COLUMNS)
        self._show_head()
        # Threads of our own that nobody waits for: one that waits for a row must not hold whoever leaves.
        for read in (self._follow, self._look):
            threading.Thread(target=read, name=read.__name__, daemon=True).start()

    def on_unmount(self) -> None:
        self._is_over.set()

    # --- what is read, in threads -------------------------------------------------------------------------------

    def _follow(self) -> None:
        try:
            for row in self._feed.rows():
                self._tell(self.take, row)
        except Failed as failed:
            self._tell(self.trouble, str(failed))

    def _look(self) -> None:
        while not self._is_over.is_set():
            try:
                self._tell(self.devices, self._feed.status())
            except Failed as failed:
                self._tell(self.trouble, str(failed))
            self._is_over.wait(LOOK_S)

    def _tell(self, show: Callable[[T], None], what: T) -> None:
        """From a thread; dropped once the screen is left."""
        if not self._is_over.is_set():
            with suppress(RuntimeError):  # it is being left in this moment
                self.call_from_thread(show, what)

    # --- what is shown ------------------------------------------------------------------------------------------

    def take(self, row: Mapping[str, Any]) -> None:
        """A row that was written."""
        if self._is_held:
            self._held.append(row)
            self._show_head()
            return
        self._seen = [*self._seen[-ROWS_KEPT:], row]
        self._write(row)

    def devices(self, status: Mapping[str, Any]) -> None:
        """The devices of the table, as they are now."""
        self._trouble = ""
        shown = self.query_one("#devices", DataTable)
        shown.clear()
        for name, table in status["tables"].items():
            if self._table in ("", name):
                for device, health in table["devices"].items():
                    shown.add_row(*_cells(device, health))
        self._show_head()

    def trouble(self, text: str) -> None:
        """The daemon does not answer: what stands below is old."""
        self._trouble = text
        self._show_head()

    def action_pause(self) -> None:
        """Hold the rows still, or let those come that were held."""
        self._is_held = not self._is_held
        if not self._is_held:
            held, self._held = self._held, []
            for row in held:
                self.take(row)
        self._show_head()

    def action_technical(self) -> None:
        """Show what a technician looks for, or everything."""
        self._is_technical = not self._is_technical
        self.query_one("#rows", RichLog).clear()
        for row in self._seen:
            self._write(row)
        self._show_head()

    def _write(self, row: Mapping[str, Any]) -> None:
        if not self._is_technical or row["type"].startswith(TECHNICAL):
            self.query_one("#rows", RichLog).write(line_of_row(row))

    def _show_head(self) -> None:
        parts = [self._table or "all tables"]
        parts += ["technical rows"] if self._is_technical else []
        parts += [f"held, {len(self._held)} waiting"] if self._is_held else []
        parts += [f"NOT LIVE: {self._trouble}"] if self._trouble else []
        self.query_one("#head", Static).update(" | ".join(parts))


def _cells(device: str, health: Mapping[str, Any]) -> tuple[str, ...]:
    silent_ms = health["silent_ms"]
    silent = "never" if silent_ms is None else f"{silent_ms / MS_PER_S:.0f} s"
    link = "connected" if health["is_connected"] else f"AWAY: {health['why_away']}"
    return device, link, str(health["losses"]), silent, f"{health['model']} {health['serial']}"
