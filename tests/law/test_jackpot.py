"""The table jackpot, sentence by sentence of the source (`002`, "Regras do prémio acumulado")."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest
from msgspec.structs import replace

from tableside.cards import RANKS, SUITS, Card, parse_card
from tableside.jackpot import meters as of
from tableside.jackpot.combinations import Combination, Ranks, Suits
from tableside.jackpot.settings import WHOLE, OddUnits, Prize, mistakes
from tableside.jackpot.wins import Win, evaluate, pay_out
from tests.law.jackpot_table import SETTINGS

CURRENCIES = frozenset({"EUR", "MOP"})


def hand(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(f"{card} red") for card in text.split())


# --- JP-2, JP-7: what it is set to --------------------------------------------------------------------------


def test_jp2_sound_settings_have_no_mistakes() -> None:
    assert mistakes(SETTINGS, CURRENCIES) == ()


def test_jp7_a_start_below_ten_thousand_bets_is_refused_with_the_least_one() -> None:
    (found,) = mistakes(replace(SETTINGS, start=999_999), CURRENCIES)
    assert found.key == "start"
    assert "JP-7" in found.problem
    assert "1000000" in found.allowed


BAD: list[tuple[str, dict[str, object], str]] = [
    ("an unknown currency", {"currency": "ZZZ"}, "currency"),
    ("more than the whole chip", {"hidden": 2_501}, "hidden"),
    ("a limit below the start", {"limit": 999_999}, "limit"),
    ("a combination of more cards than count", {"counted_cards": 3}, "prizes[3]"),
    ("a top prize with an amount", {"prizes": (replace(SETTINGS.top, amount=5),)}, "prizes[0]"),
    ("a lower prize without any", {"prizes": (replace(SETTINGS.prizes[0], amount=None), SETTINGS.top)}, "prizes[0]"),
    (
        "a combination of nothing",
        {"prizes": (Prize(name="nothing", combination=Combination(cards=2)),)},
        "prizes[0]",
    ),
]


@pytest.mark.parametrize(("says", "change", "key"), BAD, ids=[case[0] for case in BAD])
def test_jp2_jp6_what_is_wrong_is_found_at_its_key(says: str, change: dict[str, object], key: str) -> None:
    assert key in [found.key for found in mistakes(replace(SETTINGS, **change), CURRENCIES)]


def test_every_mistake_at_once() -> None:
    assert len(mistakes(replace(SETTINGS, currency="ZZZ", start=1, hidden=9_999), CURRENCIES)) == 3


# --- JP-2: how it grows -------------------------------------------------------------------------------------


def test_jp2_a_contribution_is_exact_and_its_remainder_is_carried() -> None:
    odd = replace(SETTINGS, bet=33, increment=3_333)
    meters = of.first(odd)
    for _ in range(10_000):
        meters = of.contribute(meters, odd, 1)
        assert meters.is_reconciled
    exact = Fraction(33 * 3_333, WHOLE) * 10_000
    assert meters.contributed + Fraction(meters.of_increment, WHOLE) == exact


@pytest.mark.parametrize("increment", [35, 3_333, 1_250], ids=["0.35 %", "a third", "12.5 %"])
def test_br056_no_cent_is_lost_in_a_hundred_thousand_increments(increment: int) -> None:
    """JP-2: against exact fractions; a million of them is the same arithmetic once more."""
    odd = replace(SETTINGS, bet=77, increment=increment)
    meters, exact = of.first(odd), Fraction(0)
    for number in range(100_000):
        chips = number % 3
        meters = of.contribute(meters, odd, chips)
        exact += Fraction(chips * 77 * increment, WHOLE)
        assert meters.contributed == int(exact)
    assert meters.contributed + Fraction(meters.of_increment, WHOLE) == exact


def test_jp2_a_hundred_chips_one_by_one_are_a_hundred_at_once() -> None:
    odd = replace(SETTINGS, bet=33, increment=3_333, hidden=777)
    one_by_one = of.first(odd)
    for _ in range(100):
        one_by_one = of.contribute(one_by_one, odd, 1)
    assert one_by_one == of.contribute(of.first(odd), odd, 100)


def test_above_the_limit_the_display_stands_and_the_rest_waits_for_the_next_start() -> None:
    limited = replace(SETTINGS, limit=1_000_100)
    meters = of.contribute(of.first(limited), limited, 4)
    assert (meters.shown, meters.overflow, meters.is_reconciled) == (1_000_100, 200, True)


@pytest.mark.parametrize("seed", range(20))
def test_no_unit_is_made_or_lost_whatever_happens(seed: int) -> None:
    rng = random.Random(f"meters {seed}")
    settings = replace(SETTINGS, bet=rng.randint(1, 100), increment=rng.randint(1, 9_000), hidden=rng.randint(0, 1_000))
    settings = replace(settings, limit=settings.start + rng.randint(0, 5_000) if rng.random() < 0.5 else None)
    meters, staked = of.first(settings), 0
    for _ in range(2_000):
        chips = rng.randint(0, 7)
        meters, staked = of.contribute(meters, settings, chips), staked + chips * settings.bet
        if rng.random() < 0.01:
            meters = of.pay(meters, rng.randint(0, meters.shown))
        if rng.random() < 0.002:
            meters = of.restart(of.pay(meters, meters.shown), settings)
        assert meters.is_reconciled
        assert meters.shown <= (settings.limit or meters.shown)
    raised = Fraction(staked * (settings.increment + settings.hidden), WHOLE)
    carried = Fraction(meters.of_increment + meters.of_hidden, WHOLE)
    by_house = meters.shown + meters.paid + meters.hidden + meters.overflow + carried - raised
    assert by_house >= settings.start  # the first start, and what the house put in after each top win
    assert by_house.denominator == 1


# --- JP-5, JP-6: who has won --------------------------------------------------------------------------------

WON: list[tuple[str, str, int | None]] = [
    ("two aces of two suits", "A♣ A♦ 5♣", 0),
    ("two aces of one suit", "A♣ A♣ 5♣", 1),
    ("three aces beat two", "A♣ A♣ A♦", 2),
    ("four of a kind", "9♣ 9♦ 9♥ 9♠", 3),
    ("four aces of two suits are four of a kind", "A♣ A♣ A♣ A♦", 3),
    ("four aces of one suit", "A♠ A♠ A♠ A♠", 4),
    ("an ace as third card does not count to the first two", "A♣ 5♣ A♦", None),
    ("a fifth card counts for nothing", "9♣ 9♦ 9♥ 2♠ 9♠", None),
    ("one card is no combination", "A♣", None),
]


@pytest.mark.parametrize(("says", "cards", "prize"), WON, ids=[case[0] for case in WON])
def test_jp5_jp9_the_first_cards_decide(says: str, cards: str, prize: int | None) -> None:
    wins = evaluate(SETTINGS, [3], {3: (hand(cards),)})
    assert [win.prize for win in wins] == ([] if prize is None else [prize])


def test_jp5_the_cards_of_split_pairs_count_and_the_better_hand_is_paid() -> None:
    wins = evaluate(SETTINGS, [1], {1: (hand("A♣ 5♣"), hand("A♦ A♥ A♠"))})
    assert wins == (Win(prize=2, order=0, seat=1, hand=1),)


def test_jp8_jp10_only_who_took_part_wins() -> None:
    assert evaluate(SETTINGS, [2], {1: (hand("A♣ A♦"),), 2: (hand("9♣ 5♦"),)}) == ()


RULES: list[tuple[str, Combination, str, bool]] = [
    ("a run, ace low", Combination(cards=3, rule=Ranks.RUN), "2♣ A♦ 3♥", True),
    ("a run, ace high", Combination(cards=3, rule=Ranks.RUN), "Q♣ A♦ K♥", True),
    ("no run around the ace", Combination(cards=3, rule=Ranks.RUN), "K♣ A♦ 2♥", False),
    ("one colour", Combination(cards=2, rule=Ranks.SAME, suits=Suits.SAME_COLOUR), "9♣ 9♠", True),
    ("two colours", Combination(cards=2, rule=Ranks.SAME, suits=Suits.SAME_COLOUR), "9♣ 9♦", False),
    ("one named suit", Combination(cards=2, ranks=("K", "Q"), suits=Suits.SAME, suit="♥"), "Q♥ K♥", True),
    ("another suit", Combination(cards=2, ranks=("K", "Q"), suits=Suits.SAME, suit="♥"), "Q♠ K♠", False),
]


@pytest.mark.parametrize(("says", "combination", "cards", "is_made"), RULES, ids=[case[0] for case in RULES])
def test_jp6_combinations_are_data(says: str, combination: Combination, cards: str, is_made: bool) -> None:
    assert combination.is_made_by(hand(cards)) is is_made


def test_jp6_the_evaluation_agrees_with_one_written_apart() -> None:
    rng = random.Random("jackpot hands")
    for _ in range(50_000):
        cards = tuple(Card(rng.choice(("A", "A", "9", *RANKS)), rng.choice(SUITS), "red") for _ in range(5))
        (win,) = evaluate(SETTINGS, [1], {1: (cards,)}) or (None,)
        assert (win.prize if win else None) == _by_hand([(card.rank, card.suit) for card in cards])


def _by_hand(cards: list[tuple[str, str]]) -> int | None:
    """The pay table of the cases, told as a chain of questions."""
    ranks = "".join(rank for rank, _ in cards)
    if ranks.startswith("AAAA") and {suit for _, suit in cards[:4]} == {cards[0][1]}:
        return 4
    if all(rank == cards[0][0] for rank, _ in cards[:4]):
        return 3
    if ranks.startswith("AAA"):
        return 2
    if ranks.startswith("AA"):
        return 1 if cards[0][1] == cards[1][1] else 0
    return None


# --- JP-13: who is paid what, in which order ----------------------------------------------------------------


def test_jp13_paid_from_the_lowest_to_the_highest_and_the_top_takes_what_is_left() -> None:
    wins = [Win(4, 0, 1), Win(0, 0, 2), Win(2, 0, 3)]
    paid = pay_out(SETTINGS, 1_000_000, wins)
    assert [(payout.win.seat, payout.amount) for payout in paid.payouts] == [(2, 5_000), (3, 50_000), (1, 945_000)]
    assert (paid.left, paid.is_top) == (0, True)


def test_jp13_without_a_top_win_what_is_left_stays() -> None:
    paid = pay_out(SETTINGS, 1_000_000, [Win(0, 0, 2)])
    assert (paid.left, paid.is_top) == (995_000, False)


@pytest.mark.parametrize(
    ("rule", "amounts", "left"),
    [(OddUnits.FIRST_SEATS, [333_334, 333_334, 333_333], 0), (OddUnits.STAYS, [333_333, 333_333, 333_333], 2)],
)
def test_jp13_equal_tops_share_and_the_odd_units_go_by_the_set_rule(
    rule: OddUnits, amounts: list[int], left: int
) -> None:
    paid = pay_out(replace(SETTINGS, odd_units=rule), 1_000_001, [Win(4, 0, seat) for seat in (5, 2, 6)])
    assert [payout.win.seat for payout in paid.payouts] == [2, 5, 6]
    assert [payout.amount for payout in paid.payouts] == amounts
    assert paid.left == left


def test_jp13_lower_prizes_never_take_more_than_is_there() -> None:
    greedy = replace(SETTINGS, prizes=(replace(SETTINGS.prizes[0], amount=700_000), *SETTINGS.prizes[1:]))
    paid = pay_out(greedy, 1_000_000, [Win(0, 0, 1), Win(0, 0, 2), Win(4, 0, 3)])
    assert [payout.amount for payout in paid.payouts] == [700_000, 300_000, 0]


def test_jp13_the_order_in_which_wins_are_told_changes_nothing() -> None:
    wins = [Win(4, 0, 1), Win(0, 0, 2), Win(2, 0, 3), Win(4, 0, 7)]
    assert len({pay_out(SETTINGS, 1_234_567, order) for order in itertools.permutations(wins)}) == 1


def test_jp13_after_a_top_win_the_display_returns_to_the_start_and_nothing_that_was_paid_in_is_lost() -> None:
    settings = replace(SETTINGS, hidden=1_000)
    meters = of.contribute(of.first(settings), settings, 1_000)
    again = of.restart(of.pay(meters, meters.shown), settings)
    assert (again.shown, again.hidden, again.is_reconciled) == (settings.start, 0, True)
    rich = of.restart(of.pay(replace(meters, hidden=2_000_000), meters.shown), settings)
    assert (rich.shown, rich.is_reconciled) == (2_000_000, True)
