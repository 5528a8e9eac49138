"""Each state change once, repeats as counts: an error storm must not fill a disk (BR-049)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import structlog

from firmware_bridge.clock import NS_PER_S, Clock

# The same line again within this is a repeat.
WINDOW_S = 60.0
# Different lines remembered: 32 tables with four devices each, and some kinds of line for each of them.
MOST_KNOWN = 2_000
# Another session, command or request is another change, never a repeat.
_SAME = ("event", "level", "part", "table", "device", "session", "command", "request", "link", "path")


@dataclass(slots=True)
class _Known:
    until_ns: int
    left_out: int = 0


class Repeats:
    """A processor of the log: drops a repeat within the window, and says with the next one how many there were."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[tuple[object, ...], _Known] = {}

    def __call__(self, _logger: object, _method: str, event: Any) -> Any:
        """structlog's own signature; raises `DropEvent` for a repeat."""
        now_ns = self._clock.monotonic_ns()
        key = tuple(event.get(name) for name in _SAME)
        known = self._known.get(key)
        if known is not None and known.until_ns > now_ns:
            known.left_out += 1
            raise structlog.DropEvent
        if known is not None and known.left_out:
            event["repeated"] = known.left_out
        if len(self._known) >= MOST_KNOWN:
            self._forget(now_ns)
        self._known[key] = _Known(now_ns + round(WINDOW_S * NS_PER_S))
        return event

    def left_out(self) -> dict[str, int]:
        """Repeats by event that no later line has told of; for the last line of the process."""
        counts: dict[str, int] = {}
        for key, known in self._known.items():
            if known.left_out:
                counts[str(key[0])] = counts.get(str(key[0]), 0) + known.left_out
        return counts

    def _forget(self, now_ns: int) -> None:
        self._known = {key: known for key, known in self._known.items() if known.until_ns > now_ns and known.left_out}
