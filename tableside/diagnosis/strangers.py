"""What bytes are that are not of the device that should be there: what we can read ourselves, and what others say.

Texts of boot loaders are told apart from texts of other devices: who starts is waited for, who is another is exchanged.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from firmware_bridge.links.recording import Direction
from firmware_bridge.wire.alpha.packet import Acknowledged as AlphaAcknowledged
from firmware_bridge.wire.alpha.packet import Packet, PacketDecoder
from firmware_bridge.wire.angel_eye.telegram import Acknowledged as ShoeAcknowledged
from firmware_bridge.wire.angel_eye.telegram import NotAcknowledged, TelegramDecoder
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.gat.codes import FROM_DEVICE
from firmware_bridge.wire.gat.frame import FrameDecoder as GatDecoder
from firmware_bridge.wire.modbus.rtu import RtuDecoder, Side
from firmware_bridge.wire.osdp.stream import StreamDecoder as OsdpDecoder
from firmware_bridge.wire.pn532.frame import FrameDecoder as Pn532Decoder
from firmware_bridge.wire.tdl.stream import StreamDecoder as TdlDecoder
from tableside.diagnosis.buses import cctalk_replies
from tableside.diagnosis.speech import ALPHA, ANGEL_EYE, CCTALK, GAT, MODBUS_RTU, OSDP, SPEECHES, TDL, speech_of

# What boot loaders and starting systems print (U-Boot, ESP ROM, STM32, Arduino-likes, Linux): one of these is enough.
STARTING = re.compile(
    rb"(?i)u-boot|boot ?loader|\bbooting\b|\bboot[: ]|rst:0x|ets [a-z]{3} +\d|starting kernel|press .{1,20} to stop|"
    rb"bios|self.?test|\binit(ialis|ializ)ing|firmware v?\d"
)
# The shortest text that says more than chance: three bytes of noise are letters once in ten times.
TEXT_BYTES = 8
_PRINTABLE = frozenset(range(0x20, 0x7F)) | frozenset(b"\r\n\t\x1b")
# So much of a text must be printable: a byte or two is lost at the begin of a line.
TEXT_SHARE = 0.9

# Text by which a device tells what it is. The first that fits counts.
TALKERS: Mapping[str, re.Pattern[bytes]] = {
    "a GPS receiver (NMEA 0183)": re.compile(rb"\$(GP|GN|GL|GA|BD)[A-Z]{3},"),
    "a ship's or weather instrument (NMEA 0183)": re.compile(rb"[$!][A-Z]{5},[^\r\n]*\*[0-9A-F]{2}"),
    "a modem (AT commands)": re.compile(rb"(?m)^(OK|ERROR|RING|NO CARRIER|\+[A-Z]{3,6}: ?.*)\r?$"),
    "a milling machine (Grbl)": re.compile(rb"(?m)Grbl \d|^\[MSG:|^<(Idle|Run|Alarm)[|,>]"),
    "a 3D printer (Marlin)": re.compile(rb"(?m)^echo:|Marlin \d|^ok T:\d"),
    "a scale": re.compile(rb"(?i)\b(ST|US),(GS|NT),[+-]? *\d|[+-] *\d+\.\d+ *k?g\b"),
    "a computer's console (login)": re.compile(rb"(?i)\blogin: ?$|password: ?$|[$#] $"),
    "a switch or router (console)": re.compile(rb"(?i)press return to get started|user access verification"),
    "a measuring instrument (SCPI)": re.compile(rb"(?m)^[A-Z][\w .&-]+,[\w .-]+,[\w .-]+,[\w .-]+\r?$"),
    "a program that tells JSON": re.compile(rb"(?m)^\{\".*\}\r?$"),
    "a reader of barcodes or cards that types digits": re.compile(rb"(?m)^\d{6,20}\r?$"),
}

_Decoder = Callable[[bytes], list[object]]
# Protocols that we read: anything whole in them is an answer of such a device.
READABLE: Mapping[str, tuple[str, _Decoder]] = {
    TDL: ("a TDL device", lambda data: list(TdlDecoder().feed(data))),
    OSDP: ("an OSDP badge reader", lambda data: list(OsdpDecoder().feed(data))),
    GAT: ("a firmware port (GAT)", lambda data: list(GatDecoder(FROM_DEVICE).feed(data))),
    ANGEL_EYE: ("an Angel Eye shoe", lambda data: list(TelegramDecoder().feed(data))),
    "pn532": ("a PN532 antenna", lambda data: list(Pn532Decoder().feed(data))),
    MODBUS_RTU: ("a Modbus device", lambda data: [*(decoder := RtuDecoder(Side.ANSWERS)).feed(data), *decoder.gap()]),
    ALPHA: ("an ALPHA sign", lambda data: list(PacketDecoder().feed(data))),
    CCTALK: ("a ccTalk coin acceptor", lambda data: list(cctalk_replies(data))),  # last: its check says least
}
# One byte that says yes or no: noise says so too.
_SAYS_LITTLE = (AlphaAcknowledged, ShoeAcknowledged, NotAcknowledged)


def frames_of(profile: str, data: bytes) -> int:
    """How many whole messages of this protocol lie in the bytes; 0 also where nothing here reads it."""
    if profile in READABLE:
        return sum(1 for piece in READABLE[profile][1](data) if not isinstance(piece, Garbage))
    if profile not in SPEECHES:
        return 0
    return sum(1 for spoken in speech_of(profile, is_message_based=False).feed(Direction.IN, data) if spoken.data)


def is_text(data: bytes) -> bool:
    """Nearly all of it can be printed."""
    return len(data) >= TEXT_BYTES and sum(byte in _PRINTABLE for byte in data) >= TEXT_SHARE * len(data)


def is_starting(data: bytes) -> bool:
    """A boot loader or a starting system talks."""
    return is_text(data) and STARTING.search(data) is not None


def _is_telling(piece: object) -> bool:
    """More than noise could say by chance: whole, more than one byte, and with a check that is right."""
    if isinstance(piece, Packet):
        return piece.is_checked
    return not isinstance(piece, (Garbage, *_SAYS_LITTLE))


def stranger(data: bytes, profile: str) -> str:
    """What device says this, if it is known and is not of `profile`; empty: nobody knows."""
    for name, (title, read) in READABLE.items():
        if name != profile and any(_is_telling(piece) for piece in read(data)):
            return title
    if is_text(data):
        return next((name for name, said in TALKERS.items() if said.search(data)), "a device that talks in plain text")
    return ""
