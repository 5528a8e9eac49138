"""What happens to the two decks of a batch table. Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening


class DeckMoved(Happening, frozen=True, kw_only=True):
    """A deck went into the *machine*, into *play*, *aside*, or out of the machine for a *hand count*."""

    back: str
    to: str
    by: str = ""


class DeckMixed(Happening, frozen=True, kw_only=True):
    """A deck was mixed, its count is the account's; it is not cut (CSM-3)."""

    back: str
    cards: int


class DeckCounted(Happening, frozen=True, kw_only=True):
    """A deck was counted by hand."""

    back: str
    cards: int
    by: str
