"""The golden bytes of Modbus, as messages and as frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.wire.modbus.codes import Function
from firmware_bridge.wire.modbus.messages import (
    Answer,
    Bits,
    CoilsWritten,
    Echo,
    Question,
    Read,
    Refused,
    Words,
    WriteCoil,
    WriteCoils,
)


@dataclass(frozen=True, slots=True)
class Vector:
    """One message with its bytes on both kinds of cable."""

    meaning: str
    rtu: bytes
    tcp: bytes
    says: Question | Answer


def _says(kind: str, *told: object) -> Question | Answer:
    match kind, told:
        case "Read", (int(function), int(address), int(count)):
            return Read(Function(function), address, count)
        case "WriteCoil", (int(address), bool(is_on)):
            return WriteCoil(address, is_on)
        case "WriteCoils", (int(address), [*values]):
            return WriteCoils(address, tuple(map(bool, values)))
        case "Echo", (int(number),):
            return Echo(number)
        case "Bits", (int(function), [*values]):
            return Bits(Function(function), tuple(map(bool, values)))
        case "Words", (int(function), [*values]):
            return Words(Function(function), tuple(int(str(value)) for value in values))
        case "CoilsWritten", (int(address), int(count)):
            return CoilsWritten(address, count)
        case "Refused", (int(function), int(code)):
            return Refused(function, code)
    raise ValueError(f"{kind} {told}: no such message")


_TEXT = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
QUESTIONS, ANSWERS = (
    tuple(
        Vector(one["meaning"], bytes.fromhex(one["rtu"]), bytes.fromhex(one["tcp"]), _says(*one["says"]))
        for one in _TEXT[kind]
    )
    for kind in ("questions", "answers")
)
