"""What people say when deck or set is exchanged for a damaged card (SHOE-2). `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request
from tableside.shoe_requests import BackCount


class ExchangeCards(Request, frozen=True, kw_only=True):
    """A deck or the set was taken out, counted by back, and a new one brought; `reference`: where the old cards are."""

    out: tuple[BackCount, ...]
    reference: str


class AuthoriseSingleCard(Request, frozen=True, kw_only=True):
    """The inspection service allows the damaged card alone to be replaced: who of it, on which grounds or paper."""

    authorised_by: str
    reference: str


AnyExchangeRequest = ExchangeCards | AuthoriseSingleCard
