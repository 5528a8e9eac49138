"""A second evaluator of blackjack, written apart from the product: plain loops over plain lists, for comparison."""

from __future__ import annotations

from typing import NamedTuple


class PlainHand(NamedTuple):
    """A hand at the end of its round, and what its player has decided. Cards as (rank, suit)."""

    cards: list[tuple[str, str]]
    is_of_a_split: bool
    doubled: bool
    surrendered: bool
    took_even_money: bool

    @property
    def ace_low(self) -> bool:
        """Who doubled on an ace with an eight or a nine counts it as 1 for good (BJ-11)."""
        first = sorted(rank for rank, _ in self.cards[:2])
        return self.doubled and first in (["8", "A"], ["9", "A"])


class PlainBet(NamedTuple):
    """A bet: on how many further hands of a split it lies too, and whether it is doubled where the hand is."""

    amount: int
    insurance: int
    split_along: int
    doubles: bool


def best(ranks: list[str], ace_low: bool = False) -> int:
    """The best total: every way to count the aces is tried."""
    totals = [0]
    for rank in ranks:
        if rank == "A":
            totals = [total + worth for total in totals for worth in ((1,) if ace_low else (1, 11))]
        else:
            totals = [total + (10 if rank in "10JQK" else int(rank)) for total in totals]
    within = [total for total in totals if total <= 21]
    return max(within) if within else min(totals)


def back(player: list[str], bank: list[str], stake: int, *, natural: bool, ace_low: bool) -> int:
    """What goes back of a stake to a hand that stood: `natural` where its two cards may count as blackjack."""
    mine, theirs = best(player, ace_low), best(bank)
    mine_is = natural and len(player) == 2 and mine == 21
    theirs_is = len(bank) == 2 and theirs == 21
    if mine > 21:
        return 0
    if mine_is or theirs_is:
        if mine_is and theirs_is:
            return stake
        return stake * 5 // 2 if mine_is else 0
    if theirs > 21:
        return 2 * stake
    return 2 * stake if mine > theirs else stake if mine == theirs else 0


def back_of(hand: PlainHand, bank: list[str], stake: int) -> int:
    """What goes back of a stake on one hand (BJ-8, BJ-9, BJ-12, BJ-14, BJ-19), without its special prize."""
    if hand.surrendered:
        return stake // 2
    if hand.took_even_money:
        return 2 * stake
    ranks = [rank for rank, _ in hand.cards]
    return back(ranks, bank, stake, natural=not hand.is_of_a_split, ace_low=hand.ace_low)


def special(cards: list[tuple[str, str]], amount: int) -> int:
    """The special prize (BJ-13): three sevens, or six, seven and eight of one suit, pay three times the first bet."""
    ranks = "".join(sorted(rank for rank, _ in cards))
    same_suit = all(suit == cards[0][1] for _, suit in cards)
    return 3 * amount if ranks == "777" or (ranks == "678" and same_suit) else 0


def insured(bank: list[str], insurance: int) -> int:
    """What goes back of an insurance (BJ-12): 2 to 1 and the stake where the bank has blackjack."""
    return 3 * insurance if sorted(bank) in [["10", "A"], ["A", "J"], ["A", "K"], ["A", "Q"]] else 0


def paid_in_all(hands: list[PlainHand], bank: list[str], bet: PlainBet) -> tuple[int, int]:
    """What one bet had on the table in the end, and what goes back to its owner, insurance and prizes included."""
    staked, returned = bet.insurance, insured(bank, bet.insurance)
    for place, hand in enumerate(hands):
        if place > bet.split_along:
            break
        stake = 2 * bet.amount if hand.doubled and bet.doubles else bet.amount
        staked += stake
        returned += back_of(hand, bank, stake) + special(hand.cards, bet.amount)
    return staked, returned
