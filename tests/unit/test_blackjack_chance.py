"""Whatever is entered and read, in any order: nothing breaks, no card is lost or made, every answer says what to do."""

from __future__ import annotations

import random

import pytest

from drivers import events
from tableside.blackjack_happenings import HandsOver, HandsUnsure
from tableside.blackjack_requests import (
    AddToBet,
    CollectHand,
    PayBets,
    PlaceBet,
    TellCard,
    TellChoice,
    TellSeats,
    TurnBankCard,
)
from tableside.games.blackjack import Choice, Phase, current, due
from tableside.games.blackjack_hands import BANK
from tableside.house import House
from tableside.procedures.advice_slice import MOST_OPEN
from tableside.requests import DecideAdvice, EndRound, OpenCards, RuleRound
from tableside.state import decode_state, encode_state
from tests.support.blackjack import HOUSE_OF_BLACKJACK, HOUSE_WITH_READER, Bench
from tests.unit.test_walks import check

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
FACES = [f"{rank}{suit}" for rank in RANKS for suit in "♣♦♥♠"]
ODD = ("?*", "X*", "C*")
WALKS, STEPS = 60, 120


class Walker:
    """Does anything, at any time."""

    def __init__(self, house: House, seed: int) -> None:
        self.rng = random.Random(f"walk {seed}")
        self.bench, self.sense = Bench(house), self.rng.choice((2, 8, 30))

    def step(self) -> None:
        do = self.rng.choice((self.draw, *(self.sensible,) * self.sense, self.say, self.other))
        do()

    def face(self) -> str:
        return self.rng.choice(ODD if self.bench.is_read and self.rng.random() < 0.05 else FACES)

    def draw(self) -> None:
        if self.rng.random() < 0.9:
            self.bench.draw(self.face())
        elif self.bench.is_read:
            self.bench.pass_by(self.face())

    def sensible(self) -> None:
        """What a dealer would do next, as far as the table knows."""
        kept = self.bench.table.state.procedures.blackjack
        if kept.played is None or kept.is_ended:
            self.ask(TellSeats, seats=tuple(sorted(self.rng.sample(range(1, 8), self.rng.randint(1, 7)))))
        elif (where := due(kept.played)) is not None:
            face, is_hole = self.face(), where == BANK and kept.played.phase is Phase.FIRST and bool(kept.played.bank)
            self.bench.draw(face)
            if not self.bench.is_read:
                given = {"is_face_down": True} if is_hole else {"card": face}
                self.ask(TellCard, seat=where.seat, hand=where.hand + 1, **given)
        elif (spot := current(kept.played)) is not None:
            self.ask(TellChoice, seat=spot.seat, hand=spot.hand + 1, choice=self.rng.choice(list(Choice)))
        elif kept.played.phase is Phase.BANK:
            self.ask(TurnBankCard, card="" if self.bench.is_read else self.rng.choice(FACES))
        else:
            self.ask(EndRound)

    def say(self) -> None:
        """Anything that can be entered."""
        rng = self.rng
        seat, hand, amount = rng.randint(0, 9), rng.randint(0, 3), rng.choice((0, 500, 1_000, 2_000, 40_000))
        card = rng.choice((*FACES, "", "joker"))
        self.ask(*rng.choice((
            (TellSeats, {"seats": tuple(rng.sample(range(9), rng.randint(0, 4)))}),
            (PlaceBet, {"seat": seat, "amount": amount, "from_seat": rng.randint(0, 8)}),
            (AddToBet, {"seat": seat, "from_seat": rng.randint(0, 8), "insurance": amount, "split_along": hand}),
            (TellCard, {"seat": seat, "hand": hand, "card": card, "is_face_down": rng.random() < 0.3}),
            (TellChoice, {"seat": seat, "hand": hand, "choice": rng.choice(list(Choice))}),
            (TurnBankCard, {"card": card, "while_dealing": rng.random() < 0.3}),
            (CollectHand, {"seat": seat, "hand": hand}),
            (PayBets, {"seats": (seat,), "amounts": (amount,) * hand}),
        )))  # fmt: skip

    def other(self) -> None:
        """What goes on beside the cards."""
        rng, table = self.rng, self.bench.table
        match rng.randint(0, 5):
            case 0:
                self.ask(EndRound)
            case 1:
                self.ask(RuleRound, by="S1", ruling=rng.choice(("void", "goes on", "finished elsewhere")))
            case 2:
                table.wait(2)
                table.tap("S1")
                number = rng.choice([*map(int, table.state.procedures.advised.open), 1])
                self.ask(DecideAdvice, by="S1", number=number, decision="so", is_against=rng.random() < 0.2)
            case 3 if self.bench.is_read:
                self.ask(OpenCards, numbers=(rng.randint(1, 9),))
            case 4 if self.bench.is_read and rng.random() < 0.2:
                table.notice(events.NoticesLost, "eye", how_many=1)
            case _:
                table.wait(rng.choice((1, 30)))

    def ask(self, kind: type, given: dict[str, object] | None = None, by: str = "D1", **fields: object) -> None:
        answer = self.bench.ask(kind, by=by, **(given or fields))
        assert answer.rule, answer
        assert answer.next_step, answer
        assert answer.text, answer


def cards_are_kept(bench: Bench) -> None:
    """Each card that was followed lies in a hand, at the bank, in the tray, or face down for whoever asks."""
    kept = bench.table.state.procedures.blackjack
    if kept.played is not None:
        assert len(kept.played.cards) == kept.placed
    assert len(bench.table.state.procedures.advised.open) <= MOST_OPEN


@pytest.mark.parametrize("house", [HOUSE_OF_BLACKJACK, HOUSE_WITH_READER], ids=["told", "read"])
def test_any_entries_break_nothing_and_lose_no_card(house: House) -> None:
    followed = unsure = 0
    for seed in range(WALKS):
        walker = Walker(house, seed)
        for _ in range(STEPS):
            walker.step()
            cards_are_kept(walker.bench)
        state = walker.bench.table.state
        check(state)
        assert decode_state(encode_state(state)) == state
        followed += len(walker.bench.all_of(HandsOver))
        unsure += len(walker.bench.all_of(HandsUnsure))
    assert followed > 10, "the walks get to the ends of rounds"
    assert unsure > 10, "and where hands cannot be followed"
