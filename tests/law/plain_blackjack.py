"""A second evaluator of blackjack, written apart from the product: plain loops over plain lists, for comparison."""

from __future__ import annotations


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
