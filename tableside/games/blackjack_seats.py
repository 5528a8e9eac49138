"""Who has a bet in time, what each seat was dealt first, and the table in words (BJ-1, BJ-16, BJ-17, JP-5). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from tableside.cards import Card
from tableside.games import blackjack_hands as hands_of
from tableside.games.advice import Advice, Against
from tableside.games.blackjack import Phase, Round, begin
from tableside.games.blackjack_bets import Bet, decider
from tableside.games.blackjack_hands import UNREAD_RANK, Hand, Spot

# What a reader has seen and nobody may know yet, or passed it unread.
FACE_DOWN = "a card face down"


def bet_on(played: Round | None, seat: int, *, draws_soft_17: bool) -> Round:
    """The round with a bet at one more seat. Raises `Against` where its turn for the first card has come (BJ-16)."""
    if played is None:
        return begin((seat,), draws_soft_17=draws_soft_17)
    if seat in played.seats:
        return played
    if not can_join(played, seat):
        ruling = "a bet lies there before its turn for the first card comes"
        raise Against(Advice("BJ-16", f"a bet at seat {seat} after its turn", ruling, "give it back"))
    seats = tuple(sorted((*played.seats, seat)))
    return replace(played, seats=seats, hands={**played.hands, seat: (Hand(),)})


def can_join(played: Round, seat: int) -> bool:
    """No card has come to a seat behind it yet, nor to the bank."""
    is_first_lap = played.phase is Phase.FIRST and not played.bank
    return is_first_lap and all(not played.hands[other][0].cards for other in played.seats if other > seat)


def in_force(bets: Iterable[Bet], home: Mapping[str, int]) -> tuple[Bet, ...]:
    """The bets, and on each seat one that decides: the holder's, else the highest (BJ-17). `home`: owner → own seat."""
    by_seat: dict[int, list[Bet]] = defaultdict(list)
    for bet in bets:
        by_seat[bet.seat].append(bet)
    found: list[Bet] = []
    for on_seat in by_seat.values():
        if any(bet.is_holder for bet in on_seat):
            found += on_seat
            continue
        chosen = decider(on_seat, home)
        found += [replace(bet, is_holder=bet.owner == chosen) for bet in on_seat]
    return tuple(sorted(found))


def first_cards_of(played: Round) -> Mapping[int, tuple[tuple[Card, ...], ...]]:
    """What each seat was dealt, hand by hand in the order of the deal, up to the first card that is not known.

    After a split each hand begins with its card of the pair (JP-5).
    """
    return {seat: tuple(_known(hand.cards) for hand in hands) for seat, hands in played.hands.items()}


def _known(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    for place, card in enumerate(cards):
        if card.rank == UNREAD_RANK:
            return cards[:place]
    return cards


def in_words(played: Round) -> tuple[str, ...]:
    """Each hand in a line: how many cards, what they make as far as they lie open, how far it has come."""
    lines = [_line(f"seat {spot.seat}", spot, played.hand(spot)) for spot in spots(played)]
    bank = played.bank if played.is_open else played.bank[:1]
    if played.bank:
        more = "" if len(bank) == len(played.bank) else f", {FACE_DOWN}"
        lines.append(f"bank: {_total(bank)}{more}")
    return tuple(lines)


def spots(played: Round) -> tuple[Spot, ...]:
    """Each hand that lies there, in seat order."""
    return tuple(Spot(seat, place) for seat in played.seats for place in range(len(played.hands[seat])))


def _line(name: str, spot: Spot, hand: Hand) -> str:
    second = f", hand {spot.hand + 1}" if spot.hand else ""
    doubled = ", doubled" if hand.is_doubled else ""
    return f"{name}{second}: {_total(hand.cards, is_ace_one=hand.is_ace_one)}{doubled}, {hand.fate.value}"


def _total(cards: tuple[Card, ...], *, is_ace_one: bool = False) -> str:
    count = f"{len(cards)} card{'' if len(cards) == 1 else 's'}"
    if not cards or any(card.rank == UNREAD_RANK for card in cards):
        return count
    return f"{hands_of.total_of(cards, is_ace_one=is_ace_one)} in {count}"
