"""A serial line whose ends do not agree, reckoned bit by bit."""

from __future__ import annotations

import pytest

from simulator.uart import misread

TEXT = b"hello"


def test_ends_that_agree_lose_nothing() -> None:
    assert misread(bytes(range(256)), 9_600, 9_600) == bytes(range(256))


def test_a_little_off_is_still_read() -> None:
    """A UART bears 4 % over ten bits."""
    assert misread(TEXT, 100_000, 103_000) == TEXT


@pytest.mark.parametrize(("sent", "read"), [(9_600, 115_200), (115_200, 9_600), (9_600, 19_200), (19_200, 9_600)])
def test_another_speed_is_something_else(sent: int, read: int) -> None:
    heard = misread(TEXT, sent, read)
    assert heard
    assert heard != TEXT


def test_a_receiver_that_is_twice_as_quick_reads_what_a_drawing_shows() -> None:
    """55h at half speed: 0 1010101 0 1 with each bit twice as long: start and seven more bits are 00 11 00 11 …"""
    assert misread(b"\x55", 9_600, 19_200)[0] == 0b01100110


def test_a_slow_receiver_sees_fewer_bytes_than_were_sent() -> None:
    assert len(misread(bytes(100), 115_200, 9_600)) < 20


def test_swapped_wires_are_not_the_bytes() -> None:
    """But for those that read the same upside down, of which no protocol lives."""
    same = [byte for byte in range(256) if misread(bytes((byte,)), 9_600, 9_600, is_swapped=True) == bytes((byte,))]
    assert len(same) < 8
    assert misread(TEXT, 9_600, 9_600, is_swapped=True) != TEXT
