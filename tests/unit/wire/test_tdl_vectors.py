"""The codec against the bytes that were written by hand from the specification."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import cbor2
import pytest
from cobs import cobs

from firmware_bridge.wire.tdl.codes import MIN_RX_MAX
from firmware_bridge.wire.tdl.frame import Frame, decode_frame, encode_frame
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder, encode_stream
from tests.vectors import tdl

VECTORS = tdl.load()
each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)


@each_vector
def test_bytes_agree_with_libraries_that_nobody_here_wrote(vector: tdl.Vector) -> None:
    assert vector.stream == b"\0" + cobs.encode(vector.frame) + b"\0"
    assert vector.frame[-4:] == zlib.crc32(vector.frame[:-4]).to_bytes(4, "little")
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in vector.message.body.items()}
    assert cbor2.loads(vector.frame[8:-4]) == plain


@each_vector
def test_decodes(vector: tdl.Vector) -> None:
    assert decode_frame(vector.frame) == vector.message
    assert StreamDecoder().feed(vector.stream) == [vector.message]
    assert MessageDecoder().feed(vector.frame) == [vector.message]


@each_vector
def test_encodes(vector: tdl.Vector) -> None:
    assert encode_frame(vector.message) == vector.frame
    assert encode_stream(vector.message) == vector.stream


def test_the_examples_of_the_specification_are_these_vectors() -> None:
    text = (Path(__file__).parents[3] / "docs" / "protocols" / "tdl.md").read_text(encoding="utf-8")
    examples = re.findall(r"\| `(00 [0-9A-F ]+ 00)` \|", text.split("\n## 15 ")[1].split("\n## 16 ")[0])
    own = [vector.stream for vector in VECTORS if vector.source.endswith("section 15")]
    assert [bytes.fromhex(example) for example in examples] == own
    assert len(own) == 12


def test_what_the_specification_calls_the_largest_bodies_fits_the_smallest_receiver() -> None:
    largest = [vector for vector in VECTORS if vector.name.endswith("_largest")]
    assert {len(vector.frame) - 12 for vector in largest} == {90, 85, 50}  # HELLO_REPLY, IDENTITY (2 profiles), STATE
    assert all(isinstance(decode_frame(vector.frame, MIN_RX_MAX), Frame) for vector in largest)
