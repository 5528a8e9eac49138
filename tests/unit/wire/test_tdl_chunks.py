"""A read is not a message: the same frames come out however the bytes are cut (BR-001)."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl.frame import Frame, decode_frame
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder, encode_stream
from tests.vectors import tdl

VECTORS = tdl.load()
SHORT = [vector for vector in VECTORS if len(vector.stream) < 128]
NEIGHBOURS = list(zip(VECTORS, VECTORS[1:] + VECTORS[:1], strict=True))


@pytest.mark.parametrize(("first", "second"), NEIGHBOURS, ids=[first.name for first, _ in NEIGHBOURS])
def test_neighbours_cut_at_every_offset(first: tdl.Vector, second: tdl.Vector) -> None:
    """BR-001: two frames in one read, half a frame in the next."""
    joined = first.stream + second.stream
    for cut in range(len(joined) + 1):
        decoder = StreamDecoder()
        results = decoder.feed(joined[:cut]) + decoder.feed(joined[cut:])
        assert results == [first.message, second.message], cut
        assert decoder.flush() == []


def test_neighbours_may_share_a_delimiter() -> None:
    shared = b"\0".join([b"", *(vector.stream[1:-1] for vector in VECTORS), b""])
    assert StreamDecoder().feed(shared) == [vector.message for vector in VECTORS]


def test_500_seeded_chunkings_of_two_hundred_frames() -> None:
    """BR-001: the same frames in the same order, nothing discarded."""
    chosen = [SHORT[index % len(SHORT)] for index in range(200)]
    stream = b"".join(vector.stream for vector in chosen)
    expected = [vector.message for vector in chosen]
    for seed in range(500):
        decoder = StreamDecoder()
        results: list[Frame | Garbage] = []
        for chunk in _cut(stream, random.Random(seed)):
            results += decoder.feed(chunk)
        assert results == expected, seed
        assert decoder.flush() == []


def _cut(stream: bytes, rng: random.Random) -> list[bytes]:
    longest = rng.choice([16, 64, 300, 4000])
    chunks = []
    at = 0
    while at < len(stream):
        size = rng.randint(0, longest)
        chunks.append(stream[at : at + size])
        at += size
    return chunks


def test_all_vectors_byte_by_byte() -> None:
    decoder = StreamDecoder()
    results: list[Frame | Garbage] = []
    for octet in b"".join(vector.stream for vector in VECTORS):
        results += decoder.feed(bytes([octet]))
    assert results == [vector.message for vector in VECTORS]


# pieces of real streams between random ones, so that damage of every kind meets whole frames
PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([vector.stream for vector in SHORT]),
    st.sampled_from([vector.frame for vector in SHORT]),
    st.builds(lambda vector, size: vector.stream[:size], st.sampled_from(SHORT), st.integers(0, 60)),
    st.builds(lambda size: b"\xff" * size, st.integers(0, 600)),
)


@given(st.lists(PIECES, max_size=8).map(b"".join))
@example(b"\0" * 64)
def test_any_bytes_give_frames_or_counted_garbage(octets: bytes) -> None:
    """No exception; whole and byte by byte agree; every byte that is no delimiter is in a frame or counted."""
    whole = StreamDecoder(rx_max=200)
    results = [*whole.feed(octets), *whole.flush()]
    piecewise = StreamDecoder(rx_max=200)
    singly = [result for octet in octets for result in piecewise.feed(bytes([octet]))]
    assert [*singly, *piecewise.flush()] == results
    sizes = [item.size if isinstance(item, Garbage) else len(encode_stream(item)) - 2 for item in results]
    assert sum(sizes) == len(octets) - octets.count(0)


@given(st.binary(max_size=300))
def test_any_message_gives_a_frame_or_garbage(octets: bytes) -> None:
    result = decode_frame(octets)
    assert isinstance(result, Frame) or result.size == len(octets)
    assert MessageDecoder().feed(octets) == ([result] if octets else [])
