"""Reads tdl.json (TDL messages as bytes and as fields) and tdl_invalid.json (bytes that are none, and why).

Both were written from docs/protocols/tdl.md.

The bytes were composed with cbor2, cobs and zlib, never with our own codec. A vector changes
only with the specification.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from firmware_bridge.wire.garbage import GarbageReason
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame

_VALID = Path(__file__).with_name("tdl.json")
_INVALID = Path(__file__).with_name("tdl_invalid.json")
JsonValue = int | bool | str | list[int] | dict[str, str]


class _InvalidRow(TypedDict):
    name: str
    source: str
    reason: str
    rx_max: int
    stream: str
    frame: str | None


class _Row(TypedDict):
    name: str
    source: str
    stream: str
    frame: str
    type: str
    code: int
    seq: int
    session: int
    body: list[tuple[int, JsonValue]]


@dataclass(frozen=True, slots=True)
class Vector:
    """One message: `stream` with both delimiters, `frame` bare, `message` what both say."""

    name: str
    source: str
    stream: bytes
    frame: bytes
    message: Frame


@dataclass(frozen=True, slots=True)
class InvalidVector:
    """Bytes that a receiver with this `rx_max` refuses for `reason`; `frame` where the stuffing is right."""

    name: str
    source: str
    reason: GarbageReason
    rx_max: int
    stream: bytes
    frame: bytes | None


def load() -> list[Vector]:
    """All valid vectors, in the order of the file."""
    rows: list[_Row] = json.loads(_VALID.read_text(encoding="utf-8"))
    return [_vector(row) for row in rows]


def load_invalid() -> list[InvalidVector]:
    """All invalid vectors, in the order of the file."""
    rows: list[_InvalidRow] = json.loads(_INVALID.read_text(encoding="utf-8"))
    return [_invalid(row) for row in rows]


def _invalid(row: _InvalidRow) -> InvalidVector:
    frame = None if row["frame"] is None else bytes.fromhex(row["frame"])
    stream = bytes.fromhex(row["stream"])
    return InvalidVector(row["name"], row["source"], GarbageReason(row["reason"]), row["rx_max"], stream, frame)


def _vector(row: _Row) -> Vector:
    body = {key: _value(value) for key, value in row["body"]}
    message = Frame(MessageType[row["type"]], row["code"], row["seq"], row["session"], body)
    return Vector(row["name"], row["source"], bytes.fromhex(row["stream"]), bytes.fromhex(row["frame"]), message)


def _value(value: JsonValue) -> Value:
    if isinstance(value, dict):
        return bytes.fromhex(value["hex"])
    if isinstance(value, list):
        return tuple(value)
    return value
