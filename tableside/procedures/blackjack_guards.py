"""What may be entered of a round of blackjack: refused with the rule and what to do (BJ-1, BJ-4, BJ-10 to BJ-19)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from drivers.events import Ability, Holding
from tableside import devices, presence
from tableside.blackjack_requests import (
    AddToBet,
    CollectHand,
    PayBets,
    PlaceBet,
    TellCard,
    TellChoice,
    TellSeats,
    TurnBankCard,
)
from tableside.by_hand import is_by_hand
from tableside.cards import Card, parse_card
from tableside.games import blackjack, blackjack_collect
from tableside.games import blackjack_advice as say
from tableside.games.advice import Against
from tableside.games.blackjack_bets import Bet, TableLimits, accept, check_paid, insure, settle
from tableside.games.blackjack_hands import BANK, Spot
from tableside.games.blackjack_seats import bet_on, can_join, in_force, spots
from tableside.house import Role
from tableside.procedures import blackjack_follow as follow
from tableside.procedures import rounds
from tableside.procedures.blackjack_slice import held, of, unread
from tableside.refusals import Refusal, refusal
from tableside.tables import Guard, Turn

ENTERS = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule="BJ-2")


def refused(against: Against) -> Refusal:
    """What the rules say against it, as an answer."""
    advice = against.advice
    return Refusal(advice.rule, advice.happened, f"{advice.ruling}: {advice.next_step}")


def by_the_rules(act: Callable[[Turn, object], object]) -> Guard:
    """Guard: refuse what the pure rules are against; nothing is changed by the try."""

    def guard(turn: Turn, what: object) -> Refusal | None:
        try:
            act(turn, what)
        except Against as against:
            return refused(against)
        return None

    return guard


def owner(seat: int) -> str:
    """Whose bet it is: people are known by where they sit."""
    return f"seat {seat}"


def spot_of(seat: int, hand: int) -> Spot:
    """As the rules count hands."""
    return Spot(seat, hand - 1) if seat else BANK


# --- seats and bets -----------------------------------------------------------------------------------------


def are_seats(turn: Turn, what: TellSeats) -> Refusal | None:
    """BJ-1: each once, of those that the table has; at least one (BJ-2)."""
    seats, there = what.seats, turn.state.house.seats
    if seats and len(set(seats)) == len(seats) and all(1 <= seat <= there for seat in seats):
        return None
    return refusal("HANDS-SEATS", seats=", ".join(map(str, seats)) or "–", there=there)


def is_before_the_cards(turn: Turn, _what: TellSeats) -> Refusal | None:
    """BJ-16. Cards that a reader has read wait until somebody has told the seats."""
    if of(turn).is_ended or not of(turn).placed:
        return None
    return refusal("HANDS-LATE")


def is_seat(turn: Turn, what: PlaceBet | AddToBet) -> Refusal | None:
    """BJ-1."""
    there = turn.state.house.seats
    if 1 <= what.seat <= there and 0 <= what.from_seat <= there:
        return None
    return refusal("BET-NO-SEAT", seat=what.seat, owner=what.from_seat or what.seat, there=there)


def is_in_time(turn: Turn, what: PlaceBet) -> Refusal | None:
    """BJ-16: also a bet that is added lies there before the seat's first card."""
    played = None if of(turn).is_ended else of(turn).played
    if played is None or not of(turn).placed:
        return None
    try:
        bet_on(played, what.seat, draws_soft_17=played.draws_soft_17)
    except Against as against:
        return refused(against)
    if can_join(played, what.seat) and not follow.cards_at(played, Spot(what.seat)):
        return None
    return refusal("BET-LATE", seat=what.seat)


def lying(turn: Turn) -> tuple[Bet, ...]:
    """The bets of the round that is to come, or on."""
    return () if of(turn).is_ended else of(turn).bets


def bet_of(what: PlaceBet) -> Bet:
    """As the rules take it."""
    is_holder = what.from_seat in (0, what.seat)
    return Bet(owner(what.from_seat or what.seat), what.seat, what.amount, is_holder=is_holder)


def limits(turn: Turn) -> TableLimits:
    """BJ-15."""
    settings = turn.state.house.blackjack
    assert settings is not None, "the state says that blackjack is followed"
    return TableLimits(settings.minimum, settings.maximum)


@by_the_rules
def fits(turn: Turn, what: object) -> None:
    """BJ-15, BJ-17."""
    assert isinstance(what, PlaceBet)
    accept(limits(turn), lying(turn), bet_of(what))


def is_new_bet(turn: Turn, what: PlaceBet) -> Refusal | None:
    """One bet an owner and seat: a higher one is told as the whole bet before the cards, not as a second one."""
    name = owner(what.from_seat or what.seat)
    if all((bet.owner, bet.seat) != (name, what.seat) for bet in lying(turn)):
        return None
    return refusal("BET-TWICE", owner=what.from_seat or what.seat, seat=what.seat)


def named_bet(turn: Turn, what: AddToBet) -> Bet | None:
    """The bet that is meant."""
    name = owner(what.from_seat or what.seat)
    return next((bet for bet in of(turn).bets if (bet.owner, bet.seat) == (name, what.seat)), None)


def is_bet(turn: Turn, what: AddToBet) -> Refusal | None:
    """Something is added to a bet that is known."""
    if named_bet(turn, what) is None:
        known = ", ".join(f"{of(turn).homes[bet.owner]} → {bet.seat}" for bet in of(turn).bets) or "–"
        return refusal("BET-UNKNOWN", owner=what.from_seat or what.seat, seat=what.seat, listed=known)
    if what.insurance or what.split_along or what.is_doubled_along:
        return None
    return refusal("BET-NOTHING-ADDED")


def is_insurable(turn: Turn, what: AddToBet) -> Refusal | None:
    """BJ-12."""
    bet = named_bet(turn, what)
    assert bet is not None, "guarded"
    if not what.insurance:
        return None
    try:
        insure(follow.played_of(turn), bet, what.insurance)
    except Against as against:
        return refused(against)
    if not bet.insurance:
        return None
    return refusal("BET-INSURED", owner=what.from_seat or what.seat, amount=bet.insurance)


def goes_along(turn: Turn, what: AddToBet) -> Refusal | None:
    """BJ-18: an added bet follows the holder's split or double; the holder's own is told as his choice."""
    bet, hands = named_bet(turn, what), follow.played_of(turn).hands.get(what.seat, ())
    assert bet is not None, "guarded"
    if not (what.split_along or what.is_doubled_along):
        return None
    if bet.is_holder:
        return refusal("BET-OF-HOLDER", owner=what.from_seat or what.seat)
    if what.split_along >= len(hands):
        return refusal("BET-ALONG-TOO-MANY", seat=what.seat, hands=len(hands), most=len(hands) - 1)
    if what.is_doubled_along and not any(hand.is_doubled for hand in hands):
        return refusal("BET-NOT-DOUBLED", seat=what.seat)
    return None


# --- cards and choices --------------------------------------------------------------------------------------


def card_named(turn: Turn, text: str) -> Card:
    """The card as people name it, with a back or without; nothing is one that nobody has read. Raises ValueError."""
    if not text:
        return unread(follow.back_of(turn))
    face, _, back = text.strip().partition(" ")
    return parse_card(f"{face} {back or follow.back_of(turn)}")


def is_card(turn: Turn, what: TellCard | TurnBankCard) -> Refusal | None:
    """A card, or none where a reader has read it or it lies face down."""
    try:
        card_named(turn, what.card)
    except ValueError:
        return refusal("CARD-NO-NAME", named=what.card)
    is_named = bool(what.card) or bool(follow.reader(turn)) or (isinstance(what, TellCard) and what.is_face_down)
    return None if is_named else refusal("CARD-NOT-NAMED")


def has_seats(turn: Turn, _what: TellCard) -> Refusal | None:
    """BJ-2 goes by the seats that have a bet."""
    if of(turn).played is not None and not of(turn).is_ended:
        return None
    return refusal("SEATS-NOT-TOLD")


def is_spot(turn: Turn, what: TellCard) -> Refusal | None:
    """BJ-1. A seat without a bet is a seat: a card there is an advice, not a mistake of typing."""
    there = turn.state.house.seats
    if 0 <= what.seat <= there and what.hand >= 1:
        return None
    return refusal("HAND-NO-SPOT", seat=what.seat, hand=what.hand, there=there)


def is_given_out(turn: Turn, what: TellCard) -> Refusal | None:
    """A card is told once: no more of them than the machine has given out, where it counts and can be heard."""
    if follow.reader(turn) or _names_unread(turn, what) or is_by_hand(turn.state):
        return None
    machine = devices.machine(turn.state)
    levels = turn.state.devices.known.get(machine)
    if levels is None or not levels.is_connected or levels.holding(Ability.COUNT_OUT) is Holding.CANNOT:
        return None
    is_on = of(turn).round == turn.state.procedures.rounds.number or rounds.is_open(turn.state)
    dealt = turn.state.procedures.rounds.dealt if is_on else 0
    if of(turn).placed < dealt:
        return None
    return refusal("CARDS-ALL-TOLD", placed=of(turn).placed, device=machine, dealt=dealt)


def _names_unread(turn: Turn, what: TellCard) -> bool:
    played = follow.played_of(turn)
    return bool(what.card) and follow.unread_at(played, spot_of(what.seat, what.hand)) is not None


def is_not_read(turn: Turn, what: TellCard) -> Refusal | None:
    """What a reader has read nobody names otherwise."""
    if not follow.reader(turn) or not what.card or _names_unread(turn, what):
        return None
    return refusal("CARD-WAS-READ", seat=what.seat)


@by_the_rules
def may_choose(turn: Turn, what: object) -> None:
    """BJ-4, BJ-10 to BJ-14."""
    assert isinstance(what, TellChoice)
    spot = spot_of(what.seat, what.hand)
    if spot not in spots(follow.played_of(turn)):
        played = follow.played_of(turn)
        raise Against(say.not_asked(spot, blackjack.current(played), played.asked))
    blackjack.decide(follow.played_of(turn), spot, what.choice)


def is_bank_down(turn: Turn, what: TurnBankCard) -> Refusal | None:
    """Its second card lies there, face down; as it is dealt it is named where no reader reads it (BJ-3)."""
    played = follow.played_of(turn)
    if what.while_dealing and follow.reader(turn) and not of(turn).hole:
        return refusal("BANK-NO-SECOND")
    if not what.while_dealing and len(played.bank) != 2:
        return refusal("BANK-CARDS", cards=len(played.bank))
    if played.is_open:
        return refusal("BANK-OPEN")
    if what.card and follow.reader(turn) and follow.unread_at(played, BANK) is None:
        return refusal("BANK-WAS-READ")
    if what.while_dealing and not follow.reader(turn) and blackjack.due(played) != BANK:
        return refusal("BANK-NOT-DUE")
    return None


# --- collecting and paying ----------------------------------------------------------------------------------


@by_the_rules
def may_collect(turn: Turn, what: object) -> None:
    """JP-12 first, then BJ-8 and BJ-9."""
    assert isinstance(what, CollectHand)
    blackjack_collect.collect(follow.played_of(turn), spot_of(what.seat, what.hand), held(turn.state))


def is_lying(turn: Turn, what: CollectHand) -> Refusal | None:
    """Once only."""
    spot = spot_of(what.seat, what.hand)
    if spot not in of(turn).collected:
        return None
    return refusal("HAND-COLLECTED", seat=what.seat, hand=what.hand)


def is_decided(turn: Turn, _what: PayBets) -> Refusal | None:
    """Bets are known, and the cards say what is due."""
    kept = of(turn)
    if kept.is_paid:
        return refusal("BETS-PAID")
    if kept.unsure:
        return refusal("BETS-NOT-FOLLOWED")
    if not kept.bets or kept.played is None:
        return refusal("BETS-UNKNOWN")
    try:
        settle(kept.played, in_force(kept.bets, kept.homes))
    except ValueError:
        return refusal("BETS-UNDECIDED")
    return None


@by_the_rules
def adds_up(turn: Turn, what: object) -> None:
    """BJ-19, both sums shown."""
    assert isinstance(what, PayBets)
    kept = of(turn)
    assert kept.played is not None, "guarded"
    check_paid(settle(kept.played, in_force(kept.bets, kept.homes)), paid(what))


def are_pairs(_turn: Turn, what: PayBets) -> Refusal | None:
    """A sum for each owner, each once."""
    if len(what.seats) == len(what.amounts) and len(set(what.seats)) == len(what.seats):
        return None
    return refusal("BETS-SUMS", owners=len(what.seats), sums=len(what.amounts))


def paid(what: PayBets) -> dict[str, int]:
    """By owner."""
    return {owner(seat): amount for seat, amount in zip(what.seats, what.amounts, strict=True)}


def changed_bet(bet: Bet, what: AddToBet) -> Bet:
    """The bet with what is added."""
    return replace(
        bet,
        insurance=what.insurance or bet.insurance,
        split_along=what.split_along or bet.split_along,
        is_doubled_along=what.is_doubled_along or bet.is_doubled_along,
    )
