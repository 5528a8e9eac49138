"""A machine's own side of GAT 3.50, from the document's rules (docs/protocols/gat.md). Sans I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from firmware_bridge.clock import NS_PER_MS, NS_PER_S
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.gat.codes import (
    DIGESTS_FILE,
    FROM_HOST,
    GET_FILE,
    MAX_RESULT_DATA_BYTES,
    NO_KEY,
    Calculation,
    Format,
    Level,
)
from firmware_bridge.wire.gat.digests import Digests, encode_digests
from firmware_bridge.wire.gat.frame import FrameDecoder, encode_frame
from firmware_bridge.wire.gat.messages import (
    Answer,
    BadBody,
    Initiate,
    InitiateAck,
    LastStatus,
    LastStatusQuery,
    Message,
    Results,
    ResultsQuery,
    Status,
    StatusQuery,
    decode_message,
    encode_message,
    special_fields,
)
from simulator.world.firmware import Firmware

# How long the machine thinks (assumed; the document allows 200 ms).
ANSWER_NS = 15 * NS_PER_MS
# Between asking and the first digest (assumed).
REQUESTED_NS = 300 * NS_PER_MS


@dataclass(slots=True)
class Faults:
    """What goes wrong at the line, each as often as its number says."""

    late: int = 0  # answers that begin `late_ns` after the question
    late_ns: int = 235 * NS_PER_MS
    missing: int = 0  # answers that do not come
    missing_frames: list[int] = field(default_factory=list)  # frames of the result that do not come once each
    swapped_check: int = 0  # answers with the low byte of their CRC first
    told: int = 0  # faults that have been played


@dataclass(frozen=True, slots=True)
class _Running:
    asked: Initiate
    begins_ns: int
    done_ns: int


class GatPortFace:
    """One port, off until `boot`. `chunk_bytes`: how much of a result goes into a frame."""

    boot_number = 0  # GAT counts no boots
    profile = "gat"

    def __init__(self, firmware: Firmware, chunk_bytes: int = MAX_RESULT_DATA_BYTES) -> None:
        self.firmware = firmware
        self.faults = Faults()
        self.is_failing = False  # its next calculation ends in error
        self._chunk_bytes = chunk_bytes
        self._now_ns = 0
        self._power(is_on=False)

    @property
    def is_on(self) -> bool:
        return self._is_on

    @property
    def next_wake_ns(self) -> int | None:
        return min((due_ns for due_ns, _ in self._output), default=None)

    def boot(self, now_ns: int) -> None:
        """Power: nothing was calculated yet."""
        self._power(is_on=True)

    def power_off(self) -> None:
        self._power(is_on=False)

    def _power(self, *, is_on: bool) -> None:
        self._is_on = is_on
        self._decoder = FrameDecoder(FROM_HOST)
        self._output: list[tuple[int, bytes]] = []
        self._due: list[bytes] = []
        self._running: _Running | None = None
        self._last: _Running | None = None
        self._result: bytes | None = None
        self._has_failed = False

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable."""
        self._decoder = FrameDecoder(FROM_HOST)
        self._output.clear()

    def disconnected(self) -> None:
        """A serial port sees no cable."""

    def is_host_present(self, now_ns: int) -> bool:
        """It knows no session."""
        return False

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from a host."""
        self._now_ns = now_ns
        if not self._is_on:
            return
        for piece in self._decoder.feed(chunk):
            if not isinstance(piece, Garbage):
                try:
                    self._hear(decode_message(piece))
                except BadBody:
                    continue  # it says nothing to what it does not understand

    def update(self, now_ns: int) -> bool:
        """Let what is due go out; nothing here wakes another world."""
        self._now_ns = now_ns
        self._due += [data for due_ns, data in self._output if due_ns <= now_ns]
        self._output = [(due_ns, data) for due_ns, data in self._output if due_ns > now_ns]
        return False

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        due, self._due = self._due, []
        return due

    # Questions

    def _hear(self, message: Message) -> None:
        self._settle()
        answer = self._handlers[type(message)](self, message)
        if answer is not None:
            self._say(answer)

    def _settle(self) -> None:
        """A calculation whose time has come is done."""
        running = self._running
        if running is None or self._now_ns < running.done_ns:
            return
        self._running = None
        self._last = running
        self._has_failed = self.is_failing
        self.is_failing = False
        self._result = None if self._has_failed else self._reckoned(running.asked)

    def _status(self, _query: StatusQuery) -> Status:
        running = self._running
        if running is not None:
            begun = self._now_ns >= running.begins_ns
            how = Calculation.CALCULATING if begun else Calculation.REQUESTED
            return Status("3.50", how, has_results=False, formats=Format.XML)
        if self._has_failed:
            return Status("3.50", Calculation.FAILED, has_results=False, formats=Format.XML)
        return Status("3.50", Calculation.IDLE, has_results=self._result is not None, formats=Format.XML)

    def _last_status(self, _query: LastStatusQuery) -> LastStatus:
        last = self._running or self._last
        if last is None:
            return LastStatus(Level.NONE, 0)
        until_ns = min(self._now_ns, last.done_ns)
        return LastStatus(last.asked.level, max(0, until_ns - last.begins_ns) // NS_PER_S)

    def _initiate(self, asked: Initiate) -> InitiateAck:
        if self._key(asked) is None:
            return InitiateAck(is_accepted=False, is_started=False, is_level_unknown=True)
        begins_ns = self._now_ns + REQUESTED_NS
        self._result, self._has_failed = None, False
        self._running = _Running(asked, begins_ns, begins_ns + self.firmware.duration_ns)
        return InitiateAck(is_accepted=True, is_started=True, is_level_unknown=False)

    def _results(self, query: ResultsQuery) -> Results | None:
        if query.number in self.faults.missing_frames:
            self.faults.missing_frames.remove(query.number)
            self.faults.told += 1
            return None
        result = self._result
        if result is None or query.format is not Format.XML:
            return Results(is_failed=True, is_last=True, number=query.number, data=b"")
        begin = (query.number - 1) * self._chunk_bytes
        data = result[begin : begin + self._chunk_bytes]
        return Results(not data, begin + len(data) >= len(result), query.number, data)

    _handlers: Mapping[type, Callable[..., Answer | None]] = {
        StatusQuery: _status,
        LastStatusQuery: _last_status,
        Initiate: _initiate,
        ResultsQuery: _results,
    }

    def _key(self, asked: Initiate) -> bytes | None:
        """The key of a calculation that this machine can do; None: it cannot."""
        fields = special_fields(asked)
        if fields is None or fields[:2] != (GET_FILE, DIGESTS_FILE) or len(fields) > 3:
            return None
        text = fields[2] if len(fields) > 2 else NO_KEY
        try:
            return b"" if text == NO_KEY else bytes.fromhex(text)
        except ValueError:
            return None

    def _reckoned(self, asked: Initiate) -> bytes:
        firmware = self.firmware
        return encode_digests(Digests(firmware.maker, firmware.model, firmware.digests(self._key(asked) or b"")))

    def _say(self, answer: Answer) -> None:
        data, faults = encode_frame(encode_message(answer)), self.faults
        if faults.missing:
            faults.missing -= 1
            faults.told += 1
            return
        delay_ns = ANSWER_NS
        if faults.late:
            faults.late -= 1
            faults.told += 1
            delay_ns = faults.late_ns
        if faults.swapped_check:
            faults.swapped_check -= 1
            faults.told += 1
            data = data[:-2] + data[:-3:-1]
        self._output.append((self._now_ns + delay_ns, data))
