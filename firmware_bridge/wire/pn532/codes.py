"""Numbers of the PN532's host protocol (UM0701-02; tables of nfcpy 1.0.4 agree)."""

from __future__ import annotations

from enum import IntEnum

START = b"\x00\xff"
HOST_TO_CHIP = 0xD4
CHIP_TO_HOST = 0xD5
ERROR_MARK = 0x7F
# Sent before the first frame: edges on the line wake the chip, the zeros give it the time that it needs.
WAKE_UP = b"\x55\x55" + bytes(15)
BAUD = 115_200
# A frame's data with its direction byte: the chip's firmware takes no more (UM0701-02).
MAX_LENGTH = 265


class Command(IntEnum):
    """What a host can ask; the chip's reply has the next number."""

    DIAGNOSE = 0x00
    GET_FIRMWARE_VERSION = 0x02
    GET_GENERAL_STATUS = 0x04
    READ_REGISTER = 0x06
    WRITE_REGISTER = 0x08
    SET_SERIAL_BAUD_RATE = 0x10
    SET_PARAMETERS = 0x12
    SAM_CONFIGURATION = 0x14
    POWER_DOWN = 0x16
    RF_CONFIGURATION = 0x32
    IN_LIST_PASSIVE_TARGET = 0x4A
    IN_RELEASE = 0x52


class RfItem(IntEnum):
    """What RFConfiguration sets."""

    FIELD = 0x01
    TIMINGS = 0x02
    RETRIES = 0x05


class SamMode(IntEnum):
    """What the chip does with a secure element; a reader of tags has none."""

    NORMAL = 0x01


class Modulation(IntEnum):
    """Which kind of tag InListPassiveTarget looks for."""

    ISO14443A_106 = 0x00


class Status(IntEnum):
    """Low six bits of the status byte of RF commands."""

    OK = 0x00
    TARGET_TIME_OUT = 0x01
    RF_CRC = 0x02
    PARITY = 0x03
    ANTICOLLISION_BITS = 0x04
    FRAMING = 0x05
    BIT_COLLISION = 0x06
    CONTEXT = 0x27
