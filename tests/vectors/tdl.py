"""Reads tests/vectors/tdl.json: TDL messages as bytes and as fields, written from docs/protocols/tdl.md.

The bytes were composed with cbor2, cobs and zlib, never with our own codec. A vector changes
only with the specification.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame

_FILE = Path(__file__).with_name("tdl.json")
JsonValue = int | bool | str | list[int] | dict[str, str]


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


def load() -> list[Vector]:
    """All valid vectors, in the order of the file."""
    rows: list[_Row] = json.loads(_FILE.read_text(encoding="utf-8"))
    return [_vector(row) for row in rows]


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
