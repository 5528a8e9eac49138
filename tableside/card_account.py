"""The card account: double entry between places; the sum is the cards brought, at every row (semantics §2.2).

Nothing here compares: observations meet balances only at quiet points (procedures/differences.py).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.decisions import CardsBrought, CardsMoved, ReserveFetched
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class Evidence(StrEnum):
    """What a movement rests on."""

    METER = "meter"
    PERSON = "person"
    INFERRED = "inferred"


RESERVE = "reserve"
HOPPER = "hopper"
MACHINE = "machine"
ASIDE = "aside"  # on the table and not in play: shown, mixed, to be loaded, counted out, sorted
TABLE = "table"  # on the table, in play
TRAY = "tray"
SHOE = "shoe"  # of a shoe that is dealt by hand
HAND = "hand"  # taken out at an open lid, not yet said where they go
DAMAGED = "damaged"
EXCHANGED = "exchanged"  # a deck or the set that was taken out for a damaged card
UNEXPLAINED = "unexplained"


def left_in(serial: str) -> str:
    """The place of cards that stayed in a machine after a swap."""
    return f"left in {serial}"


class CardAccount(msgspec.Struct, frozen=True):
    """Balances in cards by place, and the sum they keep. *Unexplained* may be negative: cards too many."""

    balances: dict[str, int] = {}
    brought: int = 0

    def at(self, place: str) -> int:
        """The balance of a place."""
        return self.balances.get(place, 0)


def bring(turn: Turn, playing: int, reserve: int) -> None:
    """A session's cards come to the table; what the session before left is taken away with its journal rows."""
    turn.state = replace(turn.state, account=CardAccount({ASIDE: playing, RESERVE: reserve}, playing + reserve))
    turn.decide(CardsBrought(playing=playing, reserve=reserve))


def fetch(turn: Turn, cards: int) -> None:
    """More reserve cards are brought to the table than the session began with."""
    account = turn.state.account
    balances = {**account.balances, RESERVE: account.at(RESERVE) + cards}
    turn.state = replace(turn.state, account=CardAccount(balances, account.brought + cards))
    turn.decide(ReserveFetched(cards=cards, by=turn.by))


def move(turn: Turn, source: str, target: str, cards: int, evidence: Evidence, why: str) -> None:
    """Post n cards from one place to another. Nothing is posted for none."""
    if cards == 0:
        return
    if cards < 0:
        source, target, cards = target, source, -cards
    account = turn.state.account
    balances = {**account.balances}
    balances[source] = balances.get(source, 0) - cards
    balances[target] = balances.get(target, 0) + cards
    assert sum(balances.values()) == account.brought, "card account out of balance"
    turn.state = replace(turn.state, account=CardAccount(balances, account.brought))
    turn.decide(CardsMoved(source=source, target=target, cards=cards, evidence=evidence, why=why, by=turn.by))


def expected_in_machine(state: TableState) -> int:
    """What a count of the machine should find."""
    return state.account.at(MACHINE)
