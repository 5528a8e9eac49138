"""Modbus I/O boards on one cable: inputs, a counter behind each input, coils (docs/protocols/modbus-retrofit.md).

Sans I/O. On RTU every board hears every question and one answers; on TCP the unit in the header says which board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from firmware_bridge.clock import NS_PER_MS
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.modbus.codes import ExceptionCode, Function
from firmware_bridge.wire.modbus.frame import Frame
from firmware_bridge.wire.modbus.messages import (
    Answer,
    Bits,
    CoilsWritten,
    Echo,
    Read,
    Refused,
    Words,
    WriteCoil,
    WriteCoils,
    decode_question,
    encode_answer,
)
from firmware_bridge.wire.modbus.rtu import RtuDecoder, Side, encode_rtu
from firmware_bridge.wire.modbus.tcp import TcpDecoder, encode_tcp
from simulator.world.io_board import IoBoard

# How long a board takes to answer (assumed; makers say some milliseconds).
ANSWER_NS = 4 * NS_PER_MS
# A pause within a question ends it. The standard says 1.5 characters; adapters make longer pauses (assumed).
PIECES_APART_NS = 50 * NS_PER_MS
# A board whose maker left function 8 out, as many do.
ALL = frozenset(Function)


class Plugged(Protocol):
    """What gets its power with the boards."""

    def power_on(self) -> None: ...

    def power_off(self) -> None: ...


class ModbusBoardsFace:
    """The boards of one cable, by unit, off until `boot`. `functions`: what they know; `answer_ns` may be changed."""

    boot_number = 0  # a board counts no boots

    def __init__(
        self,
        boards: Mapping[int, IoBoard],
        *,
        is_tcp: bool,
        functions: frozenset[Function] = ALL,
        same_plug: Sequence[Plugged] = (),
    ) -> None:
        self.profile = "modbus-tcp" if is_tcp else "modbus-rtu"
        self.boards = dict(boards)
        self.functions = functions
        self.answer_ns = ANSWER_NS
        self.asked = 0  # questions that were for a board here
        self._is_tcp = is_tcp
        self._same_plug = tuple(same_plug)
        self._decoder = self._new_decoder()
        self._output: list[tuple[int, bytes]] = []
        self._due: list[bytes] = []
        self._heard_ns = 0

    @property
    def is_on(self) -> bool:
        return any(board.is_powered for board in self.boards.values())

    @property
    def next_wake_ns(self) -> int | None:
        return min((due_ns for due_ns, _ in self._output), default=None)

    def boot(self, now_ns: int) -> None:
        """Power for all."""
        self._forget()
        for other in self._same_plug:
            other.power_on()
        for board in self.boards.values():
            board.power_on(now_ns)

    def power_off(self) -> None:
        """Power for none."""
        self._forget()
        for other in self._same_plug:
            other.power_off()
        for board in self.boards.values():
            board.power_off()

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable."""
        self._forget()

    def disconnected(self) -> None:
        """A board sees no cable, and a TCP connection that ends takes its questions with it."""
        self._forget()

    def is_host_present(self, now_ns: int) -> bool:
        """It knows no session."""
        return False

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from a host."""
        if self._decoder.pending and now_ns - self._heard_ns > PIECES_APART_NS:
            self._hear(list(self._decoder.gap()), now_ns)
        self._heard_ns = now_ns
        self._hear(list(self._decoder.feed(chunk)), now_ns)

    def update(self, now_ns: int) -> bool:
        """Let what is due go out; nothing here wakes another world."""
        self._due += [data for due_ns, data in self._output if due_ns <= now_ns]
        self._output = [(due_ns, data) for due_ns, data in self._output if due_ns > now_ns]
        return False

    def take_output(self) -> list[bytes]:
        """What goes out by now."""
        due, self._due = self._due, []
        return due

    # Inside

    def _new_decoder(self) -> RtuDecoder | TcpDecoder:
        return TcpDecoder() if self._is_tcp else RtuDecoder(Side.QUESTIONS)

    def _forget(self) -> None:
        self._decoder = self._new_decoder()
        self._output.clear()
        self._due.clear()

    def _hear(self, pieces: Sequence[Frame | Garbage], now_ns: int) -> None:
        for piece in pieces:
            board = self.boards.get(piece.unit) if isinstance(piece, Frame) else None
            if board is None or not board.is_powered or isinstance(piece, Garbage):
                continue
            self.asked += 1
            answer = self._answer(board, piece.data)
            frame = Frame(piece.unit, encode_answer(answer), piece.transaction)
            data = encode_tcp(frame) if self._is_tcp else encode_rtu(frame)
            self._output.append((now_ns + self.answer_ns, data))

    def _answer(self, board: IoBoard, data: bytes) -> Answer:
        if data[0] not in self.functions:
            return Refused(data[0], ExceptionCode.ILLEGAL_FUNCTION)
        question = decode_question(data)
        match question:
            case Read(function, address, count):
                return _read(board, function, address, count)
            case WriteCoil(address, is_on):
                return question if _switch(board, address, (is_on,)) else _no_such(data)
            case WriteCoils(address, values):
                return CoilsWritten(address, len(values)) if _switch(board, address, values) else _no_such(data)
            case Echo():
                return question
            case Refused():
                return question


def _read(board: IoBoard, function: Function, address: int, count: int) -> Answer:
    tables: dict[Function, Sequence[int]] = {
        Function.READ_COILS: board.coils,
        Function.READ_INPUTS: board.inputs,
        Function.READ_HOLDING: board.counters,
        Function.READ_INPUT_WORDS: board.counters,
    }
    table = tables[function]
    if address + count > len(table):
        return Refused(function, ExceptionCode.ILLEGAL_ADDRESS)
    found = tuple(table[address : address + count])
    if function in (Function.READ_COILS, Function.READ_INPUTS):
        return Bits(function, tuple(map(bool, found)))
    return Words(function, found)


def _switch(board: IoBoard, address: int, values: Sequence[bool]) -> bool:
    if address + len(values) > len(board.coils):
        return False
    board.coils[address : address + len(values)] = values
    return True


def _no_such(data: bytes) -> Refused:
    return Refused(data[0], ExceptionCode.ILLEGAL_ADDRESS)
