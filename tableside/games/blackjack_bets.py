"""Bets at blackjack and what they win, where they are known (BJ-8, BJ-12 to BJ-19).

Amounts are integers of the currency's smallest unit. The minimum is even, so that 3 to 2 and half a bet are exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from tableside.games import blackjack_hands as hands_of
from tableside.games.advice import Advice, Against
from tableside.games.blackjack import Phase, Round
from tableside.games.blackjack_hands import ACE, UNREAD_RANK, Fate, Hand

MAX_OVER_MIN = 30  # BJ-15
SPECIAL_TIMES = 3  # BJ-13


class TableLimits(msgspec.Struct, frozen=True):
    """What may be bet: the minimum or a multiple of it up to the maximum (BJ-15)."""

    minimum: int
    maximum: int

    def mistakes(self) -> tuple[str, ...]:
        """Everything that is wrong with them, each with its rule and remedy."""
        found: list[str] = []
        if self.minimum <= 0 or self.minimum % 2:
            found.append(f"minimum {self.minimum}: an even number of smallest units, so that 3 to 2 is exact (BJ-8)")
        elif self.maximum % self.minimum or self.maximum < self.minimum:
            found.append(f"maximum {self.maximum}: a multiple of the minimum {self.minimum} (BJ-15)")
        if self.maximum > MAX_OVER_MIN * self.minimum:
            found.append(f"maximum {self.maximum}: at most {MAX_OVER_MIN * self.minimum}, 30 times the minimum (BJ-15)")
        return tuple(found)


class Bet(msgspec.Struct, frozen=True, order=True):
    """One bet on a seat. `is_holder`: its owner decides for the seat; others follow him (BJ-17).

    `insurance`: what was put up against the bank's blackjack. Of an added bet: how many of the further hands of a
    split it was put on too, and whether it was doubled with the holder's (BJ-18).
    """

    owner: str
    seat: int
    amount: int
    is_holder: bool = True
    insurance: int = 0
    split_along: int = 0
    is_doubled_along: bool = False


class Why(StrEnum):
    """What a payment is for."""

    WON = "won"
    LOST = "lost"
    TIED = "tied"
    BLACKJACK = "blackjack"
    EVEN_MONEY = "even money"
    SURRENDERED = "surrendered"
    INSURANCE = "insurance"
    SPECIAL = "special prize"


class Payment(msgspec.Struct, frozen=True, order=True):
    """`staked` lay on the table, `back` goes to the owner; the bank keeps the difference, or pays it."""

    owner: str
    seat: int
    hand: int
    why: Why
    staked: int
    back: int


def accept(limits: TableLimits, lying: Iterable[Bet], bet: Bet) -> None:
    """Whether one more bet may lie there. Raises `Against` with the rule and what to do."""
    on_seat = [other for other in lying if other.seat == bet.seat]
    room = limits.maximum - sum(other.amount for other in on_seat)
    if bet.amount <= 0 or bet.amount % limits.minimum:
        ruling = f"the minimum {limits.minimum} or a multiple of it"
        raise Against(Advice("BJ-15", f"a bet of {bet.amount} at seat {bet.seat}", ruling, "give it back"))
    if bet.amount > room:
        ruling = f"all bets on a seat stay within {limits.maximum}; {max(room, 0)} still fits"
        raise Against(Advice("BJ-17", f"a bet of {bet.amount} at seat {bet.seat}", ruling, "give back what is over"))


def insure(played: Round, bet: Bet, amount: int) -> Bet:
    """The bet, insured. Raises `Against` (BJ-12)."""
    if not played.bank or played.bank[0].rank != ACE or played.is_open:
        ruling = "on the dealer's invitation, while the bank shows an ace and its second card is not known"
        raise Against(Advice("BJ-12", "insurance is asked", ruling, "give it back"))
    if not 0 < amount <= bet.amount // 2:
        ruling = f"up to half the first bet, {bet.amount // 2}"
        raise Against(Advice("BJ-12", f"insurance of {amount}", ruling, "give back what is over"))
    return msgspec.structs.replace(bet, insurance=amount)


def decider(bets: Iterable[Bet], home: Mapping[str, int]) -> str:
    """Who decides on a vacant seat: the highest bet, among equal ones the owner with the lower seat (BJ-17)."""
    return min(bets, key=lambda bet: (-bet.amount, home[bet.owner])).owner


def settle(played: Round, bets: Iterable[Bet]) -> tuple[Payment, ...]:
    """What each owner gets back, sorted; the order in which bets are given does not matter.

    Raises ValueError while the round is not over, or where the bank's second card decides and is not turned.
    """
    known = sorted(bets)
    left = any(hand.fate is Fate.STOOD for hands in played.hands.values() for hand in hands)
    if played.phase is not Phase.OVER or ((left or any(bet.insurance for bet in known)) and not played.is_open):
        raise ValueError("the round is not over: the bank's cards decide (BJ-6, BJ-12)")
    if played.is_open and any(card.rank == UNREAD_RANK for card in played.bank):
        raise ValueError("a card of the bank is not known: name it (BJ-7)")
    payments: list[Payment] = []
    for bet in known:
        hands = played.hands[bet.seat]
        covered = len(hands) if bet.is_holder else min(len(hands), 1 + bet.split_along)
        for place, hand in enumerate(hands[:covered]):
            doubles = hand.is_doubled and (bet.is_holder or bet.is_doubled_along)
            stake = bet.amount * (2 if doubles else 1)
            why, back = _outcome(played, hand, stake)
            payments.append(Payment(bet.owner, bet.seat, place, why, stake, back))
            if hands_of.is_special(hand.cards):
                payments.append(Payment(bet.owner, bet.seat, place, Why.SPECIAL, 0, SPECIAL_TIMES * bet.amount))
        if bet.insurance:
            back = 3 * bet.insurance if hands_of.is_blackjack(played.bank) else 0  # 2 to 1, and the stake
            payments.append(Payment(bet.owner, bet.seat, 0, Why.INSURANCE, bet.insurance, back))
    return tuple(sorted(payments))


def check_paid(due: Iterable[Payment], paid: Mapping[str, int]) -> None:
    """What was paid out, by owner, against what is due. Raises `Against` naming both sums of each that differs."""
    owed: dict[str, int] = defaultdict(int)
    for payment in due:
        owed[payment.owner] += payment.back
    owners = sorted({*owed, *paid})
    differing = [owner for owner in owners if owed.get(owner, 0) != paid.get(owner, 0)]
    if differing:
        text = "; ".join(f"{owner}: due {owed.get(owner, 0)}, paid {paid.get(owner, 0)}" for owner in differing)
        raise Against(Advice("BJ-19", text, "what is paid is what is due", "count again, or call the floor supervisor"))


def _outcome(played: Round, hand: Hand, stake: int) -> tuple[Why, int]:
    """Why, and what goes back of a stake (BJ-8, BJ-9, BJ-14, BJ-19)."""
    if hand.fate is Fate.LOST:
        return Why.LOST, 0
    if hand.fate is Fate.SURRENDERED:
        return Why.SURRENDERED, stake // 2
    if hand.fate is Fate.PAID:
        is_even = played.bank[0].rank == ACE
        return (Why.EVEN_MONEY, 2 * stake) if is_even else (Why.BLACKJACK, stake + stake * 3 // 2)
    bank_has_it = hands_of.is_blackjack(played.bank)
    if hand.is_blackjack and not bank_has_it:
        return Why.BLACKJACK, stake + stake * 3 // 2
    if bank_has_it:
        return (Why.TIED, stake) if hand.is_blackjack else (Why.LOST, 0)
    bank = hands_of.total_of(played.bank)
    if bank > hands_of.TOP or hand.total > bank:
        return Why.WON, 2 * stake
    return (Why.TIED, stake) if hand.total == bank else (Why.LOST, 0)
