"""What lies on the antennas of a table: BR-033 (resting, flapping) and BR-035 (edge, ghosts, cross-talk)."""

from __future__ import annotations

import random

import pytest

from drivers.readers.lying_tags import (
    CLEAN_MISSES_TO_GONE,
    EQUAL_READS,
    STEADY_READS,
    Ambiguous,
    Change,
    LyingTags,
    Placed,
    Removed,
    Why,
)

POLL_S = 0.06
A, B = "32:D0AC1F62", "56:04A1B2C3D4E580"
SHIFTED, PADDED = "32:00D0AC1F", "32:0000D0AC"


class Table:
    """Antennas that are asked in turn."""

    def __init__(self) -> None:
        self.lying = LyingTags()
        self.now_s = 100.0
        self.told: list[Change] = []

    def look(self, antenna: str, *tags: str, after_s: float = POLL_S) -> list[Change]:
        self.now_s += after_s
        changes = self.lying.answered(antenna, tags, self.now_s)
        self.told += changes
        return changes

    def put(self, antenna: str, *tags: str) -> list[Change]:
        """These tags lie well: looked at until they are told."""
        return [change for _ in range(EQUAL_READS) for change in self.look(antenna, *tags)]

    def of_kind(self, kind: type[Change]) -> list[Change]:
        return [change for change in self.told if isinstance(change, kind)]


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_tag_is_told_after_ten_equal_reads(table: Table) -> None:
    """BR-035: the right id once is nothing, and nothing either before luck at the edge is as good as out."""
    for _ in range(EQUAL_READS - 1):
        assert table.look("one", A) == []
    assert table.look("one", A) == [Placed("one", A)]
    assert table.look("one", A) == []


def test_three_clean_misses_and_it_is_gone(table: Table) -> None:
    """BR-033."""
    table.put("one", A)
    assert table.look("one") == table.look("one") == []
    assert table.look("one") == [Removed("one", A)]
    assert table.look("one") == []


def test_two_misses_and_back_is_no_news(table: Table) -> None:
    """BR-033."""
    table.put("one", A)
    for _ in range(50):
        assert table.look("one") + table.look("one") + table.look("one", A) == []


def test_a_resting_card_of_ten_minutes_with_one_poll_in_twenty_missed(table: Table) -> None:
    """BR-033: one arrival, no removal."""
    chance = random.Random(4)
    for at in range(int(600 / POLL_S)):
        table.look("one", *([] if at > EQUAL_READS and chance.randrange(20) == 0 else [A]))
    assert table.told == [Placed("one", A)]


def test_two_cards_in_turn_within_300_ms(table: Table) -> None:
    """BR-033: both cards, laid one after the other."""
    for tags in ((A,), (A,), (A, B), (A, B)):
        table.look("one", *tags)
    table.put("one", A, B)
    assert table.of_kind(Placed) == [Placed("one", A), Placed("one", B)]
    assert not table.of_kind(Ambiguous)


def test_away_for_two_seconds_and_back(table: Table) -> None:
    """BR-033: two arrivals."""
    table.put("one", A)
    for _ in range(int(2 / POLL_S)):
        table.look("one")
    table.put("one", A)
    assert table.told == [Placed("one", A), Removed("one", A), Placed("one", A)]


def test_other_ids_within_300_ms_are_ambiguous_and_no_card(table: Table) -> None:
    """BR-035: shifted, zero-padded, the right one once: ambiguous, told once; the right one twice: a card."""
    for tag in (SHIFTED, PADDED, A, SHIFTED):
        table.look("one", tag)
    assert table.told == [Ambiguous(("one",), Why.NOT_ALIKE)]
    assert table.put("one", A) == [Placed("one", A)]


def test_a_ghost_beside_a_resting_card_changes_nothing_of_it(table: Table) -> None:
    """BR-035."""
    table.put("one", A)
    table.look("one", SHIFTED)
    for _ in range(10):
        table.look("one", A)
    assert table.of_kind(Placed) == [Placed("one", A)]
    assert not table.of_kind(Removed)


def test_the_same_id_on_two_antennas_is_flagged_and_never_two_cards(table: Table) -> None:
    """BR-035: DECK-2 must not see a duplicate in cross-talk."""
    table.look("two", after_s=0.03)
    for _ in range(40):
        table.look("one", A, after_s=0.03)
        table.look("two", A, after_s=0.03)
    assert table.told == [Ambiguous(("one", "two"), Why.TWO_ANTENNAS)]


def test_once_only_one_antenna_has_it_it_is_told_there(table: Table) -> None:
    """BR-035: the card was put down again."""
    for name in ("one", "two", "one", "two"):
        table.look(name, A)
    for _ in range(CLEAN_MISSES_TO_GONE + EQUAL_READS):
        table.look("one")
        table.look("two", A)
    assert table.of_kind(Placed) == [Placed("two", A)]


def test_a_card_pushed_from_one_antenna_to_the_next(table: Table) -> None:
    """It leaves here before it arrives there, with a moment of ambiguity between; it is never in two places."""
    standing: set[str] = set()
    steps = [([A], [])] * EQUAL_READS + [([A], [A])] * 3 + [([], [A])] * (CLEAN_MISSES_TO_GONE + EQUAL_READS)
    for one, two in steps:
        for change in (*table.look("one", *one), *table.look("two", *two)):
            if isinstance(change, Placed):
                assert not standing
                standing.add(change.antenna)
            elif isinstance(change, Removed):
                standing.remove(change.antenna)
    assert standing == {"two"}
    assert table.of_kind(Ambiguous) == [Ambiguous(("one", "two"), Why.TWO_ANTENNAS)]


def test_nothing_is_told_before_the_others_have_looked(table: Table) -> None:
    """Else a card between two antennas would be told on the quicker one."""
    table.look("two")
    assert table.put("one", A) + table.look("one", A) == []
    assert table.look("two") == [Placed("one", A)]


def test_an_antenna_that_is_away_or_silent_is_not_waited_for(table: Table) -> None:
    table.look("two")
    table.look("three")
    table.lying.away("two")
    table.look("one", A, after_s=2.5)
    assert table.put("one", A) == [Placed("one", A)]


def test_an_antenna_that_was_away_tells_a_resting_card_once(table: Table) -> None:
    """BR-033: the link was lost, the card was not."""
    table.put("one", A)
    table.look("one")
    table.lying.away("one")
    assert table.lying.told("one") == [A]
    assert table.look("one", A, after_s=30.0) + table.look("one", A) == []
    assert table.look("one") + table.look("one") + table.look("one") == [Removed("one", A)]


@pytest.mark.parametrize("seed", range(40))
def test_a_card_at_the_edge_is_ambiguous_and_never_told(table: Table, seed: int) -> None:
    """BR-035, BR-033: read every other time, for two minutes."""
    chance = random.Random(seed)
    for _ in range(2_000):
        table.look("one", *([A] if chance.random() < 0.5 else []))
    assert not table.of_kind(Placed)  # ten in a row come by one chance in a thousand, thirty not at all
    assert Ambiguous(("one",), Why.EDGE) in table.told


def test_a_card_pulled_in_from_the_edge_is_told(table: Table) -> None:
    for tags in ([A], [], [A], [], [A], []):
        table.look("one", *tags)
    assert table.told == [Ambiguous(("one",), Why.EDGE)]
    for _ in range(STEADY_READS):
        table.look("one", A)
    assert table.told[1:] == [Placed("one", A)]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_read_a_tag_stands_in_one_place(table: Table, seed: int) -> None:
    """Placed and Removed alternate, and no tag is told on two antennas at once."""
    chance = random.Random(seed)
    standing: dict[str, str] = {}
    for _ in range(3_000):
        name = chance.choice(("one", "two", "three"))
        if chance.random() < 0.01:
            table.lying.away(name)
            continue
        tags = [tag for tag in (A, B, SHIFTED) if chance.random() < chance.choice((0.05, 0.5, 0.95))][:2]
        for change in table.look(name, *tags):
            if isinstance(change, Placed):
                assert change.tag not in standing
                standing[change.tag] = change.antenna
            elif isinstance(change, Removed):
                assert standing.pop(change.tag) == change.antenna
