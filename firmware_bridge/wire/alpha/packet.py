"""Packets of the ALPHA protocol, both ways: encoded, and taken out of any stream of chunks. Pure.

    NUL… SOH type address { STX command [ETX check] }… EOT

The check is the sum of all bytes from STX to ETX, both included, modulo 65,536, as four upper-case hex digits. A text
holds no byte that the frame needs (`commands.text_bytes` refuses them), so SOH always begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware_bridge.wire.alpha.codes import (
    ACK,
    ALL_SIGNS,
    BROADCAST,
    EOT,
    ETX,
    NAK,
    NUL,
    SOH,
    STX,
    WAKE_NULS,
    ErrorStatus,
)
from firmware_bridge.wire.garbage import Garbage, GarbageReason

CHECK_DIGITS = 4
ADDRESS_DIGITS = 2
# A memory dump of the largest sign is longer, and nobody here asks for it; a picture file of 80 × 7 is 570 bytes.
MAX_PACKET_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Packet:
    """One transmission: which signs (type and address), and commands without their frame.

    `is_checked`: each of them had a check, and it was right.
    """

    commands: tuple[bytes, ...]
    type_code: str = ALL_SIGNS
    address: str = BROADCAST
    is_checked: bool = True


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What a sign in ACK mode says after a packet; `status` where a status byte followed at once."""

    is_accepted: bool
    status: ErrorStatus | None = None


Heard = Packet | Acknowledged | Garbage


def check_of(command: bytes) -> bytes:
    """The four digits for one command."""
    return b"%04X" % (sum((STX, *command, ETX)) & 0xFFFF)


def encode_packet(packet: Packet, nuls: int = WAKE_NULS) -> bytes:
    """The bytes of a transmission."""
    body = b"".join(_framed(command, is_checked=packet.is_checked) for command in packet.commands)
    head = bytes((NUL,)) * nuls + bytes((SOH,)) + packet.type_code.encode("ascii") + packet.address.encode("ascii")
    return head + body + bytes((EOT,))


def encode_acknowledgement(said: Acknowledged) -> bytes:
    """The bytes of an ACK or NAK."""
    head = bytes((ACK if said.is_accepted else NAK,))
    return head if said.status is None else head + bytes((said.status,))


def _framed(command: bytes, *, is_checked: bool) -> bytes:
    tail = bytes((ETX,)) + check_of(command) if is_checked else b""
    return bytes((STX,)) + command + tail


class PacketDecoder:
    """The only receive buffer of a link: takes chunks of any size, gives whole packets, ACKs and garbage."""

    def __init__(self, max_bytes: int = MAX_PACKET_BYTES) -> None:
        self._max_bytes = max_bytes
        self._packet: bytearray | None = None  # from SOH on; None: between packets
        self._noise = 0
        self._is_skipping = False  # an oversized packet, up to its end
        self._acknowledged: bool | None = None  # its status byte may follow in this chunk …
        self._is_status_late = False  # … or in the next one, when nobody waits for it any more

    @property
    def is_within(self) -> bool:
        """True while a packet has begun and not ended."""
        return self._packet is not None

    @property
    def pending(self) -> int:
        """Bytes of a packet that has begun and not ended."""
        return len(self._packet or b"")

    def feed(self, chunk: bytes) -> Iterator[Heard]:
        """What is whole now, in order."""
        for byte in chunk:
            yield from self._take(byte)
        yield from self._settle()

    def abandon(self) -> Iterator[Heard]:
        """The sender fell silent within a packet: what has come is no packet."""
        yield from self._settle()
        if self._packet is not None:
            size, self._packet = len(self._packet), None
            yield Garbage(GarbageReason.TRUNCATED, size)

    def _take(self, byte: int) -> Iterator[Heard]:
        if self._packet is None:
            yield from self._between(byte)
        elif byte == SOH:
            yield Garbage(GarbageReason.TRUNCATED, len(self._packet))
            self._packet = bytearray((SOH,))
        elif byte == EOT:
            raw, self._packet = bytes(self._packet), None
            yield _decoded(raw)
        else:
            self._packet.append(byte)
            if len(self._packet) > self._max_bytes:
                size, self._packet, self._is_skipping = len(self._packet), None, True
                yield Garbage(GarbageReason.OVERSIZED, size)

    def _between(self, byte: int) -> Iterator[Heard]:
        if byte == SOH:
            yield from self._settle()
            self._packet, self._is_skipping = bytearray((SOH,)), False
            self._is_status_late = False
        elif self._is_skipping:
            self._is_skipping = byte != EOT
            self._noise += 1
        elif byte in (ACK, NAK):
            yield from self._settle()
            self._acknowledged, self._is_status_late = byte == ACK, False
        elif self._acknowledged is not None and byte & ErrorStatus.DEFAULT:
            accepted, self._acknowledged = self._acknowledged, None
            yield Acknowledged(accepted, ErrorStatus(byte & 0x7F))
        elif self._is_status_late and byte & ErrorStatus.DEFAULT:
            self._is_status_late = False
        elif byte != NUL:
            self._noise += 1

    def _settle(self) -> Iterator[Heard]:
        """An ACK without a status byte in the same chunk, and noise, are told."""
        if self._acknowledged is not None:
            accepted, self._acknowledged = self._acknowledged, None
            self._is_status_late = True
            yield Acknowledged(accepted)
        if self._noise:
            size, self._noise = self._noise, 0
            yield Garbage(GarbageReason.NOISE, size)


def _decoded(raw: bytes) -> Packet | Garbage:
    """A packet from SOH to before EOT."""
    head, *groups = raw.split(bytes((STX,)))
    address = head[2:].decode("ascii", "replace")
    if len(head) != 2 + ADDRESS_DIGITS or not groups:
        return Garbage(GarbageReason.TRUNCATED, len(raw))
    commands, checked = [], []
    for group in groups:
        command, mark, check = group.partition(bytes((ETX,)))
        if not command or (check and check != check_of(command)):
            return Garbage(GarbageReason.BAD_CHECK if command else GarbageReason.BAD_LENGTH, len(raw))
        commands.append(command)
        checked.append(bool(mark and check))
    return Packet(tuple(commands), chr(head[1]), address, is_checked=all(checked))
