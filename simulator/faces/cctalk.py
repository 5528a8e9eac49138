"""Coin acceptors on one ccTalk wire (generic specification 4.7; docs/protocols/cctalk.md). Sans I/O.

All hear what the host says; who is meant answers. On a single wire the host hears itself (`has_echo`), and where two
answer at once the lower level wins, bit by bit (assumed: both begin in the same bit; begun apart they spoil more).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.cctalk.acceptor import Credits, Event, credit_data, reply
from firmware_bridge.wire.cctalk.codes import BROADCAST, Header
from firmware_bridge.wire.cctalk.frame import Check, Frame, FrameDecoder, encode
from firmware_bridge.wire.garbage import Garbage
from simulator.world.coin_acceptor import CoinAcceptor

# Acceptors answer within a few ms (assumed: 2; the specification's typical time is below 10).
ANSWER_NS = 2 * NS_PER_MS
# Silence after which a receiver takes the next byte for the first of a message.
GAP_NS = 50 * NS_PER_MS
CATEGORY = b"Coin Acceptor"
MANUFACTURER = b"SIM"
PRODUCT = b"CCT-SIM"
SOFTWARE = b"1.0"
# Polling priority: 200 ms, said as 20 times 10 ms.
POLLING_PRIORITY = bytes((2, 20))


class CctalkFace:
    """A bus with its acceptors by address, off until `boot`."""

    boot_number = 0  # nothing on this bus counts boots
    profile = "cctalk"

    def __init__(
        self, acceptors: Mapping[int, CoinAcceptor], *, has_echo: bool = True, check: Check = Check.SUM
    ) -> None:
        self.acceptors = dict(acceptors)
        self.has_echo = has_echo
        self.garbage = 0
        self.dead: set[int] = set()  # these hear and say nothing
        self.twins: dict[int, CoinAcceptor] = {}  # a second one that was set to the address of another
        self._check = check
        self._decoder = FrameDecoder(check)
        self._heard_ns = 0
        self._output: list[tuple[int, bytes]] = []
        self._due: list[bytes] = []
        self._is_on = False

    @property
    def is_on(self) -> bool:
        return self._is_on

    @property
    def next_wake_ns(self) -> int | None:
        return min((due_ns for due_ns, _ in self._output), default=None)

    def boot(self, now_ns: int) -> None:
        """Power for all."""
        self._is_on = True
        self._decoder = FrameDecoder(self._check)
        for _, acceptor in self._wired():
            acceptor.power_on()

    def power_off(self) -> None:
        """Power for none; what the wire echoes it echoes all the same."""
        self._is_on = False
        self._output.clear()
        for _, acceptor in self._wired():
            acceptor.power_off()

    def connected(self, *, is_message_based: bool) -> None:
        """A new adapter."""
        self._due.clear()

    def disconnected(self) -> None:
        """A wire sees no adapter."""

    def is_host_present(self, now_ns: int) -> bool:
        """ccTalk knows no session."""
        return False

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from the host."""
        if self.has_echo:
            self._due.append(chunk)
        if now_ns - self._heard_ns > GAP_NS:
            self.garbage += sum(1 for _ in self._decoder.silence())
        self._heard_ns = now_ns
        for piece in self._decoder.feed(chunk):
            if isinstance(piece, Garbage):
                self.garbage += 1
            elif self._is_on:
                self._hear(piece, now_ns)

    def update(self, now_ns: int) -> bool:
        """Let what is due go out; nothing here wakes another world."""
        self._due += [data for due_ns, data in self._output if due_ns <= now_ns]
        self._output = [(due_ns, data) for due_ns, data in self._output if due_ns > now_ns]
        return False

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        due, self._due = self._due, []
        return due

    def _hear(self, frame: Frame, now_ns: int) -> None:
        said: list[bytes] = []
        for address, acceptor in self._wired():
            if frame.destination not in (address, BROADCAST) or address in self.dead:
                continue
            answer = ANSWERS.get(frame.header)
            data = answer(acceptor, frame.data) if answer is not None else None
            if data is not None and frame.destination != BROADCAST:
                said.append(encode(reply(address, data), self._check))
        if said:
            self._output.append((now_ns + ANSWER_NS, _at_once(said)))

    def _wired(self) -> Iterator[tuple[int, CoinAcceptor]]:
        yield from self.acceptors.items()
        yield from self.twins.items()


def _at_once(said: Sequence[bytes]) -> bytes:
    """What the wire carries: a one only where all let it be one; behind the shortest the others go on."""
    longest = max(map(len, said))
    resting = (0xFF,) * longest
    columns = zip(*((*one, *resting)[:longest] for one in said), strict=True)
    return bytes(reduce(and_, column) for column in columns)


def _credit(acceptor: CoinAcceptor, _data: bytes) -> bytes:
    return credit_data(Credits(acceptor.counter, tuple(Event(coin, code) for coin, code in acceptor.events)))


def _set_master(acceptor: CoinAcceptor, data: bytes) -> bytes | None:
    if len(data) != 1:
        return None
    acceptor.accepts = bool(data[0] & 1)
    return b""


def _set_inhibits(acceptor: CoinAcceptor, data: bytes) -> bytes | None:
    if len(data) != 2:
        return None
    mask = int.from_bytes(data, "little")
    acceptor.coins = frozenset(coin for coin in range(1, 17) if mask >> (coin - 1) & 1)
    return b""


def _reset(acceptor: CoinAcceptor, _data: bytes) -> bytes:
    acceptor.forget()
    return b""


# What each command is answered with: data, empty for the acknowledgement, None for nothing at all.
ANSWERS: dict[int, Callable[[CoinAcceptor, bytes], bytes | None]] = {
    Header.SIMPLE_POLL: lambda _acceptor, _data: b"",
    Header.POLLING_PRIORITY: lambda _acceptor, _data: POLLING_PRIORITY,
    Header.MANUFACTURER: lambda _acceptor, _data: MANUFACTURER,
    Header.CATEGORY: lambda _acceptor, _data: CATEGORY,
    Header.PRODUCT: lambda _acceptor, _data: PRODUCT,
    Header.SOFTWARE: lambda _acceptor, _data: SOFTWARE,
    Header.SERIAL: lambda acceptor, _data: acceptor.serial.to_bytes(3, "little"),
    Header.SELF_CHECK: lambda acceptor, _data: bytes((acceptor.fault,)),
    Header.SET_MASTER_INHIBIT: _set_master,
    Header.GET_MASTER_INHIBIT: lambda acceptor, _data: bytes((acceptor.accepts,)),
    Header.SET_INHIBITS: _set_inhibits,
    Header.READ_CREDIT: _credit,
    Header.RESET: _reset,
}
