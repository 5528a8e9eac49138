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
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.keyboard.reports import REPORT_BYTES, BadReport, Stroke, StrokeReader, reports_of
from firmware_bridge.wire.osdp.body import BadBody as BadOsdpBody
from firmware_bridge.wire.osdp.commands import CommandMessage, decode_command
from firmware_bridge.wire.osdp.frame import FRAME_MAX
from firmware_bridge.wire.osdp.frame import Frame as OsdpFrame
from firmware_bridge.wire.osdp.frame import decode_frame as decode_osdp
from firmware_bridge.wire.osdp.replies import ReplyMessage, decode_reply
from firmware_bridge.wire.osdp.stream import StreamDecoder as OsdpDecoder
from firmware_bridge.wire.tdl.frame import OVERHEAD, decode_frame, encode_frame
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream
from fuzz.device_targets import DEVICE_TARGETS
from fuzz.oracle import Stream, Target, Whole
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


def _strokes(data: bytes) -> list[Stroke]:
    reader = StrokeReader()
    reports = [data[at : at + REPORT_BYTES] for at in range(0, len(data), REPORT_BYTES)]
    return [stroke for report in reports for stroke in reader.feed(report)]


def _alpha_seeds() -> list[bytes]:
    told = json.loads((VECTORS / "alpha.json").read_text("utf-8"))["packets"]
    return [bytes.fromhex(packet["bytes"]) for packet in told] + [b"\x06", b"\x15\xc0", b"\x06\0\0\x01"]


def _osdp_messages(*, is_reply: bool) -> list[bytes]:
    frames = [frame for raw in osdp_vectors.ALL_BYTES if isinstance(frame := decode_osdp(raw), OsdpFrame)]
    return [bytes((frame.code,)) + frame.data for frame in frames if frame.is_reply is is_reply]


def _usb_device() -> DeviceDescription:
    ends = (Endpoint(0x81, 2, 64), Endpoint(0x01, 2, 64))
    keyboard = Interface(1, (3, 1, 1), (Endpoint(0x82, 3, 8, 10),), bytes.fromhex("092111010001223f00"))
    return DeviceDescription(0x1209, 1, Texts("maker", "name", "1"), (Interface(0, (0xFF, 0, 0), ends), keyboard))


_EXPORTED = usbip.ExportedDevice("1-1", 1, 1, 0x1209, 1, interfaces=((0xFF, 0, 0),))
_SUBMITS = (usbip.Submit(1, 1, usbip.OUT, 1, 4, data=b"0123"), usbip.Submit(2, 1, usbip.IN, 1, 64))
# Appendix E.6 of HID 1.11, a boot keyboard; and a device that numbers its reports.
_REPORT_DESCRIPTORS = (
    "05010906a101050719e029e71500250175019508810295017508810195057501050819012905910295017503910195067508150025650507"
    "190029658100c0",
    "a101850175089507810285027508950fb102c0",
)

# Of cables and the protocols that came first; `device_targets` has those of the devices that one can buy.
FIRST_TARGETS: Mapping[str, Target] = {
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
}
TARGETS: Mapping[str, Target] = {**FIRST_TARGETS, **DEVICE_TARGETS}
