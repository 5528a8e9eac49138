"""A round of blackjack as the rules have it: followed card by card, by a reader or by what the dealer enters.

It never plays and stops nobody: what is against the rules is advised, and people decide (BJ-2 to BJ-19). Where hands
cannot be followed the round is *counted only*, and says why.
"""

from __future__ import annotations

from drivers import card_events, events
from drivers.antenna_events import ChipRead, ChipRemoved
from tableside.advice_happenings import Decided
from tableside.blackjack_happenings import BetChanged, BetPlaced, BetsPaid, ChoiceTaken, HandCollected
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
from tableside.games import blackjack
from tableside.games import blackjack_advice as say
from tableside.games.advice import Advice
from tableside.games.blackjack import Choice, Phase
from tableside.games.blackjack_hands import BANK, UNREAD_RANK, total_of
from tableside.games.blackjack_seats import bet_on
from tableside.happenings import DeviceCame, RoundEnded, RoundStarted
from tableside.house import Role
from tableside.inputs import CardsOpened
from tableside.procedures import advice_slice
from tableside.procedures import blackjack_antennas as antennas
from tableside.procedures import blackjack_follow as follow
from tableside.procedures import blackjack_guards as may
from tableside.procedures.blackjack_slice import BlackjackState, begin_anew, of, put, read
from tableside.procedures.card_identities import cards_read
from tableside.procedures.round_slice import RoundState
from tableside.tables import Act, Procedure, Row, Turn

RULE = "BJ-2"
# Ends of a round after which nobody asks what the bank should have done.
NOT_PLAYED_OUT = ("void", "finished elsewhere")


# --- seats and bets -----------------------------------------------------------------------------------------


def _anew(turn: Turn) -> None:
    if of(turn).is_ended:
        begin_anew(turn)


def _seats(turn: Turn, what: TellSeats) -> None:
    _anew(turn)
    with_bets = {bet.seat for bet in of(turn).bets}
    soft = turn.state.house.jurisdiction.bank_draws_soft_17
    put(turn, played=blackjack.begin((*what.seats, *with_bets), draws_soft_17=soft))
    follow.go_on(turn)


def _bet(turn: Turn, what: PlaceBet) -> None:
    _anew(turn)
    bet, home = may.bet_of(what), what.from_seat or what.seat
    soft = turn.state.house.jurisdiction.bank_draws_soft_17
    put(
        turn,
        played=bet_on(of(turn).played, what.seat, draws_soft_17=soft),
        bets=tuple(sorted((*of(turn).bets, bet))),
        homes={**of(turn).homes, bet.owner: home},
    )
    turn.happened(BetPlaced(seat=what.seat, owner=bet.owner, amount=what.amount, by=turn.by))


def _add(turn: Turn, what: AddToBet) -> None:
    bet = may.named_bet(turn, what)
    assert bet is not None, "guarded"
    after = may.changed_bet(bet, what)
    put(turn, bets=tuple(sorted((*(other for other in of(turn).bets if other != bet), after))))
    turn.happened(
        BetChanged(
            seat=what.seat,
            owner=bet.owner,
            insurance=after.insurance,
            split_along=after.split_along,
            is_doubled_along=after.is_doubled_along,
            by=turn.by,
        )
    )


# --- cards that people tell ---------------------------------------------------------------------------------


def _card(turn: Turn, what: TellCard) -> None:
    at, card = may.spot_of(what.seat, what.hand), may.card_named(turn, what.card)
    unread = follow.unread_at(follow.played_of(turn), at)
    if what.card and unread is not None:
        follow.name_card(turn, at, unread, card)
    elif not follow.reader(turn):
        follow.place(turn, card, follow.BY_WORD, at=at, is_turned=not what.is_face_down)
    elif what.is_face_down and of(turn).queue:
        put(turn, is_entered=True)
        follow.go_on(turn, is_settled=True)
    elif not follow.cards_at(follow.played_of(turn), at):
        _lies_elsewhere(turn, what)


def _lies_elsewhere(turn: Turn, what: TellCard) -> None:
    """A card lies where none belongs: the reader knows its order, and eyes where it lies (BJ-2)."""
    at, where = may.spot_of(what.seat, what.hand), blackjack.due(follow.played_of(turn))
    advice_slice.advise(turn, say.out_of_order(at, where or BANK))


def _turn_bank(turn: Turn, what: TurnBankCard) -> None:
    if follow.reader(turn) and of(turn).hole:
        put(turn, is_hole_mistake=what.while_dealing)
        follow.turn_up(turn, of(turn).hole)
    elif what.while_dealing:
        follow.place(turn, may.card_named(turn, what.card), follow.BY_WORD)
    else:
        follow.turn_bank(turn, may.card_named(turn, what.card), follow.BY_WORD)


def _chosen(turn: Turn, what: TellChoice) -> None:
    put(turn, is_entered=True)
    turn.happened(
        ChoiceTaken(round=of(turn).round, seat=what.seat, hand=what.hand, choice=what.choice.value, by=turn.by)
    )
    follow.take(turn, blackjack.decide(follow.played_of(turn), may.spot_of(what.seat, what.hand), what.choice))
    follow.go_on(turn, is_settled=what.choice in (Choice.STAND, Choice.SURRENDER))


def _collected(turn: Turn, what: CollectHand) -> None:
    spot = may.spot_of(what.seat, what.hand)
    put(turn, collected=(*of(turn).collected, spot))
    turn.happened(HandCollected(round=of(turn).round, seat=what.seat, hand=what.hand, by=turn.by))


def _paid(turn: Turn, what: PayBets) -> None:
    put(turn, is_paid=True)
    owners = tuple(map(may.owner, what.seats))
    turn.happened(BetsPaid(round=of(turn).round, owners=owners, amounts=what.amounts, by=turn.by))


# --- cards that a reader tells ------------------------------------------------------------------------------


def _is_ours(
    turn: Turn, what: card_events.CardPassed | card_events.SpecialCardPassed | events.NoticesLost | DeviceCame
) -> bool:
    return what.device == follow.reader(turn)


def _passed(turn: Turn, what: card_events.CardPassed) -> None:
    """In its order; what it is comes when it lies open. One outside a round, such as a burnt one, is none of ours."""
    if turn.state.procedures.rounds.state not in (RoundState.WAITING, RoundState.DEALING):
        return
    _anew(turn)
    before = of(turn).last_count
    put(turn, last_count=what.count)
    if of(turn).unsure:
        return
    if before and what.count != before + 1:
        follow.lose(turn, f"{what.device} told of card {before} and then of card {what.count}")
        return
    put(turn, queue=(*of(turn).queue, len(cards_read(turn.state, what.device))))
    if of(turn).played is None and (seats := antennas.seats_with_chips(turn)):
        soft = turn.state.house.jurisdiction.bank_draws_soft_17
        put(turn, played=blackjack.begin(seats, draws_soft_17=soft))
    follow.go_on(turn)


def _special(turn: Turn, what: card_events.SpecialCardPassed) -> None:
    """No card of the game: the reader counts it, and it is dealt to nobody. A warning card is no dealt card at all."""
    is_scrap = what.kind is card_events.SpecialCard.JOKER or not is_by_hand(turn.state)
    put(turn, last_count=what.count, scraps=of(turn).scraps + is_scrap)


def _blind(turn: Turn, what: events.NoticesLost | DeviceCame) -> None:
    is_blind = isinstance(what, events.NoticesLost) or what.is_new_boot
    if is_blind and of(turn).has_cards:
        follow.lose(turn, f"{what.device} may have missed cards")


def _opened(turn: Turn, what: CardsOpened) -> None:
    ours = [card for card in what.cards if card.device == follow.reader(turn)]
    if what.is_face_up and not of(turn).is_ended:
        follow.opened(turn, frozenset(card.place for card in ours if not card.card))
    elif of(turn).is_ended and what.round == of(turn).round:
        _bank_known_late(turn, {card.place: card.card for card in ours})


def _bank_known_late(turn: Turn, faces: dict[str, str]) -> None:
    """Nobody said that the bank's second card was turned: the round's end tells what it is."""
    kept = of(turn)
    face = faces.get(kept.hole_place)
    if face and kept.played is not None and not kept.unsure and not kept.played.is_open:
        follow.turn_bank(turn, follow.face_of(turn, face, kept.played.bank[1].back), follow.READER)
        if follow.played_of(turn).phase is Phase.BANK:
            _stood_too_low(turn)


# --- the round's ends ---------------------------------------------------------------------------------------


def _started(turn: Turn, _what: RoundStarted) -> None:
    _anew(turn)


def _ended(turn: Turn, what: RoundEnded) -> None:
    kept = of(turn)
    if kept.played is not None and kept.has_cards and not kept.unsure:
        _look_back(turn, what)
    put(turn, is_ended=True, queue=())


def _look_back(turn: Turn, what: RoundEnded) -> None:
    """Whether the bank did its duty, and whether each card that was dealt was followed."""
    kept, played = of(turn), follow.played_of(turn)
    is_told_late = played.phase is Phase.BANK and not played.is_open and bool(kept.hole_place)
    if what.how in NOT_PLAYED_OUT:
        follow.lose(turn, f"the round was {what.how}")
    elif played.phase is Phase.BANK and _must_draw(turn):
        _stood_too_low(turn)
    elif played.phase is not Phase.OVER and not is_told_late:
        follow.lose(turn, f"the round was ended at: {read(turn.state, None).value}")
    seen = kept.placed + kept.scraps
    if seen != what.cards and not (is_by_hand(turn.state) and not follow.reader(turn)):
        follow.lose(turn, f"{seen} cards were followed, {what.cards} were dealt")


def _stood_too_low(turn: Turn) -> None:
    """BJ-6: with players left the bank has to draw."""
    text = f"the round was ended and the bank has {total_of(follow.played_of(turn).bank)}"
    step = "call the floor supervisor; settle nothing yet"
    advice_slice.advise(turn, Advice("BJ-6", text, "the bank draws until it has 17", step, Role.FLOOR_SUPERVISOR))


def _must_draw(turn: Turn) -> bool:
    played = follow.played_of(turn)
    return played.is_open and all(card.rank != UNREAD_RANK for card in played.bank)


def _decided(turn: Turn, what: Decided) -> None:
    """Against the advice: what lies on the table is not what the rules made of it."""
    if what.is_against and what.rule.startswith("BJ-") and of(turn).has_cards and not of(turn).is_ended:
        follow.lose(turn, f"advice {what.number} was decided otherwise")


S = BlackjackState
FOLLOWED = tuple(state for state in S if state is not S.NONE)
WITH_CARDS = (S.FIRST, S.PLAYERS, S.BANK, S.OVER)
CARD_GUARDS = (may.ENTERS, may.has_seats, may.is_spot, may.is_card, may.is_not_read, may.is_given_out)
BET_GUARDS = (may.ENTERS, may.is_seat, may.is_in_time, may.is_new_bet, may.fits)
OF_ANTENNAS: tuple[tuple[type, Act, str], ...] = (
    (ChipRead, antennas.chip_lies, "a chip lies at a seat"),
    (ChipRemoved, antennas.chip_is_gone, "a chip is taken away"),
    (card_events.CardRead, antennas.card_lies, "a card lies at a seat"),
    (card_events.CardRemoved, antennas.card_is_gone, "a card is taken away"),
)
PROCEDURE = Procedure(
    name="blackjack",
    rule=RULE,
    states=BlackjackState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(
            S.BETS,
            TellSeats,
            None,
            _seats,
            guards=(may.ENTERS, may.are_seats, may.is_before_the_cards),
            rule="BJ-16",
            said="these seats play",
        ),
        *(
            Row(
                state,
                PlaceBet,
                None,
                _bet,
                guards=BET_GUARDS,
                rule="BJ-15",
                said="the bet lies there",
            )
            for state in (S.BETS, S.FIRST)
        ),
        *(
            Row(
                state,
                AddToBet,
                None,
                _add,
                guards=(may.ENTERS, may.is_seat, may.is_bet, may.is_insurable, may.goes_along),
                rule="BJ-18",
                said="added",
            )
            for state in (S.PLAYERS, S.BANK)
        ),
        *(
            Row(state, TellCard, None, _card, guards=CARD_GUARDS, rule="BJ-2", said="entered")
            for state in (S.BETS, *WITH_CARDS)
        ),
        *(
            Row(state, TellChoice, None, _chosen, guards=(may.ENTERS, may.may_choose), rule="BJ-4", said="entered")
            for state in (S.PLAYERS, S.BANK)
        ),
        *(
            Row(
                state,
                TurnBankCard,
                None,
                _turn_bank,
                guards=(may.ENTERS, may.is_card, may.is_bank_down),
                rule="BJ-6",
                said="the bank's second card lies open",
            )
            for state in WITH_CARDS
        ),
        *(
            Row(
                state,
                CollectHand,
                None,
                _collected,
                guards=(may.ENTERS, may.may_collect, may.is_lying),
                rule="BJ-9",
                said="collected",
            )
            for state in WITH_CARDS
        ),
        *(
            Row(
                state,
                PayBets,
                None,
                _paid,
                guards=(may.ENTERS, may.are_pairs, may.is_decided, may.adds_up),
                rule="BJ-19",
                said="paid as due",
            )
            for state in (S.OVER, S.BETS)
        ),
        *(
            row
            for state in FOLLOWED
            for row in (
                Row(state, RoundStarted, None, _started, said="first card"),
                Row(state, card_events.CardPassed, None, _passed, _is_ours, said="a card was read", watches=True),
                *(
                    Row(state, kind, None, act, antennas.is_at_seat, said=said, watches=True)
                    for kind, act, said in OF_ANTENNAS
                ),
                Row(state, card_events.SpecialCardPassed, None, _special, _is_ours, said="a scrap", watches=True),
                Row(state, events.NoticesLost, None, _blind, _is_ours, said="cards may be missed", watches=True),
                Row(state, DeviceCame, None, _blind, _is_ours, said="the reader is back", watches=True),
                Row(state, CardsOpened, None, _opened, said="cards lie open", watches=True),
                Row(state, RoundEnded, None, _ended, said="round over"),
                Row(state, Decided, None, _decided, said="people have decided"),
            )
        ),
    ),
    next_step={
        S.NONE: "this table follows no blackjack: add [blackjack] to its file",
        S.BETS: "enter the seats with a bet, or the bets; then deal",
        S.FIRST: "deal in seat order, the bank last, its second card face down",
        S.PLAYERS: "ask in seat order; enter what each decides",
        S.BANK: "turn the bank's second card; draw while it has 16 or less",
        S.OVER: "pay, collect, end the round",
        S.COUNTED: "the hands are not followed any more: play on, end the round",
    },
)
