"""The badge reader's housing: what lies before it, what it shows, what can be heard."""

from __future__ import annotations

import pytest

from simulator.world.badges import NS_PER_MS, NS_PER_S, READS_KEPT, Badge, BadgeHead, Colour, Display, Glow

BADGE = Badge.printed("26:00C0FFE1")
OTHER = Badge.printed("56:04A1B2C3D4E5F6")


def reads(head: BadgeHead) -> list[Badge | str]:
    found = []
    while (read := head.take_read()) is not None:
        found.append(read)
    return found


@pytest.mark.parametrize(
    ("printed", "bits", "data"),
    [
        ("26:00C0FFE1", 26, "303FF840"),
        ("26:00B4288A", 26, "2D0A2280"),  # the card of the captured session
        ("32:00000001", 32, "00000001"),
        ("56:0A000000000000", 56, "0A000000000000"),
        ("1:01", 1, "80"),
    ],
)
def test_a_printed_number_becomes_the_bits_that_a_reader_sends(printed: str, bits: int, data: str) -> None:
    assert Badge.printed(printed) == Badge(bits, bytes.fromhex(data))


@pytest.mark.parametrize("printed", ["26:C0FFE1", "26:04000000", "26:", "00C0FFE1", "x:00"])
def test_a_number_that_no_badge_can_have_is_refused(printed: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Badge.printed(printed)


def test_a_tap_is_read_once_and_over() -> None:
    head = BadgeHead(1)
    head.tap(BADGE, 0)
    head.update(10_000 * NS_PER_MS)
    assert reads(head) == [BADGE]
    head.tap(BADGE, 10_001 * NS_PER_MS)
    assert reads(head) == [BADGE]


def test_a_repeating_reader_reads_a_resting_badge_until_it_is_taken_away() -> None:
    head = BadgeHead(1, repeat_ms=200)
    head.hold(BADGE, 0)
    assert head.update(1_000 * NS_PER_MS) == 1_200 * NS_PER_MS
    assert reads(head) == [BADGE] * 6
    head.remove(BADGE, 1_100 * NS_PER_MS)
    assert head.update(9_000 * NS_PER_MS) is None
    assert reads(head) == []


def test_two_badges_at_once_are_both_read() -> None:
    head = BadgeHead(1)
    head.tap(BADGE, 0)
    head.tap(OTHER, 100 * NS_PER_MS)
    assert reads(head) == [BADGE, OTHER]


def test_at_the_edge_of_the_field_some_reads_fail_the_same_in_each_run() -> None:
    counts = []
    for _ in range(2):
        head = BadgeHead(7, repeat_ms=200, miss_one_in=20)
        head.hold(BADGE, 0)
        seen = 0
        for n in range(1000):
            head.update(n * 200 * NS_PER_MS)
            seen += len(reads(head))
        counts.append(seen)
    assert counts[0] == counts[1]
    assert 900 < counts[0] < 1000


def test_a_reader_that_nobody_asks_forgets_the_oldest() -> None:
    head = BadgeHead(1)
    for n in range(READS_KEPT + 5):
        head.press(str(n % 10), n)
    assert len(reads(head)) == READS_KEPT


def test_a_temporary_text_covers_the_permanent_one_until_its_time_is_over() -> None:
    display = Display()
    assert display.visible_text(0) == ""
    display.show_permanent("TABLE 7")
    display.show_temporary("TAP BADGE", 2, 0)
    assert [display.visible_text(at_s * NS_PER_S) for at_s in (0, 1, 2)] == ["TAP BADGE", "TAP BADGE", "TABLE 7"]
    display.show_temporary("   ", 2, 0)
    assert display.visible_text(0) == ""
    display.end_temporary()
    assert display.visible_text(0) == "TABLE 7"


def test_a_temporary_light_covers_the_permanent_one_until_its_time_is_over() -> None:
    head = BadgeHead(1)
    head.show_permanent(Glow(1, 0, Colour.RED, Colour.RED), 0)
    head.show_temporary(Glow(5, 5, Colour.AMBER, Colour.DARK), 20, 0)
    seen = [head.visible_colour(at * 100 * NS_PER_MS) for at in (0, 4, 5, 9, 10, 19, 20, 99)]
    amber, dark, red = Colour.AMBER, Colour.DARK, Colour.RED
    assert seen == [amber, amber, dark, dark, amber, dark, red, red]
    head.show_temporary(Glow(1, 0, Colour.AMBER, Colour.AMBER), 1000, 0)
    head.end_temporary()
    assert head.visible_colour(0) is red
