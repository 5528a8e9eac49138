"""Hands of blackjack from a shoe that is shuffled by hand: told by the dealer, or read (BJ-2, BJ-6; SHOE-6)."""

from __future__ import annotations

from msgspec.structs import replace

from drivers import card_events
from tableside.blackjack_happenings import HandDealt, HandsBegun, HandsOver, HandsUnsure
from tableside.games.blackjack import Choice
from tableside.house import House
from tableside.procedures.blackjack_slice import BlackjackState
from tableside.shoe_requests import BeginRound
from tests.support.blackjack import EYE, SETTINGS, Bench
from tests.support.hand_shoe import HAND_HOUSE, READER_HOUSE, HandTable

TOLD, READ = replace(HAND_HOUSE, blackjack=SETTINGS), replace(READER_HOUSE, blackjack=SETTINGS)
S = BlackjackState


class ByHand(Bench):
    """No machine gives a card: hands draw them, and a reader at the shoe sees them."""

    def __init__(self, house: House) -> None:
        self.hands = HandTable(house)
        self.table = self.hands
        self.is_read, self.faces = bool(house.card_readers), {}
        self.hands.opened().cut(2)

    def draw(self, face: str) -> None:
        if self.is_read:
            self.pass_by(face)
            self.hands.passes()


def test_bj2_a_round_from_the_shoe_is_followed_as_the_dealer_tells_it() -> None:
    bench = ByHand(TOLD)
    bench.hands.burnt()
    bench.seats(1, 3)
    bench.hands.do(BeginRound)
    bench.deal("9♣ 8♦ 10♠ 10♥ 9♦ (7♥)", 1, 3)
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    bench.turn("7♥")
    bench.end()
    assert [one.bank for one in bench.all_of(HandsOver)] == [17]
    assert bench.all_of(HandsUnsure) == [], "how many cards were dealt nobody has counted"


def test_bj2_a_round_from_the_shoe_is_followed_by_its_reader_and_the_burnt_card_is_in_no_hand() -> None:
    bench = ByHand(READ)
    bench.draw("K♠")  # SHOE-6: burnt
    bench.seats(1)
    bench.deal("9♣ 10♠ 10♥ (7♥)", 1)
    bench.choose(1, Choice.STAND)
    bench.turn("7♥")
    bench.end()
    assert [one.round for one in bench.all_of(HandsBegun)] == [1]
    assert [one.card for one in bench.all_of(HandDealt)] == ["9♣ red", "10♠ red", "10♥ red", ""]
    assert [one.bank for one in bench.all_of(HandsOver)] == [17]
    assert bench.all_of(HandsUnsure) == []


def test_a_warning_card_is_in_no_hand() -> None:
    bench = ByHand(READ)
    bench.draw("K♠")
    bench.seats(1)
    bench.draw("9♣")
    bench.pass_by(card_events.CUT_CARD)
    bench.draw("10♠")
    assert [(one.seat, one.card) for one in bench.all_of(HandDealt)] == [(1, "9♣ red"), (0, "10♠ red")]


def test_cards_that_pass_between_rounds_are_in_no_hand() -> None:
    bench = ByHand(READ)
    bench.draw("K♠")
    bench.seats(1)
    assert bench.state is S.BETS
    assert bench.table.state.procedures.blackjack.queue == ()
    assert EYE in bench.table.state.house.card_readers
