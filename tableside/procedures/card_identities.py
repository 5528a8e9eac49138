"""Identities of cards that were read: kept sealed while their round goes on, opened when it is over (semantics §6).

No reader tells whether a card lies face up, so the round's end is what opens it. Cards that were drawn before a round
began (burnt, or outside a game) are opened with the next round that ends: they may still come into play until then.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers import card_events as facts
from tableside import incidents
from tableside.decisions import CardsToOpen, SealedCard
from tableside.happenings import RoundEnded
from tableside.inputs import CardsOpened, DaemonStarted
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "DECK-1"
# A shoe of eight decks. More between two ends of rounds is a reader without end, not a game.
MOST_SEALED = 416
UNOPENED = "cards not opened"


class IdentityState(StrEnum):
    """Derived: whether identities wait for the end of their round."""

    NONE = "none sealed"
    SEALED = "sealed"


class IdentitySlice(msgspec.Struct, frozen=True):
    """`sealed` wait for their round's end; `opening`, by round, were to be opened, and it is not said what they are."""

    sealed: tuple[SealedCard, ...] = ()
    opening: dict[str, tuple[SealedCard, ...]] = {}


def read(state: TableState, _what: object) -> IdentityState:
    """Derived from the slice."""
    return IdentityState.SEALED if state.procedures.card_identities.sealed else IdentityState.NONE


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    slice_ = replace(procedures.card_identities, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, card_identities=slice_))


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
    sealed = turn.state.procedures.card_identities.sealed
    if len(sealed) >= MOST_SEALED:
        if not incidents.of_kind(turn, UNOPENED):
            text = f"more than {MOST_SEALED} cards were read and no round ended: further ones stay sealed in the record"
            incidents.open_incident(turn, UNOPENED, RULE, text)
        return
    put(turn, sealed=(*sealed, SealedCard(device=what.device, place=place_of(turn, what), sealed=what.card)))


def _open(turn: Turn, what: RoundEnded) -> None:
    """Where a card ended it, by beginning the next one, that card is the next one's: it stays sealed."""
    identities = turn.state.procedures.card_identities
    is_begun_by_card = isinstance(turn.given.what, facts.CARD_TOLD)
    over = identities.sealed[:-1] if is_begun_by_card else identities.sealed
    put(turn, sealed=identities.sealed[len(over) :], opening={**identities.opening, str(what.round): over})
    turn.decide(CardsToOpen(round=what.round, cards=over))


def _open_again(turn: Turn, _what: DaemonStarted) -> None:
    """The daemon ended between the wish and its answer: opening twice tells nothing twice, the first answer counts."""
    for number, cards in turn.state.procedures.card_identities.opening.items():
        turn.decide(CardsToOpen(round=int(number), cards=cards))


def _opened(turn: Turn, what: CardsOpened) -> None:
    opening = turn.state.procedures.card_identities.opening
    put(turn, opening={name: cards for name, cards in opening.items() if name != str(what.round)})
    shut = [card.place for card in what.cards if not card.card]
    if shut:
        text = f"round {what.round}: {len(shut)} card(s) were sealed with another key and cannot be opened"
        incidents.open_incident(turn, UNOPENED, RULE, text)


S = IdentityState
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
        Row(S.SEALED, RoundEnded, None, _open, said="its cards are opened"),
        *(Row(state, CardsOpened, None, _opened, said="opened") for state in S),
        *(Row(state, DaemonStarted, None, _open_again, said="what was to be opened") for state in S),
    ),
    next_step={S.NONE: "nothing to do", S.SEALED: "end the round: its cards are opened then"},
)
