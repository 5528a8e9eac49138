"""The engineers' log: one JSON line an event, nothing secret in it, repeats counted, nobody held up."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator

import pytest
import structlog

from firmware_bridge.clock import NS_PER_S, Instant, WallQuality
from tableside.cards import Card
from tableside.outputs.log import configure_log
from tableside.outputs.log_writer import MOST_WAITING, LogWriter
from tableside.outputs.repeats import Repeats


class StillClock:
    """A clock that a test moves."""

    boot = "test"

    def __init__(self) -> None:
        self.at_ns = 0

    def now(self) -> Instant:
        return Instant(self.at_ns, 1_790_000_000 * NS_PER_S + self.at_ns, WallQuality.SIMULATED)

    def monotonic_ns(self) -> int:
        return self.at_ns


class Log:
    """A configured chain and what came out of it."""

    def __init__(self, level: str = "info") -> None:
        self.clock = StillClock()
        self.raw: list[bytes] = []
        self.repeats: Repeats = configure_log(level, self.raw.append, self.clock)
        self.log = structlog.get_logger("part")

    @property
    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.raw]


@pytest.fixture
def log() -> Iterator[Log]:
    before = structlog.get_config()
    try:
        yield Log()
    finally:
        structlog.configure(**before)
        structlog.contextvars.clear_contextvars()


def test_a_line_says_when_where_what_and_for_which_table(log: Log) -> None:
    structlog.contextvars.bind_contextvars(table="BJ-1")
    log.log.warning("link_lost", device="shuffler", why="unplugged")
    assert log.lines == [
        {
            "time": "2026-09-21T14:13:20Z",
            "level": "warning",
            "part": "part",
            "event": "link_lost",
            "table": "BJ-1",
            "device": "shuffler",
            "why": "unplugged",
        }
    ]
    assert list(log.lines[0])[:4] == ["time", "level", "part", "event"]
    assert log.raw[0].endswith(b"\n")


def test_what_proves_a_person_or_shows_a_card_never_comes_out(log: Log) -> None:
    card = Card("7", "♣", "red")
    log.log.info("a", pin="200001", badge="26:00C0FFEE", nested={"code": "4711", "list": [card]}, what=card)
    text = log.raw[0].decode()
    for secret in ("200001", "C0FFEE", "4711", "♣", '"7"'):
        assert secret not in text
    assert "a card" in text


def test_the_level_holds(log: Log) -> None:
    log.log.debug("a")
    assert log.lines == []


def test_the_same_line_within_a_minute_is_counted_not_written(log: Log) -> None:
    """BR-049: an error storm must not fill a disk."""
    for _ in range(1_000):
        log.log.warning("link_lost", device="shuffler", why="again")
    log.log.warning("link_lost", device="reader", why="another device")
    assert len(log.lines) == 2
    log.clock.at_ns += 61 * NS_PER_S
    log.log.warning("link_lost", device="shuffler", why="again")
    assert log.lines[-1]["repeated"] == 999
    log.log.warning("link_lost", device="shuffler", why="again")
    assert log.repeats.left_out() == {"link_lost": 1}


def test_an_exception_is_written_with_its_traceback(log: Log) -> None:
    try:
        raise ValueError("seen")
    except ValueError as error:
        log.log.error("hub_crashed", exc_info=error)
    assert "ValueError: seen" in str(log.lines[0]["exception"])


def test_a_console_that_stands_still_holds_nobody_up_and_what_is_lost_is_counted() -> None:
    reading, writing = os.pipe()
    writer = LogWriter(writing)
    line = b'{"event":"x"}' + b" " * 186 + b"\n"
    lines = MOST_WAITING * 4
    for _ in range(lines):
        writer(line)
    assert writer.dropped > 0, "nobody read, and more came than can wait"
    said = bytearray()
    reader = threading.Thread(target=lambda: said.extend(_all_of(reading)))
    reader.start()
    writer.close()
    os.close(writing)
    reader.join(30)
    os.close(reading)
    told = [json.loads(text) for text in bytes(said).splitlines()]
    dropped = sum(one["lines"] for one in told if one["event"] == "log_dropped")
    assert dropped == writer.dropped
    assert dropped + sum(one["event"] == "x" for one in told) == lines


def _all_of(descriptor: int) -> bytes:
    data = b""
    while chunk := os.read(descriptor, 65_536):
        data += chunk
    return data


def test_a_reader_that_is_gone_ends_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    writer = LogWriter(writing)
    writer(b"nobody reads this\n")
    writer.close()
    os.close(writing)
