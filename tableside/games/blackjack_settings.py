"""What a blackjack table is set to: what may be bet at it (BJ-15)."""

from __future__ import annotations

from typing import Annotated

import msgspec

Amount = Annotated[int, msgspec.Meta(ge=1, description="in the currency's smallest unit")]


class BlackjackSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[blackjack]` of a table's file: hands are followed there, by readers and by what the dealer enters."""

    currency: Annotated[str, msgspec.Meta(pattern=r"\A[A-Z]{3}\Z", description="ISO 4217")]
    minimum: Amount
    maximum: Amount
