"""The link status of a device: written and read as an independent CBOR library does."""

from __future__ import annotations

import itertools

import cbor2
import pytest

from firmware_bridge.links.mqtt_status import BadStatus, LinkStatus

EDGES = (0, 1, 23, 24, 255, 256, 65_535, 65_536, 2**32 - 1)


@pytest.mark.parametrize(("boot", "connection"), list(itertools.product(EDGES, EDGES)))
@pytest.mark.parametrize("is_online", [True, False])
def test_the_bytes_are_those_of_cbor2(is_online: bool, boot: int, connection: int) -> None:
    status = LinkStatus(is_online, boot, connection)
    assert status.encode() == cbor2.dumps({0: is_online, 1: boot, 2: connection}, canonical=True)
    assert LinkStatus.decode(status.encode()) == status


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xa3",
        cbor2.dumps({0: True, 1: 3}),
        cbor2.dumps({0: 1, 1: 3, 2: 1}),
        cbor2.dumps({0: True, 1: "3", 2: 1}),
        cbor2.dumps({0: True, 1: 3, 2: -1}),
        cbor2.dumps({0: True, 1: 3, 2: 2**32}),
        cbor2.dumps({0: True, 1: 3, 3: 1}),
        cbor2.dumps({0: True, 1: 3, 2: 1}) + b"\0",
        b"\xa3\x00\xf5\x01\x18\x03\x02\x01",  # 3 in two bytes
        b"online",
    ],
)
def test_anything_else_is_no_status(data: bytes) -> None:
    with pytest.raises(BadStatus):
        LinkStatus.decode(data)


def test_every_cut_and_every_flipped_bit_is_another_status_or_none() -> None:
    whole = LinkStatus(True, 300, 70_000).encode()
    for size in range(len(whole)):
        with pytest.raises(BadStatus):
            LinkStatus.decode(whole[:size])
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            assert LinkStatus.decode(bytes(damaged)) != LinkStatus(True, 300, 70_000)
        except BadStatus:
            continue


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bits"):
        LinkStatus(True, 2**32, 0).encode()


def test_boot_counts_before_connection() -> None:
    assert LinkStatus(False, 3, 9).is_older_than(LinkStatus(True, 4, 1))
    assert LinkStatus(False, 4, 1).is_older_than(LinkStatus(True, 4, 2))
    assert not LinkStatus(False, 4, 2).is_older_than(LinkStatus(True, 4, 2))
