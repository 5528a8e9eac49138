"""An OSDP badge reader (peripheral), from the specification and what peers were seen to do (docs/protocols/osdp.md).

Sans I/O: `receive` bytes, `update` at the time that it returns, take bytes by `take_output`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.clock import NS_PER_MS, NS_PER_S
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.osdp.body import BadBody
from firmware_bridge.wire.osdp.codes import (
    BlockType,
    Capability,
    CommandCode,
    NakCode,
    PermanentLed,
    TemporaryLed,
    TextMode,
    Tone,
)
from firmware_bridge.wire.osdp.commands import (
    Challenge,
    CommandMessage,
    LedPattern,
    Poll,
    ReportCapabilities,
    ReportIdentity,
    ReportLocalStatus,
    ServerCryptogram,
    SetCommunication,
    SetKey,
    SetLed,
    ShowText,
    SoundBuzzer,
    decode_command,
)
from firmware_bridge.wire.osdp.frame import CONFIGURATION_ADDRESS, Frame, SecurityBlock, encode_frame
from firmware_bridge.wire.osdp.replies import (
    Acknowledged,
    Busy,
    Capabilities,
    CapabilityRecord,
    Communication,
    FormattedCard,
    Identity,
    KeysPressed,
    LocalStatus,
    RawCard,
    Refused,
    ReplyMessage,
)
from firmware_bridge.wire.osdp.secure import ChannelBroken
from firmware_bridge.wire.osdp.stream import StreamDecoder
from simulator.faces.osdp_security import Security
from simulator.world.badges import Badge, BadgeHead, Colour, Glow

# How long a reader takes to answer; the standard allows 200 ms.
ANSWER_NS = 3 * NS_PER_MS
# Without a command for so long the peripheral is off-line and forgets its channel (standard).
OFF_LINE_NS = 8 * NS_PER_S
_KEY_BYTES = {"*": 0x7F, "#": 0x0D}
_WIEGAND = 1

_DISPLAY = CapabilityRecord(Capability.TEXT, 1, 1)
CAPABILITIES = Capabilities(
    (
        CapabilityRecord(Capability.CARD_FORMAT, 1, 1),
        CapabilityRecord(Capability.LED, 4, 1),
        CapabilityRecord(Capability.BUZZER, 2, 1),
        _DISPLAY,
        CapabilityRecord(Capability.CHECK, 1, 0),
        CapabilityRecord(Capability.SECURE_CHANNEL, 1, 1),
        CapabilityRecord(Capability.RECEIVE_SIZE, 0x00, 0x01),  # 256 bytes
    )
)


@dataclass(frozen=True, slots=True)
class ReaderModel:
    """What the reader says of itself. `needs_security`: in clear it only says who it is.

    `sends_characters`: an older one, which tells a card as FMT.
    """

    vendor: bytes = b"\x00\x7a\x5b"  # nobody's: a simulated vendor
    model: int = 1
    version: int = 1
    serial: int = 0x0000_0901
    firmware: tuple[int, int, int] = (1, 0, 0)
    needs_security: bool = False
    has_display: bool = True
    sends_characters: bool = False


class OsdpReader:
    """One reader at one address. Off until `boot`; the key and the address outlive the power."""

    def __init__(self, head: BadgeHead, address: int, model: ReaderModel, security: Security) -> None:
        self.head = head
        self.address = address
        self.baud = 9_600
        self.model = model
        self.security = security
        self.is_on = False
        self.busy_answers = 0  # so many commands are answered BUSY first
        self.answer_ns = ANSWER_NS
        self.executed: list[CommandMessage] = []  # what was carried out, for those who count
        self._output: list[tuple[int, bytes]] = []
        self._status_told = LocalStatus(is_tampered=False, is_power_failing=False)
        self._actions: dict[type[CommandMessage], Callable[..., ReplyMessage]] = {
            Poll: self._poll,
            ReportIdentity: self._identity,
            ReportCapabilities: self._capabilities,
            ReportLocalStatus: self._local_status,
            SetLed: self._set_led,
            SoundBuzzer: self._sound,
            ShowText: self._show_text,
            SetCommunication: self._set_communication,
        }
        self._forget()

    # Power and cable

    def boot(self, now_ns: int) -> None:
        """Come up: no channel, no number, nothing read."""
        self._forget()
        self._now_ns = now_ns
        self.is_on = True

    def power_off(self) -> None:
        """Everything but key and address is gone."""
        self.is_on = False
        self.head.forget_reads()
        self.head.end_temporary()
        self.head.display.end_temporary()
        self._forget()

    def _forget(self) -> None:
        self._decoder = StreamDecoder()
        self._number: int | None = None
        self._command: Frame | None = None
        self._reply = b""
        self._heard_ns = self._now_ns = 0
        self._output.clear()
        self.security.drop()

    def connected(self, *, is_message_based: bool) -> None:
        """A new cable: half a frame of the old one does not stay. The bus itself knows no connection."""
        if is_message_based:
            raise ValueError("OSDP runs on byte streams only")
        self._decoder = StreamDecoder()
        self._output.clear()

    def disconnected(self) -> None:
        """The cable is gone; the reader notices only that nobody asks."""
        self._output.clear()

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """Bytes from the bus, of any size, also those for others."""
        if not self.is_on:
            return
        self.update(now_ns)
        for item in self._decoder.feed(chunk):
            if not isinstance(item, Garbage) and not item.is_reply and self._is_for_us(item):
                self._take(item)

    def update(self, now_ns: int) -> int | None:
        """Let time pass; when to be called again."""
        self._now_ns = max(self._now_ns, now_ns)
        self.head.update(self._now_ns)
        return min((at for at, _ in self._output), default=None) if self.is_on else None

    def take_output(self) -> list[bytes]:
        """What goes out by now, one item a frame."""
        due = [data for at, data in self._output if at <= self._now_ns]
        self._output = [(at, data) for at, data in self._output if at > self._now_ns]
        return due

    def _is_for_us(self, frame: Frame) -> bool:
        return frame.address in (self.address, CONFIGURATION_ADDRESS)

    # The link layer

    def _take(self, frame: Frame) -> None:
        if self._now_ns - self._heard_ns > OFF_LINE_NS:
            self.security.drop()
        self._heard_ns = self._now_ns
        if self.busy_answers:
            self.busy_answers -= 1
            self._send(Frame(frame.address, True, 0, Busy.code, check=frame.check))
            return
        if frame.sequence == 0:  # begin anew: nothing of before counts
            self._number = None
            self.security.drop()
        elif frame.sequence == self._number:
            self._repeat(frame)
            return
        elif self._number is None or frame.sequence != self._number % 3 + 1:
            self._send(self._plain(frame, Refused(NakCode.SEQUENCE)))
            return
        self._number = frame.sequence
        self._command = frame
        self._reply = self._send(self._answer(frame))

    def _repeat(self, frame: Frame) -> None:
        """The panel did not hear our reply: the same once more, nothing is carried out again."""
        if self.security.channel is not None and frame != self._command:
            self.security.drop()
            self._send(self._plain(frame, Refused(NakCode.SECURITY_CONDITIONS)))
            return
        self._output.append((self._now_ns + self.answer_ns, self._reply))

    def _send(self, frame: Frame) -> bytes:
        data = encode_frame(frame)
        self._output.append((self._now_ns + self.answer_ns, data))
        return data

    def _plain(self, command: Frame, reply: ReplyMessage, block: SecurityBlock | None = None) -> Frame:
        return Frame(command.address, True, command.sequence, reply.code, reply.encode(), block, check=command.check)

    # Security

    def _answer(self, frame: Frame) -> Frame:
        block = frame.block.type if frame.block else None
        if block is not None and not self.security.is_capable:
            return self._plain(frame, Refused(NakCode.SECURE_CHANNEL_UNSUPPORTED))
        match block:
            case BlockType.CHALLENGE | BlockType.SERVER_CRYPTOGRAM:
                return self._handshake(frame)
            case BlockType.PANEL_MAC | BlockType.PANEL_ENCRYPTED:
                return self._sealed(frame)
            case None if self.security.channel is None and self._may_be_clear(frame):
                return self._plain(frame, self._carry_out(frame))
        self.security.drop()
        return self._plain(frame, Refused(NakCode.SECURITY_CONDITIONS))

    def _may_be_clear(self, frame: Frame) -> bool:
        return not self.model.needs_security or frame.code in (CommandCode.ID, CommandCode.CAP)

    def _handshake(self, frame: Frame) -> Frame:
        try:
            message = decode_command(frame.code, frame.data)
        except BadBody:
            return self._plain(frame, Refused(NakCode.LENGTH))
        selector = frame.block.data if frame.block else b""
        if isinstance(message, Challenge):
            return self._plain(frame, *self.security.challenged(message, selector))
        if isinstance(message, ServerCryptogram):
            return self._plain(frame, *self.security.proved(message))
        return self._plain(frame, Refused(NakCode.SECURITY_CONDITIONS))

    def _sealed(self, frame: Frame) -> Frame:
        channel = self.security.channel
        try:
            if channel is None:
                raise ChannelBroken("there is no channel")
            command = channel.open(frame)
        except ChannelBroken:
            self.security.drop()
            return self._plain(frame, Refused(NakCode.SECURITY_CONDITIONS))
        reply = channel.seal(self._plain(command, self._carry_out(command)))
        self.security.use_new_key()
        return reply

    # Commands

    def _carry_out(self, frame: Frame) -> ReplyMessage:
        try:
            command = decode_command(frame.code, frame.data)
        except BadBody:
            return Refused(NakCode.LENGTH)
        if isinstance(command, SetKey):
            return self.security.take_key(command)
        action = self._actions.get(type(command))
        if action is None:
            return Refused(NakCode.UNKNOWN_COMMAND)
        self.executed.append(command)
        return action(command)

    def _poll(self, _: Poll) -> ReplyMessage:
        status = self._local_status_now()
        if status != self._status_told:
            self._status_told = status
            return status
        read = self.head.take_read()
        if isinstance(read, Badge) and self.model.sends_characters:
            return FormattedCard(0, is_backward=False, characters=read.data)
        if isinstance(read, Badge):
            return RawCard(0, _WIEGAND, read.bits, read.data)
        if read is not None:
            return KeysPressed(0, bytes(_KEY_BYTES.get(key, ord(key)) for key in read))
        return Acknowledged()

    def _identity(self, _: ReportIdentity) -> ReplyMessage:
        model = self.model
        return Identity(model.vendor, model.model, model.version, model.serial, model.firmware)

    def _capabilities(self, _: ReportCapabilities) -> ReplyMessage:
        if self.model.has_display:
            return CAPABILITIES
        return Capabilities(tuple(record for record in CAPABILITIES.records if record is not _DISPLAY))

    def _local_status(self, _: ReportLocalStatus) -> ReplyMessage:
        self._status_told = self._local_status_now()
        return self._status_told

    def _local_status_now(self) -> LocalStatus:
        return LocalStatus(self.head.is_cover_open, self.head.is_supply_failing)

    def _set_led(self, command: SetLed) -> ReplyMessage:
        if any((record.reader, record.led) != (0, 0) for record in command.records):
            return Refused(NakCode.RECORD)
        for record in command.records:
            if record.permanent_code is PermanentLed.SET:
                self.head.show_permanent(_glow(record.permanent), self._now_ns)
            if record.temporary_code is TemporaryLed.SET:
                self.head.show_temporary(_glow(record.temporary), record.timer_tenths, self._now_ns)
            elif record.temporary_code is TemporaryLed.CANCEL:
                self.head.end_temporary()
        return Acknowledged()

    def _sound(self, command: SoundBuzzer) -> ReplyMessage:
        if command.tone is Tone.DEFAULT:
            self.head.beep(command.repeat)
        return Acknowledged()

    def _show_text(self, command: ShowText) -> ReplyMessage:
        if not self.model.has_display:
            return Refused(NakCode.UNKNOWN_COMMAND)
        if command.mode in (TextMode.TEMPORARY, TextMode.TEMPORARY_WRAPPED):
            self.head.display.show_temporary(command.text, command.time_s, self._now_ns)
        else:
            self.head.display.show_permanent(command.text)
        return Acknowledged()

    def _set_communication(self, command: SetCommunication) -> ReplyMessage:
        if not 0 <= command.address < CONFIGURATION_ADDRESS:
            return Refused(NakCode.RECORD)
        self.address, self.baud = command.address, command.baud
        return Communication(self.address, self.baud)


def _glow(pattern: LedPattern) -> Glow:
    return Glow(pattern.on_tenths, pattern.off_tenths, Colour(pattern.on_colour), Colour(pattern.off_colour))
