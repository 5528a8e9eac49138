"""One table of transitions a procedure: (state, input) to (state, decisions).

A new procedure is one file and one line in each of the tables here that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside.permits import Wishes
from tableside.procedures import (
    advised,
    antennas,
    batch,
    batch_slice,
    blackjack,
    card_change,
    card_identities,
    card_readers,
    complaints,
    conditions,
    counts,
    damaged,
    deal_test_slice,
    deal_tests,
    defects,
    device_faults,
    differences,
    empty,
    enrolment,
    firmware,
    hand_shoe,
    held_cards,
    jackpot,
    jackpot_bets,
    jackpot_chips,
    jackpot_display,
    jackpot_ledger,
    jackpot_sensed,
    jams,
    lid,
    load,
    load_slice,
    machines,
    manual,
    one_cause,
    opening,
    outcomes,
    people,
    reload,
    rounds,
    rounds_sensed,
    second_way,
    self_tests,
    session,
    settling,
    shoe,
    sort,
    stops,
    strangers,
    swap,
    unload,
    unload_slice,
    warning_lamps,
    work_orders,
)
from tableside.tables import Procedure

if TYPE_CHECKING:
    from tableside.state import TableState

PROCEDURES: tuple[Procedure, ...] = (
    outcomes.PROCEDURE,
    advised.PROCEDURE,
    session.PROCEDURE,
    opening.PROCEDURE,
    empty.PROCEDURE,
    load.PROCEDURE,
    unload.PROCEDURE,
    sort.PROCEDURE,
    card_change.PROCEDURE,
    reload.PROCEDURE,
    swap.PROCEDURE,
    rounds.PROCEDURE,
    rounds_sensed.PROCEDURE,
    counts.PROCEDURE,
    differences.PROCEDURE,
    conditions.PROCEDURE,
    one_cause.PROCEDURE,
    device_faults.PROCEDURE,
    stops.PROCEDURE,
    manual.PROCEDURE,
    lid.PROCEDURE,
    jams.AT_PLACE,
    jams.HELP,
    damaged.PROCEDURE,
    complaints.PROCEDURE,
    held_cards.PROCEDURE,
    people.PROCEDURE,
    enrolment.PROCEDURE,
    second_way.PROCEDURE,
    jackpot_display.PROCEDURE,
    jackpot_ledger.PROCEDURE,
    jackpot.PROCEDURE,
    jackpot_bets.PROCEDURE,
    jackpot_chips.PROCEDURE,
    warning_lamps.PROCEDURE,
    antennas.PROCEDURE,
    batch.PROCEDURE,
    hand_shoe.PROCEDURE,
    defects.PROCEDURE,
    strangers.PROCEDURE,
    machines.PROCEDURE,
    firmware.PROCEDURE,
    shoe.PROCEDURE,
    card_identities.PROCEDURE,
    blackjack.PROCEDURE,
    jackpot_sensed.PROCEDURE,
    card_readers.PROCEDURE,
    settling.PROCEDURE,
    work_orders.PROCEDURE,
    self_tests.PROCEDURE,
    deal_tests.PROCEDURE,
)

# Who may wish for permits; the first wish for a (device, permit) counts.
WISHES: tuple[Wishes, ...] = (
    batch_slice.wishes,
    load_slice.wishes,
    unload_slice.wishes,
    rounds.wishes,
    lid.wishes,
    jackpot_bets.wishes,
    deal_test_slice.wishes,
)


def is_round_open(state: TableState) -> bool:
    """A round is being dealt: locks *from the next round* do not hold yet."""
    return rounds.is_open(state) or shoe.is_open(state)
