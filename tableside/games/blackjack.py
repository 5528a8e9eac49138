"""One round of blackjack: what is dealt to whom in which order, and whose duty is next (BJ-2 to BJ-14).

Pure. Cards are facts and never refused: what is against the rules comes back as advice, and the round goes on from
what lies on the table. Decisions of players, entered by the dealer, are requests: one that the rules do not allow
raises `Against` and changes nothing. Seats count from 1; the bank is seat 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from tableside.cards import Card
from tableside.games import blackjack_advice as say
from tableside.games import blackjack_hands as hands_of
from tableside.games.advice import Advice, Against
from tableside.games.blackjack_hands import ACE, BANK, OUT, UNREAD_RANK, Fate, Hand, Spot
from tableside.house import Role

MIN_STAND_ABOVE = 11  # BJ-4


class Phase(StrEnum):
    """How far the round has come."""

    FIRST = "first cards"
    PLAYERS = "players"
    BANK = "bank"
    OVER = "over"


class Choice(StrEnum):
    """What a player may decide (BJ-4, BJ-10, BJ-11, BJ-12, BJ-14)."""

    DRAW = "draw"
    STAND = "stand"
    SPLIT = "split"
    DOUBLE = "double"
    SURRENDER = "surrender"
    EVEN_MONEY = "even money"


class Round(msgspec.Struct, frozen=True):
    """What lies on the table. `is_open`: the bank's second card is turned. `loose`: drawn against a player's wish and
    not turned (BJ-5). `asked`: who waits for a card. `is_unsure`: something did not fit the rules' order.
    """

    seats: tuple[int, ...]  # with a bet placed in time, in seat order (BJ-1, BJ-16)
    hands: dict[int, tuple[Hand, ...]]
    draws_soft_17: bool = False
    bank: tuple[Card, ...] = ()
    is_open: bool = False
    tray: tuple[Card, ...] = ()
    loose: tuple[Card, ...] = ()
    asked: Spot | None = None
    phase: Phase = Phase.FIRST
    is_unsure: bool = False

    def hand(self, spot: Spot) -> Hand:
        """The hand there. Raises LookupError where there is none."""
        return self.hands[spot.seat][spot.hand]

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every card that was dealt and has not gone back: none is ever lost here."""
        of_players = (card for hands in self.hands.values() for hand in hands for card in hand.cards)
        return (*of_players, *self.bank, *self.tray, *self.loose)


Told = tuple[Round, tuple[Advice, ...]]


def begin(seats: tuple[int, ...], *, draws_soft_17: bool = False) -> Round:
    """A round for the seats that have a bet. Raises ValueError without any."""
    if not seats:
        raise ValueError("no bet, no round (BJ-2)")
    in_order = tuple(sorted(set(seats)))
    return Round(seats=in_order, hands={seat: (Hand(),) for seat in in_order}, draws_soft_17=draws_soft_17)


def first_order(seats: tuple[int, ...]) -> tuple[Spot, ...]:
    """BJ-2: one card to each seat and one to the bank, all open; then a second to each, and one closed to the bank."""
    lap = (*(Spot(seat) for seat in seats), BANK)
    return lap + lap


def due(played: Round) -> Spot | None:
    """Where the next card belongs; None: nobody is to get one."""
    if played.phase is Phase.FIRST:
        order = first_order(played.seats)
        return order[_first_cards(played)]
    if played.phase is Phase.PLAYERS:
        return played.asked
    if played.phase is Phase.BANK and _knows(played.bank) and played.is_open:
        return BANK  # it left the phase if it had to stand
    return None


def current(played: Round) -> Spot | None:
    """Whose decision is waited for, in seat order (BJ-4)."""
    if played.phase is not Phase.PLAYERS:
        return None
    spots = (Spot(seat, place) for seat in played.seats for place in range(len(played.hands[seat])))
    return next((spot for spot in spots if played.hand(spot).fate is Fate.PLAYING), None)


# --- cards --------------------------------------------------------------------------------------------------


def deal(played: Round, card: Card, *, at: Spot | None = None, is_turned: bool = True) -> Told:
    """A card was drawn. `at`: where a sensor or a person saw it; else it is taken to go where it is due."""
    where = due(played)
    if where is None:
        return _undue(played, card, is_turned=is_turned)
    advice: tuple[Advice, ...] = ()
    if at is not None and at != where:
        played, advice = replace(played, is_unsure=True), (say.out_of_order(at, where),)
    if played.phase is Phase.FIRST:
        told = _first_card(played, card, where, is_turned=is_turned)
    elif where == BANK:
        told = _bank_goes_on(replace(played, bank=(*played.bank, card)))
    else:
        told = _drawn(replace(played, asked=None), where, card)
    return told[0], (*advice, *told[1])


def turn_hole(played: Round, card: Card) -> Told:
    """The bank's second card is turned, and is this one. Before the players have finished: advice (BJ-2)."""
    if len(played.bank) != hands_of.FIRST_CARDS or played.is_open:
        return played, (Advice("BJ-2", "a second card of the bank was told again", "it is open already", "go on"),)
    opened = replace(played, bank=(played.bank[0], card), is_open=True)
    if played.phase is Phase.PLAYERS:
        early = Advice(
            "BJ-2",
            "the bank's second card was turned before its time",
            "it is dealt face down and turned when the players have finished",
            "call the floor supervisor; the round goes on with it open",
            Role.FLOOR_SUPERVISOR,
        )
        return replace(opened, is_unsure=True), (early,)
    return _bank_goes_on(opened)


def name(played: Round, spot: Spot, place: int, card: Card) -> Told:
    """The dealer names a card that passed unread. Raises `Against` where that card was read."""
    cards = played.bank if spot == BANK else played.hand(spot).cards
    if place >= len(cards) or cards[place].rank != UNREAD_RANK:
        raise Against(Advice("BJ-7", f"card {place + 1} there is known", "a card that was read stays", "see which one"))
    known = (*cards[:place], card, *cards[place + 1 :])
    if spot == BANK:
        told = replace(played, bank=known)
        return _players_begin(told) if told.phase is Phase.PLAYERS else _bank_goes_on(told)
    named = _with(played, spot, replace(played.hand(spot), cards=known))
    if named.phase is not Phase.PLAYERS:
        return named, ()
    begun, advice = _players_begin(named)
    judged, more = _judge(begun, spot)
    return judged, (*advice, *more)


def _first_cards(played: Round) -> int:
    """How many of the first cards lie where they belong."""
    return len(played.bank) + sum(len(hand.cards) for hands in played.hands.values() for hand in hands)


def _first_card(played: Round, card: Card, where: Spot, *, is_turned: bool) -> Told:
    if where != BANK:
        hand = played.hand(where)
        return _with(played, where, replace(hand, cards=(*hand.cards, card))), ()
    if not played.bank:
        return replace(played, bank=(card,)), ()
    if is_turned:
        wrong = Advice(
            "BJ-3",
            f"the bank's second card was turned while it was dealt{say.named(card)}",
            "it goes to the discard tray and another is drawn",
            "put it into the tray, draw another, face down",
        )
        return replace(played, tray=(*played.tray, card)), (wrong,)
    return _players_begin(replace(played, bank=(*played.bank, card), phase=Phase.PLAYERS))


def _undue(played: Round, card: Card, *, is_turned: bool) -> Told:
    """A card that nobody was to get (BJ-5, BJ-6)."""
    if played.phase is Phase.PLAYERS and not is_turned:
        kept = Advice(
            "BJ-5",
            "a card was drawn that nobody asked for; it is not turned",
            "it is for the nearest player who asks for cards, or for the bank if nobody does",
            "leave it face down and go on asking in seat order",
        )
        return replace(played, loose=(*played.loose, card)), (kept,)
    rule = "BJ-5" if played.phase is Phase.PLAYERS else "BJ-6"
    void = Advice(
        rule, f"a card was drawn that nobody was to get{say.named(card)}", "it is void", "put it into the discard tray"
    )
    return replace(played, tray=(*played.tray, card)), (void,)


def _drawn(played: Round, spot: Spot, card: Card) -> Told:
    hand = played.hand(spot)
    return _judge(_with(played, spot, replace(hand, cards=(*hand.cards, card))), spot)


def _judge(played: Round, spot: Spot) -> Told:
    """What follows from a hand as it now lies, and whose turn it is then."""
    hand = played.hand(spot)
    if not _knows(hand.cards):
        return played, (say.unread(spot),)
    advice: list[Advice] = []
    if hands_of.is_special(hand.cards):
        advice.append(say.special(spot))
    is_done = hand.total == hands_of.TOP or hand.is_doubled or _is_split_ace(hand)
    if hand.total > hands_of.TOP:
        advice.append(say.lost(spot, hand))
        played = _with(played, spot, replace(hand, fate=Fate.LOST))
    elif len(hand.cards) >= hands_of.FIRST_CARDS and is_done and hand.fate is Fate.PLAYING:
        played = _with(played, spot, replace(hand, fate=Fate.STOOD))
    after, more = _next_turn(played)
    return after, (*advice, *more)


def _is_split_ace(hand: Hand) -> bool:
    return hand.is_split and hand.cards[0].rank == ACE and len(hand.cards) == hands_of.FIRST_CARDS


# --- decisions ----------------------------------------------------------------------------------------------


def decide(played: Round, spot: Spot, choice: Choice) -> Told:
    """A player has decided. Raises `Against` with the rule where he may not; nothing has changed then."""
    if choice is Choice.EVEN_MONEY:
        return _even_money(played, spot)
    turn = current(played)
    if turn != spot or played.asked is not None:
        raise Against(say.not_asked(spot, turn, played.asked))
    hand = played.hand(spot)
    if not _knows(hand.cards):
        raise Against(say.unread(spot))
    return _CHOICES[choice](played, spot, hand)


def _draw(played: Round, spot: Spot, hand: Hand) -> Told:
    del hand  # one that has 21 is not asked any more
    if played.loose:
        card, *rest = played.loose
        return _drawn(replace(played, loose=tuple(rest)), spot, card)
    return replace(played, asked=spot), ()


def _stand(played: Round, spot: Spot, hand: Hand) -> Told:
    if hand.total <= MIN_STAND_ABOVE:
        raise Against(Advice("BJ-4", f"{hand.total} stands", "one may stand above 11 only", "give a card"))
    return _next_turn(_with(played, spot, replace(hand, fate=Fate.STOOD)))


def _split(played: Round, spot: Spot, hand: Hand) -> Told:
    if not hands_of.is_pair(hand.cards):
        raise Against(Advice("BJ-10", "no pair is split", "two cards of the same value may be split", "ask again"))
    first, second = hand.cards
    halves = (Hand((first,), is_split=True), Hand((second,), is_split=True))
    of_seat = played.hands[spot.seat]
    after = (*of_seat[: spot.hand], *halves, *of_seat[spot.hand + 1 :])
    return _next_turn(replace(played, hands={**played.hands, spot.seat: after}))


def _double(played: Round, spot: Spot, hand: Hand) -> Told:
    may, is_ace_one = hands_of.doubling(hand.cards)
    if not may:
        raise Against(Advice("BJ-11", f"{hand.total} is doubled", "only 9, 10 or 11 in two cards", "ask again"))
    doubled = _with(played, spot, replace(hand, is_doubled=True, is_ace_one=is_ace_one))
    return _draw(doubled, spot, hand)


def _surrender(played: Round, spot: Spot, hand: Hand) -> Told:
    if played.bank[0].rank == ACE:
        raise Against(Advice("BJ-14", "surrender against an ace", "not while the bank shows an ace", "ask again"))
    if hand.is_split or len(hand.cards) != hands_of.FIRST_CARDS:
        raise Against(Advice("BJ-14", "surrender after the first decision", "on the first two cards only", "ask again"))
    return _next_turn(_with(played, spot, replace(hand, fate=Fate.SURRENDERED)))


_CHOICES: Mapping[Choice, Callable[[Round, Spot, Hand], Told]] = {
    Choice.DRAW: _draw,
    Choice.STAND: _stand,
    Choice.SPLIT: _split,
    Choice.DOUBLE: _double,
    Choice.SURRENDER: _surrender,
}


def _even_money(played: Round, spot: Spot) -> Told:
    hand = played.hand(spot)
    has_it = hand.fate is Fate.STOOD and _knows(hand.cards) and hand.is_blackjack
    may = has_it and played.bank[0].rank == ACE and not played.is_open
    if not may:
        text = "with blackjack against an ace, before the bank's second card is known"
        raise Against(Advice("BJ-12", "even money is asked", text, "settle the hand as it stands"))
    return _next_turn(_with(played, spot, replace(hand, fate=Fate.PAID)))


# --- turns --------------------------------------------------------------------------------------------------


def _players_begin(played: Round) -> Told:
    """Blackjacks ask for no card; where the bank cannot have one they are paid at once (BJ-4, BJ-8)."""
    advice: list[Advice] = []
    for spot in (Spot(seat) for seat in played.seats):
        hand = played.hand(spot)
        if not _knows(hand.cards):
            advice.append(say.unread(spot))
        elif hand.is_blackjack and hand.fate is Fate.PLAYING and _knows(played.bank[:1]):
            is_paid = not hands_of.can_become_blackjack(played.bank[0])
            played = _with(played, spot, replace(hand, fate=Fate.PAID if is_paid else Fate.STOOD))
            if is_paid:
                advice.append(say.paid(spot))
    after, more = _next_turn(played)
    return after, (*advice, *more)


def _next_turn(played: Round) -> Told:
    """Who is asked next; a hand after a split gets its second card first; nobody: the bank plays, if it has to."""
    if all(hand.fate in OUT for hands in played.hands.values() for hand in hands):
        return _over(played)  # BJ-9: nobody left, no third card
    if played.phase is not Phase.PLAYERS:
        return played, ()
    spot = current(played)
    if spot is not None:
        hand = played.hand(spot)
        if len(hand.cards) < hands_of.FIRST_CARDS:
            return _draw(played, spot, hand)  # BJ-10: at least one card for each
        return played, ()
    return _bank_goes_on(replace(played, phase=Phase.BANK))


def _bank_goes_on(played: Round) -> Told:
    """The bank's duty after each of its cards (BJ-6); a loose card that nobody asked for is its next (BJ-5)."""
    if played.phase is not Phase.BANK or not played.is_open:
        return played, ()
    if not _knows(played.bank):
        return played, (say.unread(BANK),)
    left = [hand for hands in played.hands.values() for hand in hands if hand.fate not in OUT]
    only_blackjacks = all(hand.is_blackjack for hand in left)  # our reading: the first two cards settle those (BJ-9)
    if only_blackjacks or not hands_of.bank_draws(played.bank, draws_soft_17=played.draws_soft_17):
        return _over(played)
    if played.loose:
        card, *rest = played.loose
        return _bank_goes_on(replace(played, loose=tuple(rest), bank=(*played.bank, card)))
    return played, ()


def _over(played: Round) -> Told:
    """A loose card that nobody needed is out of play (our reading of BJ-5: it was never turned for anybody)."""
    return replace(played, phase=Phase.OVER, tray=(*played.tray, *played.loose), loose=(), asked=None), ()


def _with(played: Round, spot: Spot, hand: Hand) -> Round:
    of_seat = played.hands[spot.seat]
    after = (*of_seat[: spot.hand], hand, *of_seat[spot.hand + 1 :])
    return replace(played, hands={**played.hands, spot.seat: after})


def _knows(cards: tuple[Card, ...]) -> bool:
    return all(card.rank != UNREAD_RANK for card in cards)
