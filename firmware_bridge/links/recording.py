"""Recordings of a link: JSON lines, read by people and by `replay`.

The first line tells what it is: `{"recording": 1, "device": …, "profile": …, "redaction": …, "is_message_based": …}`,
and `"wall_offset_ns": …` where wall time was noted.
Each further line is one chunk: `[monotonic ns, "in" or "out", hex]`, from the host's point of view; the last may be
`[monotonic ns, "end", why]`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from firmware_bridge.clock import Clock

FORMAT_VERSION = 1


class Direction(StrEnum):
    """Which way a chunk went."""

    IN = "in"
    OUT = "out"
    END = "end"


# What may be kept of a chunk; it may hold bytes back until a frame is whole, and give none meanwhile.
Redact = Callable[[Direction, bytes], bytes]


class BadRecording(ValueError):
    """Not a recording, or a broken one; says the line."""


@dataclass(frozen=True, slots=True)
class Head:
    """What was recorded: the device and the profile it was driven by, and what was left out of the bytes."""

    device: str
    profile: str
    redaction: str
    is_message_based: bool
    wall_offset_ns: int | None = None  # what makes UTC of the entries' monotonic times, where that was noted

    def encode(self) -> str:
        """The first line."""
        told = {
            "recording": FORMAT_VERSION,
            "device": self.device,
            "profile": self.profile,
            "redaction": self.redaction,
            "is_message_based": self.is_message_based,
        }
        return json.dumps(told if self.wall_offset_ns is None else told | {"wall_offset_ns": self.wall_offset_ns})


@dataclass(frozen=True, slots=True)
class Entry:
    """One chunk and when it passed; at an *end* the bytes are the reason's text."""

    at_ns: int
    direction: Direction
    data: bytes

    def encode(self) -> str:
        """Its line."""
        if self.direction is Direction.END:
            return json.dumps([self.at_ns, "end", self.data.decode("utf-8", "replace")])
        return f'[{self.at_ns}, "{self.direction}", "{self.data.hex()}"]'


class RecordingWriter:
    """Writes a recording. What cannot be written is counted, and disturbs the link no further."""

    def __init__(self, file: TextIO, head: Head, clock: Clock, redact: Redact = lambda direction, data: data) -> None:
        self.lost_lines = 0
        self.fault: Exception | None = None
        self._file = file
        self._clock = clock
        self._redact = redact
        self._write(head.encode())

    def note(self, direction: Direction, data: bytes) -> None:
        """A chunk passes now."""
        kept = data if direction is Direction.END else self._redact(direction, data)
        if kept:
            self._write(Entry(self._clock.monotonic_ns(), direction, kept).encode())

    def _write(self, line: str) -> None:
        try:
            self._file.write(line + "\n")
        except (OSError, ValueError) as error:  # ValueError: the file was closed meanwhile
            self.lost_lines += 1
            self.fault = error


class Recording:
    """A recording being read: its head at once, its entries one by one."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Raises `BadRecording` when the first line is no head of a version that is known."""
        self.is_cut = False
        self._lines = iter(lines)
        self.head = _read_head(next(self._lines, ""))

    def __iter__(self) -> Iterator[Entry]:
        """The entries in their order. A last line that was cut in the middle is left out, and noted in `is_cut`."""
        for number, line in enumerate(self._lines, start=2):
            try:
                yield _read_entry(line)
            except (ValueError, TypeError) as error:
                if not line.endswith("\n"):
                    self.is_cut = True
                    return
                raise BadRecording(f"line {number} of the recording is no entry: {error}") from error


def _read_head(line: str) -> Head:
    try:
        found = json.loads(line)
        version = found["recording"]
    except (ValueError, TypeError, KeyError) as error:
        raise BadRecording("line 1 is not the head of a recording") from error
    if version != FORMAT_VERSION:
        raise BadRecording(f"the recording has format {version}, this program reads {FORMAT_VERSION}")
    try:
        offset = found.get("wall_offset_ns")
        return Head(
            str(found["device"]),
            str(found["profile"]),
            str(found["redaction"]),
            bool(found["is_message_based"]),
            None if offset is None else int(offset),
        )
    except KeyError as error:
        raise BadRecording(f"line 1 of the recording lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise BadRecording(f"line 1 of the recording has a wall_offset_ns that is no number: {error}") from error


def _read_entry(line: str) -> Entry:
    at_ns, word, text = json.loads(line)
    direction = Direction(word)
    if not isinstance(at_ns, int):
        raise TypeError(f"{at_ns!r} is no time in ns")
    return Entry(at_ns, direction, text.encode() if direction is Direction.END else bytes.fromhex(text))
