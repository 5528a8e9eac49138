"""The device side of TDL, from the specification: handshake, seqs, commands, notices, permits (docs/protocols/tdl.md).

Sans I/O: `receive` bytes, `update` at `next_wake_ns`, take bytes by `take_output`. What the device can do is
its equipment's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from firmware_bridge.clock import NS_PER_MS, NS_PER_S
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl.cbor import BadBody, Value
from firmware_bridge.wire.tdl.codes import (
    MIN_RX_MAX,
    VERSION,
    BootCause,
    HelloFlag,
    MessageType,
    NoticeKind,
    Permit,
    PermitEnd,
    Status,
)
from firmware_bridge.wire.tdl.frame import Frame, encode_frame
from firmware_bridge.wire.tdl.keys import (
    BootedKey,
    CommandEndedKey,
    HelloReplyKey,
    NoticeAckKey,
    NoticeKey,
    PermitEndedKey,
    ProgressKey,
)
from firmware_bridge.wire.tdl.read import uint
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder, encode_stream
from simulator.world.waking import earliest

from .equipment import Ended, Equipment
from .memory import Memory, Outcome
from .notices import Notices
from .operations import Operations
from .outcomes import Outcomes
from .permits import Permits
from .session import HOST_PRESENT_NS, Hello, Session, Turn

PROGRESS_NS = NS_PER_S
# An end that could not be stored is tried again (TDL 7.4).
STORE_AGAIN_NS = NS_PER_S
MS_MODULUS = 1 << 32


@dataclass(slots=True)
class Running:
    """The moving command that runs."""

    number: int
    operation: int
    progress_due_ns: int
    ended: Ended | None = None
    store_due_ns: int = 0


class TdlDevice:
    """One device. Off until `boot`; `memory` outlives it, everything else is lost with the power."""

    profile = "tdl"

    def __init__(self, equipment: Equipment, memory: Memory, *, rx_max: int = MIN_RX_MAX) -> None:
        self.equipment = equipment
        self.memory = memory
        self.rx_max = rx_max
        self.is_on = False
        self.is_message_based = False
        self.dropped = 0
        self._output: list[bytes] = []
        self._forget()

    # Power

    def boot(self, now_ns: int, cause: BootCause = BootCause.POWER) -> None:
        """Come up, in the order of TDL 10.3. Raises `PowerLost` where a test cuts the power."""
        self._forget()
        self.now_ns = self._boot_ns = now_ns
        self._cause = cause
        self.is_boot_stored = self.memory.next_boot()
        self.boot_number = self.memory.boot if self.is_boot_stored else self.memory.boot + 1
        self.notices.is_mute = not self.is_boot_stored
        self.outcomes.interrupt()
        self.is_on = True
        keys: dict[int, Value] = {BootedKey.CAUSE: cause}
        self.notice(NoticeKind.BOOTED, keys | self.equipment.boot(self.memory))
        self.equipment.look_around(self)
        if self.memory.is_forgotten or not self.is_boot_stored:
            self.memory.is_forgotten = False
            self.equipment.memory_failed()
        self.update(now_ns)

    def power_off(self) -> None:
        """Power fails: motion stops, RAM is gone, bytes on their way out are gone."""
        self.is_on = False
        self.equipment.power_off()
        self._forget()

    def reset(self, now_ns: int, cause: BootCause = BootCause.RESET) -> None:
        """Off and on."""
        self.power_off()
        self.boot(now_ns, cause)

    def _forget(self) -> None:
        self.now_ns = self._boot_ns = 0
        self._cause = BootCause.UNKNOWN
        self.boot_number = self.memory.boot
        self.is_boot_stored = True
        self.outcomes = Outcomes(self.memory)
        self.notices = Notices()
        self.permits = Permits(self.equipment.permits)
        self.session: Session | None = None
        self.running: Running | None = None
        self.dropped = 0
        self._before: Hello | None = None
        self._output.clear()
        self._decoder = self._new_decoder()
        self._operations = Operations(self)

    # The cable

    def connected(self, *, is_message_based: bool) -> None:
        """A new connection: nothing of an earlier one's half frame stays."""
        self.is_message_based = is_message_based
        self._decoder = self._new_decoder()
        self._output.clear()

    def disconnected(self) -> None:
        """The connection has ended where the device can see it (TCP, USB, MQTT): the session is over."""
        if self.session is not None:
            self._before = self.session.hello
            self.session = None
        self._output.clear()

    def is_host_present(self, now_ns: int) -> bool:
        """Whether a valid frame of the session in force came within the last 5 s."""
        return self.session is not None and now_ns - self.session.heard_ns <= HOST_PRESENT_NS

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from the cable, of any size. Raises `PowerLost` where a test cuts the power."""
        if not self.is_on:
            return
        self.now_ns = now_ns
        self.equipment.observe(self, self.memory)
        for message in self._decoder.feed(chunk):
            if isinstance(message, Garbage):
                self.dropped += 1
            else:
                self._take(message)
        self.update(now_ns)

    def take_output(self) -> list[bytes]:
        """What goes out, one item a frame."""
        output, self._output = self._output, []
        return output

    def _new_decoder(self) -> StreamDecoder | MessageDecoder:
        return MessageDecoder(self.rx_max) if self.is_message_based else StreamDecoder(self.rx_max)

    def _send(self, kind: MessageType, code: int, seq: int, session: int, body: Mapping[int, Value]) -> None:
        frame = Frame(kind, code, seq, session, body)
        self._output.append(encode_frame(frame) if self.is_message_based else encode_stream(frame))

    # Messages

    def _take(self, frame: Frame) -> None:
        try:
            is_taken = self._handlers.get(frame.type, TdlDevice._drop)(self, frame)
        except BadBody:
            is_taken = False
        if not is_taken:
            self.dropped += 1

    def _drop(self, frame: Frame) -> bool:
        return False

    def _in_session(self, frame: Frame) -> Session | None:
        session = self.session
        if session is None or session.hello.session != frame.session:
            return None
        session.heard_ns = self.now_ns
        return session

    def _hello(self, frame: Frame) -> bool:
        """The table of TDL 4.3, line by line."""
        hello = Hello.of(frame.session, frame.seq, frame.body)
        if hello is None:
            return False
        present = self.session
        if not hello.lowest <= VERSION <= hello.highest:
            self._hello_reply(hello, version=0)
        elif present is not None and hello.is_copy_of(present.hello):
            present.heard_ns = self.now_ns
            self._hello_reply(hello)
        elif hello.is_copy_of(self._before):
            return False
        elif present is not None and hello.epoch != present.hello.epoch and self.is_host_present(self.now_ns):
            self._hello_reply(hello, extra=HelloFlag.OTHER_HOST)
        else:
            self._before = present.hello if present is not None else self._before
            self.session = Session(hello, self.now_ns, hello.seq)
            self._hello_reply(hello)
        return True

    def _hello_reply(self, hello: Hello, *, version: int = VERSION, extra: int = 0) -> None:
        identity = self.equipment.identity
        body: dict[int, Value] = {
            HelloReplyKey.NONCE: hello.nonce,
            HelloReplyKey.VERSION: version,
            HelloReplyKey.BOOT: self.boot_number,
            HelloReplyKey.CAUSE: self._cause,
            HelloReplyKey.MODEL: identity.model,
            HelloReplyKey.SERIAL: identity.serial,
            HelloReplyKey.RX_MAX: self.rx_max,
            HelloReplyKey.SIMULATED: True,
            HelloReplyKey.EPOCH: self.outcomes.epoch,
            HelloReplyKey.HIGHEST_COMMAND: self.outcomes.highest,
            HelloReplyKey.OLDEST_NOTICE: self.notices.oldest,
            HelloReplyKey.NEWEST_NOTICE: self.notices.newest,
            HelloReplyKey.FLAGS: self.flags | extra,
        }
        self._send(MessageType.HELLO_REPLY, 0, hello.seq, hello.session, body)

    def _request(self, frame: Frame) -> bool:
        session = self._in_session(frame)
        if session is None:
            return False
        turn = session.judge(frame.seq, frame.code)
        if turn is Turn.DROP:
            return False
        if turn is Turn.NEW:
            session.last_seq, session.last_code = frame.seq, frame.code
            answer = self._operations.answer(frame.code, frame.body, session, self.now_ns)
            session.last_answer = answer
        else:
            answer = self._operations.answer_copy(frame.code, frame.body, session, self.now_ns)
        self._send(MessageType.REPLY, frame.code, frame.seq, frame.session, answer.body)
        self._operations.go()
        return True

    def _notice_ack(self, frame: Frame) -> bool:
        session = self._in_session(frame)
        if session is None:
            return False
        boot, number = uint(frame.body, NoticeAckKey.BOOT), uint(frame.body, NoticeAckKey.NUMBER)
        if boot != self.boot_number:
            return False  # the host has not noticed a boot: it must not open anything
        self.notices.acknowledge(number, self.now_ns)
        if not session.is_open:
            session.is_open = True
            self.notices.restart(self.now_ns)
            if self.running is not None:
                self.running.progress_due_ns = self.now_ns
        return True

    _handlers: ClassVar[dict[MessageType, Callable[[TdlDevice, Frame], bool]]] = {
        MessageType.HELLO: _hello,
        MessageType.REQUEST: _request,
        MessageType.NOTICE_ACK: _notice_ack,
    }

    # What the operations and the equipment use

    @property
    def flags(self) -> HelloFlag:
        flags = HelloFlag(0)
        if self.notices.is_lost:
            flags |= HelloFlag.NOTICES_LOST
        if not self.equipment.is_verified:
            flags |= HelloFlag.CONTENT_UNVERIFIED
        if self.running is not None:
            flags |= HelloFlag.COMMAND_RUNS
        return flags

    def notice(self, kind: NoticeKind, keys: dict[int, Value] | None = None) -> None:
        """Queue a notice; with no room for it, deal and feed end."""
        if not self.notices.add(kind, keys or {}, self.now_ns):
            self.end_permits(PermitEnd.NOTICES_FULL, Permit.DEAL, Permit.FEED)

    def count(self, what: Permit, cards: int) -> None:
        """Count cards under a permit."""
        self.permits[what].count(cards)

    def counted(self, what: Permit) -> int:
        return self.permits[what].counted

    def hinder(self, *, by_lid: bool = False) -> None:
        """End the permits under which the equipment would not act now."""
        for what in (Permit.DEAL, Permit.FEED):
            if self.permits.stands(what) and self.equipment.permit_hindrance(what):
                self.end_permits(PermitEnd.LID if by_lid else PermitEnd.FAULT, what)

    def end_permits(self, why: PermitEnd, *whats: Permit) -> None:
        self.permits.end(why, *whats)
        self.set_gates()

    def revoke_permits(self) -> None:
        """As PERMIT with 0 ms does, for all of them."""
        for lease in self.permits.leases.values():
            lease.revoke()
        self.set_gates()

    def set_gates(self) -> None:
        """The machine follows its permits at once."""
        for what, lease in self.permits.leases.items():
            self.equipment.permit_changed(what, stands=lease.stands, remaining=lease.remaining)

    def start_running(self, number: int, operation: int) -> None:
        """A moving command begins."""
        self.running = Running(number, operation, self.now_ns)

    def command_ended(self, ended: Ended) -> None:
        if self.running is not None:
            self.running.ended = ended

    # Time

    @property
    def next_wake_ns(self) -> int | None:
        """When `update` is to be called, if nothing happens before."""
        if not self.is_on:
            return None
        running = self.running
        stores_ns = running.store_due_ns if running is not None and running.ended is not None else None
        if self.session is None or not self.session.is_open:
            return earliest(self.permits.next_deadline_ns(), stores_ns)
        progress_ns = running.progress_due_ns if running is not None else None
        return earliest(self.permits.next_deadline_ns(), stores_ns, self.notices.due_ns(), progress_ns)

    def update(self, now_ns: int) -> bool:
        """Tell what happened in the world, end what has run out, send what is due.

        True: something had happened, so the world may go on differently and wants its own update again.
        """
        if not self.is_on:
            return False
        self.now_ns = now_ns
        has_happened = self.equipment.observe(self, self.memory)
        self.permits.expire(now_ns)
        self.set_gates()
        self._tell_ended_permits()
        self._tell_ended_command()
        if self.session is not None and self.session.is_open:
            self._send_progress(self.session)
            self._send_notice(self.session)
        return has_happened

    def _tell_ended_permits(self) -> None:
        for what, lease in self.permits.leases.items():
            if lease.ending is not None and self.equipment.is_still(what):
                why, lease.ending = lease.ending, None
                if why is PermitEnd.NUMBER:
                    self.equipment.limit_reached(what, self)
                keys: dict[int, Value] = {PermitEndedKey.WHAT: what, PermitEndedKey.WHY: why}
                self.notice(NoticeKind.PERMIT_ENDED, keys | {PermitEndedKey.COUNTED: lease.counted})

    def _tell_ended_command(self) -> None:
        running = self.running
        if running is None or running.ended is None or running.store_due_ns > self.now_ns:
            return
        ended = running.ended
        status = Status.DONE if ended.reason is None else Status.FAILED
        if not self.outcomes.store(Outcome(running.number, status, ended.reason, ended.cards)):
            # *done* that the next boot would call interrupted is not told: it goes on counting as running
            running.store_due_ns = self.now_ns + STORE_AGAIN_NS
            self.equipment.memory_failed()
            return
        self.running = None
        keys: dict[int, Value] = {CommandEndedKey.NUMBER: running.number, CommandEndedKey.STATUS: status}
        if ended.reason is not None:
            keys[CommandEndedKey.REASON] = ended.reason
        if ended.cards is not None:
            keys[CommandEndedKey.CARDS_MOVED] = ended.cards
        self.notice(NoticeKind.COMMAND_ENDED, keys)

    def _send_progress(self, session: Session) -> None:
        running = self.running
        if running is None or running.progress_due_ns > self.now_ns:
            return
        running.progress_due_ns = self.now_ns + PROGRESS_NS
        body: dict[int, Value] = {ProgressKey.NUMBER: running.number}
        if running.ended is None:
            body[ProgressKey.DONE], body[ProgressKey.OF] = self.equipment.progress()
        self._send(MessageType.PROGRESS, running.operation, 0, session.hello.session, body)

    def _send_notice(self, session: Session) -> None:
        notice = self.notices.take_due(self.now_ns)
        if notice is None:
            return
        ms = (notice.at_ns - self._boot_ns) // NS_PER_MS % MS_MODULUS
        head: dict[int, Value] = {NoticeKey.BOOT: self.boot_number, NoticeKey.NUMBER: notice.number, NoticeKey.MS: ms}
        self._send(MessageType.NOTICE, notice.kind, 0, session.hello.session, head | notice.keys)
