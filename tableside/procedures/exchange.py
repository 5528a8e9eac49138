"""A deck or the whole set is exchanged for one damaged card, counted by back (SHOE-2; the jurisdiction says which).

The cards must lie before the dealer: gathered from a shoe, or unloaded from the machine by a card change. New ones come
from the reserve, and more are fetched where it has fewer. What the count of the old ones lacks is *unexplained*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside import card_account, incidents
from tableside.by_hand import is_by_hand
from tableside.card_account import (
    ASIDE,
    EXCHANGED,
    HAND,
    HOPPER,
    MACHINE,
    RESERVE,
    SHOE,
    TABLE,
    TRAY,
    UNEXPLAINED,
    Evidence,
)
from tableside.cards import CARDS_PER_DECK
from tableside.exchange_happenings import CardsExchanged
from tableside.exchange_requests import AuthoriseSingleCard, ExchangeCards
from tableside.refusals import Refusal, refusal
from tableside.shoe_requests import BackCount
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "SHOE-2"
CARD, DECK, SET = "card", "deck", "set"
INCIDENT = "exchange count"
IN_USE = (SHOE, TABLE, TRAY, MACHINE, HOPPER, HAND)


def unit(state: TableState) -> str:
    """What is exchanged for one damaged card where the cards are dealt from now: card, deck or set."""
    law = state.house.jurisdiction
    return law.damaged_in_shoe if is_by_hand(state) else law.damaged


def is_whole_unit(turn: Turn, _what: object) -> Refusal | None:
    """Guard: where the law exchanges one card by itself, nothing larger is."""
    if unit(turn.state) != CARD:
        return None
    return refusal("EXCHANGE-NOT-DUE")


def is_gathered(turn: Turn, _what: object) -> Refusal | None:
    """Guard: all cards lie before the dealer."""
    places = [place for place in IN_USE if turn.state.account.at(place)]
    if not places:
        return None
    if is_by_hand(turn.state):
        return refusal("EXCHANGE-UNGATHERED", places=", ".join(places))
    return refusal("EXCHANGE-LOADED", places=", ".join(places))


def is_counted(turn: Turn, what: ExchangeCards) -> Refusal | None:
    """Guard: one deck of one colour, or every colour of the set, each with a number that it can have."""
    wanted = sorted(group.back for group in turn.state.house.decks)
    backs = sorted(count.back for count in what.out)
    entered = ", ".join(backs) or "0"
    if unit(turn.state) == DECK and not (len(backs) == 1 and backs[0] in wanted):
        return refusal("EXCHANGE-ONE-DECK", entered=entered, backs=", ".join(wanted))
    if unit(turn.state) == SET and backs != wanted:
        return refusal("EXCHANGE-WHOLE-SET", entered=entered, backs=", ".join(wanted))
    for count in what.out:
        most = expected_of(turn.state, count.back)
        if not 0 <= count.cards <= most:
            return refusal("EXCHANGE-TOO-MANY", cards=count.cards, back=count.back, most=most)
    return None if what.reference.strip() else refusal("EXCHANGE-NOWHERE")


def expected_of(state: TableState, back: str) -> int:
    """How many cards of a colour are to be exchanged."""
    decks = next((group.decks for group in state.house.decks if group.back == back), 0)
    return CARDS_PER_DECK * (decks if unit(state) == SET else min(1, decks))


def exchange(turn: Turn, incident: int, what: ExchangeCards) -> None:
    """Old cards out, new ones in; as many as should have been there."""
    found = sum(count.cards for count in what.out)
    expected = tuple(BackCount(count.back, expected_of(turn.state, count.back)) for count in what.out)
    due = sum(count.cards for count in expected)
    why = f"exchanged, {what.reference}"
    card_account.move(turn, ASIDE, EXCHANGED, found, Evidence.PERSON, why)
    card_account.move(turn, ASIDE, UNEXPLAINED, due - found, Evidence.PERSON, "missing in the deck that was taken out")
    lacking = due - turn.state.account.at(RESERVE)
    if lacking > 0:
        card_account.fetch(turn, lacking)
    card_account.move(turn, RESERVE, ASIDE, due, Evidence.PERSON, why)
    if found != due:
        number = incidents.open_incident(turn, INCIDENT, RULE, f"{found} cards taken out, {due} should have been there")
        incidents.note(turn, number, f"for incident {incident}; the new cards are whole")
    turn.happened(
        CardsExchanged(
            incident=incident,
            unit=unit(turn.state),
            out=what.out,
            expected=expected,
            reference=what.reference,
            by=turn.by,
        )
    )


def says_who(_turn: Turn, what: AuthoriseSingleCard) -> Refusal | None:
    """Guard: the authorisation names the inspection service's person and its paper."""
    if what.authorised_by.strip() and what.reference.strip():
        return None
    return refusal("AUTHORISATION-INCOMPLETE")
