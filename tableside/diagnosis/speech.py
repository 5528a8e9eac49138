"""What goes over a cable, message by message, in words; nothing that proves a person or carries a key. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Generic, Protocol, TypeVar

from firmware_bridge.links.recording import Direction
from firmware_bridge.wire.alpha.packet import Acknowledged, Packet, PacketDecoder, encode_acknowledgement, encode_packet
from firmware_bridge.wire.angel_eye.telegram import TelegramDecoder
from firmware_bridge.wire.blink1 import reports as blink1
from firmware_bridge.wire.cctalk import frame as cctalk_frame
from firmware_bridge.wire.cctalk.codes import REPLY
from firmware_bridge.wire.cctalk.codes import Header as CctalkHeader
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.gat import frame as gat_frame
from firmware_bridge.wire.gat import messages as gat_messages
from firmware_bridge.wire.gat.codes import FROM_DEVICE, FROM_HOST
from firmware_bridge.wire.modbus.messages import decode_answer, decode_question
from firmware_bridge.wire.modbus.rtu import RtuDecoder, Side, encode_rtu
from firmware_bridge.wire.modbus.tcp import TcpDecoder, encode_tcp
from firmware_bridge.wire.osdp import commands, frame, replies
from firmware_bridge.wire.osdp.body import BadBody
from firmware_bridge.wire.osdp.codes import BlockType, CommandCode, ReplyCode
from firmware_bridge.wire.osdp.stream import StreamDecoder as OsdpDecoder
from firmware_bridge.wire.pn532.frame import FrameDecoder, Mark, Message
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind
from firmware_bridge.wire.tdl.frame import Frame as TdlFrame
from firmware_bridge.wire.tdl.frame import encode_frame
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder, encode_stream
from tableside.diagnosis import antenna_words, shoe_words
from tableside.diagnosis.shoe_words import ShoePiece
from tableside.diagnosis.tdl_words import in_words

M = TypeVar("M")
Said_co = TypeVar("Said_co", covariant=True)
TDL, OSDP, ALPHA, GAT, KEYBOARD, BLINK1 = "tdl", "osdp", "alpha", "gat", "keyboard", "blink1"
ANGEL_EYE, PN532 = "angel eye", "pn532"
MODBUS_RTU, MODBUS_TCP = "modbus-rtu", "modbus-tcp"
CCTALK = "cctalk"
HIDDEN = "…"
# Whoever reads these could make a badge, key in a code or take a reader over.
SECRET_REPLIES = frozenset({ReplyCode.RAW, ReplyCode.FMT, ReplyCode.KEYPAD})
SECRET_COMMANDS = frozenset({CommandCode.KEYSET})
ENCRYPTED = frozenset({BlockType.PANEL_ENCRYPTED, BlockType.PERIPHERAL_ENCRYPTED})
REDACTION = "badges, cards, keyed digits, keys and encrypted data of OSDP, and all that a reader types, are left out"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message, or something that was none. `data` is what a recording keeps of it, empty where it is secret."""

    direction: Direction
    text: str
    data: bytes = b""


class Speech(Protocol):
    """Both directions of one cable."""

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        """What is whole now."""


class TdlSpeech:
    """A TDL device's cable."""

    def __init__(self, *, is_message_based: bool) -> None:
        self._encode: Callable[[TdlFrame], bytes] = encode_frame if is_message_based else encode_stream
        decoder = MessageDecoder if is_message_based else StreamDecoder
        self._decoders = {Direction.IN: decoder(), Direction.OUT: decoder()}

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        for piece in self._decoders[direction].feed(chunk):
            if isinstance(piece, Garbage):
                yield _garbage(direction, piece)
            else:
                yield Spoken(direction, in_words(piece), b"" if _tells_card(piece) else self._encode(piece))


class OsdpSpeech:
    """An OSDP bus."""

    def __init__(self) -> None:
        self._decoders = {Direction.IN: OsdpDecoder(), Direction.OUT: OsdpDecoder()}

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        for piece in self._decoders[direction].feed(chunk):
            if isinstance(piece, Garbage):
                yield _garbage(direction, piece)
            else:
                yield Spoken(direction, _osdp_words(piece), b"" if _is_secret(piece) else frame.encode_frame(piece))


class Decoder(Protocol[Said_co]):
    """A push parser, as each codec has one."""

    def feed(self, chunk: bytes) -> Iterable[Said_co | Garbage]:
        """What is whole now, and what was thrown away."""


class PlainSpeech(Generic[M]):
    """A cable of one device with no secrets on it: each message in words, and its bytes."""

    def __init__(
        self, decoder: Callable[[], Decoder[M]], words: Callable[[M], str], encode: Callable[[M], bytes]
    ) -> None:
        self._decoders = {Direction.IN: decoder(), Direction.OUT: decoder()}
        self._words = words
        self._encode = encode

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        for piece in self._decoders[direction].feed(chunk):
            if isinstance(piece, Garbage):
                yield _garbage(direction, piece)
            else:
                yield Spoken(direction, self._words(piece), self._encode(piece))


def _alpha_words(said: Packet | Acknowledged) -> str:
    if isinstance(said, Acknowledged):
        status = "" if said.status is None else f" {said.status.value:02X}h"
        return f"{'ACK' if said.is_accepted else 'NAK'}{status}"
    told = " ".join(ascii(command.decode("latin-1")) for command in said.commands)
    return f"{said.type_code}{said.address} {told}"


def _alpha_bytes(said: Packet | Acknowledged) -> bytes:
    return encode_acknowledgement(said) if isinstance(said, Acknowledged) else encode_packet(said)


class GatSpeech:
    """A port by which a machine proves its firmware."""

    def __init__(self) -> None:
        self._decoders = {
            Direction.IN: gat_frame.FrameDecoder(FROM_DEVICE),
            Direction.OUT: gat_frame.FrameDecoder(FROM_HOST),
        }

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        for piece in self._decoders[direction].feed(chunk):
            if isinstance(piece, Garbage):
                yield _garbage(direction, piece)
                continue
            try:
                text = str(gat_messages.decode_message(piece))
            except gat_messages.BadBody as bad:
                text = f"{piece.command.name}: without sense: {bad}"
            yield Spoken(direction, text, gat_frame.encode_frame(piece))


class Blink1Speech:
    """A lamp that is set and read by feature reports."""

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        text = f"answer {chunk.hex(' ')}"
        if direction is Direction.OUT:
            try:
                text = str(blink1.decode_command(chunk))
            except blink1.BadReport as bad:
                text = str(bad)
        yield Spoken(direction, text, chunk)


class CctalkSpeech:
    """A ccTalk bus. On a single wire what went out comes in again before its reply."""

    def __init__(self) -> None:
        self._decoders = {Direction.IN: cctalk_frame.FrameDecoder(), Direction.OUT: cctalk_frame.FrameDecoder()}

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        for piece in self._decoders[direction].feed(chunk):
            if isinstance(piece, Garbage):
                yield _garbage(direction, piece)
                continue
            named = piece.header in set(CctalkHeader)
            what = CctalkHeader(piece.header).name if named else "reply" if piece.header == REPLY else f"{piece.header}"
            text = f"{piece.source} to {piece.destination}: {what} {piece.data.hex(' ')}".rstrip()
            yield Spoken(direction, text, cctalk_frame.encode(piece))


class KeyboardSpeech:
    """A reader that types: that it types is told, never what."""

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        what = "key report" if direction is Direction.IN else "output report"
        yield Spoken(direction, f"{what} of {len(chunk)} bytes: {HIDDEN}")


class ModbusSpeech:
    """A bus of I/O boards. Both sides speak on it, and on RTU nothing but the direction tells who."""

    def __init__(self, *, is_tcp: bool) -> None:
        self._encode = encode_tcp if is_tcp else encode_rtu
        self._decoders: dict[Direction, TcpDecoder | RtuDecoder] = {
            Direction.IN: TcpDecoder() if is_tcp else RtuDecoder(Side.ANSWERS),
            Direction.OUT: TcpDecoder() if is_tcp else RtuDecoder(Side.QUESTIONS),
        }

    def feed(self, direction: Direction, chunk: bytes) -> Iterator[Spoken]:
        decode = decode_answer if direction is Direction.IN else decode_question
        for piece in self._decoders[direction].feed(chunk):
            if isinstance(piece, Garbage):
                yield _garbage(direction, piece)
            else:
                said = decode(piece.data)
                yield Spoken(direction, f"board {piece.unit} {said}", self._encode(piece))


# By what is spoken on the cable; each is told whether the cable carries messages or a stream.
SPEECHES: Mapping[str, Callable[[bool], Speech]] = {
    TDL: lambda is_message_based: TdlSpeech(is_message_based=is_message_based),
    OSDP: lambda _is_message_based: OsdpSpeech(),
    ALPHA: lambda _is_message_based: PlainSpeech[Packet | Acknowledged](PacketDecoder, _alpha_words, _alpha_bytes),
    GAT: lambda _is_message_based: GatSpeech(),
    CCTALK: lambda _is_message_based: CctalkSpeech(),
    KEYBOARD: lambda _is_message_based: KeyboardSpeech(),
    ANGEL_EYE: lambda _is_message_based: PlainSpeech[ShoePiece](TelegramDecoder, shoe_words.in_words, shoe_words.kept),
    PN532: lambda _is_message_based: PlainSpeech[Message | Mark](
        FrameDecoder, antenna_words.in_words, antenna_words.kept
    ),
    MODBUS_RTU: lambda _is_message_based: ModbusSpeech(is_tcp=False),
    MODBUS_TCP: lambda _is_message_based: ModbusSpeech(is_tcp=True),
    BLINK1: lambda _is_message_based: Blink1Speech(),
}


def speech_of(profile: str, *, is_message_based: bool) -> Speech:
    """For a cable on which this is spoken. Raises `ValueError` for a profile that is not known."""
    if profile not in SPEECHES:
        raise ValueError(f"nothing here understands {profile!r}; known are {', '.join(SPEECHES)}")
    return SPEECHES[profile](is_message_based)


def _garbage(direction: Direction, garbage: Garbage) -> Spoken:
    return Spoken(direction, f"{garbage.size} bytes thrown away: {garbage.reason}")


def _tells_card(piece: TdlFrame) -> bool:
    return piece.type is MessageType.NOTICE and piece.code == NoticeKind.CARD_READ


def _is_secret(piece: frame.Frame) -> bool:
    if piece.block is not None and piece.block.type in ENCRYPTED:
        return True
    return piece.code in (SECRET_REPLIES if piece.is_reply else SECRET_COMMANDS)


def _osdp_words(piece: frame.Frame) -> str:
    names: Mapping[int, str] = {int(code): code.name for code in (ReplyCode if piece.is_reply else CommandCode)}
    head = f"station {piece.address} {names.get(piece.code, f'{piece.code:02X}')} seq {piece.sequence}"
    if piece.block is not None and piece.block.type in ENCRYPTED:
        return f"{head}: encrypted {HIDDEN}"
    if _is_secret(piece):
        return f"{head}: {HIDDEN}"
    decode = replies.decode_reply if piece.is_reply else commands.decode_command
    try:
        message = decode(piece.code, piece.data)
    except BadBody as bad:
        return f"{head}: without sense: {bad}"
    body = _fields(message)
    return f"{head}: {body}" if body else head


def _fields(message: object) -> str:
    if not is_dataclass(message):
        return str(message)
    return " ".join(f"{one.name}={_value(getattr(message, one.name))}" for one in fields(message))


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex() or "-"
    return str(value) if not is_dataclass(value) else f"({_fields(value)})"
