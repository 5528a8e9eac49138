"""Wins that the card reader has seen: told, held open, and never claimed or paid by themselves (JP-5, JP-12).

Cards are known where the round of blackjack is followed: from a reader once they lie open, else from the dealer's
entries. Where they are known, a claim is evaluated on them; where nobody knows them, on what the dealer names.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tableside import locks
from tableside.advice_happenings import AdviceLapsed, Decided
from tableside.blackjack_happenings import ChoiceTaken, HandDealt
from tableside.cards import Card
from tableside.games.advice import Advice
from tableside.happenings import RoundEnded
from tableside.house import Role
from tableside.inputs import CardsOpened
from tableside.jackpot.wins import Win, evaluate
from tableside.jackpot_happenings import JackpotClaimed
from tableside.jackpot_requests import ClaimJackpot
from tableside.locks import Scope
from tableside.procedures import advice_slice
from tableside.procedures.blackjack_slice import first_cards
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "JP-5"
SEEN = "jackpot seen"
Hands = tuple[tuple[Card, ...], ...]


class SensedState(StrEnum):
    """Derived: whether a win was seen that nobody has claimed."""

    NONE = "none seen"
    SEEN = "seen, not claimed"


def hands_of(state: TableState, seat: int) -> Hands:
    """The first cards of each of a seat's hands, as far as they are known."""
    return tuple(hand for hand in first_cards(state).get(seat, ()) if hand)


def in_words(cards: Sequence[Card]) -> str:
    """A hand as people say it."""
    return " ".join(f"{card.rank}{card.suit}" for card in cards)


def meant(state: TableState, seat: int, named: tuple[Card, ...]) -> Hands:
    """What a claim is evaluated on: the hand that is named, with all its known cards; all known ones for no name."""
    known = hands_of(state, seat)
    if not named:
        return known
    fits = [hand for hand in known if _is_same(hand, named)]
    return tuple(max((hand, named), key=len) for hand in fits) or (named,)


def _is_same(hand: Sequence[Card], named: Sequence[Card]) -> bool:
    """As far as both go. Backs are not named."""
    return all((one.rank, one.suit) == (other.rank, other.suit) for one, other in zip(hand, named, strict=False))


def contradiction(state: TableState, what: ClaimJackpot, named: tuple[Card, ...]) -> Refusal | None:
    """What is claimed is not what was seen: both are shown, and somebody looks (JP-5)."""
    known = hands_of(state, what.seat)
    if not known or not named or what.is_against_reader or any(_is_same(hand, named) for hand in known):
        return None
    seen = "; ".join(in_words(hand) for hand in known)
    return refusal("CLAIM-OTHERWISE", seat=what.seat, hand=in_words(named), seen=seen)


# --- what is told -------------------------------------------------------------------------------------------


def _place(seat: int) -> str:
    return f"jackpot, seat {seat}"


def unclaimed(state: TableState) -> tuple[Win, ...]:
    """Seen, and neither claimed nor decided otherwise."""
    jackpot = state.procedures.jackpot
    claimed = {win.seat for win in jackpot.wins}
    open_places = {advice.place for advice in state.procedures.advised.open.values()}
    return tuple(
        win
        for win in jackpot.sensed
        if win.seat in jackpot.bettors and win.seat not in claimed and _place(win.seat) in open_places
    )


def is_claimed_first(turn: Turn, _what: object) -> Refusal | None:
    """JP-12: what was seen to win stays open until it is claimed, or somebody says why it is no win."""
    seen = unclaimed(turn.state)
    if not seen:
        return None
    return refusal("JACKPOT-SEEN", seats=", ".join(str(win.seat) for win in seen))


def _look(turn: Turn, _what: object) -> None:
    jackpot = turn.state.procedures.jackpot
    if jackpot.settings is None or not jackpot.bettors:
        return
    told = {win.seat: win.prize for win in jackpot.sensed}
    claimed = {win.seat: win.prize for win in jackpot.wins}
    for win in evaluate(jackpot.settings, jackpot.bettors, first_cards(turn.state)):
        if win.prize > max(told.get(win.seat, -1), claimed.get(win.seat, -1)):
            _tell(turn, win, jackpot.settings.prizes[win.prize].name)


def _tell(turn: Turn, win: Win, prize: str) -> None:
    procedures = turn.state.procedures
    jackpot = procedures.jackpot
    others = tuple(other for other in jackpot.sensed if other.seat != win.seat)
    changed = replace(jackpot, sensed=tuple(sorted((*others, win))))
    turn.state = replace(turn.state, procedures=replace(procedures, jackpot=changed))
    hand = first_cards(turn.state)[win.seat][win.hand]
    advice = Advice(
        RULE,
        f"seat {win.seat}: {prize}, {in_words(hand)}",
        "its cards stay open until the prize is claimed, checked and paid (JP-12)",
        f"claim it for seat {win.seat}, or say why it is no win",
        Role.FLOOR_SUPERVISOR,  # as a claim is denied: who dealt the cards does not dismiss a win alone
    )
    advice_slice.advise(turn, advice, _place(win.seat))
    locks.add(turn, Scope.FEED, SEEN, "JP-12")


def _claimed(turn: Turn, what: JackpotClaimed) -> None:
    """The claim holds the cards now, and is what the supervisor checks: nothing else is asked."""
    for advice in tuple(advice_slice.of(turn).open.values()):
        if advice.rule == RULE and advice.place == _place(what.seat):
            advice_slice.lapse(turn, advice, "claimed")
    _let_go(turn, what)


def _round_over(turn: Turn, _what: RoundEnded) -> None:
    """Its round is over all the same, and its cards are not there any more; the ruling stays asked."""
    locks.remove_all(turn, SEEN, turn.by)


def _let_go(turn: Turn, _what: object) -> None:
    """Claimed, or decided otherwise."""
    if not unclaimed(turn.state):
        locks.remove_all(turn, SEEN, turn.by)


def read(state: TableState, _what: object) -> SensedState:
    """Derived from what was seen."""
    return SensedState.SEEN if unclaimed(state) else SensedState.NONE


S = SensedState
PROCEDURE = Procedure(
    name="jackpot seen",
    rule=RULE,
    states=SensedState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=tuple(
        Row(state, kind, None, _look, said="its wins are told", watches=True)
        for state in S
        for kind in (HandDealt, ChoiceTaken, CardsOpened)
    )
    + tuple(
        Row(state, kind, None, act, said="its cards are let go", watches=True)
        for state in S
        for kind, act in (
            (JackpotClaimed, _claimed),
            (Decided, _let_go),
            (AdviceLapsed, _let_go),
            (RoundEnded, _round_over),
        )
    ),
    next_step={
        S.NONE: "nothing to do",
        S.SEEN: "leave the cards open; claim the win, or decide the advice",
    },
)
