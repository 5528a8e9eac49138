"""Identities of cards that were read: sealed until the card lies face up or its round is over (semantics §6).

No reader tells that a card lies face up. A person says so (`OpenCards`), or a procedure that knows how the game is
dealt (`CardsTurnedUp`), or the house: above an antenna marked so in the table's file cards lie open. What nobody said
is opened by the round's end. Cards that were drawn before a round began (burnt, or outside a game) are opened with the
next round that ends: they may still come into play until then. A card that is told after its round's end counts with
the next round's.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers import card_events as facts
from tableside import incidents, presence
from tableside.card_happenings import CardsTurnedUp
from tableside.decisions import CardsToOpen, SealedCard
from tableside.happenings import RoundEnded
from tableside.house import Role, TableKind
from tableside.inputs import CardsOpened, DaemonStarted, OpenedCard
from tableside.procedures import rounds
from tableside.procedures.read_cards import ReadCard
from tableside.refusals import refusal
from tableside.requests import OpenCards
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "DECK-1"
# A shoe of eight decks. More between two ends of rounds is a reader without end, not a game.
MOST_SEALED = 416
UNOPENED = "cards not opened"


class IdentityState(StrEnum):
    """Derived: whether cards were read since the last round ended, and whether one of them is still sealed."""

    NONE = "none read"
    SEALED = "sealed"
    OPEN = "all open"


class IdentitySlice(msgspec.Struct, frozen=True):
    """`read` since the last round ended; `opening`, by round, were to be opened, and it is not said what they are."""

    read: tuple[ReadCard, ...] = ()
    opening: dict[str, tuple[SealedCard, ...]] = {}


def read(state: TableState, _what: object) -> IdentityState:
    """Derived from the slice."""
    cards = state.procedures.card_identities.read
    if not cards:
        return IdentityState.NONE
    return IdentityState.OPEN if all(card.is_face_up for card in cards) else IdentityState.SEALED


def cards_read(state: TableState, device: str) -> tuple[ReadCard, ...]:
    """The cards that this reader has read since the last round ended, in order: number 1 is the first.

    `card` is empty as long as the identity is sealed, or cannot be opened.
    """
    return tuple(card for card in state.procedures.card_identities.read if card.device == device)


def open_cards(state: TableState) -> tuple[ReadCard, ...]:
    """The cards of the round that lie face up and of which is said what they are, of all readers, in order."""
    return tuple(card for card in state.procedures.card_identities.read if card.card)


def of(turn: Turn) -> IdentitySlice:
    return turn.state.procedures.card_identities


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    slice_ = replace(procedures.card_identities, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, card_identities=slice_))


# --- reading ------------------------------------------------------------------------------------------------


def place_of(turn: Turn, fact: facts.CardTold) -> str:
    """Where the card went, in words; a back by its colour, as the table's file numbers its decks from 1."""
    match fact:
        case facts.CardDrawn(target=target, index=index):
            return f"{target} {index}"
        case facts.CardDrawnAgain(target=target, index=index):
            return f"{target} {index}, told again"
        case facts.CardDrawnOutside(mode=mode):
            return f"outside a game, {mode}"
        case facts.CardPassed(count=count, back=back):
            return f"card {count}" + ("" if back is None else f", back {_colour(turn, back)}")
        case _:
            return fact.place


def _colour(turn: Turn, back: int) -> str:
    decks = turn.state.house.decks
    return decks[back - 1].back if 1 <= back <= len(decks) else str(back)


def _told(turn: Turn, what: facts.CardTold) -> None:
    cards = of(turn).read
    if len(cards) >= MOST_SEALED:
        if not incidents.of_kind(turn, UNOPENED):
            text = f"more than {MOST_SEALED} cards were read and no round ended: further ones stay sealed in the record"
            incidents.open_incident(turn, UNOPENED, RULE, text)
        return
    back = _colour(turn, what.back) if isinstance(what, facts.CardPassed) and what.back is not None else ""
    card = ReadCard(device=what.device, place=place_of(turn, what), sealed=what.card, back=back)
    put(turn, read=(*cards, card))
    if what.device in turn.state.house.face_up_antennas:
        turn.happened(CardsTurnedUp(device=what.device, numbers=(len(cards_read(turn.state, what.device)),)))


# --- face up ------------------------------------------------------------------------------------------------


def _reader(turn: Turn, what: OpenCards) -> str:
    """Whose cards are meant; empty where several have read some and none is named."""
    readers = {card.device for card in of(turn).read}
    return what.reader or (readers.pop() if len(readers) == 1 else "")


def _numbers(turn: Turn, what: OpenCards) -> tuple[int, ...]:
    """Those that are meant and not known to lie open yet."""
    cards = cards_read(turn.state, _reader(turn, what))
    wanted = what.numbers or range(1, len(cards) + 1)
    return tuple(number for number in sorted({*wanted}) if not cards[number - 1].is_face_up)


def _are_there(turn: Turn, what: OpenCards) -> Refusal | None:
    reader = _reader(turn, what)
    known = ", ".join(sorted({card.device for card in of(turn).read}))
    if not reader:
        return refusal("OPEN-WHICH-READER", known=known)
    there = len(cards_read(turn.state, reader))
    if not there:
        return refusal("OPEN-NONE-READ", reader=reader, known=known)
    wrong = [number for number in what.numbers if not 1 <= number <= there]
    if wrong:
        numbers = ", ".join(map(str, wrong))
        return refusal("OPEN-NUMBERS", reader=reader, there=there, wrong=numbers)
    if not _numbers(turn, what):
        return refusal("OPEN-ALREADY")
    return None


def _say_open(turn: Turn, what: OpenCards) -> None:
    turn.happened(CardsTurnedUp(device=_reader(turn, what), numbers=_numbers(turn, what), by=turn.by))


def _turn_up(turn: Turn, what: CardsTurnedUp) -> None:
    """The rim opens exactly these; what is open or was never read is passed over."""
    number, cards, wanted = 0, list(of(turn).read), list[SealedCard]()
    for at, card in enumerate(cards):
        number += card.device == what.device
        if card.device == what.device and number in what.numbers and not card.is_face_up:
            cards[at] = replace(card, is_face_up=True)
            wanted.append(card.as_sealed)
    if wanted:
        put(turn, read=tuple(cards))
        turn.decide(CardsToOpen(round=_round(turn), cards=tuple(wanted), is_face_up=True))


def _round(turn: Turn) -> int:
    """The one in progress, or the one that these cards begin."""
    procedures = turn.state.procedures
    if turn.state.house.kind is TableKind.SHOE:
        return procedures.shoe.number
    return procedures.rounds.number + (not rounds.is_open(turn.state))


# --- over ---------------------------------------------------------------------------------------------------


def _open(turn: Turn, what: RoundEnded) -> None:
    """What is not open yet. Where a card ended the round, by beginning the next one, that card is the next one's."""
    identities = of(turn)
    is_begun_by_card = isinstance(turn.given.what, facts.CARD_TOLD)
    over = identities.read[:-1] if is_begun_by_card else identities.read
    shut = tuple(card.as_sealed for card in over if not card.card)
    put(turn, read=identities.read[len(over) :], opening={**identities.opening, str(what.round): shut})
    turn.decide(CardsToOpen(round=what.round, cards=shut))


def _open_again(turn: Turn, _what: DaemonStarted) -> None:
    """The daemon ended between the wish and its answer: opening twice tells nothing twice, the first answer counts."""
    for number, cards in of(turn).opening.items():
        turn.decide(CardsToOpen(round=int(number), cards=cards))
    wanted = tuple(card.as_sealed for card in of(turn).read if card.is_face_up and not card.card)
    if wanted:
        turn.decide(CardsToOpen(round=_round(turn), cards=wanted, is_face_up=True))


def _opened(turn: Turn, what: CardsOpened) -> None:
    if what.is_face_up:
        _said_open(turn, what.cards)
    else:
        put(turn, opening={name: cards for name, cards in of(turn).opening.items() if name != str(what.round)})
    shut = [card.place for card in what.cards if not card.card]
    if shut:
        text = f"round {what.round}: {len(shut)} card(s) were sealed with another key and cannot be opened"
        incidents.open_incident(turn, UNOPENED, RULE, text)


def _said_open(turn: Turn, opened: tuple[OpenedCard, ...]) -> None:
    """Kept with their round; where that has ended meanwhile its end tells them too."""
    cards = list(of(turn).read)
    for one in opened:
        for at, card in enumerate(cards):
            if card.is_face_up and not card.card and (card.device, card.place) == (one.device, one.place):
                cards[at] = replace(card, card=one.card)
                break
    put(turn, read=tuple(cards))


S = IdentityState
ENTERS = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule=RULE)
PROCEDURE = Procedure(
    name="card identities",
    rule=RULE,
    states=IdentityState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        *(
            Row(state, kind, None, _told, said="kept sealed", watches=True)
            for state in S
            for kind in facts.CARD_TOLD
            if kind is not facts.CardRemoved
        ),
        Row(S.SEALED, OpenCards, None, _say_open, guards=(ENTERS, _are_there), said="they lie open"),
        *(Row(state, CardsTurnedUp, None, _turn_up, said="opened") for state in S),
        *(Row(state, RoundEnded, None, _open, said="its cards are opened") for state in S if state is not S.NONE),
        *(Row(state, CardsOpened, None, _opened, said="opened") for state in S),
        *(Row(state, DaemonStarted, None, _open_again, said="what was to be opened") for state in S),
    ),
    next_step={
        S.NONE: "deal first: only a card that a reader has read can be opened",
        S.SEALED: "say which cards lie face up, or end the round: all are opened then",
        S.OPEN: "nothing to do: all that were read lie open",
    },
)
