"""A round of blackjack goes on with each card and each word, by the pure rules; what they say is told (BJ-2 to BJ-14).

Of a card reader only the order is known. In the first laps that says where each card lies; afterwards only together
with what the players decide. A card that belongs to a player or is the bank's first lies face up and is opened
(`CardsTurnedUp`); the bank's second stays sealed until somebody says that it was turned, the bank draws, or the round
is over.
"""

from __future__ import annotations

from msgspec.structs import replace

from drivers import card_events
from tableside.blackjack_happenings import BankTurned, CardVoid, DealerTold, HandDealt, HandsBegun, HandsOver
from tableside.blackjack_happenings import HandsUnsure as Unsure
from tableside.card_happenings import CardsTurnedUp
from tableside.cards import TEN, Card
from tableside.games import blackjack
from tableside.games import blackjack_hands as hands_of
from tableside.games.advice import Advice
from tableside.games.blackjack import Phase, Round, Told
from tableside.games.blackjack_advice import named
from tableside.games.blackjack_hands import BANK, UNREAD_RANK, Spot
from tableside.games.blackjack_seats import in_words, spots
from tableside.house import Role
from tableside.procedures import advice_slice, rounds
from tableside.procedures.blackjack_slice import face_down, number_of, of, put, unread
from tableside.procedures.card_identities import cards_read
from tableside.procedures.read_cards import ReadCard
from tableside.tables import Turn

# What the dealer does at once and nobody decides on: told, and done with.
AT_ONCE = frozenset({"BJ-8", "BJ-9"})
UNREAD_RULE = "BJ-7"
# No card of the game: another takes its place; what becomes of it is for whoever watches the decks.
SCRAP = (card_events.JOKER, card_events.CUT_CARD)
# What no hand counts until somebody has named it.
NO_CARD = ("", card_events.UNREAD, *SCRAP)
READER, BY_WORD = "reader", "told"


def reader(turn: Turn) -> str:
    """The reader that sees what is dealt; empty where the table has none."""
    return next(iter(turn.state.house.card_readers), "")


def played_of(turn: Turn) -> Round:
    """The round on the table, where one is followed."""
    played = of(turn).played
    assert played is not None, "the state says that one is followed"
    return played


def back_of(turn: Turn, back: str = "") -> str:
    """The back as it was read, else that of the table's first decks: two backs cannot be told apart by a word."""
    return back or turn.state.house.decks[0].back


def lose(turn: Turn, why: str) -> None:
    """The hands of this round are followed no more; its cards are counted as ever."""
    if not of(turn).unsure:
        put(turn, unsure=why, queue=())
        turn.happened(Unsure(round=of(turn).round or next_round(turn), why=why))


def next_round(turn: Turn) -> int:
    """The round in progress, or the one that begins with this card."""
    return turn.state.procedures.rounds.number + (not rounds.is_open(turn.state))


# --- by the rules -------------------------------------------------------------------------------------------


def take(turn: Turn, told: Told) -> None:
    """The round after a step, and everything that the rules say of it."""
    before, (after, advice) = played_of(turn), told
    put(turn, played=after)
    for card in after.tray[len(before.tray) :]:
        turn.happened(CardVoid(round=of(turn).round, card=name_of(card)))
    for each in advice:
        _say(turn, each, after)
    if after.phase is Phase.OVER and before.phase is not Phase.OVER:
        total = hands_of.total_of(after.bank) if _is_known(after.bank) else 0
        turn.happened(HandsOver(round=of(turn).round, bank=total, hands=in_words(after)))
    _open_what_lies_open(turn)


def _say(turn: Turn, advice: Advice, played: Round) -> None:
    if advice.rule in AT_ONCE:
        told = DealerTold(round=of(turn).round, rule=advice.rule, text=advice.happened, next_step=advice.next_step)
        turn.happened(told)
    elif advice.rule != UNREAD_RULE or not any(number_of(card) for card in _lying_open(played)):
        advice_slice.advise(turn, advice)


def place(turn: Turn, card: Card, how: str, *, at: Spot | None = None, is_turned: bool = True) -> None:
    """A card was drawn: it lies where it is due, or is void, or belongs to nobody yet."""
    begin(turn)
    played = played_of(turn)
    where = blackjack.due(played)
    put(turn, placed=of(turn).placed + 1)
    is_void = where == BANK and is_turned and len(played.bank) == 1 and played.phase is Phase.FIRST  # BJ-3
    if where is not None and not is_void:
        told = HandDealt(
            round=of(turn).round, seat=where.seat, hand=where.hand + 1, card=name_of(card) if is_turned else "", how=how
        )
        turn.happened(told)
    take(turn, blackjack.deal(played, card, at=at, is_turned=is_turned))


def begin(turn: Turn) -> None:
    """With the first card the round has its number, and the bets lie."""
    if of(turn).round:
        return
    put(turn, round=next_round(turn))
    seats = played_of(turn).seats
    turn.happened(HandsBegun(round=of(turn).round, seats=seats))
    for seat in turn.state.procedures.jackpot.bettors:
        if seat not in seats:
            text, ruling = f"seat {seat} has a jackpot bet and no other bet", "only who has a main bet may play it"
            advice_slice.advise(
                turn, Advice("JP-8", text, ruling, "give the jackpot chip back", Role.FLOOR_SUPERVISOR), f"seat {seat}"
            )


def turn_bank(turn: Turn, card: Card, how: str) -> None:
    """The bank's second card lies open."""
    turn.happened(BankTurned(round=of(turn).round, card=name_of(card), how=how))
    take(turn, blackjack.turn_hole(played_of(turn), card))


def turn_bank_by_mistake(turn: Turn, card: Card, how: str) -> None:
    """BJ-3: it was turned as it was dealt; it was followed as lying face down until somebody said so."""
    played = played_of(turn)
    put(
        turn,
        played=replace(played, bank=played.bank[:1], phase=Phase.FIRST),
        hole=0,
        hole_place="",
        is_hole_mistake=False,
    )
    put(turn, placed=of(turn).placed - 1)
    place(turn, card, how)


def name_card(turn: Turn, spot: Spot, index: int, card: Card) -> None:
    """A card that lay unread is known now. Raises `Against` where it was known."""
    take(turn, blackjack.name(played_of(turn), spot, index, card))
    for advice in tuple(advice_slice.of(turn).open.values()):
        if advice.rule == UNREAD_RULE and not _has_unread(played_of(turn)):
            advice_slice.lapse(turn, advice, "the card was named")


def unread_at(played: Round, spot: Spot) -> int | None:
    """The place of a card there that passed unread, and that the dealer may name."""
    cards = cards_at(played, spot)
    return next((index for index, card in enumerate(cards) if card.rank == UNREAD_RANK and not number_of(card)), None)


def cards_at(played: Round, spot: Spot) -> tuple[Card, ...]:
    """The cards at a spot; none where no such hand lies."""
    if spot == BANK:
        return played.bank
    hands = played.hands.get(spot.seat, ())
    return hands[spot.hand].cards if spot.hand < len(hands) else ()


def name_of(card: Card) -> str:
    """As it is told: empty where nobody may know it yet, or does."""
    return "" if card.rank == UNREAD_RANK else str(card)


# --- what a reader has read -----------------------------------------------------------------------------------


def go_on(turn: Turn, shut: frozenset[str] = frozenset(), *, is_settled: bool = False) -> None:
    """As many of the cards that wait as can be followed now. `shut`: places whose card could not be opened.

    `is_settled`: a card that nobody has asked for until now is one that nobody asked for (BJ-5). Else it waits for the
    next word or card: people tell a decision a moment before the card that follows it, or a moment after.
    """
    while of(turn).queue and of(turn).played is not None and not of(turn).unsure:
        number = of(turn).queue[0]
        known = cards_read(turn.state, reader(turn))
        if number > len(known):
            lose(turn, "more cards were read than a round has")
        elif not _follow(turn, number, known[number - 1], shut, is_settled=is_settled):
            return


def _follow(turn: Turn, number: int, card: ReadCard, shut: frozenset[str], *, is_settled: bool) -> bool:
    """Whether the card in front was followed, so that the next one may be."""
    played, where = played_of(turn), blackjack.due(played_of(turn))
    if where == BANK and played.phase is Phase.FIRST and played.bank:
        put(turn, hole=number, hole_place=card.place)
        return _placed(turn, face_down(number, back_of(turn, card.back)), is_turned=False)
    if where is None and played.phase is Phase.PLAYERS:
        if not is_settled and len(of(turn).queue) == 1:
            return False
        if of(turn).is_entered:
            return _placed(turn, face_down(number, back_of(turn, card.back)), is_turned=False)
        lose(turn, "cards are drawn, and nobody tells what the players decide")
        return False
    if where is None and played.phase is Phase.BANK and not played.is_open and of(turn).hole:
        turn_up(turn, of(turn).hole)  # the bank draws, so its second card lies open
        return False
    if not card.card and card.place not in shut:
        turn_up(turn, number)
        return False
    if card.card in SCRAP:
        put(turn, queue=of(turn).queue[1:], scraps=of(turn).scraps + 1)
        return True
    return _placed(turn, card_of(turn, card))


def _placed(turn: Turn, card: Card, *, is_turned: bool = True) -> bool:
    put(turn, queue=of(turn).queue[1:])
    place(turn, card, READER, is_turned=is_turned)
    return True


def turn_up(turn: Turn, number: int) -> None:
    """It lies face up: what it is comes with the next input."""
    if not cards_read(turn.state, reader(turn))[number - 1].is_face_up:
        turn.happened(CardsTurnedUp(device=reader(turn), numbers=(number,)))


def card_of(turn: Turn, card: ReadCard) -> Card:
    """As the rules take it; one that passed unread has no rank."""
    return face_of(turn, card.card, card.back)


def face_of(turn: Turn, face: str, back: str) -> Card:
    """Of a face as a reader tells it, `T♥`."""
    if face in NO_CARD:
        return unread(back_of(turn, back))
    return Card("10" if face[0] == TEN else face[0], face[1:], back_of(turn, back))


def opened(turn: Turn, shut: frozenset[str]) -> None:
    """Cards were opened: those that lie in hands are named, the bank's second is turned, others are placed."""
    kept = of(turn)
    known = cards_read(turn.state, reader(turn))
    if kept.played is not None and not kept.unsure:
        if kept.hole and kept.hole <= len(known) and known[kept.hole - 1].card and not kept.played.is_open:
            act = turn_bank_by_mistake if kept.is_hole_mistake else turn_bank
            act(turn, card_of(turn, known[kept.hole - 1]), READER)
        _name_what_was_drawn(turn, known)
    go_on(turn, shut)


def _name_what_was_drawn(turn: Turn, known: tuple[ReadCard, ...]) -> None:
    """BJ-5: a card that nobody had asked for is known: in a hand it counts, else it is void."""
    played = played_of(turn)
    for spot in (*spots(played), BANK):
        for index, card in enumerate(cards_at(played_of(turn), spot)):
            if (number := _known_number(turn, card, known)) and number != of(turn).hole:
                name_card(turn, spot, index, card_of(turn, known[number - 1]))
    for card in played_of(turn).loose:
        if number := _known_number(turn, card, known):
            void_loose(turn, card, card_of(turn, known[number - 1]))


def _known_number(turn: Turn, card: Card, known: tuple[ReadCard, ...]) -> int:
    """The number of a card that lay face down and is known now; 0 for all others."""
    number = number_of(card) or 0
    return number if 0 < number <= len(known) and known[number - 1].card else 0


def void_loose(turn: Turn, loose: Card, card: Card) -> None:
    """It was turned before anybody asked for a card."""
    played = played_of(turn)
    left = tuple(other for other in played.loose if other != loose)
    text, ruling = f"a card that nobody asked for was turned{named(card)}", "once turned it is void"
    void = Advice("BJ-5", text, ruling, "put it into the discard tray")
    take(turn, (replace(played, loose=left, tray=(*played.tray, card)), (void,)))


def _open_what_lies_open(turn: Turn) -> None:
    """A card that lay face down has come to a hand: it is turned there."""
    for card in _lying_open(played_of(turn)):
        number = number_of(card)
        if number:
            turn_up(turn, number)


def _lying_open(played: Round) -> tuple[Card, ...]:
    """Cards that lie face up by the rules: all of the players' hands, and the bank's but its second."""
    of_players = (card for hands in played.hands.values() for hand in hands for card in hand.cards)
    hole = () if played.is_open else played.bank[1:2]
    return (*of_players, *(card for card in played.bank if card not in hole))


def _is_known(cards: tuple[Card, ...]) -> bool:
    return all(card.rank != UNREAD_RANK for card in cards)


def _has_unread(played: Round) -> bool:
    return any(card.rank == UNREAD_RANK for card in _lying_open(played))
