"""The engineers' log: JSON lines to stderr, one chain of processors; redaction is always on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import msgspec
import structlog

from firmware_bridge.clock import Clock
from tableside.cards import Card
from tableside.control.curtain import A_CARD, KEPT_BACK
from tableside.journal.export import utc_text
from tableside.outputs.repeats import Repeats

Event = MutableMapping[str, Any]  # structlog's own type: values are whatever a caller binds
LEVELS: Mapping[str, int] = {"debug": 10, "info": 20, "warning": 30, "error": 40}
# Whatever stands under these names proves a person or shows a card.
REDACTED = frozenset({"pin", "pins", "pin_hash", "code", "badge", "card", "damaged", "replacement", "secret", "key"})
FIRST_KEYS = ("time", "level", "part", "event", "table", "device", "session", "command", "request")


class Line:
    """What structlog hands a rendered line to."""

    def __init__(self, sink: Callable[[bytes], None], *names: str) -> None:
        self.part = names[0] if names else ""
        self._sink = sink

    def msg(self, line: bytes) -> None:
        """One line."""
        self._sink(line)

    debug = info = warning = error = critical = msg


def configure_log(level: str, sink: Callable[[bytes], None], clock: Clock) -> Repeats:
    """Set the one chain up; returns the counts of repeats, to be flushed at the end."""
    repeats = Repeats(clock)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            _part,
            repeats,
            _stamp(clock),
            structlog.processors.format_exc_info,
            _redact,
            _render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *names: Line(sink, *names),
        cache_logger_on_first_use=False,
    )
    return repeats


def _part(logger: Line, _method: str, event: Event) -> Event:
    event["part"] = logger.part
    return event


def _stamp(clock: Clock) -> Callable[[Line, str, Event], Event]:
    def stamp(_logger: Line, _method: str, event: Event) -> Event:
        event["time"] = utc_text(clock.now().wall_ns)
        return event

    return stamp


def _redact(_logger: Line, _method: str, event: Event) -> Event:
    return {name: _shown(name, value) for name, value in event.items()}


def _shown(name: str, value: object) -> object:
    if isinstance(value, Card):
        return A_CARD
    if name in REDACTED:
        return KEPT_BACK
    if isinstance(value, Mapping):
        return {str(key): _shown(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown("", item) for item in value]
    return value


def _render(_logger: Line, _method: str, event: Event) -> bytes:
    ordered = {key: event[key] for key in FIRST_KEYS if key in event}
    ordered |= {key: value for key, value in event.items() if key not in ordered}
    return msgspec.json.encode(ordered, enc_hook=str) + b"\n"
