"""The codecs of devices that stand in casinos, one entry each: see `fuzz/targets.py`, where they are all together."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from firmware_bridge.wire.angel_eye import commands as angel_eye_commands
from firmware_bridge.wire.angel_eye import telegram as angel_eye
from firmware_bridge.wire.angel_eye.messages import Malformed, Message, read_message, write_message
from firmware_bridge.wire.blink1.reports import (
    BadReport,
    Colour,
    Fade,
    ReadLine,
    SetLine,
    Version,
    Watchdog,
    decode_colour,
    decode_command,
    decode_line,
    decode_version,
    encode_answer,
    encode_command,
)
from firmware_bridge.wire.cctalk import frame as cctalk
from firmware_bridge.wire.cctalk.acceptor import (
    BadReply,
    Credits,
    Event,
    credit_data,
    read_acknowledgement,
    read_check,
    read_credit,
    read_serial,
    read_text,
)
from firmware_bridge.wire.gat.codes import FROM_DEVICE, FROM_HOST
from firmware_bridge.wire.gat.digests import BadDigests, Digests, encode_digests, read_digests
from firmware_bridge.wire.gat.frame import MAX_FRAME_BYTES, FrameDecoder, encode_frame
from firmware_bridge.wire.gat.frame import Frame as GatFrame
from firmware_bridge.wire.gat.messages import BadBody as BadGatBody
from firmware_bridge.wire.gat.messages import Message as GatMessage
from firmware_bridge.wire.gat.messages import decode_message, encode_message
from firmware_bridge.wire.modbus import messages as modbus
from firmware_bridge.wire.modbus.rtu import MAX_FRAME, RtuDecoder, Side, encode_rtu
from firmware_bridge.wire.modbus.tcp import HEADER_BYTES, LONGEST_LENGTH, TcpDecoder, encode_tcp
from firmware_bridge.wire.pn532 import frame as pn532
from firmware_bridge.wire.pn532.codes import MAX_LENGTH
from firmware_bridge.wire.pn532.commands import Firmware, firmware, targets, targets_data
from firmware_bridge.wire.pn532.commands import Target as Tag
from fuzz.oracle import Stream, Target, Whole
from tests.vectors import angel_eye as angel_eye_vectors
from tests.vectors import modbus as modbus_vectors

VECTORS = Path(modbus_vectors.__file__).parent


class _Refused(ValueError):
    """A codec says None where another raises."""


def _json_bytes(name: str) -> list[bytes]:
    frames = json.loads((VECTORS / name).read_text("utf-8"))["frames"]
    return [bytes.fromhex(frame["bytes"]) for frame in frames]


# --- Angel Eye ----------------------------------------------------------------------------------------------


def _piece_size(piece: angel_eye.Piece) -> tuple[int, int]:
    match piece:
        case angel_eye.Telegram(_, data):
            return (len(data) + 5,) * 2
        case angel_eye.Block(data):
            return (len(data) + 4,) * 2
        case angel_eye.Acknowledged():
            return 1, 1
        case _:
            return 2, 3  # the code behind a NAK is one byte, or two digits


def _angel_eye_message(data: bytes) -> Message:
    found = read_message(data) if data else Malformed("", "the decoder gives no empty telegram")
    if isinstance(found, Malformed):
        raise _Refused(found.why)
    return found


def _angel_eye_command(data: bytes) -> angel_eye_commands.Command:
    found = angel_eye_commands.read_command(angel_eye.Block(data))
    if found is None:
        raise _Refused("no command")
    return found


def _angel_eye(*, bcc_includes_stx: bool | None) -> Target:
    blocks = [
        angel_eye.encode_block(command.block, bcc_includes_stx=bcc_includes_stx is not False)
        for command in (angel_eye_commands.LOCK, angel_eye_commands.cancel_error(41))
    ]
    return Target(
        Stream(
            partial(angel_eye.TelegramDecoder, bcc_includes_stx=bcc_includes_stx),
            held=lambda decoder: decoder.pending,
            limit=angel_eye.MAX_TELEGRAM_BYTES + 1 + angel_eye.CHECK_DIGITS,
            end=lambda decoder: decoder.abandon(),
            size=_piece_size,
        ),
        lambda: [angel_eye_vectors.STREAM, b"\x06\x15\x21\x1501", *blocks],
    )


# --- blink(1) -----------------------------------------------------------------------------------------------


def _lamp_answer(data: bytes) -> Colour | SetLine | Version:
    """Whatever the lamp may answer; each begins with a letter of its own."""
    readers: Mapping[bytes, Callable[[bytes], Colour | SetLine | Version]] = {
        b"r": decode_colour,
        b"R": decode_line,
        b"v": decode_version,
    }
    return readers.get(data[1:2], decode_version)(data)


# --- Modbus -------------------------------------------------------------------------------------------------


def _question(data: bytes) -> modbus.Question:
    found = modbus.decode_question(data)
    if isinstance(found, modbus.Refused):
        raise _Refused(found.words)
    return found


def _answer(data: bytes) -> modbus.Answer:
    found = modbus.decode_answer(data)
    if found is None:
        raise _Refused("no answer")
    return found


def _modbus_messages(side: str) -> list[bytes]:
    of_side = modbus_vectors.QUESTIONS if side == "questions" else modbus_vectors.ANSWERS
    return [vector.tcp[HEADER_BYTES:] for vector in of_side]


def _rtu(side: Side) -> Target:
    of_side = modbus_vectors.QUESTIONS if side is Side.QUESTIONS else modbus_vectors.ANSWERS
    return Target(
        Stream(
            partial(RtuDecoder, side),
            held=lambda decoder: decoder.pending,
            limit=MAX_FRAME,
            end=lambda decoder: decoder.gap(),
            size=lambda frame: (len(encode_rtu(frame)),) * 2,
        ),
        lambda: [vector.rtu for vector in of_side],
    )


# --- ccTalk -------------------------------------------------------------------------------------------------


def _cctalk(check: cctalk.Check) -> Target:
    frames = (cctalk.Frame(2, 1, 254), cctalk.Frame(1, 2, 0, bytes(range(11))))
    return Target(
        Stream(
            partial(cctalk.FrameDecoder, check),
            held=lambda decoder: decoder.waiting,
            limit=cctalk.FRAME_MAX,
            end=lambda decoder: decoder.silence(),
            size=lambda frame: (len(cctalk.encode(frame, check)),) * 2,
        ),
        lambda: [cctalk.encode(frame, check) for frame in frames],
    )


def _cctalk_reply(data: bytes) -> tuple[object, ...]:
    """One reply as each command that has one of this kind reads it; `read_text` refuses nothing."""
    return read_text(data), *(_or_refused(reader, data) for reader in (read_serial, read_check, read_acknowledgement))


def _or_refused(reader: Callable[[bytes], object], data: bytes) -> object:
    try:
        return reader(data)
    except BadReply as error:
        return str(error)


# --- GAT ----------------------------------------------------------------------------------------------------


def _gat_message(data: bytes) -> GatMessage:
    found = [piece for piece in FrameDecoder(FROM_HOST | FROM_DEVICE).feed(data) if isinstance(piece, GatFrame)]
    if not found:
        raise BadGatBody("no frame")
    return decode_message(found[0])


_DIGESTS = Digests("Maker", "Model & more", (("main", "0123456789ABCDEF" * 2 + "01234567"),))


# --- PN532 --------------------------------------------------------------------------------------------------


def _pn532_size(said: pn532.Message | pn532.Mark) -> tuple[int, int]:
    size = len(pn532.encode(said)) - 2  # without the zero before and the one behind
    return size, size + 3  # a short message may be told with the long head


def _tags(data: bytes) -> tuple[Tag, ...]:
    found = targets(data)
    if found is None:
        raise _Refused("no list of tags")
    return found


def _chip(data: bytes) -> Firmware:
    found = firmware(data)
    if found is None:
        raise _Refused("no firmware")
    return found


_TAGS = (Tag(1, bytes.fromhex("d0ac1f62"), 4, 8), Tag(2, bytes(7), 0x344, 0x20))
_LAMP_ANSWERS = (Colour((255, 0, 0)), SetLine(3, (0, 0, 9), 500), Version(2, 6))
_LAMP = (Fade((255, 0, 0), 500), Watchdog(True, 5_000, 0, 2), SetLine(1, (0, 255, 0), 100), ReadLine(1))

DEVICE_TARGETS: Mapping[str, Target] = {
    "angel_eye": _angel_eye(bcc_includes_stx=True),
    "angel_eye-without-stx": _angel_eye(bcc_includes_stx=False),
    "angel_eye-either": _angel_eye(bcc_includes_stx=None),
    "angel_eye-message": Target(
        Whole(_angel_eye_message, _Refused, write_message),
        lambda: [bytes.fromhex(vector["bytes"])[2:-3] for vector in angel_eye_vectors.TELEGRAMS],
    ),
    "angel_eye-command": Target(
        Whole(_angel_eye_command, _Refused, lambda command: command.block.data),
        lambda: [angel_eye_commands.UNLOCK.block.data, angel_eye_commands.cancel_error(7).block.data],
    ),
    "blink1": Target(
        Whole(decode_command, BadReport, encode_command), lambda: [encode_command(command) for command in _LAMP]
    ),
    "blink1-answer": Target(
        Whole(_lamp_answer, BadReport, encode_answer), lambda: [encode_answer(answer) for answer in _LAMP_ANSWERS]
    ),
    "modbus": _rtu(Side.QUESTIONS),
    "modbus-answers": _rtu(Side.ANSWERS),
    "modbus-tcp": Target(
        Stream(
            TcpDecoder,
            held=lambda decoder: decoder.pending,
            limit=HEADER_BYTES + LONGEST_LENGTH,
            end=lambda decoder: decoder.gap(),
            size=lambda frame: (len(encode_tcp(frame)),) * 2,
        ),
        lambda: [vector.tcp for vector in (*modbus_vectors.QUESTIONS, *modbus_vectors.ANSWERS)],
    ),
    "modbus-question": Target(
        Whole(_question, _Refused, modbus.encode_question), lambda: _modbus_messages("questions")
    ),
    "modbus-answer": Target(Whole(_answer, _Refused, modbus.encode_answer), lambda: _modbus_messages("answers")),
    "cctalk": _cctalk(cctalk.Check.SUM),
    "cctalk-crc": _cctalk(cctalk.Check.CRC),
    "cctalk-credit": Target(
        Whole(read_credit, BadReply, credit_data), lambda: [credit_data(Credits(3, (Event(2, 1), Event(0, 5))))]
    ),
    "cctalk-reply": Target(Whole(_cctalk_reply), lambda: [b"", b"\0", b"\x01\x02\x03", b"SR5 coin"]),
    "gat": Target(
        Stream(
            partial(FrameDecoder, FROM_HOST | FROM_DEVICE),
            held=lambda decoder: decoder.pending,
            limit=MAX_FRAME_BYTES,
            end=lambda decoder: decoder.abandon(),
            size=lambda frame: (len(encode_frame(frame)),) * 2,
        ),
        lambda: _json_bytes("gat.json"),
    ),
    "gat-message": Target(
        Whole(_gat_message, BadGatBody, lambda message: encode_frame(encode_message(message))),
        lambda: _json_bytes("gat.json"),
    ),
    "gat-digests": Target(Whole(read_digests, BadDigests, encode_digests), lambda: [encode_digests(_DIGESTS)]),
    "pn532": Target(
        Stream(
            pn532.FrameDecoder,
            held=lambda decoder: decoder.pending,
            limit=MAX_LENGTH + 16,
            end=lambda decoder: decoder.abandon(),
            size=_pn532_size,
            uncounted=lambda data: data.count(0),
        ),
        lambda: _json_bytes("pn532_frames.json"),
    ),
    "pn532-firmware": Target(
        Whole(_chip, _Refused, lambda chip: bytes((chip.chip, chip.version, chip.revision, chip.support))),
        lambda: [bytes.fromhex("32010607")],  # UM0701-02 7.2.2: a PN532, firmware 1.6
    ),
    "pn532-targets": Target(Whole(_tags, _Refused, targets_data), lambda: [targets_data(_TAGS), b"\0"]),
}
