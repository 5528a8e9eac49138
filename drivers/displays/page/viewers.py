"""The browsers that have the page open: what each was told, and what each says that it has painted. No I/O."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from drivers.events import Shown

# A page says each few seconds what it shows; one that has been silent for so long is gone, whatever its socket says.
SILENT_S = 12.0
# A change is painted within a second; a tab in the background or a frozen browser never paints it.
PAINT_LIMIT_S = 6.0
# Browsers that may have the page open at once; more are somebody else's.
MAX_VIEWERS = 8

Painted = tuple[int, Shown]


@dataclass(slots=True)
class Viewer:
    """One open page. `news` is set when it has something to be told."""

    id: str
    since_s: float
    heard_s: float
    painted: Painted | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False


class Viewers:
    """All open pages, by the id that each was given."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._open: dict[str, Viewer] = {}

    def __len__(self) -> int:
        return len(self._open)

    def come(self, now_s: float) -> Viewer | None:
        """Another page opens; None: there are enough."""
        if len(self._open) >= MAX_VIEWERS:
            return None
        viewer = Viewer(self._new_id(), now_s, now_s)
        self._open[viewer.id] = viewer
        return viewer

    def go(self, viewer: Viewer) -> None:
        """A page is closed."""
        viewer.is_over = True
        viewer.news.set()
        self._open.pop(viewer.id, None)

    def end_all(self) -> None:
        """Nobody is told anything any more."""
        for viewer in tuple(self._open.values()):
            self.go(viewer)

    def tell_all(self) -> None:
        """There is something to be told."""
        for viewer in self._open.values():
            viewer.news.set()

    def painted(self, name: str, painted: Painted, now_s: float) -> bool:
        """A page says what stands on it; False: no page that we know."""
        viewer = self._open.get(name)
        if viewer is None:
            return False
        viewer.heard_s, viewer.painted = now_s, painted
        return True

    def drop_silent(self, now_s: float) -> None:
        """Pages that are not heard any more are closed."""
        for viewer in tuple(self._open.values()):
            if now_s - viewer.heard_s > SILENT_S:
                self.go(viewer)

    def all_show(self, painted: Painted) -> bool:
        """Whether every open page says that this stands on it."""
        return bool(self._open) and all(viewer.painted == painted for viewer in self._open.values())

    def is_late(self, painted: Painted, told_s: float, now_s: float) -> bool:
        """Whether a page that has had its time does not show this."""
        return any(
            viewer.painted != painted and now_s - max(told_s, viewer.since_s) > PAINT_LIMIT_S
            for viewer in self._open.values()
        )
