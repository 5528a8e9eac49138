"""The link layer with one station: sequence numbers, repeats, and what counts as an answer.

A command keeps its number and its bytes until it is answered (BR-012); numbers run 0, 1, 2, 3, 1, 2, 3 … and 0
starts anew (BR-014). An answer counts only with the number, the check and the channel of its command (BR-011).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmware_bridge.wire.osdp.body import BadBody
from firmware_bridge.wire.osdp.codes import BlockType, CommandCode, NakCode, ReplyCode
from firmware_bridge.wire.osdp.commands import CommandMessage
from firmware_bridge.wire.osdp.frame import MARK, Frame, SecurityBlock, encode_frame
from firmware_bridge.wire.osdp.replies import Busy, Refused, ReplyMessage, decode_reply
from firmware_bridge.wire.osdp.secure import ChannelBroken, SecureChannel

_NUMBERS = 3  # behind 0, the numbers 1 to 3 go round
_HANDSHAKE_REPLIES: dict[int, int] = {
    CommandCode.CHLNG: BlockType.CLIENT_CRYPTOGRAM,
    CommandCode.SCRYPT: BlockType.INITIAL_MAC,
}


def next_number(number: int) -> int:
    """The sequence number after `number`."""
    return number % _NUMBERS + 1


class Misheard(StrEnum):
    """Why a checked frame from the station's address is no answer."""

    LATE = "late"  # its command was answered already, or has not been asked
    OTHER_CHECK = "other_check"  # checked in another way than we ask for
    BROKEN = "broken"  # not of this secure channel, or in clear where it must not be
    NONSENSE = "nonsense"  # its data is not what its code demands


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to the outstanding command, in clear; `block` is the handshake's, else None."""

    command: CommandMessage
    reply: ReplyMessage
    block: SecurityBlock | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    why: Misheard
    text: str


class Conversation:
    """One station's numbers and channel. Knows no time."""

    def __init__(self, address: int) -> None:
        self._address = address
        self._number = 0
        self._command: CommandMessage | None = None
        self._asked: Frame | None = None
        self.channel: SecureChannel | None = None

    @property
    def outstanding(self) -> CommandMessage | None:
        """The command that waits for its answer."""
        return self._command

    @property
    def asked(self) -> Frame | None:
        """Its frame, as it goes out with each copy."""
        return self._asked

    def ask(self, command: CommandMessage, block: SecurityBlock | None = None) -> bytes:
        """The bytes of a new command, with mark. One is outstanding at a time."""
        frame = Frame(self._address, False, self._number, command.code, command.encode(), block)
        self._asked = self.channel.seal(frame) if self.channel else frame
        self._command = command
        return self.copy()

    def copy(self) -> bytes:
        """The outstanding command's bytes once more, the same to the bit. Raises RuntimeError if there is none."""
        if self._asked is None:
            raise RuntimeError("no command is outstanding")
        return bytes((MARK,)) + encode_frame(self._asked)

    def start_anew(self) -> None:
        """Forget channel, numbers and what is outstanding: the next command carries 0."""
        self._number, self._command, self._asked, self.channel = 0, None, None, None

    def hear(self, frame: Frame) -> Answer | NoAnswer:
        """Judge a checked frame from this station's address."""
        asked, command = self._asked, self._command
        if asked is None or command is None:
            return NoAnswer(Misheard.LATE, "an answer to no question")
        if frame.check is not asked.check:
            return NoAnswer(Misheard.OTHER_CHECK, f"checked by {frame.check.name}, not {asked.check.name}")
        if _is_busy(frame, asked.sequence):
            return Answer(command, Busy())
        if frame.sequence != asked.sequence:
            if frame.sequence == 0 and frame.code == ReplyCode.NAK and frame.block is None:
                return self._answered(Answer(command, Refused(NakCode.SEQUENCE)))  # the station itself starts anew
            return NoAnswer(Misheard.LATE, f"number {frame.sequence} instead of {asked.sequence}")
        return self._read(frame, command)

    def _read(self, frame: Frame, command: CommandMessage) -> Answer | NoAnswer:
        try:
            opened = self._open(frame, command)
            reply = decode_reply(opened.code, opened.data)
        except ChannelBroken as broken:
            return NoAnswer(Misheard.BROKEN, str(broken))
        except BadBody as bad:
            self._move_on()  # its copy would be no better
            return NoAnswer(Misheard.NONSENSE, str(bad))
        if isinstance(reply, Refused) and reply.reason == NakCode.CHECK:
            return Answer(command, reply)  # the line damaged the command: it stays outstanding
        return self._answered(Answer(command, reply, opened.block))

    def _open(self, frame: Frame, command: CommandMessage) -> Frame:
        """The frame in clear. Raises `ChannelBroken` where it does not fit the channel, or the lack of one."""
        if self.channel is None:
            expected = _HANDSHAKE_REPLIES.get(command.code)
            if frame.block is not None and frame.block.type != expected:
                raise ChannelBroken(f"a security block of type {frame.block.type:02X} outside of a channel")
            return frame
        if frame.block is None and frame.code == ReplyCode.NAK and frame.data:
            # a station that lost the channel cannot answer otherwise; whether its chain moved is not known
            raise ChannelBroken(f"refused in clear: {Refused(frame.data[0]).words}")
        if frame.block is None and frame.code == ReplyCode.ACK and command.code == CommandCode.KEYSET:
            return frame  # some drop the channel before they answer; both drop it behind this in any case
        return self.channel.open(frame)

    def _answered(self, answer: Answer) -> Answer:
        self._move_on()
        return answer

    def _move_on(self) -> None:
        if self._asked is not None:
            self._number = next_number(self._asked.sequence)
        self._asked = self._command = None


def _is_busy(frame: Frame, number: int) -> bool:
    """BUSY comes in clear, with number 0 (standard) or with the command's (seen)."""
    return frame.code == ReplyCode.BUSY and frame.block is None and not frame.data and frame.sequence in (0, number)
