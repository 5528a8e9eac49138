"""A batch table's counts that differ: told with both numbers, counted by hand, found or replaced (CSM-6, SHOE-2)."""

from __future__ import annotations

from tableside import alerts, card_account, incidents
from tableside.batch_happenings import DeckCounted, DeckReplaced
from tableside.batch_requests import CountDeck, ReplaceDeck
from tableside.card_account import DAMAGED, RESERVE, UNEXPLAINED, Evidence
from tableside.cards import CARDS_PER_DECK
from tableside.counted import counted
from tableside.procedures.batch_slice import of, place_of, put
from tableside.refusals import refusal
from tableside.tables import Refusal, Turn

RULE = "CSM-5"
WHOLE = "SHOE-2"
INCIDENT, NOT_WHOLE = "deck count", "deck not whole"
TEXT = "DECK-COUNT"
NOT_WHOLE_TEXT = "DECK-NOT-WHOLE"
# A deck of which so many are missing or too many is no deck that was miscounted: nobody enters such a number.
MOST_IN_A_DECK = 2 * CARDS_PER_DECK


def differs(turn: Turn, back: str, found: int, expected: int, how: str) -> None:
    """Both numbers stand; the deck is not played until somebody has counted it by hand."""
    text = f"{back} deck: {counted(found, 'card')} counted while {how}, {expected} by the account"
    incidents.open_incident(turn, INCIDENT, RULE, text)
    alerts.raise_alert(turn, TEXT, back, back=back, n=str(found), total=str(expected))
    put(turn, is_agreed=False, suspects=tuple(dict.fromkeys((*of(turn).suspects, back))))


def is_out(turn: Turn, what: CountDeck | ReplaceDeck) -> Refusal | None:
    batch = of(turn)
    if what.back in (batch.deck, batch.in_play):
        return refusal("DECK-NOT-ASIDE", back=what.back)
    return None


def is_number(_turn: Turn, what: CountDeck) -> Refusal | None:
    if 0 <= what.cards <= MOST_IN_A_DECK:
        return None
    return refusal("DECK-NUMBER-IMPOSSIBLE", cards=what.cards)


def count(turn: Turn, what: CountDeck) -> None:
    """A person's number rules; the difference stays on *unexplained* under his name."""
    place = place_of(what.back)
    more = what.cards - turn.state.account.at(place)
    card_account.move(turn, UNEXPLAINED, place, more, Evidence.PERSON, f"{what.back} deck counted by hand")
    _settle(turn, what.back, f"{what.back} deck counted by hand: {counted(what.cards, 'card')}")
    turn.happened(DeckCounted(back=what.back, cards=what.cards, by=turn.by))
    if what.cards != CARDS_PER_DECK:
        text = f"{what.back} deck: {counted(what.cards, 'card')} by hand, a deck has {CARDS_PER_DECK}"
        incidents.open_incident(turn, NOT_WHOLE, WHOLE, text)
        total = str(CARDS_PER_DECK)
        alerts.raise_alert(turn, NOT_WHOLE_TEXT, what.back, back=what.back, n=str(what.cards), total=total)


def is_not_whole(turn: Turn, what: ReplaceDeck) -> Refusal | None:
    if of(turn).is_brought and turn.state.account.at(place_of(what.back)) != CARDS_PER_DECK:
        return None
    return refusal("DECK-IS-WHOLE", back=what.back)


def has_reserve(turn: Turn, what: ReplaceDeck) -> Refusal | None:
    group = next(group for group in turn.state.house.decks if group.back == what.back)
    broken = any(card.damaged.back == what.back for card in turn.state.procedures.damaged.replaced)
    left = group.reserve - of(turn).replaced.count(what.back) - broken  # a card of it has replaced a damaged one
    if left > 0 and turn.state.account.at(RESERVE) >= CARDS_PER_DECK:
        return None
    return refusal("RESERVE-NOT-WHOLE", back=what.back)


def replace_deck(turn: Turn, what: ReplaceDeck) -> None:
    """What is left of the deck is withdrawn; a card that was never found stays *unexplained*."""
    place = place_of(what.back)
    withdrawn = turn.state.account.at(place)
    card_account.move(turn, place, DAMAGED, withdrawn, Evidence.PERSON, f"{what.back} deck withdrawn")
    card_account.move(turn, RESERVE, place, CARDS_PER_DECK, Evidence.PERSON, f"{what.back} reserve deck brought")
    put(turn, replaced=(*of(turn).replaced, what.back))
    _settle(turn, what.back, f"{what.back} deck withdrawn with {counted(withdrawn, 'card')}, replaced")
    turn.happened(DeckReplaced(back=what.back, withdrawn=withdrawn, by=turn.by))


def _settle(turn: Turn, back: str, finding: str) -> None:
    put(turn, suspects=tuple(other for other in of(turn).suspects if other != back))
    for incident in (*incidents.of_kind(turn, INCIDENT), *incidents.of_kind(turn, NOT_WHOLE)):
        if incident.text.startswith(f"{back} deck"):
            incidents.close(turn, incident.number, finding, turn.by)
    alerts.clear_alert(turn, TEXT, back, by=turn.by, why=finding)
    alerts.clear_alert(turn, NOT_WHOLE_TEXT, back, by=turn.by, why=finding)
