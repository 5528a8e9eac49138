"""Cards that are not as they should be: what was found where, and what the poker rules say then (DECK-1 to DECK-12).

At a blackjack table they are poker custom, and the house decides, unless its jurisdiction has adopted them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from tableside.cards import Card
from tableside.games.advice import Advice
from tableside.house import Role

JOKER_RANK = "joker"
TWO_ACTED = 2  # MISDEAL-2
SEVERAL = 2  # MISDEAL-1


class Defect(StrEnum):
    """What is wrong with a card."""

    FOREIGN_BACK = "foreign back"
    DUPLICATE = "duplicate"
    BOXED = "boxed card"
    JOKER = "joker"
    MISSING = "missing card"
    EXTRA = "extra card"
    FLASHED = "flashed by the dealer"
    FLASHED_BY_PLAYER = "flashed by a player"
    OFF_TABLE = "off the table"
    DROPPED = "dropped by its player"


class Where(StrEnum):
    """Where it was found: the ruling hangs on it."""

    HAND = "in a hand"
    BOARD = "on the board"
    STUB = "in the stub"
    TRAY = "in the tray"
    SPREAD = "spread on the table"
    COUNT = "in a count"


class Game(StrEnum):
    """What is played: which rule a card exposed by the dealer comes under."""

    BLACKJACK = "blackjack"
    HOLD_EM = "hold'em"
    STUD = "stud"
    CHINESE = "Chinese poker"


class Found(msgspec.Struct, frozen=True):
    """One finding. `acted`: how many players have acted since the deal. `has_owner_acted`: he acted on this card.

    `is_bet`: the first betting round is over. `is_mixed_in`: the card that would replace it was dealt face down and
    mixed with another's. `is_known`: a player knew of it and tried to win. `is_unlooked`: its player had not looked.
    `game` is the one that is played: its own rule for exposed cards goes first (DECK-10).
    """

    defect: Defect
    where: Where
    card: Card | None = None
    seat: int = 0
    count: int = 1
    acted: int = 0
    has_owner_acted: bool = False
    is_bet: bool = False
    is_mixed_in: bool = False
    is_known: bool = False
    is_unlooked: bool = False
    game: Game = Game.BLACKJACK


class Ruling(msgspec.Struct, frozen=True):
    """A line of the table below."""

    rule: str
    ruling: str
    next_step: str


VOID = "all action is void and every bet goes back"
STANDS = "action stands"
SCRAP = "it is a scrap of paper: the next card below replaces it"
DEAD = "the hand is dead"

IN_PLAY: Mapping[Defect, Ruling] = {
    Defect.FOREIGN_BACK: Ruling("DECK-1", VOID, "stop; give every bet back; take the deck out"),
    Defect.DUPLICATE: Ruling("DECK-2", VOID, "stop; give every bet back, unless somebody knew it (DECK-8)"),
    Defect.BOXED: Ruling("DECK-3", SCRAP, "give the next card; one dealt and mixed in is replaced after that lap"),
    Defect.JOKER: Ruling("DECK-4", f"{SCRAP}; no misdeal", "give the next card"),
    Defect.MISSING: Ruling("DECK-5", "the result of the hand is not void", "finish the hand; count the deck"),
    Defect.EXTRA: Ruling("DECK-6", "one extra card goes back and is the burn card", "take it back, burn it"),
    Defect.FLASHED: Ruling("DECK-10", "it counts as exposed: the game's own rule decides", "stop and say so"),
    Defect.FLASHED_BY_PLAYER: Ruling("DECK-9", "it plays", "go on"),
    Defect.DROPPED: Ruling("DECK-7", "who drops a card of his hand must still play it", "pick it up, give it back"),
    Defect.OFF_TABLE: Ruling("DECK-7", "a card dealt off the table counts as exposed", "pick it up, show it"),
}
IN_STUB: Mapping[Defect, Ruling] = {
    Defect.FOREIGN_BACK: Ruling("DECK-1", STANDS, "finish the hand; take the deck out"),
}


# DECK-10: the game's own rule decides on a card that the dealer has exposed.
EXPOSED: Mapping[Game, Ruling] = {
    Game.BLACKJACK: Ruling("BJ-2", "players' cards lie open: it plays", "go on"),
    Game.HOLD_EM: Ruling("HOLD-1", "it may not be kept; a first hole card: misdeal", "replace it after the deal"),
    Game.STUD: Ruling("STUD-5", "a key card revealed while dealing: the hand is dead", "give its ante back"),
    Game.CHINESE: Ruling("CHIN-5", "five or more exposed cards of a hand may be a misdeal", "count the exposed cards"),
}
BANK_EXPOSED = Ruling("BJ-3", "it goes to the discard tray and another is drawn", "lay it into the tray, draw another")
# Places at which no hand is being played any more.
AFTER_PLAY = (Where.SPREAD, Where.COUNT)
AFTER = "no hand is being played: results stand"
VOIDING = (Defect.FOREIGN_BACK, Defect.DUPLICATE)
IRREGULAR = (*VOIDING, Defect.BOXED, Defect.JOKER)
LATER = "the next card is mixed with another's: it is replaced after all other cards of that dealing round"


def _by_conduct(found: Found) -> Ruling | None:
    """What the rules say of who looked, knew or acted; it goes before what they say of the card."""
    if found.defect in IRREGULAR and found.is_unlooked:
        return Ruling("DECK-11", "who plays without looking bears the risk", "play on; he has no redress")
    if found.defect in VOIDING and found.is_known:
        text = "who knew and tried to win may lose the right to his money; chips may stay in the pot for the next deal"
        return Ruling("DECK-8", text, "stop; keep the list of who was dealt in (DECK-12)")
    if found.defect is Defect.JOKER and found.has_owner_acted:
        return Ruling("DECK-4", DEAD, "take the hand; the others play on")
    return None


def ruling(found: Found) -> Ruling:
    """What the poker rules say; conduct and timing first, then where it was found."""
    if found.where in AFTER_PLAY:
        return Ruling(IN_PLAY[found.defect].rule, AFTER, "exchange the deck that is not regular; count the cards")
    conduct = _by_conduct(found)
    if conduct is not None:
        return conduct
    several = found.defect in (Defect.BOXED, Defect.EXTRA, Defect.FLASHED) and found.count >= SEVERAL
    if several and found.acted >= TWO_ACTED:
        return Ruling("MISDEAL-2", "two players have acted: a misdeal cannot be called", "play the hand out")
    if several:
        return Ruling("MISDEAL-1", "two or more of them: it may be a misdeal", "gather the cards, shuffle, deal again")
    if found.defect is Defect.EXTRA and found.is_bet:
        return Ruling("DEAL-6", "a hand with a wrong number of cards is dead", "take the hand; the others play on")
    if found.defect is Defect.FLASHED:
        is_bank = found.game is Game.BLACKJACK and not found.seat
        known = BANK_EXPOSED if is_bank else EXPOSED[found.game]
        return Ruling(known.rule, f"it counts as exposed (DECK-9): {known.ruling}", known.next_step)
    if found.defect in (Defect.BOXED, Defect.JOKER) and found.is_mixed_in:
        return Ruling(IN_PLAY[found.defect].rule, LATER, "finish the lap, then give the next card")
    stub = IN_STUB.get(found.defect) if found.where is Where.STUB else None
    return stub or IN_PLAY[found.defect]


def advise(found: Found, *, is_adopted: bool) -> Advice:
    """The advice for the floor. `is_adopted`: the table plays poker, or its jurisdiction has taken these rules over."""
    what = f"{found.defect}: {found.card}" if found.card else str(found.defect)
    place = f"{found.where}, seat {found.seat}" if found.seat else str(found.where)
    known = ruling(found)
    is_law = is_adopted or known.rule.startswith("BJ-")
    text = known.ruling if is_law else f"poker custom, the house decides: {known.ruling}"
    return Advice(known.rule, f"{what} ({place})", text, known.next_step, Role.FLOOR_SUPERVISOR)


def claim(*, has_looked: bool) -> Ruling:
    """Somebody says that his card is exposed and wants it replaced (DECK-9)."""
    if has_looked:
        return Ruling("DECK-9", "he has looked at it first: the claim comes too late, the card plays", "go on")
    return Ruling("DECK-9", "said before looking: it counts as exposed, the game's own rule decides", "see DECK-10")


def defects_among(decks: Mapping[str, int], seen: Iterable[tuple[Card, Where, int]]) -> tuple[Found, ...]:
    """What is wrong among cards that lie on the table at once: (card, where, seat), each seen for certain.

    `decks`: how many of each back colour. At blackjack equal cards of several decks are normal (SHOE-1): only more of
    them than there are decks of that back are duplicates. A card of which two antennas speak is nobody's and not here.
    """
    count: Counter[Card] = Counter()
    found: list[Found] = []
    for card, where, seat in seen:
        count[card] += 1
        if card.rank == JOKER_RANK:
            found.append(Found(Defect.JOKER, where, card, seat))
        elif card.back not in decks:
            found.append(Found(Defect.FOREIGN_BACK, where, card, seat))
        elif count[card] > decks[card.back]:
            found.append(Found(Defect.DUPLICATE, where, card, seat))
    return tuple(found)
