"""Bets and what they win (BJ-8, BJ-12 to BJ-19), each case from a sentence of the source (`002`)."""

from __future__ import annotations

import itertools

import pytest

from tableside.games.advice import Against
from tableside.games.blackjack_bets import (
    Bet,
    Payment,
    TableLimits,
    Why,
    accept,
    check_paid,
    decider,
    insure,
    settle,
)
from tests.law.blackjack_story import tell

LIMITS = TableLimits(minimum=500, maximum=15_000)
# steps, the bet's marks, and what goes back of a bet of 1,000 by hand
STOOD = "1=stand hole=7♦"
OUTCOMES: list[tuple[str, str, dict[str, object], list[tuple[Why, int, int]]]] = [
    ("BJ-19 nearer to 21 wins as much", f"9♣ 10♠ 10♣ (7♦) {STOOD}", {}, [(Why.WON, 1_000, 2_000)]),
    ("BJ-19 farther loses", f"9♣ 10♠ 5♣ (7♦) {STOOD}", {}, [(Why.LOST, 1_000, 0)]),
    ("BJ-19 the same total is void", f"9♣ 10♠ 8♣ (7♦) {STOOD}", {}, [(Why.TIED, 1_000, 1_000)]),
    ("BJ-19 hands still in beat a bank above 21", "9♣ 10♠ 5♣ (6♦) 1=stand hole=6♦ 9♦", {}, [(Why.WON, 1_000, 2_000)]),
    ("BJ-9 above 21 loses, whatever the bank has", "9♣ 10♠ 5♣ (6♦) 1=draw K♦", {}, [(Why.LOST, 1_000, 0)]),
    ("BJ-8 blackjack pays 3 to 2", "A♣ 9♠ K♣ (7♦)", {}, [(Why.BLACKJACK, 1_000, 2_500)]),
    ("BJ-8 it beats any other 21", "A♣ 10♠ K♣ (4♦) hole=4♦", {}, [(Why.BLACKJACK, 1_000, 2_500)]),
    ("BJ-8 a tie of blackjacks is void", "A♣ 10♠ K♣ (A♦) hole=A♦", {}, [(Why.TIED, 1_000, 1_000)]),
    ("BJ-8 the bank's beats 21 of three cards", "9♣ 10♠ 5♣ (A♦) 1=draw 7♣ hole=A♦", {}, [(Why.LOST, 1_000, 0)]),
    (
        "BJ-10 each half of a split is a bet of its own",
        "8♣ 10♠ 8♦ (7♦) 1=split 10♣ 1=stand 2♦ 1.2=draw 5♥ 1.2=stand hole=7♦",
        {},
        [(Why.WON, 1_000, 2_000), (Why.LOST, 1_000, 0)],
    ),
    ("BJ-11 doubled", "6♣ 10♠ 5♣ (7♦) 1=double 9♣ hole=7♦", {}, [(Why.WON, 2_000, 4_000)]),
    ("BJ-12 even money", "A♣ A♠ K♣ (K♦) 1=even-money", {}, [(Why.EVEN_MONEY, 1_000, 2_000)]),
    (
        "BJ-12 insurance pays 2 to 1 where the bank has blackjack",
        "9♣ A♠ 8♣ (K♦) 1=stand hole=K♦",
        {"insurance": 500},
        [(Why.INSURANCE, 500, 1_500), (Why.LOST, 1_000, 0)],
    ),
    (
        "BJ-12 and is lost where it has not",
        "9♣ A♠ 10♣ (7♦) 1=stand hole=7♦",
        {"insurance": 500},
        [(Why.INSURANCE, 500, 0), (Why.WON, 1_000, 2_000)],
    ),
    (
        "BJ-13 the special prize comes on top",
        "7♣ 10♠ 7♥ (10♦) 1=draw 7♣ hole=10♦",
        {},
        [(Why.SPECIAL, 0, 3_000), (Why.WON, 1_000, 2_000)],
    ),
    (
        "BJ-13 it is paid although the bank has blackjack and the hand loses",
        "7♣ A♠ 7♥ (K♦) 1=draw 7♦ hole=K♦",
        {},
        [(Why.SPECIAL, 0, 3_000), (Why.LOST, 1_000, 0)],
    ),
    ("BJ-14 surrender loses half", "9♣ 10♠ 7♣ (7♦) 1=surrender", {}, [(Why.SURRENDERED, 1_000, 500)]),
]


@pytest.mark.parametrize(("says", "steps", "marks", "due"), OUTCOMES, ids=[case[0] for case in OUTCOMES])
def test_law_bj_outcomes(says: str, steps: str, marks: dict[str, object], due: list[tuple[Why, int, int]]) -> None:
    paid = settle(tell("1", steps).played, [Bet("Ana", 1, 1_000, **marks)])  # type: ignore[arg-type] # marks by name
    assert sorted((payment.why, payment.staked, payment.back) for payment in paid) == sorted(due)


SPLIT = "8♣ 10♠ 8♦ (7♦) 1=split 10♣ 1=stand 2♦ 1.2=draw 5♥ 1.2=stand hole=7♦"


@pytest.mark.parametrize(("along", "hands"), [(0, [0]), (1, [0, 1])])
def test_bj18_an_added_bet_at_a_split_goes_along_or_follows_the_first_hand(along: int, hands: list[int]) -> None:
    added = Bet("Rui", 1, 500, is_holder=False, split_along=along)
    paid = settle(tell("1", SPLIT).played, [Bet("Ana", 1, 1_000), added])
    assert [payment.hand for payment in paid if payment.owner == "Rui"] == hands


@pytest.mark.parametrize(("along", "stake"), [(False, 500), (True, 1_000)])
def test_bj18_an_added_bet_at_a_double_may_be_doubled(along: bool, stake: int) -> None:
    added = Bet("Rui", 1, 500, is_holder=False, is_doubled_along=along)
    paid = settle(tell("1", "6♣ 10♠ 5♣ (7♦) 1=double 9♣ hole=7♦").played, [Bet("Ana", 1, 1_000), added])
    assert [payment.staked for payment in paid if payment.owner == "Rui"] == [stake]


def test_bj18_each_is_free_to_insure() -> None:
    played = tell("1", "9♣ A♠ 8♣ (K♦) 1=stand").played
    ana, rui = Bet("Ana", 1, 1_000), Bet("Rui", 1, 500, is_holder=False)
    opened = tell("1", "9♣ A♠ 8♣ (K♦) 1=stand hole=K♦").played
    insured = settle(opened, [ana, insure(played, rui, 250)])
    assert [payment for payment in insured if payment.why is Why.INSURANCE] == [
        Payment("Rui", 1, 0, Why.INSURANCE, 250, 750)
    ]


@pytest.mark.parametrize(
    ("steps", "amount"), [("9♣ A♠ 8♣ (K♦)", 600), ("9♣ K♠ 8♣ (K♦)", 500), ("9♣ A♠ 8♣ (K♦)", 0), ("9♣", 500)]
)
def test_bj12_insurance_up_to_half_against_an_ace_only(steps: str, amount: int) -> None:
    with pytest.raises(Against) as refused:
        insure(tell("1", steps).played, Bet("Ana", 1, 1_000), amount)
    assert refused.value.advice.rule == "BJ-12"


@pytest.mark.parametrize(
    ("amount", "rule"), [(750, "BJ-15"), (0, "BJ-15"), (-500, "BJ-15"), (15_500, "BJ-17"), (14_500, "BJ-17")]
)
def test_bj15_bj17_what_does_not_fit_is_given_back(amount: int, rule: str) -> None:
    with pytest.raises(Against) as refused:
        accept(LIMITS, [Bet("Ana", 1, 1_000)], Bet("Rui", 1, amount, is_holder=False))
    assert refused.value.advice.rule == rule


def test_bj17_what_fits_may_lie_there_up_to_the_maximum_of_the_seat() -> None:
    accept(LIMITS, [Bet("Ana", 1, 1_000), Bet("Ana", 2, 15_000)], Bet("Rui", 1, 14_000, is_holder=False))


def test_bj17_an_added_bet_follows_what_the_seat_holder_decides() -> None:
    """The holder draws and loses, so does the added bet; he stands and wins, so does it."""
    added = Bet("Rui", 1, 500, is_holder=False)
    for steps, why, back in (
        ("9♣ 10♠ 5♣ (6♦) 1=draw K♦", Why.LOST, 0),
        (f"9♣ 10♠ 10♣ (7♦) {STOOD}", Why.WON, 1_000),
    ):
        paid = settle(tell("1", steps).played, [Bet("Ana", 1, 1_000), added])
        assert [(payment.why, payment.back) for payment in paid if payment.owner == "Rui"] == [(why, back)]


def test_bj17_on_a_vacant_seat_the_highest_bet_decides_and_among_equals_the_lower_seat() -> None:
    home = {"Ana": 3, "Rui": 2, "Eva": 5}
    assert decider([Bet("Ana", 1, 500), Bet("Rui", 1, 500), Bet("Eva", 1, 1_000)], home) == "Eva"
    assert decider([Bet("Ana", 1, 500), Bet("Rui", 1, 500)], home) == "Rui"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (TableLimits(500, 15_500), "30 times"),
        (TableLimits(501, 5_010), "even"),
        (TableLimits(500, 700), "multiple"),
        (TableLimits(0, 0), "even"),
    ],
)
def test_bj15_limits_that_no_table_may_have(limits: TableLimits, words: str) -> None:
    assert any(words in mistake for mistake in limits.mistakes())


def test_bj15_limits_that_a_table_may_have() -> None:
    assert LIMITS.mistakes() == ()


def test_a_round_that_is_not_over_is_not_settled() -> None:
    with pytest.raises(ValueError, match="not over"):
        settle(tell("1", "9♣ 10♠ 5♣ (7♦) 1=stand").played, [Bet("Ana", 1, 1_000)])


def test_the_order_of_equal_bets_changes_nothing() -> None:
    bets = [Bet("Ana", 1, 1_000), Bet("Rui", 1, 500, is_holder=False), Bet("Eva", 2, 2_000)]
    played = tell("1 2", "9♣ 8♣ 10♠ 10♣ 6♣ (7♦) 1=stand 2=stand hole=7♦").played
    assert len({settle(played, order) for order in itertools.permutations(bets)}) == 1


def test_a_payment_that_does_not_add_up_is_refused_with_both_sums() -> None:
    due = settle(tell("1", f"9♣ 10♠ 10♣ (7♦) {STOOD}").played, [Bet("Ana", 1, 1_000)])
    check_paid(due, {"Ana": 2_000})
    with pytest.raises(Against, match="due 2000, paid 1000"):
        check_paid(due, {"Ana": 1_000})
