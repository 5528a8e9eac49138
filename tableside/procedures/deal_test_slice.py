"""How far a test deal is, and what it wishes for. Pure state."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from drivers.events import PermitKind
from tableside.permits import DEAL_MS, LOAD_FEED_MS, Wish

if TYPE_CHECKING:
    from tableside.state import TableState


class DealTestState(StrEnum):
    """Nothing; is it empty; cards go in; cards come out; what is left."""

    NONE = "none"
    PROVING = "proving"
    FEEDING = "feeding"
    DEALING = "dealing"
    CHECKING = "checking"


class DealTestSlice(msgspec.Struct, frozen=True):
    """`number` counts them, so that no permit is taken for that of the one before; `why` is what stopped it so far."""

    state: DealTestState = DealTestState.NONE
    device: str = ""
    cards: int = 0
    cards_in: int = 0
    cards_out: int = 0
    number: int = 0
    by: str = ""
    why: str = ""

    @property
    def is_under_way(self) -> bool:
        """A test runs."""
        return self.state is not DealTestState.NONE

    def holds(self, device: str) -> bool:
        """What this device's meters count now are test cards."""
        return self.is_under_way and self.device == device


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Feed for so many test cards, then deal until the machine is empty."""
    deal = state.procedures.deal_tests
    name = f"test deal {deal.number}"
    if deal.state is DealTestState.FEEDING:
        return (Wish(deal.device, PermitKind.FEED, LOAD_FEED_MS, deal.cards, None, f"{name} in", deal.cards_in),)
    if deal.state is DealTestState.DEALING:
        # Of no number: a permit that ends with its last card would end EJECT_ALL as failed (TDL 9.3).
        return (Wish(deal.device, PermitKind.DEAL, DEAL_MS, None, None, f"{name} out"),)
    return ()
