"""What the host asks a PN532, and what its replies say (UM0701-02 §7). Pure; a reply that makes no sense is None."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.pn532.codes import Command, Modulation, RfItem, SamMode
from firmware_bridge.wire.pn532.frame import Message

# In steps of 50 ms; only a secure element would ever use it. adafruit's driver sends the same: one second.
SAM_TIME_OUT = 0x14
UID_SIZES = (4, 7, 10)
# What the chip itself can hold selected at once at 106 kbit/s.
TARGETS_MAX = 2
_HAS_ATS = 0x20  # SEL_RES: the tag speaks ISO 14443-4, and its ATS follows
_FIELD_ON, _FIELD_OFF = 0x01, 0x00


@dataclass(frozen=True, slots=True)
class Firmware:
    """Which chip, its firmware, and what it supports (bit 0 A, 1 B, 2 ISO 18092)."""

    chip: int
    version: int
    revision: int
    support: int

    @property
    def text(self) -> str:
        return f"{self.version}.{self.revision}"


@dataclass(frozen=True, slots=True)
class Target:
    """One tag as the chip has selected it. `uid` as it came over the air, first byte first."""

    number: int
    uid: bytes
    sens_res: int
    sel_res: int


def get_firmware_version() -> Message:
    return Message(Command.GET_FIRMWARE_VERSION)


def sam_configuration() -> Message:
    """No secure element. A chip that has just woken takes nothing else for granted."""
    return Message(Command.SAM_CONFIGURATION, bytes((SamMode.NORMAL, SAM_TIME_OUT, 0x01)))


def retries(passive: int) -> Message:
    """How often the chip itself looks for a tag before it answers *none*: FF, its default, is for ever."""
    return Message(Command.RF_CONFIGURATION, bytes((RfItem.RETRIES, 0x00, 0x01, passive)))


def field(*, is_on: bool) -> Message:
    """Feed the antenna, or not: tags without a field forget that they were selected."""
    return Message(Command.RF_CONFIGURATION, bytes((RfItem.FIELD, _FIELD_ON if is_on else _FIELD_OFF)))


def list_targets(most: int = TARGETS_MAX) -> Message:
    """Select up to so many tags."""
    return Message(Command.IN_LIST_PASSIVE_TARGET, bytes((most, Modulation.ISO14443A_106)))


def firmware(data: bytes) -> Firmware | None:
    """What GetFirmwareVersion says."""
    return Firmware(*data) if len(data) == 4 else None


def targets(data: bytes) -> tuple[Target, ...] | None:
    """Which tags InListPassiveTarget has selected; empty: none answered."""
    if not data or data[0] > TARGETS_MAX:
        return None
    found, rest = [], data[1:]
    for _ in range(data[0]):
        taken = _target(rest)
        if taken is None:
            return None
        target, rest = taken
        found.append(target)
    return tuple(found) if not rest else None


def _target(data: bytes) -> tuple[Target, bytes] | None:
    """The first tag of a list, and what is behind it: Tg, SENS_RES, SEL_RES, length, UID, where it has one ATS."""
    if len(data) < 5 or data[4] not in UID_SIZES or len(data) < 5 + data[4]:
        return None
    target = Target(data[0], data[5 : 5 + data[4]], int.from_bytes(data[1:3], "big"), data[3])
    rest = data[5 + data[4] :]
    if target.sel_res & _HAS_ATS:
        size = rest[0] if rest else 0  # counts itself
        if not 1 <= size <= len(rest):
            return None
        rest = rest[size:]
    return target, rest


def targets_data(found: tuple[Target, ...]) -> bytes:
    """The chip's side: the reply's data."""
    data = bytearray((len(found),))
    for target in found:
        data += bytes((target.number, *target.sens_res.to_bytes(2, "big"), target.sel_res, len(target.uid)))
        data += target.uid
        if target.sel_res & _HAS_ATS:
            data += b"\x01"
    return bytes(data)
