"""The control panel of one bus: who speaks next, until when, and whose the bytes are that come in.

Sans I/O: fed with chunks and monotonic time (s), it says what to do next. Half duplex, one exchange at a time,
each station in the order in which it is due; silent ones let the others have their turn (BR-019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_bridge.session.osdp.counts import BusCounts
from firmware_bridge.session.osdp.notices import EchoChanged, StationNotice
from firmware_bridge.session.osdp.profile import (
    FRAME_MAX,
    LATE_LOOP_S,
    LISTEN_FIRST_S,
    PIECES_APART_S,
    REPLY_TIMEOUT_S,
    TURNAROUND_CHARACTERS,
    LineProfile,
    StationProfile,
)
from firmware_bridge.session.osdp.setup import RandomBytes
from firmware_bridge.session.osdp.station import Station
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.osdp.commands import CommandMessage
from firmware_bridge.wire.osdp.frame import Frame
from firmware_bridge.wire.osdp.stream import StreamDecoder

PanelNotice = StationNotice | EchoChanged


@dataclass(frozen=True, slots=True)
class Send:
    """Write these bytes now, then call `sent`."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do before this time (None: before something comes in or is wished)."""

    until_s: float | None


@dataclass(slots=True)
class _Exchange:
    """One command on the wire. `deadline_s` is known once its bytes were handed over."""

    station: Station
    size: int
    deadline_s: float | None = None
    latest_s: float = 0.0  # a reply that has begun may last so long, never longer
    is_echoed: bool = False
    has_grace: bool = False


class ControlPanel:
    """One bus for the life of the daemon; links come and go (`link_up`, `link_down`)."""

    def __init__(
        self, line: LineProfile, stations: Sequence[StationProfile], random: RandomBytes, now_s: float
    ) -> None:
        self.counts = BusCounts()
        self.has_echo: bool | None = None  # not known until the first exchange
        self._line = line
        self._notices: list[PanelNotice] = []
        self._stations = {p.address: Station(p, self._notices.append, random, now_s) for p in stations}
        if not stations or len(self._stations) != len(stations):
            raise ValueError("a bus needs at least one station, and each an OSDP address of its own")
        self._decoder = StreamDecoder(FRAME_MAX)
        self._exchange: _Exchange | None = None
        self._held: set[int] = set()
        self._is_up = False
        self._has_spoken = False
        self._quiet_until_s = now_s
        self._heard_at_s = now_s
        self._silence_ended_at_s = now_s  # of the last station that did not answer
        self._bytes_without_frame = 0

    def station(self, address: int) -> Station:
        """The station at an address. Raises KeyError."""
        return self._stations[address]

    def hold(self, address: int) -> None:
        """Those above have no room for what this station tells: it is not asked until `release`."""
        self._held.add(address)

    def release(self, address: int) -> None:
        """There is room again."""
        self._held.discard(address)

    # --- the link -----------------------------------------------------------------------------------------

    def link_up(self, now_s: float) -> None:
        """A fresh link stands. What lies in it from before is listened to and thrown away."""
        self._decoder = StreamDecoder(FRAME_MAX)
        self._is_up, self._has_spoken, self._exchange = True, False, None
        self._bytes_without_frame = 0
        self.has_echo = None
        self._quiet_until_s = now_s + LISTEN_FIRST_S
        for station in self._stations.values():
            station.link_up(now_s)

    def link_down(self, text: str, now_s: float) -> None:
        """The link has ended."""
        self._is_up, self._exchange = False, None
        for station in self._stations.values():
            station.link_down(text, now_s)

    def feed(self, chunk: bytes, now_s: float) -> None:
        """Some bytes came."""
        self.counts.bytes_received += len(chunk)
        if not self._has_spoken:
            self.counts.bytes_before_speaking += len(chunk)
            return
        self._heard_at_s = now_s
        self._take(self._decoder.feed(chunk), now_s)

    # --- what to do next ----------------------------------------------------------------------------------

    def next_action(self, now_s: float) -> Send | Wait:
        """What to do now. Call again after doing it, after `feed`, after a wish, and when a wait is over."""
        self._end_overdue(now_s)
        for station in self._stations.values():
            station.watch(now_s, self._noise())
        if self._exchange is None and self._is_up and now_s >= self._quiet_until_s:
            first = min(self._who_may_speak(), key=_due_at_s, default=None)
            if first is not None and first.due_at_s <= now_s:
                return self._send(first, now_s)
        return Wait(self._wake_at(now_s))

    def resting_until(self, now_s: float) -> float | None:
        """When `next_action` will have something to do, where it has nothing now; None: ask it."""
        if self._exchange is not None or not self._is_up or self._notices:
            return None
        if any(at_s is not None and at_s <= now_s for at_s in (each.watch_at_s() for each in self._stations.values())):
            return None
        until_s = self._wake_at(now_s)
        return None if until_s is None or until_s <= now_s else until_s

    def sent(self, now_s: float) -> None:
        """The bytes of `Send` were handed to the cable."""
        exchange = self._exchange
        if exchange is not None:
            last_byte_at_s = now_s + self._line.wire_s(exchange.size)
            exchange.deadline_s = last_byte_at_s + REPLY_TIMEOUT_S + self._line.adapter_latency_s
            exchange.latest_s = exchange.deadline_s + self._line.wire_s(FRAME_MAX)

    def take_notices(self) -> list[PanelNotice]:
        """What there is to tell, once, in order."""
        taken = self._notices.copy()
        self._notices.clear()
        return taken

    # --- wishes -------------------------------------------------------------------------------------------

    def wish(self, address: int, command: CommandMessage, expires_at_s: float | None, now_s: float) -> None:
        """Have a station show or sound something: see `Station.wish`."""
        self._stations[address].wish(command, expires_at_s, now_s)

    def expect_tap(self, address: int, now_s: float) -> None:
        """Somebody was asked to tap there: poll quickly for a while."""
        self._stations[address].expect_tap(now_s)

    # --- inside -------------------------------------------------------------------------------------------

    def _send(self, station: Station, now_s: float) -> Send:
        self._has_spoken = True
        data = station.speak(now_s)
        self.counts.frames_sent += 1
        self._exchange = _Exchange(station, len(data))
        return Send(data)

    def _who_may_speak(self) -> list[Station]:
        """Between two deadlines spent on silent stations, each that is polled has its turn; nobody if all are held."""
        stations = [station for address, station in self._stations.items() if address not in self._held]
        is_anybody_waiting = any(
            station.is_ready and not station.is_silent and station.asked_at_s < self._silence_ended_at_s
            for station in stations
        )
        return [station for station in stations if not (is_anybody_waiting and station.is_silent)]

    def _wake_at(self, now_s: float) -> float | None:
        times = [at for at in (station.watch_at_s() for station in self._stations.values()) if at and at > now_s]
        if self._exchange is not None:
            if self._exchange.deadline_s is not None:
                times.append(self._exchange.deadline_s)
        elif self._is_up:
            times += [max(station.due_at_s, self._quiet_until_s) for station in self._who_may_speak()]
        return min(times, default=None)

    def _end_overdue(self, now_s: float) -> None:
        exchange = self._exchange
        if exchange is None or exchange.deadline_s is None or now_s < exchange.deadline_s:
            return
        if now_s - exchange.deadline_s > LATE_LOOP_S and not exchange.has_grace:
            # The loop was late: what came meanwhile may still wait to be read. One more moment, and no miss.
            exchange.has_grace, exchange.deadline_s = True, now_s + LATE_LOOP_S
            return
        if self._decoder.missing and now_s < exchange.latest_s:
            still_s = self._line.wire_s(self._decoder.missing) + self._line.adapter_latency_s + PIECES_APART_S
            if now_s < self._heard_at_s + still_s:  # the reply has begun and goes on
                exchange.deadline_s = min(self._heard_at_s + still_s, exchange.latest_s)
                return
        self._take(self._decoder.flush(), now_s)
        if self._exchange is not exchange:
            return  # what hid behind a false start was the answer
        (exchange.station.forgiven if exchange.has_grace else exchange.station.missed)(now_s)
        self._end_exchange(now_s)

    def _end_exchange(self, now_s: float) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is not None and exchange.station.is_silent:
            self._silence_ended_at_s = now_s
        self._quiet_until_s = now_s + self._line.wire_s(TURNAROUND_CHARACTERS)
        if exchange is not None and not exchange.is_echoed and not exchange.station.is_silent:
            self._learn_echo(is_on=False)  # an answer, and no echo before it

    def _take(self, found: list[Frame | Garbage], now_s: float) -> None:
        for item in found:
            if isinstance(item, Garbage):
                self._take_garbage(item)
            else:
                self.counts.frames_received += 1
                self._bytes_without_frame = 0
                (self._take_reply if item.is_reply else self._take_command)(item, now_s)

    def _take_garbage(self, garbage: Garbage) -> None:
        self.counts.garbage[garbage.reason] += 1
        self.counts.garbage_bytes += garbage.size
        self._bytes_without_frame += garbage.size
        if self.has_echo and self._exchange is not None and not self._exchange.is_echoed:
            self._exchange.is_echoed = True  # damaged on its way: somebody spoke at the same time
            self.counts.collisions += 1

    def _take_reply(self, frame: Frame, now_s: float) -> None:
        station = self._stations.get(frame.address)
        if station is None:
            self.counts.strangers += 1
        elif station.hear(frame, now_s) and self._exchange is not None and self._exchange.station is station:
            self._end_exchange(now_s)

    def _take_command(self, frame: Frame, now_s: float) -> None:
        """A command that we hear: our own echo, to the bit, or another panel's."""
        exchange = self._exchange
        if exchange is None or frame != exchange.station.asked:
            self.counts.foreign_commands += 1
            return
        self.counts.echoes += 1
        self.counts.garbage[GarbageReason.ECHO] += 1
        exchange.is_echoed = True
        self._learn_echo(is_on=True)

    def _learn_echo(self, *, is_on: bool) -> None:
        if self.has_echo is not is_on:
            self.has_echo = is_on
            self._notices.append(EchoChanged(is_on))

    def _noise(self) -> str:
        if not self._bytes_without_frame:
            return ""
        return (
            f"{self._bytes_without_frame} bytes came, but no valid frame: "
            f"check speed and parity (configured {self._line.baud} 8N1)"
        )


def _due_at_s(station: Station) -> float:
    return station.due_at_s
