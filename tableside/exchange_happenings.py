"""What becomes of the cards of a deck in which one is damaged (SHOE-2). Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening
from tableside.shoe_requests import BackCount


class CardsExchanged(Happening, frozen=True, kw_only=True):
    """A deck or the set was taken out and a new one brought; `expected` is what should have been there, by back."""

    incident: int
    unit: str
    out: tuple[BackCount, ...]
    expected: tuple[BackCount, ...]
    reference: str
    by: str


class SingleCardAuthorised(Happening, frozen=True, kw_only=True):
    """The inspection service has allowed the single card to be replaced; recorded by room management."""

    incident: int
    authorised_by: str
    reference: str
    by: str
