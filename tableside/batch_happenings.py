"""What happens to the two decks of a batch table. Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening


class DeckMoved(Happening, frozen=True, kw_only=True):
    """A deck went into the *machine*, into *play*, *aside*, or out of the machine for a *hand count*."""

    back: str
    to: str
    by: str = ""


class DeckMixed(Happening, frozen=True, kw_only=True):
    """A deck, or the stub of one, was mixed, its count is the account's; it is not cut (CSM-3)."""

    back: str
    cards: int
    is_stub: bool = False


class DeckCounted(Happening, frozen=True, kw_only=True):
    """A deck was counted by hand."""

    back: str
    cards: int
    by: str


class PacketDealt(Happening, frozen=True, kw_only=True):
    """A packet came out whole; `left`: cards of the stub, by the account."""

    back: str
    packet: int
    cards: int
    left: int


class PacketStopped(Happening, frozen=True, kw_only=True):
    """A packet stands still before it is whole: so many of its cards came out."""

    back: str
    packet: int
    given: int
    wanted: int
    why: str


class CardsPutBack(Happening, frozen=True, kw_only=True):
    """Cards that had been dealt go back to the stub, to be mixed with it."""

    back: str
    cards: int
    by: str


class DeckReplaced(Happening, frozen=True, kw_only=True):
    """A deck that was not whole was withdrawn with its cards; the reserve deck of its colour is played from now on."""

    back: str
    withdrawn: int
    by: str
