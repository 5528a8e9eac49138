"""The one text form of a badge (BR-032)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.badges.badge_id import BITS_MAX, BadgeUnreadable, badge_id
from simulator.world.badges import Badge


@pytest.mark.parametrize(
    ("bits", "data", "expected"),
    [
        (32, "00000001", "32:00000001"),
        (32, "ED0BA996", "32:ED0BA996"),
        (56, "0A000000000000", "56:0A000000000000"),
        (80, "00112233445566778899", "80:00112233445566778899"),
        (26, "2D0A2280", "26:00B4288A"),  # FC 90, CN 324 with its parity bits, as Wiegand tools print it
        (26, "CD22C716", "26:03348B1C"),  # bits behind the last one are set: they are nobody's
        (26, "CD22C700", "26:03348B1C"),
        (1, "80", "1:01"),
    ],
)
def test_leading_zeros_stay_and_width_is_fixed_br_032(bits: int, data: str, expected: str) -> None:
    assert badge_id(bits, bytes.fromhex(data)) == expected


def test_the_same_card_on_a_reader_with_reversed_bytes_br_032() -> None:
    data = bytes.fromhex("04A1B2C3D4E5F6")
    assert badge_id(56, data) == badge_id(56, data[::-1], is_reversed=True) == "56:04A1B2C3D4E5F6"


def test_bits_that_fill_no_whole_bytes_have_no_byte_order() -> None:
    data = bytes.fromhex("2D0A2280")
    assert badge_id(26, data, is_reversed=True) == badge_id(26, data)


@pytest.mark.parametrize(("bits", "size"), [(0, 0), (BITS_MAX + 1, 33), (26, 3), (26, 5)])
def test_what_can_be_no_badge_is_refused(bits: int, size: int) -> None:
    with pytest.raises(BadgeUnreadable, match="bits"):
        badge_id(bits, bytes(size))


@given(st.integers(1, BITS_MAX).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, 2**bits - 1))))
def test_what_is_printed_on_a_badge_is_what_its_id_says(badge: tuple[int, int]) -> None:
    """The simulator's badge, written apart from the driver, and the driver agree on every number."""
    bits, number = badge
    printed = f"{bits}:{number:0{2 * ((bits + 7) // 8)}X}"
    shown = Badge.printed(printed)
    assert badge_id(shown.bits, shown.data) == printed
