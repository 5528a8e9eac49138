"""Every codec, what its bytes look like when they are right: one entry each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from firmware_bridge.links import usbip_codec as usbip
from firmware_bridge.links.usb_descriptors import DeviceDescription, Endpoint, Interface, Texts, interfaces_of
from firmware_bridge.links.usb_hid import BadReports, report_sizes
from firmware_bridge.links.usbip_codec import BadUsbip
from firmware_bridge.wire.alpha import packet as alpha
from firmware_bridge.wire.alpha.codes import EOT, NUL
from firmware_bridge.wire.blink1 import reports as blink1
from firmware_bridge.wire.cctalk import acceptor as cctalk_acceptor
from firmware_bridge.wire.cctalk import frame as cctalk
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.gat import frame as gat
from firmware_bridge.wire.gat import messages as gat_messages
from firmware_bridge.wire.gat.codes import FROM_DEVICE, FROM_HOST, Command
from firmware_bridge.wire.gat.digests import BadDigests, Digests, encode_digests, read_digests
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.keyboard.reports import REPORT_BYTES, BadReport, Stroke, StrokeReader, reports_of
from firmware_bridge.wire.modbus.messages import (
    Answer,
    Question,
    Refused,
    decode_answer,
    decode_question,
    encode_answer,
    encode_question,
)
from firmware_bridge.wire.modbus.rtu import CRC_BYTES, MAX_FRAME, RtuDecoder, Side
from firmware_bridge.wire.modbus.tcp import HEADER_BYTES, LONGEST_LENGTH, TcpDecoder
from firmware_bridge.wire.osdp.body import BadBody as BadOsdpBody
from firmware_bridge.wire.osdp.commands import CommandMessage, decode_command
from firmware_bridge.wire.osdp.frame import FRAME_MAX
from firmware_bridge.wire.osdp.frame import Frame as OsdpFrame
from firmware_bridge.wire.osdp.frame import decode_frame as decode_osdp
from firmware_bridge.wire.osdp.replies import ReplyMessage, decode_reply
from firmware_bridge.wire.osdp.stream import StreamDecoder as OsdpDecoder
from firmware_bridge.wire.pn532 import commands as pn532_commands
from firmware_bridge.wire.pn532 import frame as pn532
from firmware_bridge.wire.tdl.frame import OVERHEAD, decode_frame, encode_frame
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream
from fuzz.device_targets import DEVICE_TARGETS
from fuzz.oracle import Stream, Target, Whole
from tests.vectors import modbus as modbus_vectors
from tests.vectors import osdp as osdp_vectors
from tests.vectors import tdl as tdl_vectors

VECTORS = Path(tdl_vectors.__file__).parent
RX_MAX = 200  # so small that bytes without a delimiter soon are too many


class _Listing:
    """A list is asked for once: what comes behind it is not read."""

    def __init__(self) -> None:
        self._reader = usbip.ListReader()
        self._is_over = False

    @property
    def pending(self) -> int:
        return self._reader.pending

    def feed(self, chunk: bytes) -> list[usbip.ExportedDevice]:
        devices = None if self._is_over else self._reader.feed(chunk)
        self._is_over = self._is_over or devices is not None
        return devices or []


def _answers() -> usbip.AnswerReader:
    reader = usbip.AnswerReader()
    for number in range(8):
        reader.asked(usbip.Submit(number, 1, number % 2, 1, 64))
    return reader


def _tail(reader: usbip.CommandReader | usbip.AnswerReader) -> list[Garbage]:
    return [Garbage(GarbageReason.TRUNCATED, reader.pending)] if reader.pending else []


def _command(data: bytes) -> CommandMessage:
    if not data:
        raise BadOsdpBody("no code")
    return decode_command(data[0], data[1:])


def _reply(data: bytes) -> ReplyMessage:
    if not data:
        raise BadOsdpBody("no code")
    return decode_reply(data[0], data[1:])


def _coded(message: CommandMessage | ReplyMessage) -> bytes:
    return bytes((message.code,)) + message.encode()


def _osdp_size(frame: OsdpFrame) -> tuple[int, int]:
    return frame.size, frame.size + 1  # a mark before it


def _alpha_size(heard: alpha.Packet | alpha.Acknowledged) -> tuple[int, int]:
    if isinstance(heard, alpha.Acknowledged):
        return 1, 2
    least = 2 + 1 + alpha.ADDRESS_DIGITS + sum(1 + len(command) for command in heard.commands)
    return least, least + len(heard.commands) * (1 + alpha.CHECK_DIGITS)


def _alpha_alike(heard: alpha.Packet | alpha.Acknowledged) -> object:
    """A status byte belongs to its ACK only where it comes in the same chunk: nobody waits for it longer."""
    return heard.is_accepted if isinstance(heard, alpha.Acknowledged) else heard


def _pn532_size(heard: pn532.Message | pn532.Mark) -> tuple[int, int]:
    """From start code to check; each may come with the longer head."""
    least = len(pn532.encode(heard)) - 2 if isinstance(heard, pn532.Mark) else 7 + len(heard.data)
    return least, least + 3


def _cctalk_vectors(kind: str) -> list[bytes]:
    return [bytes.fromhex(row["bytes"]) for row in json.loads((VECTORS / "cctalk.json").read_text("utf-8"))[kind]]


def _pn532_vectors(kind: str, field: str) -> list[bytes]:
    told = json.loads((VECTORS / "pn532_frames.json").read_text("utf-8"))[kind]
    return [bytes.fromhex(vector[field]) for vector in told]


def _strokes(data: bytes) -> list[Stroke]:
    reader = StrokeReader()
    reports = [data[at : at + REPORT_BYTES] for at in range(0, len(data), REPORT_BYTES)]
    return [stroke for report in reports for stroke in reader.feed(report)]


def _alpha_seeds() -> list[bytes]:
    told = json.loads((VECTORS / "alpha.json").read_text("utf-8"))["packets"]
    return [bytes.fromhex(packet["bytes"]) for packet in told] + [b"\x06", b"\x15\xc0", b"\x06\0\0\x01"]


def _blink1_seeds() -> list[bytes]:
    told = json.loads((VECTORS / "blink1.json").read_text("utf-8"))["commands"]
    return [bytes.fromhex(command["bytes"]) for command in told]


def _gat_seeds() -> list[bytes]:
    told = json.loads((VECTORS / "gat.json").read_text("utf-8"))["frames"]
    return [bytes.fromhex(frame["bytes"]) for frame in told]


def _gat_message(data: bytes) -> gat_messages.Message:
    """A frame whose check is right, as the first byte names it; of a length that such a frame can have."""
    if not data or data[0] not in FROM_HOST | FROM_DEVICE:
        raise gat_messages.BadBody("no command")
    frame = gat.Frame(Command(data[0]), data[1:])
    try:
        gat.encode_frame(frame)
    except ValueError as never:
        raise gat_messages.BadBody(str(never)) from None
    return gat_messages.decode_message(frame)


def _osdp_messages(*, is_reply: bool) -> list[bytes]:
    frames = [frame for raw in osdp_vectors.ALL_BYTES if isinstance(frame := decode_osdp(raw), OsdpFrame)]
    return [bytes((frame.code,)) + frame.data for frame in frames if frame.is_reply is is_reply]


def _usb_device() -> DeviceDescription:
    ends = (Endpoint(0x81, 2, 64), Endpoint(0x01, 2, 64))
    keyboard = Interface(1, (3, 1, 1), (Endpoint(0x82, 3, 8, 10),), bytes.fromhex("092111010001223f00"))
    return DeviceDescription(0x1209, 1, Texts("maker", "name", "1"), (Interface(0, (0xFF, 0, 0), ends), keyboard))


class _NoMessage(ValueError):
    """No message of Modbus has this form."""


def _question(data: bytes) -> Question:
    question = decode_question(data)
    if isinstance(question, Refused):
        raise _NoMessage(question.words)
    return question


def _answer(data: bytes) -> Answer:
    answer = decode_answer(data)
    if answer is None:
        raise _NoMessage("not known")
    return answer


_EXPORTED = usbip.ExportedDevice("1-1", 1, 1, 0x1209, 1, interfaces=((0xFF, 0, 0),))
_SUBMITS = (usbip.Submit(1, 1, usbip.OUT, 1, 4, data=b"0123"), usbip.Submit(2, 1, usbip.IN, 1, 64))
# Appendix E.6 of HID 1.11, a boot keyboard; and a device that numbers its reports.
_REPORT_DESCRIPTORS = (
    "05010906a101050719e029e71500250175019508810295017508810195057501050819012905910295017503910195067508150025650507"
    "190029658100c0",
    "a101850175089507810285027508950fb102c0",
)

TARGETS: Mapping[str, Target] = {
    "tdl": Target(
        Stream(
            partial(StreamDecoder, RX_MAX),
            held=lambda decoder: decoder.held_bytes,
            limit=RX_MAX + OVERHEAD + 2,
            size=lambda frame: (len(encode_stream(frame)) - 2,) * 2,
            uncounted=lambda data: data.count(0),
        ),
        lambda: [vector.stream for vector in tdl_vectors.load()],
    ),
    "tdl-message": Target(
        Whole(partial(decode_frame, rx_max=RX_MAX), again=encode_frame),
        lambda: [vector.frame for vector in tdl_vectors.load()],
    ),
    "osdp": Target(
        Stream(OsdpDecoder, held=lambda decoder: decoder.pending, limit=FRAME_MAX + 1, size=_osdp_size),
        lambda: osdp_vectors.ALL_BYTES,
    ),
    "osdp-command": Target(
        Whole(_command, BadOsdpBody, _coded),
        lambda: _osdp_messages(is_reply=False),
    ),
    "osdp-reply": Target(
        Whole(_reply, BadOsdpBody, _coded),
        lambda: _osdp_messages(is_reply=True),
    ),
    "alpha": Target(
        Stream(
            alpha.PacketDecoder,
            held=lambda decoder: decoder.pending,
            limit=alpha.MAX_PACKET_BYTES,
            end=lambda decoder: decoder.abandon(),
            size=_alpha_size,
            uncounted=lambda data: data.count(NUL) + data.count(EOT),
            alike=_alpha_alike,
        ),
        _alpha_seeds,
    ),
    **{
        f"modbus-{side.value}": Target(
            Stream(
                partial(RtuDecoder, side),
                held=lambda decoder: decoder.pending,
                limit=MAX_FRAME,
                end=lambda decoder: decoder.gap(),
                size=lambda frame: (1 + len(frame.data) + CRC_BYTES,) * 2,
            ),
            lambda: [vector.rtu for vector in (*modbus_vectors.QUESTIONS, *modbus_vectors.ANSWERS)],
        )
        for side in Side
    },
    "modbus-tcp": Target(
        Stream(
            TcpDecoder,
            held=lambda decoder: decoder.pending,
            limit=HEADER_BYTES - 1 + LONGEST_LENGTH,
            end=lambda decoder: decoder.gap(),
            size=lambda frame: (HEADER_BYTES + len(frame.data),) * 2,
        ),
        lambda: [vector.tcp for vector in (*modbus_vectors.QUESTIONS, *modbus_vectors.ANSWERS)],
    ),
    "modbus-question": Target(
        Whole(_question, _NoMessage, encode_question), lambda: [vector.tcp[7:] for vector in modbus_vectors.QUESTIONS]
    ),
    "modbus-answer": Target(
        Whole(_answer, _NoMessage, encode_answer), lambda: [vector.tcp[7:] for vector in modbus_vectors.ANSWERS]
    ),
    "cctalk": Target(
        Stream(
            cctalk.FrameDecoder,
            held=lambda decoder: decoder.waiting,
            limit=cctalk.FRAME_MAX,
            end=lambda decoder: decoder.silence(),
            size=lambda frame: (cctalk.OVERHEAD + len(frame.data),) * 2,
        ),
        lambda: _cctalk_vectors("frames"),
    ),
    "cctalk-crc": Target(
        Stream(
            partial(cctalk.FrameDecoder, cctalk.Check.CRC),
            held=lambda decoder: decoder.waiting,
            limit=cctalk.FRAME_MAX,
            end=lambda decoder: decoder.silence(),
            size=lambda frame: (cctalk.OVERHEAD + len(frame.data),) * 2,
        ),
        lambda: _cctalk_vectors("crc_frames"),
    ),
    "cctalk-credit": Target(
        Whole(cctalk_acceptor.read_credit, cctalk_acceptor.BadReply, cctalk_acceptor.credit_data),
        lambda: [bytes(11), bytes.fromhex("0200 0e03 0100 0000 0000 00")],
    ),
    "pn532": Target(
        Stream(
            pn532.FrameDecoder,
            held=lambda decoder: decoder.pending,
            limit=pn532.FRAME_MAX,
            end=lambda decoder: decoder.abandon(),
            size=_pn532_size,
            uncounted=lambda data: data.count(0),
        ),
        lambda: _pn532_vectors("frames", "bytes"),
    ),
    "pn532-targets": Target(
        Whole(pn532_commands.targets),
        lambda: _pn532_vectors("targets", "data"),
    ),
    "gat": Target(
        Stream(
            partial(gat.FrameDecoder, FROM_HOST | FROM_DEVICE),
            held=lambda decoder: decoder.pending,
            limit=gat.MAX_FRAME_BYTES,
            end=lambda decoder: decoder.abandon(),
            size=lambda frame: (len(gat.encode_frame(frame)),) * 2,
        ),
        _gat_seeds,
    ),
    "gat-message": Target(
        Whole(_gat_message, gat_messages.BadBody),
        lambda: [seed[:1] + seed[2:-2] for seed in _gat_seeds()],
    ),
    "blink1-command": Target(Whole(blink1.decode_command, blink1.BadReport, blink1.encode_command), _blink1_seeds),
    "gat-digests": Target(
        Whole(read_digests, BadDigests),
        lambda: [encode_digests(Digests("m", "n", (("a", "A" * 40), ("b", "B" * 40))))],
    ),
    "keyboard": Target(
        Whole(_strokes, BadReport),
        lambda: [b"".join(reports_of(MAPS["us"].strokes("A1b2")))],
    ),
    "hid-reports": Target(
        Whole(report_sizes, BadReports),
        lambda: [bytes.fromhex(text) for text in _REPORT_DESCRIPTORS],
    ),
    "usb-descriptors": Target(
        Whole(interfaces_of),
        lambda: [_usb_device().configuration()],
    ),
    "usbip-list": Target(
        Stream(_Listing, lambda reader: reader.pending, usbip.LIST_MAX_BYTES, end=lambda reader: (), ends=BadUsbip),
        lambda: [usbip.list_reply([_EXPORTED] * count) for count in (0, 1, 2)],
    ),
    "usbip-commands": Target(
        Stream(
            usbip.CommandReader,
            lambda reader: reader.pending,
            usbip.URB_BYTES + usbip.TRANSFER_MAX_BYTES,
            end=_tail,
            ends=BadUsbip,
            size=lambda command: (len(command.encode()),) * 2,
        ),
        lambda: [b"".join(submit.encode() for submit in _SUBMITS) + usbip.Unlink(3, 1, 2).encode()],
    ),
    "usbip-answers": Target(
        Stream(
            _answers,
            lambda reader: reader.pending,
            usbip.URB_BYTES + usbip.TRANSFER_MAX_BYTES,
            end=_tail,
            ends=BadUsbip,
            size=lambda answer: (len(answer.encode()),) * 2,
        ),
        lambda: [usbip.Submitted(0, 0, 4).encode() + usbip.Submitted(1, 0, 4, b"abcd").encode()],
    ),
    **DEVICE_TARGETS,
}
