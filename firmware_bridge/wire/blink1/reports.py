"""Feature reports of blink(1), both ways: number 1, a command letter, and six bytes of its own. Pure.

What is read is the answer to the command that was written last; it has the same letter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

REPORT = 1
REPORT_BYTES = 8
STEP_MS = 10  # times are told in steps of 10 ms, two bytes, high byte first
MAX_MS = 0xFFFF * STEP_MS
LINES_MK2 = 32
ALL_LEDS = 0

Rgb = tuple[int, int, int]


class BadReport(ValueError):
    """No report of this lamp."""


@dataclass(frozen=True, slots=True)
class SetNow:
    """This colour, at once."""

    rgb: Rgb
    led: int = ALL_LEDS


@dataclass(frozen=True, slots=True)
class Fade:
    """This colour after `ms`, and what lies between until then."""

    rgb: Rgb
    ms: int
    led: int = ALL_LEDS


@dataclass(frozen=True, slots=True)
class ReadColour:
    """What does it show now? Answered by `Colour`."""

    led: int = ALL_LEDS


@dataclass(frozen=True, slots=True)
class Colour:
    rgb: Rgb


@dataclass(frozen=True, slots=True)
class Watchdog:
    """Unless this is said again within `ms`, the lamp plays the lines from `start` to before `end` by itself."""

    is_on: bool
    ms: int
    start: int
    end: int
    stays_lit: bool = True


@dataclass(frozen=True, slots=True)
class Play:
    """Play the lines from `start` to before `end`, `count` times (0: for ever); or stop."""

    is_on: bool
    start: int = 0
    end: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class SetLine:
    """One line of the pattern."""

    position: int
    rgb: Rgb
    ms: int


@dataclass(frozen=True, slots=True)
class ReadLine:
    """Answered by `SetLine` with what stands there."""

    position: int


@dataclass(frozen=True, slots=True)
class AskVersion:
    """Answered by `Version`."""


@dataclass(frozen=True, slots=True)
class Version:
    """Two digits: 1 for the first make, 2 and 3 for the later ones; and a number within it."""

    major: int
    minor: int

    @property
    def text(self) -> str:
        return f"{self.major}.{self.minor}"


Command = SetNow | Fade | ReadColour | Watchdog | Play | SetLine | ReadLine | AskVersion


def encode_command(command: Command) -> bytes:
    """The eight bytes that a host sets. Raises ValueError for a time that does not fit."""
    match command:
        case SetNow(rgb, led):
            return _report("n", *rgb, 0, 0, led)
        case Fade(rgb, ms, led):
            return _report("c", *rgb, *_steps(ms), led)
        case ReadColour(led):
            return _report("r", led, 0, 0, 0, 0, led)
        case Watchdog(is_on, ms, start, end, stays_lit):
            return _report("D", is_on, *_steps(ms), stays_lit, start, end)
        case Play(is_on, start, end, count):
            return _report("p", is_on, start, end, count, 0, 0)
        case SetLine(position, rgb, ms):
            return _report("P", *rgb, *_steps(ms), position)
        case ReadLine(position):
            return _report("R", 0, 0, 0, 0, 0, position)
        case AskVersion():
            return _report("v", 0, 0, 0, 0, 0, 0)


def decode_command(data: bytes) -> Command:
    """What a host has set. Raises BadReport."""
    return _read(_COMMANDS, data)


def encode_answer(answer: Colour | SetLine | Version) -> bytes:
    """The eight bytes that the lamp gives."""
    match answer:
        case Colour(rgb):
            return _report("r", *rgb, 0, 0, 0)
        case SetLine(position, rgb, ms):
            return _report("R", *rgb, *_steps(ms), position)
        case Version(major, minor):
            return _report("v", 0, ord("0") + major, ord("0") + minor, 0, 0, 0)


def decode_colour(data: bytes) -> Colour:
    """The answer to `ReadColour`. Raises BadReport."""
    return Colour(_rgb(_checked(data, "r")))


def decode_line(data: bytes) -> SetLine:
    """The answer to `ReadLine`. Raises BadReport."""
    body = _checked(data, "R")
    return SetLine(body[5], _rgb(body), _ms(body[3:5]))


def decode_version(data: bytes) -> Version:
    """The answer to `AskVersion`. Raises BadReport."""
    major, minor = _checked(data, "v")[1:3]
    if not (ord("0") <= major <= ord("9") and ord("0") <= minor <= ord("9")):
        raise BadReport(f"version {major:02X}{minor:02X} is no two digits")
    return Version(major - ord("0"), minor - ord("0"))


def _report(letter: str, *body: int) -> bytes:
    return bytes((REPORT, ord(letter), *body))


def _steps(ms: int) -> tuple[int, int]:
    if not 0 <= ms <= MAX_MS:
        raise ValueError(f"{ms} ms: 0 to {MAX_MS} are allowed")
    return (ms // STEP_MS) >> 8, (ms // STEP_MS) & 0xFF


def _ms(steps: bytes) -> int:
    return int.from_bytes(steps, "big") * STEP_MS


def _rgb(body: bytes) -> Rgb:
    return body[0], body[1], body[2]


def _checked(data: bytes, letter: str) -> bytes:
    """The six bytes behind the letter; a lamp may pad its report."""
    if len(data) < REPORT_BYTES or data[0] != REPORT or data[1] != ord(letter):
        raise BadReport(f"{data[:REPORT_BYTES].hex(' ')} is no answer to {letter!r}")
    return data[2:REPORT_BYTES]


def _read(readers: Mapping[str, Callable[[bytes], Command]], data: bytes) -> Command:
    if len(data) < REPORT_BYTES or data[0] != REPORT or chr(data[1]) not in readers:
        raise BadReport(f"{data[:REPORT_BYTES].hex(' ')} is no command of this lamp")
    return readers[chr(data[1])](data[2:REPORT_BYTES])


_COMMANDS: Mapping[str, Callable[[bytes], Command]] = {
    "n": lambda body: SetNow(_rgb(body), body[5]),
    "c": lambda body: Fade(_rgb(body), _ms(body[3:5]), body[5]),
    "r": lambda body: ReadColour(body[5]),
    "D": lambda body: Watchdog(bool(body[0]), _ms(body[1:3]), body[4], body[5], bool(body[3])),
    "p": lambda body: Play(bool(body[0]), body[1], body[2], body[3]),
    "P": lambda body: SetLine(body[5], _rgb(body), _ms(body[3:5])),
    "R": lambda body: ReadLine(body[5]),
    "v": lambda _body: AskVersion(),
}
