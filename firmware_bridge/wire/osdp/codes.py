"""The numbers of OSDP v2, nothing twice. Mnemonics are the standard's, so that one can search for them."""

from __future__ import annotations

from enum import IntEnum


class CommandCode(IntEnum):
    """What the control panel asks."""

    POLL = 0x60
    ID = 0x61
    CAP = 0x62
    LSTAT = 0x64
    LED = 0x69
    BUZ = 0x6A
    TEXT = 0x6B
    COMSET = 0x6E
    KEYSET = 0x75
    CHLNG = 0x76
    SCRYPT = 0x77


class ReplyCode(IntEnum):
    """What the peripheral answers."""

    ACK = 0x40
    NAK = 0x41
    PDID = 0x45
    PDCAP = 0x46
    LSTATR = 0x48
    RAW = 0x50
    FMT = 0x51
    KEYPAD = 0x53
    COM = 0x54
    CCRYPT = 0x76
    RMAC_I = 0x78
    BUSY = 0x79


class NakCode(IntEnum):
    """Why a peripheral refused."""

    CHECK = 1
    LENGTH = 2
    UNKNOWN_COMMAND = 3
    SEQUENCE = 4
    SECURE_CHANNEL_UNSUPPORTED = 5
    SECURITY_CONDITIONS = 6
    BIOMETRIC_TYPE = 7
    BIOMETRIC_FORMAT = 8
    RECORD = 9


class BlockType(IntEnum):
    """Security block types (SCS_11 … SCS_18): odd ones are the panel's, even ones the peripheral's."""

    CHALLENGE = 0x11
    CLIENT_CRYPTOGRAM = 0x12
    SERVER_CRYPTOGRAM = 0x13
    INITIAL_MAC = 0x14
    PANEL_MAC = 0x15
    PERIPHERAL_MAC = 0x16
    PANEL_ENCRYPTED = 0x17
    PERIPHERAL_ENCRYPTED = 0x18


class KeySelector(IntEnum):
    """Third byte of the handshake's security blocks: which base key is meant."""

    DEFAULT = 0
    OWN = 1


class Capability(IntEnum):
    """Function codes of PDCAP that we look at."""

    CARD_FORMAT = 3
    LED = 4
    BUZZER = 5
    TEXT = 6
    CHECK = 8
    SECURE_CHANNEL = 9
    RECEIVE_SIZE = 10


class LedColour(IntEnum):
    BLACK = 0
    RED = 1
    GREEN = 2
    AMBER = 3
    BLUE = 4
    MAGENTA = 5
    CYAN = 6
    WHITE = 7


class TemporaryLed(IntEnum):
    """What an LED command does with the temporary state."""

    KEEP = 0
    CANCEL = 1
    SET = 2


class PermanentLed(IntEnum):
    """What an LED command does with the permanent state."""

    KEEP = 0
    SET = 1


class Tone(IntEnum):
    NONE = 0
    OFF = 1
    DEFAULT = 2


class TextMode(IntEnum):
    PERMANENT = 1
    PERMANENT_WRAPPED = 2
    TEMPORARY = 3
    TEMPORARY_WRAPPED = 4


class CardFormat(IntEnum):
    """Second byte of RAW: how the bits are laid out."""

    UNSPECIFIED = 0
    WIEGAND = 1
