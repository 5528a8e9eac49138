"""A PN532's own side of its host protocol over HSU (UM0701-02, and what peers expect; docs/protocols/pn532.md).

Sans I/O: `receive` bytes, `update` at `next_wake_ns`, take bytes by `take_output`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.pn532.codes import Command, RfItem
from firmware_bridge.wire.pn532.commands import TARGETS_MAX, Target, targets_data
from firmware_bridge.wire.pn532.frame import FrameDecoder, Mark, Message, encode
from simulator.world.rf_field import Antenna, RfField

# Within 15 ms, says the manual; boards take one or two (assumed).
ACK_NS = 1 * NS_PER_MS
ANSWER_NS = 1 * NS_PER_MS
# One look for a tag, with its anticollision (assumed).
LOOK_NS = 5 * NS_PER_MS
# What an idle chip loses of what wakes it: 8 bytes are 0.7 ms of 115,200 baud (assumed; hosts send 10 to 17).
LOST_WAKING_BYTES = 8
FIRMWARE = bytes((0x32, 0x01, 0x06, 0x07))  # a PN532 of firmware 1.6 that knows A, B and ISO 18092
FOR_EVER = 0xFF
_SUPPORTED_MODULATIONS = frozenset({0, 1, 2, 3, 4})


class Pn532Face:
    """One board with its antenna, off until `boot`, asleep until something comes over the line."""

    boot_number = 0  # it counts no boots
    profile = "pn532"

    def __init__(self, name: str, field: RfField, at_mm: float) -> None:
        self.name = name
        self.is_on = False
        self.is_awake = False
        self.is_hung = False  # it takes bytes and says nothing: only power helps
        self.garbage = 0
        self._field = field
        field.antennas[name] = Antenna(at_mm)
        self._decoder = FrameDecoder(filler=b"\x00\x55")
        self._retries = FOR_EVER
        self._waking = 0
        self._output: list[tuple[int, bytes]] = []
        self._due: list[bytes] = []
        self._last_reply: bytes = b""
        self._look_at_ns: int | None = None
        self._looks_left = 0
        self._most = 1

    @property
    def next_wake_ns(self) -> int | None:
        times = [due_ns for due_ns, _ in self._output]
        if self._look_at_ns is not None:
            times.append(self._look_at_ns)
        return min(times, default=None)

    def boot(self, now_ns: int) -> None:
        """Power."""
        self._sleep()
        self.is_on, self.is_hung, self._retries = True, False, FOR_EVER

    def power_off(self) -> None:
        """No power."""
        self._sleep()
        self.is_on = False

    def _sleep(self) -> None:
        self.is_awake, self._waking = False, 0
        self._decoder = FrameDecoder(filler=b"\x00\x55")
        self._abort()
        self._due.clear()
        self._field.antennas[self.name].is_fed = False

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable; a UART sees none, and is as it was."""

    def disconnected(self) -> None:
        """A UART sees no cable."""

    def is_host_present(self, now_ns: int) -> bool:
        """It knows no session."""
        return False

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from a host."""
        if not self.is_on or self.is_hung:
            return
        if not self.is_awake:
            lost = min(len(chunk), LOST_WAKING_BYTES - self._waking)
            self._waking += lost
            self.is_awake = self._waking >= LOST_WAKING_BYTES
            chunk = chunk[lost:]
        for said in self._decoder.feed(chunk):
            self._hear(said, now_ns)

    def update(self, now_ns: int) -> bool:
        """Look where a command waits for a tag; let what is due go out; nothing here wakes another world."""
        while self._look_at_ns is not None and self._look_at_ns <= now_ns:
            self._look(self._look_at_ns)
        self._due += [data for due_ns, data in self._output if due_ns <= now_ns]
        self._output = [(due_ns, data) for due_ns, data in self._output if due_ns > now_ns]
        return False

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        due, self._due = self._due, []
        return due

    # Frames

    def _hear(self, said: Message | Mark | Garbage, now_ns: int) -> None:
        if isinstance(said, Message):
            self._abort()  # a command ends the one before it
            self._output.append((now_ns + ACK_NS, encode(Mark.ACK)))
            self._command(said, now_ns + ACK_NS)
        elif said is Mark.ACK:
            self._abort()
        elif said is Mark.NACK and self._last_reply:
            self._output.append((now_ns + ACK_NS, self._last_reply))
        elif isinstance(said, Garbage):
            self.garbage += 1  # what does not check is not acknowledged; the host says it again

    def _abort(self) -> None:
        self._output.clear()
        self._look_at_ns = None

    def _command(self, command: Message, now_ns: int) -> None:
        handler = None if command.is_reply else self.handlers.get(command.code)
        if handler is None:
            self._say(encode(Mark.SYNTAX_ERROR), now_ns)
            return
        data = handler(self, command.data, now_ns)
        if data is not None:
            self._reply(command.code, data, now_ns)

    def _reply(self, code: int, data: bytes, now_ns: int) -> None:
        self._say(encode(Message(code + 1, data, is_reply=True)), now_ns)

    def _say(self, frame: bytes, now_ns: int) -> None:
        self._last_reply = frame
        self._output.append((now_ns + ANSWER_NS, frame))

    # Commands; None: the reply comes later

    def _nothing(self, data: bytes, now_ns: int) -> bytes:
        return b""

    def _diagnose(self, data: bytes, now_ns: int) -> bytes:
        """The line test gives back what it was given; the others say that all is well."""
        return data if data[:1] == b"\x00" else b"\x00"

    def _firmware(self, data: bytes, now_ns: int) -> bytes:
        return FIRMWARE

    def _general_status(self, data: bytes, now_ns: int) -> bytes:
        is_fed = self._field.antennas[self.name].is_fed
        return bytes((0x00, is_fed, 0x00, 0x80))

    def _registers(self, data: bytes, now_ns: int) -> bytes:
        return bytes(len(data) // 2)

    def _power_down(self, data: bytes, now_ns: int) -> bytes | None:
        """It answers, and sleeps."""
        self._reply(Command.POWER_DOWN, b"\x00", now_ns)
        self._due += [frame for _, frame in self._output]
        leaving = list(self._due)
        self._sleep()
        self._due = leaving
        return None

    def _rf_configuration(self, data: bytes, now_ns: int) -> bytes:
        if data[:1] == bytes((RfItem.FIELD,)) and len(data) == 2:
            self._field.antennas[self.name].is_fed = bool(data[1] & 1)
        elif data[:1] == bytes((RfItem.RETRIES,)) and len(data) == 4:
            self._retries = data[3]
        return b""

    def _list(self, data: bytes, now_ns: int) -> bytes | None:
        if len(data) < 2 or not 1 <= data[0] <= TARGETS_MAX or data[1] not in _SUPPORTED_MODULATIONS:
            self._say(encode(Mark.SYNTAX_ERROR), now_ns)
            return None
        # Only tags of type A lie here; a look for others finds nothing.
        self._most = data[0] if data[1] == 0 else 0
        self._looks_left = self._retries + 1
        self._look_at_ns = now_ns + LOOK_NS
        return None

    def _look(self, now_ns: int) -> None:
        found = self._field.look(self.name, self._most)
        if self._retries != FOR_EVER:
            self._looks_left -= 1
        if not found and self._looks_left:
            self._look_at_ns = now_ns + LOOK_NS
            return
        self._look_at_ns = None
        targets = tuple(Target(at, tag.uid, tag.sens_res, tag.sel_res) for at, tag in enumerate(found, 1))
        self._reply(Command.IN_LIST_PASSIVE_TARGET, targets_data(targets), now_ns)

    def _released(self, data: bytes, now_ns: int) -> bytes:
        return b"\x00"

    handlers: Mapping[int, Callable[..., bytes | None]] = {
        Command.DIAGNOSE: _diagnose,
        Command.GET_FIRMWARE_VERSION: _firmware,
        Command.GET_GENERAL_STATUS: _general_status,
        Command.READ_REGISTER: _registers,
        Command.WRITE_REGISTER: _nothing,
        Command.SET_SERIAL_BAUD_RATE: _nothing,
        Command.SET_PARAMETERS: _nothing,
        Command.SAM_CONFIGURATION: _nothing,
        Command.POWER_DOWN: _power_down,
        Command.RF_CONFIGURATION: _rf_configuration,
        Command.IN_LIST_PASSIVE_TARGET: _list,
        Command.IN_RELEASE: _released,
    }
