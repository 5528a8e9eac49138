"""Our CBOR and COBS against cbor2 and cobs, both ways, over everything that the profile of tdl.md 3.3 allows."""

from __future__ import annotations

import cbor2
import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import BadBody, Value, decode_map, encode_map
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame, encode_frame
from firmware_bridge.wire.tdl.keys import HelloKey
from firmware_bridge.wire.tdl.stream import BadCobs, decode_cobs, encode_cobs

MAX_UINT = 2**32 - 1
# around each border between CBOR's lengths of an argument
BORDERS = [0, 1, 22, 23, 24, 25, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537, MAX_UINT - 1, MAX_UINT]
uints = st.one_of(st.sampled_from(BORDERS), st.integers(0, MAX_UINT))
values: st.SearchStrategy[Value] = st.one_of(
    uints,
    st.integers(-(2**31), -1),
    st.booleans(),
    st.binary(max_size=300),
    st.text(max_size=100),
    st.lists(uints, max_size=23).map(tuple),
)
bodies = st.dictionaries(st.integers(0, 23), values, max_size=24)


def _plain(body: dict[int, Value]) -> dict[int, object]:
    return {key: list(body[key]) if isinstance(body[key], tuple) else body[key] for key in sorted(body)}


@given(bodies)
def test_what_we_write_cbor2_reads_and_would_write(body: dict[int, Value]) -> None:
    ours = encode_map(body)
    assert ours == cbor2.dumps(_plain(body))
    assert cbor2.loads(ours) == _plain(body)


@given(bodies)
def test_what_cbor2_writes_we_read(body: dict[int, Value]) -> None:
    decoded = decode_map(cbor2.dumps(_plain(body)))
    assert decoded == body
    assert [type(value) for _, value in sorted(decoded.items())] == [type(value) for _, value in sorted(body.items())]


@given(st.binary(max_size=60))
def test_any_bytes_are_read_as_cbor2_reads_them_or_refused(octets: bytes) -> None:
    try:
        body = decode_map(octets)
    except BadBody:
        return
    assert _plain(body) == cbor2.loads(octets)
    assert encode_map(body) == octets  # one form only: what was taken is what we would have written


@pytest.mark.parametrize(
    "body",
    [
        {24: 0},
        {-1: 0},
        {True: 0},
        {0: 2**32},
        {0: -(2**31) - 1},
        {0: (0,) * 24},
        {0: (-1,)},
        {0: (True,)},
        {0: (2**32,)},
        {0: b"x" * 1001},
        {0: "x" * 1001},
    ],
    ids=repr,
)
def test_outside_the_profile_is_refused_to_the_sender(body: dict[int, Value]) -> None:
    with pytest.raises(ValueError, match=r"tdl\.md 3\.3"):
        encode_map(body)


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (Frame(MessageType.SEALED, 0, 0, 1, {}), "SEALED"),
        (Frame(MessageType.REQUEST, 8, 0, 1, {}), "seq 0"),
        (Frame(MessageType.REQUEST, 8, 256, 1, {}), "seq 256"),
        (Frame(MessageType.REQUEST, 0, 1, 1, {}), "code 0"),
        (Frame(MessageType.REQUEST, 255, 1, 1, {}), "code 255"),
        (Frame(MessageType.HELLO, 1, 1, 1, {}), "code 1"),
        (Frame(MessageType.NOTICE, 16, 1, 1, {}), "seq 1"),
        (Frame(MessageType.NOTICE_ACK, 0, 0, 0, {}), "session 0"),
        (Frame(MessageType.NOTICE_ACK, 0, 0, 65_536, {}), "session 65536"),
        (Frame(MessageType.REPLY, 0xC1, 1, 1, {0: b"x" * 600, 1: b"x" * 600}), "1000 at most"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_frame_that_the_specification_forbids_is_refused_to_the_sender(frame: Frame, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        encode_frame(frame)


# runs around 254 bytes, the longest group
runs = st.builds(lambda size, tail: b"\x11" * size + tail, st.integers(0, 600), st.binary(max_size=5))
stuffable = st.one_of(st.binary(max_size=60), st.lists(runs, max_size=3).map(b"\0".join))


@given(stuffable)
def test_stuffing_agrees_with_cobs(octets: bytes) -> None:
    stuffed = encode_cobs(octets)
    assert stuffed == cobs.encode(octets)
    assert decode_cobs(stuffed) == octets


@given(st.binary(max_size=300))
def test_unstuffing_agrees_with_cobs(stuffed: bytes) -> None:
    try:
        expected = cobs.decode(stuffed)
    except cobs.DecodeError:
        with pytest.raises(BadCobs):
            decode_cobs(stuffed)
    else:
        assert decode_cobs(stuffed) == expected


def test_a_full_last_group_is_taken_with_and_without_an_empty_one_behind_it() -> None:
    full = b"\xff" + b"\x11" * 254
    assert decode_cobs(full) == decode_cobs(full + b"\x01") == b"\x11" * 254


BODY: dict[int, Value] = {0: 5, 1: True, 2: b"x", 3: "y", 4: (1, 2), 5: -1}


def test_getters_give_what_is_there() -> None:
    assert read.uint(BODY, 0) == read.opt_uint(BODY, 0) == 5
    assert read.flag(BODY, 1) is read.opt_flag(BODY, 1) is True
    assert read.octets(BODY, 2) == b"x"
    assert read.text(BODY, 3) == "y"
    assert read.array(BODY, 4) == read.opt_array(BODY, 4) == (1, 2)
    assert read.opt_uint(BODY, 9) is read.opt_flag(BODY, 9) is read.opt_array(BODY, 9) is None


@pytest.mark.parametrize("getter", [read.uint, read.flag, read.octets, read.text, read.array])
def test_getters_refuse_what_is_missing_or_of_another_type(getter: object) -> None:
    assert callable(getter)
    own = {read.uint: 0, read.flag: 1, read.octets: 2, read.text: 3, read.array: 4}
    for key in (0, 1, 2, 3, 4, 5):
        if key != own[getter]:
            with pytest.raises(BadBody, match=f"key {key} is"):
                getter(BODY, key)
    with pytest.raises(BadBody, match=r"key 4 \(HelloKey\.EPOCH\) is missing"):
        getter({}, HelloKey.EPOCH)


@pytest.mark.parametrize("getter", [read.opt_uint, read.opt_flag, read.opt_array])
def test_optional_getters_refuse_another_type(getter: object) -> None:
    assert callable(getter)
    with pytest.raises(BadBody, match="key 3 is str"):
        getter(BODY, 3)
