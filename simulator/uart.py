"""What a serial line makes of bytes where its two ends do not agree: another speed, or its two wires swapped.

A pseudo-terminal carries bytes and knows no line; here the line is drawn as levels over time, and read as a UART reads
it: a start bit begins with the first fall after rest, eight bits are sampled in their middle, the stop bit is looked at
and not waited for.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.links.base import Link, Receiver

DATA_BITS = 8
BREAK = b"\x00"  # what a system's driver makes of a line that rests at the wrong level
# Levels: idle and ones are high.
HIGH, LOW = 1, 0


def levels_of(data: bytes) -> list[int]:
    """A level for each bit time: start, eight bits with the lowest first, stop; and rest behind the last."""
    levels: list[int] = []
    for byte in data:
        levels += [LOW, *(byte >> bit & 1 for bit in range(DATA_BITS)), HIGH]
    return [*levels, HIGH, HIGH]


def misread(data: bytes, sent_baud: int, read_baud: int, *, is_swapped: bool = False) -> bytes:
    """What a receiver at `read_baud` makes of bytes that were sent at `sent_baud`."""
    if not is_swapped and sent_baud == read_baud:
        return data
    levels = [1 - level for level in levels_of(data)] if is_swapped else levels_of(data)
    rest = LOW if is_swapped else HIGH
    bit = read_baud / sent_baud  # times are in bits of the receiver, and a sender's bit is so long

    def level(at: float) -> int:
        place = int(at / bit)
        return levels[place] if 0 <= place < len(levels) else rest

    return bytes(_sampled(level, len(levels) * bit))


def _sampled(level: Callable[[float], int], end: float) -> list[int]:
    read: list[int] = []
    at, step = 0.0, 1 / 16  # a UART looks sixteen times a bit
    while at < end:
        if level(at) == HIGH or level(at + 0.5) == HIGH:
            at += step
            continue
        read.append(sum(level(at + 1.5 + place) << place for place in range(DATA_BITS)))
        at += 1.5 + DATA_BITS
        while at < end and level(at) == LOW:  # a stop bit that is missing: the next begins after the line was high
            at += step
    return read


class UartLine:
    """A `Link` around a device's end of a serial cable: its own speed, and the host's as it is set now."""

    is_simulated = True
    is_message_based = False

    def __init__(self, link: Link, baud: int, host_baud: Callable[[], int], *, is_swapped: bool = False) -> None:
        self.address = link.address
        self._link = link
        self._baud = baud
        self._host_baud = host_baud
        self._is_swapped = is_swapped
        self._receiver: Receiver | None = None

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._link.start(self)

    async def write(self, data: bytes) -> None:
        """The device speaks; where the wires are swapped the host sees the line rest at the wrong level first."""
        heard = misread(data, self._baud, self._host_baud() or self._baud, is_swapped=self._is_swapped)
        if heard:
            await self._link.write(heard)

    async def rest(self) -> None:
        """What the host sees of a line on which nobody speaks."""
        if self._is_swapped:
            await self._link.write(BREAK)

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    async def close(self) -> None:
        await self._link.close()

    # Receiver of the inner link

    def chunk_received(self, chunk: bytes) -> None:
        heard = misread(chunk, self._host_baud() or self._baud, self._baud, is_swapped=self._is_swapped)
        if heard and self._receiver is not None:
            self._receiver.chunk_received(heard)

    def link_lost(self, reason: Exception) -> None:
        if self._receiver is not None:
            self._receiver.link_lost(reason)
