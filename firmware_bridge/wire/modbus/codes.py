"""Numbers of Modbus (Application Protocol V1.1b3; Serial Line V1.02)."""

from __future__ import annotations

from enum import IntEnum


class Function(IntEnum):
    """What is asked. Only those that an I/O board needs."""

    READ_COILS = 1
    READ_INPUTS = 2
    READ_HOLDING = 3
    READ_INPUT_WORDS = 4
    WRITE_COIL = 5
    DIAGNOSTICS = 8
    WRITE_COILS = 15


class ExceptionCode(IntEnum):
    """Why a board refuses."""

    ILLEGAL_FUNCTION = 1
    ILLEGAL_ADDRESS = 2
    ILLEGAL_VALUE = 3
    DEVICE_FAILURE = 4
    ACKNOWLEDGE = 5
    BUSY = 6
    GATEWAY_NO_PATH = 10
    GATEWAY_NO_ANSWER = 11


BIT_READS = frozenset({Function.READ_COILS, Function.READ_INPUTS})
WORD_READS = frozenset({Function.READ_HOLDING, Function.READ_INPUT_WORDS})
REFUSED_BIT = 0x80  # set in the function of an exception
MAX_BITS_READ, MAX_BITS_WRITTEN, MAX_WORDS_READ = 2_000, 1_968, 125
ADDRESSES = 0x1_0000
ECHO_QUESTION = 0  # the sub-function of DIAGNOSTICS that sends back what it was sent
COIL_ON, COIL_OFF = 0xFF00, 0x0000
# Unit 0 is heard by every board and answered by none; 248 to 255 are reserved on a serial bus.
LOWEST_UNIT, HIGHEST_UNIT = 1, 247
MAX_PDU = 253
