"""The first words of a connection: HELLO until it is answered, and one diagnosis when it is not (TDL 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MAX_RX_MAX, MIN_RX_MAX, VERSION, HelloFlag, MessageType
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import HelloKey, HelloReplyKey


@dataclass(frozen=True, slots=True)
class Expected:
    """The device of the configuration: exactly this one, with this profile among its own."""

    serial: str
    model: str
    profile: int


@dataclass(frozen=True, slots=True)
class HelloReply:
    """Who answered, and where it stands (TDL 4.3)."""

    version: int
    boot: int
    cause: int
    model: str
    serial: str
    rx_max: int
    is_simulated: bool
    epoch: int
    highest_command: int
    oldest_notice: int
    newest_notice: int
    flags: HelloFlag


@dataclass(slots=True)
class Heard:
    """What came in before an answer was believed; becomes the diagnosis."""

    bytes: int = 0
    frames: Counter[MessageType] = field(default_factory=Counter)
    garbage: Counter[GarbageReason] = field(default_factory=Counter)
    malformed: str = ""

    def take(self, piece: Frame | Garbage) -> None:
        """Count one thing that was not the answer."""
        if isinstance(piece, Garbage):
            self.garbage[piece.reason] += 1
        else:
            self.frames[piece.type] += 1


def hello_body(nonce: bytes, epoch: int) -> Mapping[int, Value]:
    """Body of HELLO."""
    return {
        HelloKey.NONCE: nonce,
        HelloKey.LOWEST_VERSION: VERSION,
        HelloKey.HIGHEST_VERSION: VERSION,
        HelloKey.RX_MAX: MAX_RX_MAX,
        HelloKey.EPOCH: epoch,
    }


def read_hello_reply(body: Mapping[int, Value]) -> HelloReply:
    """The checked reply. Raises BadBody."""
    return HelloReply(
        version=read.uint(body, HelloReplyKey.VERSION),
        boot=read.uint(body, HelloReplyKey.BOOT),
        cause=read.uint(body, HelloReplyKey.CAUSE),
        model=read.text(body, HelloReplyKey.MODEL),
        serial=read.text(body, HelloReplyKey.SERIAL),
        rx_max=read.uint(body, HelloReplyKey.RX_MAX),
        is_simulated=read.flag(body, HelloReplyKey.SIMULATED),
        epoch=read.uint(body, HelloReplyKey.EPOCH),
        highest_command=read.uint(body, HelloReplyKey.HIGHEST_COMMAND),
        oldest_notice=read.uint(body, HelloReplyKey.OLDEST_NOTICE),
        newest_notice=read.uint(body, HelloReplyKey.NEWEST_NOTICE),
        flags=HelloFlag(read.uint(body, HelloReplyKey.FLAGS)),
    )


class WrongDevice(SessionOver):
    """Somebody else answers; nothing but HELLO was sent to it."""

    def __init__(self, ending: Ending, text: str, *, serial: str, model: str) -> None:
        super().__init__(ending, text)
        self.serial = serial
        self.model = model


def check_hello_reply(reply: HelloReply, expected: Expected, address: str) -> None:
    """Raise `SessionOver` unless this is the device of the configuration, in our version, and ours to talk to."""
    who = {"serial": reply.serial, "model": reply.model}
    if (reply.serial, reply.model) != (expected.serial, expected.model):
        raise WrongDevice(
            Ending.WRONG_DEVICE,
            f"wrong_device at {address}: {reply.model} {reply.serial} answers, {expected.model} {expected.serial} "
            "is configured; connect that one, or correct serial number and model in the configuration",
            **who,
        )
    if reply.version != VERSION:
        raise WrongDevice(
            Ending.WRONG_VERSION,
            f"{reply.model} {reply.serial} at {address} speaks TDL version {reply.version}, we speak {VERSION}; "
            "update the device's firmware or this software",
            **who,
        )
    if reply.flags & HelloFlag.OTHER_HOST:
        raise SessionOver(
            Ending.OTHER_HOST,
            f"{address}: the device serves another host; stop that one, or wait until it has been silent for 5 s",
        )
    if reply.rx_max < MIN_RX_MAX:
        raise SessionOver(Ending.NONSENSE, f"{address}: rx_max {reply.rx_max} is below {MIN_RX_MAX} (tdl.md 3.4)")


def diagnose(heard: Heard, address: str, limit_s: float) -> SessionOver:
    """The one message when HELLO was not answered in time: what was heard, what to look at next."""
    if not heard.bytes:
        return SessionOver(
            Ending.SILENT, f"{address}: silent for {limit_s:g} s; check power, cable and that this is the port"
        )
    if heard.frames[MessageType.HELLO]:
        return SessionOver(
            Ending.UNANSWERED, f"{address}: our own HELLO comes back and nothing else; the line echoes, no device"
        )
    if heard.frames:
        what = heard.malformed or "wrong device, or our transmit line is broken"
        return SessionOver(Ending.UNANSWERED, f"{address}: TDL frames arrive, but no answer to our HELLO; {what}")
    kinds = ", ".join(f"{reason} {count}" for reason, count in sorted(heard.garbage.items()))
    return SessionOver(
        Ending.NO_FRAME,
        f"{address}: {heard.bytes} bytes arrive but no valid frame ({kinds or 'no delimiter'}); "
        "check speed and parity, then the protocol",
    )
