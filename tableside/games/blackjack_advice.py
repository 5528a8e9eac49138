"""What the rules say at a blackjack table, in words (BJ-2 to BJ-13)."""

from __future__ import annotations

from tableside.cards import Card
from tableside.games.advice import Advice
from tableside.games.blackjack_hands import BANK, UNREAD_RANK, Hand, Spot
from tableside.house import Role


def place(spot: Spot) -> str:
    """A spot in words."""
    if spot == BANK:
        return "the bank"
    return f"seat {spot.seat}" + (f", hand {spot.hand + 1}" if spot.hand else "")


def named(card: Card) -> str:
    """Which card, in brackets; nothing where nobody has read it."""
    return "" if card.rank == UNREAD_RANK else f" ({card})"


def out_of_order(at: Spot, where: Spot) -> Advice:
    """BJ-2: a card was seen elsewhere than where it was due."""
    text = f"a card was seen at {place(at)}; it was {place(where)}'s turn"
    ruling = "cards are dealt in seat order, the bank last"
    return Advice("BJ-2", text, ruling, "stop; the floor supervisor says whose card it is", Role.FLOOR_SUPERVISOR)


def lies_elsewhere(at: Spot, due: Spot | None) -> Advice:
    """BJ-2: more cards lie at a seat than were dealt to it."""
    text = f"a card lies at {place(at)} that was not dealt to it; the next is for {place(due) if due else 'nobody'}"
    ruling = "cards are dealt in seat order, the bank last"
    return Advice("BJ-2", text, ruling, "stop; the floor supervisor says whose card it is", Role.FLOOR_SUPERVISOR)


def unread(spot: Spot) -> Advice:
    """BJ-7: its value is not known."""
    return Advice("BJ-7", f"a card at {place(spot)} passed unread", "its value is not known", "name the card")


def not_asked(spot: Spot, turn: Spot | None, asked: Spot | None) -> Advice:
    """BJ-4: somebody decides out of turn."""
    waits = f"{place(asked)} waits for a card" if asked else f"it is the turn of {place(turn) if turn else 'nobody'}"
    return Advice("BJ-4", f"{place(spot)} decides; {waits}", "hands are asked in seat order", "follow the order")


def special(spot: Spot) -> Advice:
    """BJ-13: paid at once."""
    return Advice(
        "BJ-13",
        f"{place(spot)} has the special prize",
        "three times the bet, at once, and on top of what the hand wins",
        "pay it now",
    )


def lost(spot: Spot, hand: Hand) -> Advice:
    """BJ-9: above 21."""
    return Advice(
        "BJ-9",
        f"{place(spot)} has {hand.total}",
        "above 21 the hand loses at once",
        "take the bet; cards into the discard tray, unless they wait for a jackpot (JP-12)",
    )


def paid(spot: Spot) -> Advice:
    """BJ-8: blackjack that the bank cannot meet."""
    return Advice(
        "BJ-8",
        f"{place(spot)} has blackjack and the bank cannot have it",
        "it is paid 3 to 2 at once",
        "pay it; collect its cards, unless they wait for a jackpot (JP-12)",
    )
