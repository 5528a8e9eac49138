"""What a coin acceptor is asked and what its replies say (headers 184 to 254). Pure; every reply is checked.

An event counter is 0 after a reset only, then goes 1 … 255, 1 …; the buffer holds the last five events, newest first.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.cctalk.codes import COINS, COUNTER_MAX, EVENTS_KEPT, HOST, REPLY, Header
from firmware_bridge.wire.cctalk.frame import Frame

_PAIR = 2
_CREDIT_BYTES = 1 + _PAIR * EVENTS_KEPT
_SERIAL_BYTES = 3


class BadReply(ValueError):
    """A checked reply that does not say what its command asks for."""


@dataclass(frozen=True, slots=True)
class Event:
    """One pair of the buffer: a credit for coin `coin` (1 to 16) over `path`, or, with `coin` 0, event `code`."""

    coin: int
    code: int

    @property
    def is_credit(self) -> bool:
        """Money: a coin was accepted."""
        return self.coin != 0


@dataclass(frozen=True, slots=True)
class Credits:
    """Reply to header 229: where the counter stands, and the last five events, newest first."""

    counter: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class News:
    """What two readings of the buffer tell: events in their order, and how many were pushed out unread."""

    events: tuple[Event, ...] = ()
    lost: int = 0
    is_reset: bool = False


def command(station: int, header: int, data: bytes = b"") -> Frame:
    """A command of the host."""
    return Frame(station, HOST, header, data)


def set_master_inhibit(station: int, *, accepts: bool) -> Frame:
    """Header 228: bit 0 set is *accept*."""
    return command(station, Header.SET_MASTER_INHIBIT, bytes((int(accepts),)))


def set_inhibits(station: int, coins: frozenset[int]) -> Frame:
    """Header 231: these coin positions are taken, no others; two bytes, least significant first."""
    mask = sum(1 << (coin - 1) for coin in coins)
    return command(station, Header.SET_INHIBITS, mask.to_bytes(2, "little"))


def reply(station: int, data: bytes = b"") -> Frame:
    """A station's reply; without data it is the acknowledgement."""
    return Frame(HOST, station, REPLY, data)


def credit_data(credit: Credits) -> bytes:
    """The eleven bytes of a reply to 229."""
    pairs = (*credit.events, *(Event(0, 0),) * EVENTS_KEPT)[:EVENTS_KEPT]
    return bytes((credit.counter, *(byte for event in pairs for byte in (event.coin, event.code))))


def read_credit(data: bytes) -> Credits:
    """Raises BadReply."""
    if len(data) != _CREDIT_BYTES:
        raise BadReply(f"read credit is answered with {len(data)} bytes, {_CREDIT_BYTES} are specified")
    pairs = zip(data[1::_PAIR], data[2::_PAIR], strict=True)
    return Credits(data[0], tuple(Event(coin, code) for coin, code in pairs))


def read_serial(data: bytes) -> int:
    """Three bytes, least significant first. Raises BadReply."""
    if len(data) != _SERIAL_BYTES:
        raise BadReply(f"a serial number of {len(data)} bytes, {_SERIAL_BYTES} are specified")
    return int.from_bytes(data, "little")


def read_text(data: bytes) -> str:
    """ASCII; what is none of it stands as `?`."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "?" for byte in data).strip()


def read_check(data: bytes) -> int:
    """Self check: 0 is well. Raises BadReply."""
    if not data:
        raise BadReply("self check is answered with nothing")
    return data[0]


def read_acknowledgement(data: bytes) -> None:
    """Raises BadReply for anything but an empty reply."""
    if data:
        raise BadReply(f"acknowledged with {len(data)} bytes of data")


def steps(before: int, after: int) -> int:
    """How often a counter that goes 1 … 255, 1 … has gone on from `before`, at most once round; 0 is before 1."""
    if before == 0:
        return after
    return (after - before) % COUNTER_MAX


def news(before: int, now: Credits) -> News:
    """What has happened since the counter stood at `before`. A counter that is back at 0 is a reset, and no credit.

    More than five events: the oldest are gone, and how many is all that anybody knows. 255 events look like none.
    """
    if now.counter == 0:
        return News(is_reset=before != 0)
    fresh = steps(before, now.counter)
    known = min(fresh, EVENTS_KEPT)
    return News(tuple(reversed(now.events[:known])), fresh - known)


def advanced(counter: int) -> int:
    """The counter after one more event."""
    return counter % COUNTER_MAX + 1


def is_position(coin: int) -> bool:
    """Whether an acceptor has such a coin position."""
    return 1 <= coin <= COINS
