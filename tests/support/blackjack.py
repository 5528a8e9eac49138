"""A table that follows blackjack: told by the dealer, or read by a reader whose rim answers at once."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from drivers import card_events
from tableside.advice_happenings import Advised
from tableside.blackjack_happenings import DealerTold
from tableside.blackjack_requests import TellCard, TellChoice, TellSeats, TurnBankCard
from tableside.decisions import CardsToOpen, RequestAnswered
from tableside.games.blackjack import Choice
from tableside.games.blackjack_settings import BlackjackSettings
from tableside.house import House
from tableside.inputs import CardsOpened, OpenedCard
from tableside.procedures.blackjack_slice import BlackjackState, read
from tableside.requests import EndRound
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, D, Table

SETTINGS = BlackjackSettings(currency="EUR", minimum=1_000, maximum=30_000)
HOUSE_OF_BLACKJACK = replace(HOUSE, blackjack=SETTINGS)
HOUSE_WITH_READER = replace(HOUSE_OF_BLACKJACK, card_readers=("eye",))
TOLD, READ = HOUSE_OF_BLACKJACK, HOUSE_WITH_READER
BOTH = pytest.mark.parametrize("house", [TOLD, READ], ids=["told", "read"])
EYE = "eye"


class Bench:
    """A table in play. `deal` takes cards as people say them, `9♣`; `(9♣)` lies face down."""

    def __init__(self, house: House = HOUSE_OF_BLACKJACK) -> None:
        self.table = open_table(house)
        self.is_read = bool(house.card_readers)
        self.faces: dict[str, str] = {}
        if self.is_read:
            self.table.ready(EYE, content=None, areas=None)

    @property
    def state(self) -> BlackjackState:
        return read(self.table.state, None)

    @property
    def rules(self) -> list[str]:
        """Of everything that was advised, told to the dealer included."""
        return [one.rule for one in self.table.decided if isinstance(one, Advised | DealerTold)]

    def ask(self, kind: type, by: str = "D1", **fields: object) -> RequestAnswered:
        before = len(self.table.decided)
        answer = self.table.ask(kind, by=by, **fields)
        self.answer_wishes(before)
        return answer

    def seats(self, *seats: int) -> None:
        assert self.ask(TellSeats, seats=seats).is_accepted

    def draw(self, face: str) -> None:
        """The machine gives out a card; where a reader sees it, it tells so."""
        give_out(self.table, 1)
        if self.is_read:
            self.pass_by(face)

    def pass_by(self, face: str) -> None:
        before, count = len(self.table.decided), len(self.faces) + 1
        self.faces[f"card {count}, back red"] = face.replace("10", "T")
        self.table.notice(card_events.CardPassed, EYE, card=f"sealed:{count:04}", count=count, back=1)
        self.answer_wishes(before)

    def answer_wishes(self, before: int) -> None:
        """The rim opens what was wished for, as long as that leads to further wishes."""
        while wishes := [one for one in self.table.decided[before:] if isinstance(one, CardsToOpen)]:
            before = len(self.table.decided)
            for wish in wishes:
                self.table.give(opened(wish, self.faces))

    def deal(self, cards: str, *seats: int) -> None:
        """Each card of the first laps, in the order that the rules have; told with its seat where no reader is."""
        order = (*seats, 0) * 2
        for seat, text in zip(order, cards.split(), strict=True):
            self.card(seat, text)

    def card(self, seat: int, text: str, hand: int = 1) -> None:
        face = text.strip("()")
        self.draw(face)
        if not self.is_read:
            given: dict[str, object] = {"is_face_down": True} if text.startswith("(") else {"card": face}
            answer = self.ask(TellCard, seat=seat, hand=hand, **given)
            assert answer.is_accepted, answer

    def choose(self, seat: int, choice: Choice, hand: int = 1) -> None:
        answer = self.ask(TellChoice, seat=seat, choice=choice, hand=hand)
        assert answer.is_accepted, answer

    def turn(self, face: str) -> None:
        """The bank's second card lies open."""
        answer = self.ask(TurnBankCard, card="" if self.is_read else face)
        assert answer.is_accepted, answer

    def end(self) -> None:
        assert self.ask(EndRound).is_accepted

    def all_of(self, kind: type[D]) -> list[D]:
        return self.table.all_of(kind)


def dealt(house: House, cards: str = "9♣ 8♦ 10♠ 7♣ 9♦ (7♥)", seats: tuple[int, ...] = (1, 3)) -> Bench:
    """The first laps are dealt to these seats and the bank."""
    bench = Bench(house)
    bench.seats(*seats)
    bench.deal(cards, *seats)
    return bench


def opened(wish: CardsToOpen, faces: dict[str, str]) -> CardsOpened:
    """As the rim answers."""
    cards = tuple(OpenedCard(device=one.device, place=one.place, card=faces.get(one.place, "2♣")) for one in wish.cards)
    return CardsOpened(round=wish.round, cards=cards, is_face_up=wish.is_face_up)


def _played_to(state: BlackjackState, *, is_read: bool = False) -> Table:
    """A table whose round has come so far."""
    bench = Bench(HOUSE_WITH_READER if is_read else HOUSE_OF_BLACKJACK)
    steps = list(BlackjackState).index(state)
    bench.seats(1)
    if state is BlackjackState.FIRST:
        bench.card(1, "9♣")
    if steps > list(BlackjackState).index(BlackjackState.FIRST):
        bench.deal("9♣ 10♠ 7♣ (7♥)", 1)
    if state in (BlackjackState.BANK, BlackjackState.OVER):
        bench.choose(1, Choice.STAND)
    if state is BlackjackState.OVER:
        bench.turn("7♥")
    if state is BlackjackState.COUNTED:
        bench.draw("2♣")
        bench.draw("3♣")
    assert bench.state is state
    return bench.table


IN_STATE: dict[BlackjackState, Callable[[], Table]] = {
    state: functools.partial(_played_to, state, is_read=state is BlackjackState.COUNTED)
    for state in BlackjackState
    if state is not BlackjackState.NONE
}
