"""Jackpot hands that are known: told, held open, a claim held against them, nothing by itself (JP-5, JP-12)."""

from __future__ import annotations

from msgspec.structs import replace

from tableside.advice_happenings import Advised
from tableside.blackjack_requests import TellChoice
from tableside.decisions import RequestAnswered
from tableside.games.blackjack import Choice
from tableside.house import House
from tableside.jackpot_happenings import JackpotClaimed, JackpotPaid
from tableside.locks import Scope, standing
from tableside.procedures.jackpot_slice import JackpotState, due
from tableside.requests import ClaimJackpot, DecideAdvice, EndRound, MarkBets
from tests.law.jackpot_table import SETTINGS
from tests.support.blackjack import BOTH, READ, Bench
from tests.support.table import Table

PLAIN = "9♣ 8♦ 10♠ 7♣ 9♦ (7♥)"
ACES = "A♣ 8♦ 10♠ A♦ 9♦ (7♥)"


def played(house: House, cards: str, *bettors: int) -> Bench:
    """Seats 1 and 3 play, these of them for the jackpot too; the first laps are dealt."""
    bench = Bench(replace(house, jackpot=SETTINGS))
    bench.seats(1, 3)
    assert bench.ask(MarkBets, seats=bettors).is_accepted
    bench.deal(cards, 1, 3)
    return bench


def seen_to_win() -> Table:
    """Nobody has claimed yet."""
    return played(READ, ACES, 1).table


def told(bench: Bench) -> list[str]:
    return [one.happened for one in bench.all_of(Advised) if one.rule == "JP-5"]


def claim(bench: Bench, seat: int, cards: str = "", by: str = "D1", **fields: object) -> RequestAnswered:
    return bench.ask(ClaimJackpot, by=by, seat=seat, cards=tuple(cards.split()), **fields)


def finish(bench: Bench) -> RequestAnswered:
    for seat in (1, 3):
        bench.choose(seat, Choice.STAND)
    bench.turn("7♥")
    return bench.ask(EndRound)


@BOTH
def test_jp5_a_win_that_is_known_is_told_once_and_never_claimed_by_itself(house: House) -> None:
    bench = played(house, ACES, 1, 3)
    assert told(bench) == ["seat 1: two aces, A♣ A♦"]
    assert bench.table.state.procedures.jackpot.state is JackpotState.RUNNING
    assert bench.all_of(JackpotClaimed) == []
    assert bench.all_of(JackpotPaid) == []


@BOTH
def test_jp8_a_winning_hand_without_jackpot_bet_is_nobodys_business(house: House) -> None:
    assert told(played(house, ACES, 3)) == []


@BOTH
def test_jp12_no_card_goes_back_while_it_is_not_claimed(house: House) -> None:
    bench = played(house, ACES, 1)

    def held() -> list[str]:
        return [lock.reason for lock in standing(bench.table.state, Scope.FEED)]

    assert held() == ["jackpot seen"]
    assert claim(bench, 1).is_accepted
    assert held() == ["jackpot win"]
    assert bench.table.state.procedures.advised.open == {}, "the claim is checked: no ruling is asked beside it"


@BOTH
def test_jp12_its_round_does_not_end_before_somebody_claims_or_decides(house: House) -> None:
    bench = played(house, ACES, 1)
    refused = finish(bench)
    assert (refused.is_accepted, refused.rule) == (False, "JP-12")
    assert claim(bench, 1, "AC AD").is_accepted
    assert bench.ask(EndRound).rule == "JP-12", "and then not before it is paid"


def test_jp12_the_supervisors_decision_that_it_is_no_win_lets_the_round_end_and_the_dealers_is_none() -> None:
    bench = played(READ, ACES, 1)
    assert not finish(bench).is_accepted
    number = next(one.number for one in bench.all_of(Advised) if one.rule == "JP-5")
    finding = {"number": number, "decision": "the chip lay there too late", "is_against": True}
    refused = bench.ask(DecideAdvice, by="D1", **finding)
    assert (refused.is_accepted, refused.rule) == (False, "JP-5"), "a win is not dismissed by who dealt it"
    bench.table.tap("S1")
    assert bench.ask(DecideAdvice, by="S1", **finding).is_accepted
    assert not standing(bench.table.state, Scope.FEED)
    assert bench.ask(EndRound).is_accepted
    assert bench.table.state.procedures.jackpot.sensed == ()


@BOTH
def test_jp5_a_claim_without_cards_is_evaluated_on_those_that_are_known(house: House) -> None:
    bench = played(house, ACES, 1)
    assert claim(bench, 1).is_accepted
    (claimed,) = bench.all_of(JackpotClaimed)
    assert (claimed.cards, claimed.prize) == (("A♣", "A♦"), "two aces")
    assert [payout.amount for payout in due(bench.table.state)] == [5_000]


@BOTH
def test_jp5_a_claim_against_what_was_seen_is_refused_and_both_are_shown(house: House) -> None:
    bench = played(house, PLAIN, 1)
    refused = claim(bench, 1, "AS AH")
    assert (refused.is_accepted, refused.rule) == (False, "JP-5")
    assert "A♠ A♥" in refused.text
    assert "9♣ 7♣" in refused.text


def test_jp5_a_supervisor_who_has_looked_claims_it_against_the_reader_on_record() -> None:
    bench = played(READ, PLAIN, 1)
    assert not claim(bench, 1, "AS AH", is_against_reader=True).is_accepted, "not the dealer"
    assert claim(bench, 1, "AS AH", by="S1", is_against_reader=True).is_accepted
    (incident,) = bench.table.state.incidents.open.values()
    assert "claimed AS AH, seen 9♣ 7♣" in incident.text


def test_jp5_more_known_cards_than_named_count_all() -> None:
    bench = played(READ, ACES, 1)
    bench.choose(1, Choice.DRAW)
    bench.card(1, "A♥")
    assert told(bench) == ["seat 1: two aces, A♣ A♦", "seat 1: three aces, A♣ A♦ A♥"]
    assert claim(bench, 1, "AC AD").is_accepted
    (claimed,) = bench.all_of(JackpotClaimed)
    assert claimed.prize == "three aces"


@BOTH
def test_jp5_the_cards_of_a_split_pair_count_hand_by_hand(house: House) -> None:
    bench = played(house, ACES, 1)
    assert bench.ask(TellChoice, seat=1, choice=Choice.SPLIT, hand=1).is_accepted
    bench.card(1, "A♠", hand=1)
    assert claim(bench, 1, "AC AS").is_accepted
    assert bench.all_of(JackpotClaimed)[-1].prize == "two aces"


def test_where_nobody_knows_the_cards_the_dealer_names_them() -> None:
    """A table that follows no blackjack: as before."""
    bench = Bench(replace(READ, blackjack=None, jackpot=SETTINGS))
    assert bench.ask(MarkBets, seats=(1,)).is_accepted
    bench.draw("9♣")
    assert not claim(bench, 1).is_accepted
    assert claim(bench, 1, "AS AH").is_accepted
