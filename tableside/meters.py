"""Meters become movements of cards; and which machine's meters are the table's.

Whatever the procedures think of it, a card that a meter of the machine in use saw is posted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drivers.counters import CounterReadings
from tableside import card_account, unexpected
from tableside.by_hand import is_by_hand
from tableside.card_account import Evidence
from tableside.happenings import CardsEntered, CardsLeft, CardsPassed
from tableside.locks import Scope
from tableside.service_happenings import ProvingCardsMoved
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

METER_MODULUS = 1 << 32  # TDL 8.4: u32 since boot
# More cards than a table can hold cannot pass a sensor between two notices: a larger step is a broken meter.
METER_STEP_MAX = 1_000


def machine(state: TableState) -> str:
    """Name of the shuffler in use."""
    return state.devices.in_use or state.house.shuffler


def is_standing_by(state: TableState, name: str) -> bool:
    """A shuffler that is not in use, none is while cards are dealt by hand: it has its levels, and no card in it."""
    is_in_use = name == machine(state) and not is_by_hand(state)
    return name in (state.house.shuffler, *state.house.spare_shufflers) and not is_in_use


def post_out(turn: Turn, device: str, step: int) -> None:
    """Cards came out of this machine, or went by this reader: seen a second time they move nowhere in the account."""
    if step and device in turn.state.house.card_readers:
        turn.happened(CardsPassed(device=device, cards=step))
    elif step and turn.state.procedures.deal_tests.holds(device):
        turn.happened(ProvingCardsMoved(device=device, cards=step, is_in=False))
    elif step and not is_standing_by(turn.state, device):
        card_account.move(turn, card_account.MACHINE, card_account.TABLE, step, Evidence.METER, "out meter")
        turn.happened(CardsLeft(device=device, cards=step))


def post_in(turn: Turn, device: str, step: int) -> None:
    """Cards went into this machine: of the packet in its hopper, else of the table."""
    if step and turn.state.procedures.deal_tests.holds(device):
        turn.happened(ProvingCardsMoved(device=device, cards=step, is_in=True))
    elif step and not is_standing_by(turn.state, device):
        is_packet = turn.state.account.at(card_account.HOPPER) > 0
        source = card_account.HOPPER if is_packet else card_account.TABLE
        card_account.move(turn, source, card_account.MACHINE, step, Evidence.METER, "in meter")
        turn.happened(CardsEntered(device=device, cards=step, source=source))


def step(turn: Turn, device: str, before: int, after: int) -> int:
    """Cards between two meter readings, over the meter's wrap (BR-057)."""
    step = (after - before) % METER_MODULUS
    if step > METER_STEP_MAX:
        text = f"{device}: meter went from {before} to {after}, which no table can do; not posted"
        unexpected.record(turn, text, (Scope.DEAL, Scope.FEED), "CSM-6")
        return 0
    return step


def unheard(known: CounterReadings | None, meters: tuple[int, int], now: CounterReadings) -> tuple[int, int] | None:
    """Cards in and out since the meters stood so, by counters that went on by themselves; None: they cannot tell."""
    if known is None or known.modulus != now.modulus:
        return None
    passed = (
        (now.cards_in - known.cards_in - meters[0]) % now.modulus,
        (now.cards_out - known.cards_out - meters[1]) % now.modulus,
    )
    return passed if max(passed) <= METER_STEP_MAX else None
