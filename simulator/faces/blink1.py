"""A blink(1)'s own side of its feature reports (docs/protocols/blink1.md). Called from whichever thread serves USB."""

from __future__ import annotations

import threading

from firmware_bridge.wire.blink1.reports import (
    LINES_MK2,
    REPORT,
    REPORT_BYTES,
    AskVersion,
    BadReport,
    Colour,
    Command,
    Fade,
    Play,
    ReadColour,
    ReadLine,
    SetLine,
    SetNow,
    Version,
    Watchdog,
    decode_command,
    encode_answer,
)
from simulator.world.blink1 import Blink1, Line

VERSION = Version(2, 4)


class Blink1Face:
    """One lamp; `set_feature` and `feature` are its only door."""

    def __init__(self, lamp: Blink1, version: Version = VERSION) -> None:
        self.lamp = lamp
        self.refused = 0
        self._version = version
        self._answer = bytes(REPORT_BYTES)
        self._lock = threading.Lock()

    boot_number = 0  # a lamp counts no boots
    profile = "blink1"
    next_wake_ns = None  # and wakes by itself for nothing: what it shows is reckoned when somebody looks

    @property
    def is_on(self) -> bool:
        return self.lamp.is_powered

    def boot(self, now_ns: int) -> None:
        """Power, as USB gives it."""
        self.lamp.power(is_on=True)

    def power_off(self) -> None:
        """No power: it is dark."""
        self.lamp.power(is_on=False)

    def connected(self, *, is_message_based: bool) -> None:
        """Some host has it now."""

    def disconnected(self) -> None:
        """A host that let go of it leaves it powered, and as it was."""

    def is_host_present(self, now_ns: int) -> bool:
        """Somebody feeds its watchdog."""
        return self.lamp.is_watched and not self.lamp.is_untended(now_ns)

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """It has no output reports."""
        self.refused += 1

    def update(self, now_ns: int) -> bool:
        """Nothing here wakes another world."""
        return False

    def take_output(self) -> list[bytes]:
        """It says nothing by itself."""
        return []

    def set_feature(self, data: bytes, now_ns: int) -> bool:
        """A host sets a report. False: stall."""
        with self._lock:
            try:
                command = decode_command(data)
            except BadReport:
                self.refused += 1
                return data[:1] == bytes((REPORT,))  # a letter that it does not know changes nothing
            self._answer = data[:REPORT_BYTES]
            self._do(command, now_ns)
            return True

    def feature(self, report: int, now_ns: int) -> bytes | None:
        """A host reads a report. None: stall."""
        with self._lock:
            return self._answer if report == REPORT else None

    def _do(self, command: Command, now_ns: int) -> None:
        lamp = self.lamp
        match command:
            case SetNow(rgb):
                lamp.fade(rgb, 0, now_ns)
            case Fade(rgb, ms):
                lamp.fade(rgb, ms, now_ns)
            case ReadColour():
                self._answer = encode_answer(Colour(lamp.visible(now_ns)))
            case Watchdog(is_on, ms, start, end):
                if is_on:
                    lamp.watch(ms, start, end, now_ns)
                else:
                    lamp.unwatch(now_ns)
            case Play(is_on, start, end, count):
                if is_on:
                    lamp.play(start, end, count, now_ns)
                else:
                    lamp.stop(now_ns)
            case SetLine(position, rgb, ms):
                if position < LINES_MK2:
                    lamp.lines[position] = Line(rgb, ms)
            case ReadLine(position):
                line = lamp.lines[position % LINES_MK2]
                self._answer = encode_answer(SetLine(position, line.rgb, line.ms))
            case AskVersion():
                self._answer = encode_answer(self._version)
