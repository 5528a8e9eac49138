"""What single signals conclude (CSM-9 to CSM-11): each fault by itself, and whatever order signals come in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableside.games.round_signals import Awaited, Began, Doubted, Over, Sign, Signal, Verdict
from tableside.games.rounds_sensed import FEWEST_CARDS, PAUSE, TOO_FEW, Sensed, look_ns, sense

NS = 1_000_000_000


class Table:
    """Cards at a steady pace; `said` is everything that was concluded."""

    def __init__(self) -> None:
        self.sensed = Sensed()
        self.now_s = 0.0
        self.said: list[Verdict] = []

    def tell(self, sign: Sign, cards: int = 0) -> None:
        at_ns = round(self.now_s * NS)
        while (due_ns := look_ns(self.sensed)) is not None and due_ns <= at_ns:
            self._sense(Signal(Sign.LOOK, due_ns))
        self._sense(Signal(sign, at_ns, cards))

    def _sense(self, signal: Signal) -> None:
        self.sensed, verdicts = sense(self.sensed, signal)
        self.said += verdicts

    def out(self, cards: int, every_s: float = 1.0) -> None:
        for _ in range(cards):
            self.now_s += every_s
            self.tell(Sign.CARDS_OUT, 1)

    def into(self, cards: int, every_s: float = 0.5) -> None:
        for _ in range(cards):
            self.now_s += every_s
            self.tell(Sign.CARDS_IN, 1)

    def tray(self, cards: int) -> None:
        self.now_s += 1
        self.tell(Sign.TRAY, cards)

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.tell(Sign.LOOK)

    @property
    def overs(self) -> list[Over]:
        return [verdict for verdict in self.said if isinstance(verdict, Over)]

    @property
    def doubts(self) -> list[str]:
        return [verdict.why for verdict in self.said if isinstance(verdict, Doubted)]


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_plain_round_begins_with_its_first_card_and_is_over_when_its_cards_go_in(table: Table) -> None:
    table.out(20)
    table.wait(10)
    table.into(20)
    assert table.said[0] == Began(NS, 1)
    assert [(over.cards, over.next_cards, over.is_sure) for over in table.overs] == [(20, 0, True)]
    assert 30 < table.overs[0].at_ns / NS <= table.now_s


def test_it_is_over_before_any_card_goes_in_where_the_tray_counts_them_csm9(table: Table) -> None:
    table.tray(0)
    table.out(20)
    table.tray(6)
    assert not table.overs
    table.tray(20)
    assert [(over.cards, over.why) for over in table.overs] == [(20, "cards in the tray")]


@pytest.mark.parametrize(("dealt", "back"), [(19, 20), (20, 19)], ids=["missed at the way out", "missed at the way in"])
def test_a_card_that_passed_a_sensor_unseen_moves_no_border(table: Table, dealt: int, back: int) -> None:
    table.out(dealt)
    table.wait(10)
    table.into(back)
    table.wait(10)
    table.out(18)
    table.wait(10)
    table.into(18)
    assert [(over.cards, over.is_sure) for over in table.overs] == [(dealt, True), (18, True)]
    assert not table.doubts


def test_two_that_stuck_together_are_two_in_the_tray_and_one_at_the_gate(table: Table) -> None:
    table.tray(0)
    table.out(19)
    table.tray(20)
    assert [over.is_sure for over in table.overs] == [True]


def test_busted_hands_that_go_in_early_end_nothing(table: Table) -> None:
    table.out(15)
    table.wait(2)
    table.into(4)
    table.out(3)
    table.wait(6)
    assert not table.overs
    table.out(1)
    table.wait(10)
    table.into(15)
    assert [(over.cards, over.is_sure) for over in table.overs] == [(19, True)]
    assert not table.doubts


def test_cards_that_go_in_in_two_goes_are_one_return(table: Table) -> None:
    table.out(20)
    table.wait(8)
    table.into(9)
    table.wait(40)
    table.into(11)
    assert [over.cards for over in table.overs] == [20]


def test_a_card_left_on_the_table_goes_in_with_the_next_round(table: Table) -> None:
    table.out(20)
    table.wait(10)
    table.into(19)
    table.wait(15)
    table.out(18)
    table.wait(10)
    table.into(19)
    assert [over.cards for over in table.overs] == [20, 18]
    assert not table.doubts


def test_a_next_deal_while_cards_still_go_in_is_the_next_rounds(table: Table) -> None:
    table.out(22)
    table.wait(10)
    table.into(16)
    table.out(2, every_s=0.5)
    table.into(6)
    assert [(over.cards, over.next_cards) for over in table.overs] == [(22, 2)]
    assert (table.sensed.is_open, table.sensed.dealt) == (True, 2)


def test_a_guest_who_thinks_for_long_ends_nothing(table: Table) -> None:
    table.out(14)
    table.wait(60)
    table.out(2)
    table.wait(10)
    table.into(16)
    assert [over.cards for over in table.overs] == [16]
    assert not table.doubts


def test_a_whole_deal_after_a_long_pause_is_doubted_csm11(table: Table) -> None:
    """Cards were held over and nobody said so: without a tray that counts, one round and two look alike."""
    table.out(16)
    table.wait(30)
    table.out(12)
    assert table.doubts == [PAUSE]
    assert not table.overs


def test_the_same_where_the_tray_counts_is_two_rounds_csm11(table: Table) -> None:
    table.tray(0)
    table.out(16)
    table.tray(16)
    table.wait(20)
    table.out(12)
    table.tray(28)
    assert [over.cards for over in table.overs] == [16, 12]
    table.into(28)
    table.wait(20)
    table.out(10)
    table.wait(10)
    table.into(10)
    assert [over.cards for over in table.overs] == [16, 12, 10]
    assert not table.doubts


def test_a_jam_in_the_deal_is_a_pause_with_its_own_reason_csm2(table: Table) -> None:
    table.out(6)
    table.tell(Sign.DISTURBED)
    table.wait(120)
    table.out(14)
    assert not table.doubts


@pytest.mark.parametrize("goes_back", [True, False])
def test_a_card_drawn_by_mistake_is_no_round(table: Table, *, goes_back: bool) -> None:
    table.out(1)
    if goes_back:
        table.wait(3)
        table.into(1)
        assert [(over.cards, over.is_sure, over.why) for over in table.overs] == [(1, False, TOO_FEW)]
    else:
        table.wait(20)
        table.out(12)
        assert table.doubts == [TOO_FEW]


def test_a_cable_that_is_out_in_mid_deal_loses_no_card(table: Table) -> None:
    table.out(8)
    table.tell(Sign.AWAY)
    table.now_s += 12
    table.tell(Sign.CARDS_OUT, 9)
    table.tell(Sign.ALL_TOLD)
    table.out(3)
    table.wait(10)
    table.into(20)
    assert [(over.cards, over.is_sure) for over in table.overs] == [(20, True)]
    assert not table.doubts


def test_a_tray_that_fills_while_the_machine_is_away_is_looked_at_when_it_is_back(table: Table) -> None:
    table.tray(0)
    table.out(20)
    table.tell(Sign.AWAY)
    table.tray(20)
    assert not table.overs
    table.tell(Sign.ALL_TOLD)
    assert [(over.cards, over.is_sure) for over in table.overs] == [(20, True)]


def test_cards_both_ways_behind_a_cable_that_was_out_are_doubted(table: Table) -> None:
    table.out(18)
    table.tell(Sign.AWAY)
    table.now_s += 40
    table.tell(Sign.CARDS_OUT, 7)
    table.tell(Sign.CARDS_IN, 18)
    table.tell(Sign.ALL_TOLD)
    assert table.doubts or not all(over.is_sure for over in table.overs)


def test_cards_held_for_a_complaint_are_asked_about_once_and_found_all_the_same_csm12(table: Table) -> None:
    table.out(20)
    table.wait(300)
    assert [type(verdict) for verdict in table.said] == [Began, Awaited]
    table.into(20)
    assert [(over.cards, over.is_sure) for over in table.overs] == [(20, True)]


def test_a_person_settles_what_sensors_cannot(table: Table) -> None:
    table.out(16)
    table.tell(Sign.TOLD_OVER)
    assert [(over.cards, over.why) for over in table.overs] == [(16, "told")]
    table.wait(20)
    table.out(12)
    table.wait(2)
    table.into(5)
    table.tell(Sign.TOLD_GOES_ON)
    assert (table.sensed.is_open, table.sensed.returned) == (True, 0)


def test_a_blinded_tray_sensor_is_not_believed(table: Table) -> None:
    """It goes on telling what it saw last: the cards that go in tell, and a long pause is doubted as without it."""
    table.tell(Sign.TRAY, 0)
    for _ in range(3):
        table.out(16)
        table.tray(0)
        table.wait(10)
        table.into(16)
        table.wait(20)
    assert [over.cards for over in table.overs] == [16, 16, 16]


SIGNALS = st.lists(
    st.tuples(st.sampled_from(list(Sign)), st.floats(0, 40), st.integers(1, 30)),
    max_size=60,
)


@given(SIGNALS)
def test_no_order_of_signals_makes_or_loses_a_card_or_invents_a_round(
    given_signals: list[tuple[Sign, float, int]],
) -> None:
    """Whatever order, copies or nonsense: every card out is in one round, rounds take turns, a sure one is whole."""
    sensed, now_s, out, rounds, is_open = Sensed(), 0.0, 0, 0, False
    for sign, after_s, cards in given_signals:
        now_s += after_s
        out += cards if sign is Sign.CARDS_OUT else 0
        sensed, verdicts = sense(sensed, Signal(sign, round(now_s * NS), cards))
        for verdict in verdicts:
            match verdict:
                case Began():
                    assert not is_open
                    is_open = True
                case Over(at_ns, count, next_cards, why, is_sure):
                    assert is_open
                    assert count > 0
                    assert at_ns <= round(now_s * NS)
                    assert not is_sure or count >= FEWEST_CARDS or why == "told"
                    rounds += count
                    is_open = next_cards > 0
        assert is_open is sensed.is_open
        late = sensed.late_out if sensed.is_away else 0
        assert rounds + sensed.dealt + sensed.waiting + late == out


@given(SIGNALS)
def test_a_signal_of_no_cards_that_comes_again_changes_nothing(given_signals: list[tuple[Sign, float, int]]) -> None:
    """A copy of a meter's notice is a step of 0 cards, and never reaches this; levels and states may be told again."""
    again = {Sign.TRAY, Sign.DISTURBED, Sign.AWAY, Sign.LOOK}
    sensed, now_s = Sensed(), 0.0
    for sign, after_s, cards in given_signals:
        now_s += after_s
        signal = Signal(sign, round(now_s * NS), cards)
        sensed, _ = sense(sensed, signal)
        if sign in again:
            assert sense(sensed, signal) == (sensed, ())
