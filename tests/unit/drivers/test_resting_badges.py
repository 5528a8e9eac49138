"""One arrival a presence, however a reader repeats itself (BR-033)."""

from __future__ import annotations

from drivers.badges.keypad import DIGITS_MAX, Keypad
from drivers.badges.resting import Change, RestingBadges

POLL_S = 0.2


class Bench:
    """Polls each 200 ms; some show badges."""

    def __init__(self) -> None:
        self.resting = RestingBadges()
        self.now_s = 100.0
        self.clean = 0
        self.changes: list[tuple[str, Change]] = []

    def poll(self, *badges: str, times: int = 1) -> None:
        for _ in range(times):
            self.now_s += POLL_S
            if not badges:
                self.clean += 1
                self.changes += self.resting.gone(self.clean, self.now_s)
            for badge in badges:
                self.changes += self.resting.seen(badge, self.clean, self.now_s)

    def quiet(self, duration_s: float) -> None:
        """Time passes in which nothing is answered."""
        self.now_s += duration_s
        self.changes += self.resting.gone(self.clean, self.now_s)


def test_a_card_resting_for_10_minutes_with_every_20th_poll_missed_arrives_once_br_033() -> None:
    bench = Bench()
    for n in range(3000):
        bench.poll(*([] if n % 20 == 19 else ["A"]))
    assert bench.changes == [("A", Change.ARRIVED), ("A", Change.HELD)]
    bench.poll(times=20)
    assert bench.changes[2:] == [("A", Change.TAKEN_AWAY)]


def test_two_cards_in_turn_within_300_ms_are_both_seen_br_033() -> None:
    bench = Bench()
    bench.poll("A")
    bench.poll("B")
    assert bench.changes == [("A", Change.ARRIVED), ("B", Change.ARRIVED)]


def test_the_same_card_away_for_2_s_and_back_arrives_twice_br_033() -> None:
    bench = Bench()
    bench.poll("A")
    bench.poll(times=10)
    bench.poll("A")
    assert bench.changes == [("A", Change.ARRIVED)] * 2


def test_a_burst_of_one_tap_is_one_arrival() -> None:
    bench = Bench()
    bench.poll("A", times=5)
    bench.poll(times=30)
    assert bench.changes == [("A", Change.ARRIVED)]


def test_polls_that_nobody_answered_do_not_take_a_badge_away() -> None:
    """Two seconds of silence are no clean polls: whether it still lies there is not known."""
    bench = Bench()
    bench.poll("A", times=10)
    bench.quiet(30)
    bench.poll(times=2)
    assert bench.changes == [("A", Change.ARRIVED), ("A", Change.HELD)]
    bench.poll(times=1)
    assert bench.changes[-1] == ("A", Change.TAKEN_AWAY)


def test_three_clean_polls_alone_do_not_take_a_badge_away() -> None:
    """Polls after a prompt come each 50 ms: three of them are 150 ms, and a reader may repeat itself each second."""
    bench = Bench()
    bench.poll("A", times=10)
    bench.clean += 3
    bench.quiet(0.15)
    assert bench.changes[-1] == ("A", Change.HELD)


def test_a_reader_that_goes_away_takes_all_with_it() -> None:
    bench = Bench()
    bench.poll("A", times=10)
    bench.resting.forget()
    bench.poll(times=30)
    assert bench.changes == [("A", Change.ARRIVED), ("A", Change.HELD)]
    assert bench.resting.look_at_s() is None


def test_keys_up_to_the_hash_make_a_code() -> None:
    keypad = Keypad()
    assert keypad.pressed(b"12", 0) == []
    assert keypad.pressed(b"34\x0d", 1) == ["1234"]
    assert keypad.pressed(b"9\x7f56\x0d7\x0d\x0d", 2) == ["56", "7"]


def test_half_a_code_is_none() -> None:
    keypad = Keypad()
    keypad.pressed(b"12", 0)
    assert keypad.pressed(b"3\x0d", 60) == ["3"]
    keypad.pressed(b"45", 61)
    keypad.forget()
    keypad.forget()
    assert keypad.pressed(b"\x0d", 62) == []
    assert keypad.pressed(b"1" * (DIGITS_MAX + 1) + b"\x0d", 63) == []
    assert keypad.abandoned == 3


def test_keys_that_are_no_digits_are_nothing() -> None:
    assert Keypad().pressed(b"\x00A1\xb2\x0d", 0) == ["1"]
