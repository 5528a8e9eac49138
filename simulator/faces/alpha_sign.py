"""An ALPHA sign's own side of the protocol, from the document's facts and what peers expect (docs/protocols/alpha.md).

Sans I/O: `receive` bytes, `update` at `next_wake_ns`, take bytes by `take_output`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.clock import NS_PER_MS, NS_PER_S
from firmware_bridge.wire.alpha.characters import text_of
from firmware_bridge.wire.alpha.codes import (
    BROADCAST,
    ESC,
    PRIORITY_LABEL,
    REPLY_NULS,
    RESPONSE,
    Command,
    ErrorStatus,
    Special,
)
from firmware_bridge.wire.alpha.commands import ENTRY_CHARACTERS
from firmware_bridge.wire.alpha.packet import (
    Acknowledged,
    Packet,
    PacketDecoder,
    encode_acknowledgement,
    encode_packet,
)
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from simulator.world.led_sign import File, LedSign

# How long a sign takes to answer (assumed; readerboard allows three seconds).
ANSWER_NS = 20 * NS_PER_MS
# Characters further apart than this end a packet (document: about a second).
GAP_NS = NS_PER_S
TYPES = frozenset("Z?^1z!")  # type codes that this one listens to: all, with verify, BetaBrite, one line
ANY_ADDRESS = "??"
FIRMWARE = "10440000"  # eight characters; then revision, month and year of release, time, format, speaker, pool
GENERAL = FIRMWARE + "B" + "0902" + "0000" + "M" + "00"
ERRORS = {
    GarbageReason.BAD_CHECK: ErrorStatus.CHECKSUM,
    GarbageReason.OVERSIZED: ErrorStatus.OVERFLOW,
    GarbageReason.TRUNCATED: ErrorStatus.TIMEOUT,
}


class AlphaSignFace:
    """One sign, off until `boot`."""

    boot_number = 0  # a sign counts no boots
    profile = "alpha"

    def __init__(self, sign: LedSign, address: str = "01") -> None:
        self.sign = sign
        self.address = address
        self.status = ErrorStatus.DEFAULT
        self.refused = 0
        self._decoder = PacketDecoder()
        self._output: list[tuple[int, bytes]] = []
        self._due: list[bytes] = []
        self._last_ns = 0

    @property
    def is_on(self) -> bool:
        return self.sign.is_powered

    @property
    def next_wake_ns(self) -> int | None:
        return min((due_ns for due_ns, _ in self._output), default=None)

    def boot(self, now_ns: int) -> None:
        """Power."""
        self._forget()
        self.sign.power_on()

    def power_off(self) -> None:
        """No power."""
        self._forget()
        self.sign.power_off()

    def _forget(self) -> None:
        self._decoder = PacketDecoder()
        self._output.clear()
        self._due.clear()
        self.status = ErrorStatus.DEFAULT

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable."""
        self._decoder = PacketDecoder()
        self._output.clear()

    def disconnected(self) -> None:
        """A sign sees no cable."""

    def is_host_present(self, now_ns: int) -> bool:
        """It knows no session."""
        return False

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from a host."""
        if not self.is_on or now_ns < self.sign.deaf_until_ns:
            return
        if self._decoder.is_within and now_ns - self._last_ns > GAP_NS:
            self._hear(self._decoder.abandon(), now_ns)
        self._last_ns = now_ns
        self._hear(self._decoder.feed(chunk), now_ns)

    def update(self, now_ns: int) -> bool:
        """Let what is due go out; nothing here wakes another world."""
        self._due += [data for due_ns, data in self._output if due_ns <= now_ns]
        self._output = [(due_ns, data) for due_ns, data in self._output if due_ns > now_ns]
        return False

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        due, self._due = self._due, []
        return due

    def drawn(self) -> list[str]:
        """What eyes read, page by page; more than stands on the sign runs out of it at the right."""
        return [text_of(page)[: self.sign.characters] for page in self.sign.visible_pages()]

    # Commands

    def _hear(self, heard: object, now_ns: int) -> None:
        for said in heard:  # type: ignore[attr-defined]  # any iterator of what a decoder gives
            if isinstance(said, Packet):
                self._packet(said, now_ns)
            elif isinstance(said, Garbage) and said.reason in ERRORS:
                self.status |= ERRORS[said.reason]
                self._acknowledge(is_accepted=False, now_ns=now_ns)

    def _packet(self, packet: Packet, now_ns: int) -> None:
        is_meant = packet.type_code in TYPES and packet.address in (BROADCAST, ANY_ADDRESS, self.address)
        if not is_meant:
            return
        for command in packet.commands:
            handler = self.handlers.get(command[:1].decode("latin-1"))
            was_acknowledging = self.sign.is_acknowledging
            is_accepted = handler is not None and handler(self, command[1:], now_ns)
            if not is_accepted:
                self.refused += 1
                self.status |= ErrorStatus.ILLEGAL
            is_read = command[:1].decode("latin-1") in READS
            if (self.sign.is_acknowledging or was_acknowledging) and not (is_read and is_accepted):
                self._acknowledge(is_accepted=is_accepted, now_ns=now_ns)

    def _acknowledge(self, *, is_accepted: bool, now_ns: int) -> None:
        if self.sign.is_acknowledging:
            self._output.append((now_ns + ANSWER_NS, encode_acknowledgement(Acknowledged(is_accepted, self.status))))

    def _answer(self, command: bytes, now_ns: int) -> bool:
        packet = Packet((command,), RESPONSE, BROADCAST)
        self._output.append((now_ns + ANSWER_NS, encode_packet(packet, REPLY_NULS)))
        return True

    def _write_text(self, body: bytes, now_ns: int) -> bool:
        label, rest = body[:1].decode("latin-1"), body[1:]
        if label == PRIORITY_LABEL and not rest:
            self.sign.release()
            return True
        if len(rest) < 3 or rest[0] != ESC:
            return False
        return self.sign.write_text(label, rest[3:], rest[1], chr(rest[2]))

    def _read_text(self, body: bytes, now_ns: int) -> bool:
        label = body.decode("latin-1")
        file = self.sign.held.priority if label == PRIORITY_LABEL else self.sign.held.files.get(label)
        if file is None:
            return self._answer(Command.WRITE_TEXT.encode() + body, now_ns) if label == PRIORITY_LABEL else False
        head = Command.WRITE_TEXT.encode() + body + bytes((ESC, file.position)) + file.mode.encode("latin-1")
        return self._answer(head + file.data, now_ns)

    def _write_string(self, body: bytes, now_ns: int) -> bool:
        return self.sign.write_string(body[:1].decode("latin-1"), body[1:])

    def _read_string(self, body: bytes, now_ns: int) -> bool:
        file = self.sign.held.files.get(body.decode("latin-1"))
        return file is not None and self._answer(Command.WRITE_STRING.encode() + body + file.data, now_ns)

    def _write_special(self, body: bytes, now_ns: int) -> bool:
        function, data = body[:1].decode("latin-1"), body[1:]
        if function == Special.MEMORY:
            entries = _entries(data)
            return entries is not None and self.sign.configure(entries, now_ns)
        if function == Special.RUN_SEQUENCE:
            self.sign.run(data[2:].decode("latin-1"))
        elif function == Special.ACKNOWLEDGE:
            self.sign.is_acknowledging = data == b"1"
        elif function == Special.CLEAR_ERROR:
            self.status = ErrorStatus.DEFAULT
        return function in TAKEN

    def _read_special(self, body: bytes, now_ns: int) -> bool:
        files = self.sign.held.files.values()
        pool = f"{sum((self.sign.free_bytes, *(file.size for file in files))):04X},{self.sign.free_bytes:04X}"
        told = {
            Special.GENERAL: (GENERAL + pool).encode("ascii"),
            Special.POOL: pool.encode("ascii"),
            Special.MEMORY: b"".join(file.entry for file in files),
            Special.ERROR_STATUS: bytes((self.status,)),
            Special.RUN_SEQUENCE: b"SL" + self.sign.held.sequence.encode("latin-1"),
        }.get(body.decode("latin-1"))  # type: ignore[call-overload]  # a StrEnum is found by its text
        return told is not None and self._answer(Command.WRITE_SPECIAL.encode() + body + told, now_ns)

    handlers: Mapping[str, Callable[..., bool]] = {
        Command.WRITE_TEXT: _write_text,
        Command.READ_TEXT: _read_text,
        Command.WRITE_STRING: _write_string,
        Command.READ_STRING: _read_string,
        Command.WRITE_SPECIAL: _write_special,
        Command.READ_SPECIAL: _read_special,
    }


READS = frozenset({Command.READ_TEXT, Command.READ_STRING, Command.READ_SPECIAL})
# Specials that it takes; clock and speaker change nothing that eyes read here.
TAKEN = frozenset(
    {
        Special.MEMORY,
        Special.RUN_SEQUENCE,
        Special.ACKNOWLEDGE,
        Special.CLEAR_ERROR,
        Special.TIME,
        Special.WEEKDAY,
        Special.SPEAKER,
        Special.SOFT_RESET,
    }
)


def _entries(data: bytes) -> dict[str, File] | None:
    """The files of a memory table; None: it is none."""
    if len(data) % ENTRY_CHARACTERS:
        return None
    found: dict[str, File] = {}
    for at in range(0, len(data), ENTRY_CHARACTERS):
        entry = data[at : at + ENTRY_CHARACTERS]
        label, kind, lock, size = chr(entry[0]), chr(entry[1]), chr(entry[2]), entry[3:7]
        is_locked_string = kind != "B" or lock == "L"
        if label == PRIORITY_LABEL or kind not in "ABD" or lock not in "UL" or not is_locked_string:
            return None
        try:
            found[label] = File(kind, int(size, 16), entry)
        except ValueError:
            return None
    return found
