"""The shoe that is shuffled by hand: sentence by sentence of the source (`002`, "O Corte" to "O Jogo Interrompido")."""

from __future__ import annotations

import pytest

from tableside.games import shoe as the
from tableside.games.advice import Advice, Against
from tableside.games.shoe import INSPECTOR, CutTurn, Shoe


def refusal(act: object, *given: object) -> Advice:
    assert callable(act)
    with pytest.raises(Against) as refused:
        act(*given)
    return refused.value.advice


# --- SHOE-4: who cuts ---------------------------------------------------------------------------------------


def test_shoe4_at_the_start_the_lowest_numbered_seat_has_the_right() -> None:
    assert the.in_turn(CutTurn(), [6, 2, 4]) == (2, 4, 6)


def test_shoe4_with_each_next_shoe_it_passes_to_the_others_in_order() -> None:
    turn, cutters = CutTurn(), []
    for _ in range(4):
        cutters.append(the.in_turn(turn, [2, 4, 6])[0])
        turn = the.has_cut(turn, cutters[-1], [2, 4, 6])
    assert cutters == [2, 4, 6, 2]


def test_shoe4_a_seat_that_was_left_is_passed_over() -> None:
    assert the.in_turn(the.has_cut(CutTurn(), 2, [2, 4, 6]), [2, 6]) == (6, 2)


def test_shoe4_after_an_interruption_it_begins_anew() -> None:
    turn = the.has_cut(CutTurn(), 4, [2, 4, 6])
    assert the.in_turn(turn, [2, 4, 6])[0] == 6
    assert the.in_turn(the.interrupted(), [2, 4, 6])[0] == 2


def test_shoe4_if_nobody_wants_it_the_inspector_cuts_and_the_next_shoe_is_a_start_of_play() -> None:
    turn = the.has_cut(CutTurn(after=4), INSPECTOR, [2, 4, 6])
    assert the.in_turn(turn, [2, 4, 6])[0] == 2


def test_shoe4_where_nobody_sits_nobody_cuts() -> None:
    assert refusal(the.has_cut, CutTurn(), 3, [2, 4]).rule == "SHOE-4"


# --- SHOE-5 to SHOE-8 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "players", "place"), [(312, 5, 262), (208, 2, 158), (312, 1, 156), (208, 1, 104)])
def test_shoe5_the_warning_card_lies_before_the_50th_from_the_end_or_in_the_middle(
    cards: int, players: int, place: int
) -> None:
    assert the.warning_place(cards, players) == place


def dealt(cards: int, *, is_in_round: bool = True) -> Shoe:
    ready = the.burn(Shoe(cards=312, players=5))
    return Shoe(312, 5, ready.is_burnt, cards, None, is_in_round)


@pytest.mark.parametrize(("out", "rules"), [(262, ["SHOE-7"]), (252, ["SHOE-7"]), (200, ["SHOE-7", "SHOE-5"])])
def test_shoe5_where_it_came_out_is_checked(out: int, rules: list[str]) -> None:
    assert [advice.rule for advice in the.warning_out(dealt(out))[1]] == rules


def test_shoe6_one_card_is_burnt_before_the_first_round_and_only_one() -> None:
    shoe = Shoe(cards=312, players=5)
    assert refusal(the.begin_round, shoe).rule == "SHOE-6"
    burnt = the.burn(shoe)
    assert burnt.out == 1
    assert the.begin_round(burnt).is_in_round
    assert refusal(the.burn, burnt).rule == "SHOE-6"


def test_shoe7_the_round_in_which_it_comes_is_the_last() -> None:
    shoe, (advice,) = the.warning_out(dealt(262))
    assert "in progress is the last" in advice.ruling
    assert refusal(the.begin_round, the.end_round(shoe)).rule == "SHOE-7"


def test_shoe7_out_just_before_a_round_that_round_is_still_played() -> None:
    shoe, (advice,) = the.warning_out(dealt(262, is_in_round=False))
    assert "still played" in advice.ruling
    playing = the.begin_round(shoe)
    assert refusal(the.begin_round, the.end_round(playing)).rule == "SHOE-7"


def test_shoe7_without_the_warning_card_rounds_go_on() -> None:
    assert the.begin_round(the.end_round(dealt(100))).is_in_round


def test_shoe8_the_cards_may_be_spread_while_play_is_interrupted_not_in_a_round() -> None:
    the.spread(dealt(100, is_in_round=False))
    assert refusal(the.spread, dealt(100)).rule == "SHOE-8"


def test_cards_out_are_counted() -> None:
    assert the.card_out(dealt(100)).out == 101
