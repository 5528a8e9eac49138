"""What is refused of a shoe that is shuffled by hand (SHOE-1 to SHOE-8)."""

from __future__ import annotations

from tableside import presence
from tableside.by_hand import is_by_hand
from tableside.card_account import SHOE
from tableside.cards import CARDS_PER_DECK
from tableside.games import shoe as the
from tableside.games.advice import Against
from tableside.house import Role
from tableside.locks import Scope, free
from tableside.procedures import jackpot_bets
from tableside.procedures.hand_shoe_slice import HandShoeState, of
from tableside.refusals import Refusal, refusal
from tableside.shoe_requests import (
    BeginRound,
    CountBacks,
    CountDealt,
    CutCards,
    GatherCards,
    InterruptPlay,
    SpreadCards,
)
from tableside.tables import Turn

RULE = "SHOE-4"
# So many cards of one back are no miscount: nobody enters such a number.
MOST_OF_A_BACK = 8 * CARDS_PER_DECK
STAFF = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule=RULE)
ENTERS_CUT = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, Role.TABLE_INSPECTOR, rule=RULE)
SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE)


# --- count, cut ---------------------------------------------------------------------------------------------


def names_every_back(turn: Turn, what: CountBacks) -> Refusal | None:
    """Guard: each back colour of the table once, with a number that it can have."""
    backs = sorted(group.back for group in turn.state.house.decks)
    entered = sorted(count.back for count in what.counts)
    if entered != backs:
        return refusal("BACKS-ENTERED", entered=", ".join(entered) or "0", backs=", ".join(backs))
    wrong = [count for count in what.counts if not 0 <= count.cards <= MOST_OF_A_BACK]
    if wrong:
        return refusal("BACK-COUNT-IMPOSSIBLE", cards=wrong[0].cards, back=wrong[0].back)
    return None


def are_seats(turn: Turn, what: CutCards) -> Refusal | None:
    """Guard: seats of this table, each once."""
    seats = turn.state.house.seats
    wrong = [seat for seat in what.occupied if not 1 <= seat <= seats]
    if not wrong and len(set(what.occupied)) == len(what.occupied):
        return None
    return refusal("SEATS-IMPOSSIBLE", seats=", ".join(map(str, what.occupied)), most=seats)


def is_cutter(turn: Turn, what: CutCards) -> Refusal | None:
    """Guard: SHOE-4: a player, or the table inspector by name where none wants to."""
    if what.seat != the.INSPECTOR:
        if not what.inspector:
            return None
        return refusal("CUT-BY-TWO", seat=what.seat)
    person = turn.state.house.person(what.inspector)
    if person is not None and Role.TABLE_INSPECTOR in person.roles and person.is_valid_at(turn.given.wall_ns):
        return None
    return refusal("CUT-NO-INSPECTOR", staff=what.inspector or "?")


def is_seat_taken(turn: Turn, what: CutCards) -> Refusal | None:
    """Guard: SHOE-4: who cuts sits at the table."""
    try:
        cuts(turn, what)
    except Against:
        order = ", ".join(map(str, the.in_turn(of(turn).cut_turn, what.occupied))) or "0"
        return refusal("CUT-EMPTY-SEAT", seat=what.seat, order=order)
    return None


def cuts(turn: Turn, what: CutCards) -> the.CutTurn:
    """Whose turn is next after this cut. Raises `Against`."""
    return the.has_cut(of(turn).cut_turn, what.seat, what.occupied)


def is_counted_by_back(turn: Turn, _what: object) -> Refusal | None:
    """Guard: SHOE-1: at the opening every back colour was counted and has its number."""
    if not is_by_hand(turn.state) or of(turn).state is HandShoeState.TO_SHUFFLE:
        return None
    return refusal("BACKS-UNCOUNTED")


# --- round, interruption, gathering --------------------------------------------------------------------------


def is_shoe_ready(turn: Turn, _what: BeginRound) -> Refusal | None:
    """Guard: a shoe by hand stands ready, a card of it is burnt, and its last round is not over (SHOE-6, SHOE-7)."""
    hand_shoe = of(turn)
    if hand_shoe.state is HandShoeState.TO_BURN:
        return refusal("ROUND-UNBURNT")
    if hand_shoe.state is HandShoeState.OVER:
        return refusal("SHOE-IS-OVER")
    if hand_shoe.state is not HandShoeState.READY:
        return refusal("SHOE-NOT-READY", state=hand_shoe.state)
    try:
        the.begin_round(hand_shoe.shoe)
    except Against:
        return refusal("SHOE-IS-OVER") if hand_shoe.shoe.is_burnt else refusal("ROUND-UNBURNT")
    return None


def are_bets_locked(turn: Turn, _what: BeginRound) -> Refusal | None:
    """Guard: JP-11: no card leaves before the jackpot bets are locked."""
    if not jackpot_bets.holds_deal(turn.state):
        return None
    return refusal("BETS-STILL-TAKEN")


def is_uncounted(turn: Turn, _what: CountDealt) -> Refusal | None:
    """Guard: where a reader watches the shoe, it counts."""
    readers = turn.state.house.card_readers
    if not readers:
        return None
    return refusal("READER-COUNTS", readers=", ".join(readers))


def is_in_shoe(turn: Turn, what: CountDealt) -> Refusal | None:
    """Guard: no more cards than the shoe has."""
    inside = turn.state.account.at(SHOE)
    if 1 <= what.cards <= inside:
        return None
    return refusal("SHOE-HAS-FEWER", cards=what.cards, inside=inside)


def says_why(_turn: Turn, what: InterruptPlay | SpreadCards) -> Refusal | None:
    """Guard: SHOE-8: for want of players or of bets."""
    if what.why.strip():
        return None
    return refusal("INTERRUPTION-UNREASONED")


def is_between_rounds(turn: Turn, _what: SpreadCards) -> Refusal | None:
    """Guard: SHOE-8: while play is interrupted."""
    try:
        the.spread(of(turn).shoe)
    except Against:
        return refusal("SPREAD-IN-ROUND")
    return None


def may_gather_early(turn: Turn, what: GatherCards) -> Refusal | None:
    """Guard: before its last round a shoe is taken apart by a floor supervisor, who says why."""
    not_his = SUPERVISOR(turn, what)
    if not_his is not None:
        return not_his
    if what.why.strip():
        return None
    return refusal("GATHER-UNREASONED")


COUNT = (STAFF, names_every_back)
CUT = (ENTERS_CUT, are_seats, is_cutter, is_seat_taken)
BEGIN = (
    presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule="SHOE-7"),
    is_shoe_ready,
    are_bets_locked,
    free(Scope.DEAL, "settle what locks dealing, then deal"),
)
SPREAD = (STAFF, says_why, is_between_rounds)
INTERRUPT = (STAFF, says_why)
COUNT_DEALT = (STAFF, is_uncounted, is_in_shoe)
GATHER_EARLY = (may_gather_early,)
