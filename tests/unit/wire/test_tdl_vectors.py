"""The codec against the bytes that were written by hand from the specification."""

from __future__ import annotations

import zlib

import cbor2
import pytest
from cobs import cobs

from firmware_bridge.wire.tdl.frame import decode_frame, encode_frame
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
