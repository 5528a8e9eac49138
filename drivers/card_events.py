"""Facts that shoes, card readers and antennas tell of single cards. `drivers/every_fact.py` has them all.

An identity is text of a fixed form (design rule 11): `FACE_WIDTH` characters for a face that was read, or the number of
a tag as `<bits>:<UPPER HEX>`. It is secret until the card lies face up or its round is over (semantics §6): the hub's
rim seals the field `card` of each fact of `CARD_TOLD` before anything keeps it, as it does with the numbers of badges.
"""

from __future__ import annotations

from enum import StrEnum

from drivers.antenna_events import AnyAntennaFact
from drivers.fact import Fact, Lost, Notice, Ready

RANKS = "A23456789TJQK"
SUITS = "♣♦♥♠"
FACE_WIDTH = 2
JOKER = "X*"
CUT_CARD = "C*"  # a cut or warning card
UNREAD = "?*"  # a card went by and nobody knows which


def face(rank: int, suit: str) -> str:
    """The identity of a card: `rank` 1 (ace) to 13 (king), `suit` one of `SUITS`. Raises ValueError."""
    if not 1 <= rank <= len(RANKS) or suit not in tuple(SUITS):
        raise ValueError(f"rank {rank} of suit {suit!r} is no card: ranks are 1 to 13, suits {' '.join(SUITS)}")
    return RANKS[rank - 1] + suit


class Target(StrEnum):
    """Where a card was drawn to, in baccarat."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    BURN_TELLING = "tells how many to burn"
    BURN_COUNT = "burn count"
    UNKNOWN = "unknown"


class OutsideMode(StrEnum):
    """In which mode a shoe was when a card left it that belongs to no game."""

    LOCKED = "locked"
    ERROR = "error"
    SETTING = "setting"
    UNKNOWN = "unknown"


class Winner(StrEnum):
    """How a game of baccarat ended, as the shoe reckons."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    FORCED = "ended by hand"
    UNKNOWN = "unknown"


# --- a device that tells of cards and has no session of TDL -----------------------------------------------


class CardReaderReady(Ready, frozen=True, kw_only=True):
    """Its line stands: a shoe's, a board's with antennas.

    `has_spoken` False: nothing was heard yet, as an open line alone proves nothing; told anew with the first word.
    """

    has_spoken: bool = True


class CardReaderLost(Lost, frozen=True, kw_only=True):
    """Nothing of it can be heard: cards may go by unseen."""


class CardReaderTroubled(Fact, frozen=True, kw_only=True):
    """It says what its protocol forbids, or that something of it was lost. `why` is for the technician."""

    why: str


# --- cards ------------------------------------------------------------------------------------------------


class CardDrawn(Fact, frozen=True, kw_only=True):
    """A card was drawn from a shoe within a game; `index` counts from 1 within the target."""

    card: str
    target: Target
    index: int


class CardDrawnAgain(Fact, frozen=True, kw_only=True):
    """A shoe tells once more of a card that it has told of: no card was drawn now."""

    card: str
    target: Target
    index: int


class CardDrawnOutside(Fact, frozen=True, kw_only=True):
    """A card was drawn from a shoe outside any game: it counts into no hand."""

    card: str
    mode: OutsideMode


class CardRead(Fact, frozen=True, kw_only=True):
    """A card lies where one can read it; `place` is the hand or antenna as the table names it. Told once."""

    card: str
    place: str


class CardRemoved(Fact, frozen=True, kw_only=True):
    """A card that was read at `place` lies there no more."""

    card: str
    place: str


class CardsAmbiguous(Fact, frozen=True, kw_only=True):
    """Something was read at several places, or not twice alike: no card can be told from it. Put it down again."""

    places: tuple[str, ...]
    why: str


class CardPassed(Notice, frozen=True, kw_only=True):
    """Notice 21 of TDL: a card was dealt past the reader. `count` since boot; `back`: its number in the TOML."""

    count: int
    card: str
    back: int | None = None


class SpecialCard(StrEnum):
    """A card that is none of a deck; it is no secret of the game."""

    JOKER = "joker"
    CUT_CARD = "cut card"  # or the warning card: a reader cannot tell them apart


class SpecialCardPassed(Notice, frozen=True, kw_only=True):
    """Notice 21 of TDL: a special card went by the reader, told before the meter counts it; `count` since boot."""

    count: int
    kind: SpecialCard


# --- shoes ------------------------------------------------------------------------------------------------


class CutCardSeen(Fact, frozen=True, kw_only=True):
    """The cut card came: the shoe is near its end."""


class GameEnded(Fact, frozen=True, kw_only=True):
    """The shoe tells how the game ended."""

    winner: Winner
    is_player_pair: bool = False
    is_banker_pair: bool = False


class ShoeErrorBegan(Fact, frozen=True, kw_only=True):
    """The shoe names an error by its number; `is_stopped`: it draws nothing until that is over."""

    code: int
    is_stopped: bool


class ShoeErrorEnded(Fact, frozen=True, kw_only=True):
    code: int


class ShoeLockTold(Fact, frozen=True, kw_only=True):
    """The shoe tells whether it is locked."""

    is_locked: bool


class ShoeStarted(Fact, frozen=True, kw_only=True):
    """The shoe was switched on: what it knew of a game is gone."""


class ShoeStoodBy(Fact, frozen=True, kw_only=True):
    """The shoe waits: no game is under way for it."""


class ShoeSettingChanged(Fact, frozen=True, kw_only=True):
    """Somebody changed a register of the shoe, at the shoe."""

    register: str
    value: str


CARD_TOLD = (CardDrawn, CardDrawnAgain, CardDrawnOutside, CardRead, CardRemoved, CardPassed)
CardTold = CardDrawn | CardDrawnAgain | CardDrawnOutside | CardRead | CardRemoved | CardPassed
AnyCardFact = (
    CardReaderReady
    | CardReaderLost
    | CardReaderTroubled
    | CardsAmbiguous
    | CutCardSeen
    | GameEnded
    | ShoeErrorBegan
    | ShoeErrorEnded
    | ShoeLockTold
    | ShoeStarted
    | ShoeStoodBy
    | ShoeSettingChanged
    | SpecialCardPassed
    | CardTold
    | AnyAntennaFact
)
