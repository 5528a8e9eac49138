"""Sentence by sentence of the sources on shoe and defective decks: rule, source, what happens, what is ruled.

`002` is the Portuguese source on blackjack, `001` and `004` are Robert's Rules of Poker. The sentences are our words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from tableside.cards import parse_card
from tableside.exchange_requests import AuthoriseSingleCard, ExchangeCards
from tableside.games import defects, shoe
from tableside.games.advice import Against
from tableside.games.defects import Defect, Found, Game, Where
from tableside.games.shoe import INSPECTOR, CutTurn, Shoe
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.requests import (
    AnnounceClosing,
    CloseTable,
    ConfirmMixed,
    EnterSort,
    OpenTable,
    ReplaceCard,
    ReportDamaged,
    SortedDecks,
)
from tableside.shoe_requests import BackCount, CountBacks, GatherCards, SpreadCards
from tests.support.hand_shoe import HAND_HOUSE, WHOLE, HandTable, in_state

READY = Shoe(cards=312, players=3, is_burnt=True, out=1)


def refused(rules: Callable[[], object]) -> str:
    """What the rules do not allow."""
    with pytest.raises(Against) as against:
        rules()
    return f"{against.value.advice.rule}: {against.value.advice.ruling}"


def answer(table: HandTable, kind: type, by: str = "D1", **fields: object) -> str:
    said = table.ask(kind, by=by, **fields)
    return f"{said.rule}: {said.text}" if said.is_accepted else f"{said.rule} refused: {said.text}"


def gathered_with_a_torn_card() -> HandTable:
    table = HandTable().playing()
    table.do(ReportDamaged)
    table.do(GatherCards, by="S1", why="a torn card")
    table.tap("S1")
    return table


def another_session() -> str:
    """The same decks open the table once more."""
    table = HandTable().playing()
    table.do(AnnounceClosing)
    table.do(EnterSort, groups=(SortedDecks("red", 3), SortedDecks("blue", 3)))
    table.do(CloseTable)
    table.do(OpenTable, by="S1", dealer="D1")
    return answer(table, CountBacks, counts=WHOLE)


def single_card(*, is_authorised: bool) -> str:
    table = HandTable().playing()
    table.do(ReportDamaged)
    if is_authorised:
        table.do(AuthoriseSingleCard, by="M1", authorised_by="A. Inspector", reference="order 12")
    table.tap("S1")
    card = parse_card("7♣ red")
    return answer(table, ReplaceCard, by="S1", damaged=card, envelope="E-1", replacement=card, found_in="shoe")


def after_gathering() -> HandTable:
    table = in_state(HandShoeState.OVER)
    assert isinstance(table, HandTable)
    table.do(GatherCards)
    return table


def ruled(**fields: object) -> str:
    found = Found(**{"where": Where.HAND, **fields})  # type: ignore[arg-type]  # the cases name fields of several types
    known = defects.advise(found, is_adopted=True)
    return f"{known.rule}: {known.ruling}"


class Case(NamedTuple):
    """One sentence."""

    rule: str
    source: str
    sentence: str
    happens: Callable[[], object]
    ruling: object


H = Where.HAND
CASES = (
    # --- SHOE, source 002 ---
    Case("SHOE-1", "002", "four or six decks of 52", lambda: HAND_HOUSE.cards_at_table, 312),
    Case(
        "SHOE-1",
        "002",
        "of one or of several back colours",
        lambda: [g.back for g in HAND_HOUSE.decks],
        ["red", "blue"],
    ),
    Case(
        "SHOE-1",
        "002",
        "two special cards, unlike each other and the decks",
        lambda: len({HAND_HOUSE.special_cards.cut, HAND_HOUSE.special_cards.warning, "red", "blue"}),
        4,
    ),  # type: ignore[union-attr]
    Case("SHOE-2", "002", "decks may serve several sessions", another_session, "SHOE-1: every back is whole"),
    Case(
        "SHOE-2",
        "002",
        "all cards of a deck are replaced as soon as one is imperfect",
        lambda: answer(
            gathered_with_a_torn_card(), ExchangeCards, by="S1", out=(BackCount("red", 52),), reference="seal"
        ),
        "SHOE-2: exchanged",
    ),
    Case(
        "SHOE-2",
        "002",
        "the single card is not, by itself",
        lambda: single_card(is_authorised=False),
        "SHOE-2 refused: for one damaged card is exchanged here: deck",
    ),
    Case(
        "SHOE-2",
        "002",
        "unless the inspection service allows it",
        lambda: single_card(is_authorised=True),
        "CSM-1: replaced",
    ),
    Case(
        "SHOE-3",
        "002",
        "before play the dealer shows the cards, deck by deck",
        lambda: answer(_opened(), ConfirmMixed),
        "CSM-4 refused: not while opening is to show",
    ),
    Case(
        "SHOE-4",
        "002",
        "at the start of play the lowest seat has the right to cut",
        lambda: shoe.in_turn(CutTurn(), (6, 2, 4))[0],
        2,
    ),
    Case(
        "SHOE-4",
        "002",
        "when play starts again after an interruption too",
        lambda: shoe.in_turn(shoe.interrupted(), (6, 2, 4))[0],
        2,
    ),
    Case(
        "SHOE-4",
        "002",
        "with each next shoe it passes to the others in order",
        lambda: shoe.in_turn(shoe.has_cut(CutTurn(), 2, (2, 4)), (2, 4))[0],
        4,
    ),
    Case(
        "SHOE-4",
        "002",
        "if nobody wants it the table inspector cuts, and the next shoe counts as a start of play",
        lambda: shoe.in_turn(shoe.has_cut(CutTurn(after=2), INSPECTOR, (2, 4)), (2, 4))[0],
        2,
    ),
    Case(
        "SHOE-5",
        "002",
        "the warning card goes near the 50th card from the end",
        lambda: shoe.warning_place(312, 3),
        262,
    ),
    Case("SHOE-5", "002", "or to the middle with a single player", lambda: shoe.warning_place(312, 1), 156),
    Case(
        "SHOE-5",
        "002",
        "then the cards go into the shoe",
        lambda: in_state(HandShoeState.TO_BURN).state.account.at("shoe"),
        312,
    ),
    Case(
        "SHOE-6",
        "002",
        "before the cards are dealt one is burnt into the tray",
        lambda: refused(lambda: shoe.begin_round(Shoe(cards=312, players=3))),
        "SHOE-6: one card is burnt first",
    ),
    Case(
        "SHOE-7",
        "002",
        "the warning card out, the round in progress is the last of the shoe",
        lambda: shoe.warning_out(replace(READY, is_in_round=True, out=262))[1][0].ruling,
        "the round in progress is the last",
    ),
    Case(
        "SHOE-7",
        "002",
        "no other round before the cards are shuffled again",
        lambda: refused(lambda: shoe.begin_round(replace(READY, rounds_after_warning=1))),
        "SHOE-7: no further round until the cards are shuffled and cut again",
    ),
    Case(
        "SHOE-7",
        "002",
        "out just before a round, that round is still played",
        lambda: shoe.begin_round(shoe.warning_out(replace(READY, out=262))[0]).is_in_round,
        True,
    ),
    Case(
        "SHOE-7",
        "002",
        "cut, warning card and burn are done as before",
        lambda: after_gathering().where,
        HandShoeState.TO_SHUFFLE,
    ),
    Case(
        "SHOE-8",
        "002",
        "play stops for want of players or bets: the cards may be spread, the shoe not finished",
        lambda: answer(HandTable().playing(), SpreadCards, why="no bets"),
        "SHOE-8: spread face up",
    ),
    # --- DECK, sources 001 and 004 ---
    Case(
        "DECK-1",
        "001",
        "another back in a hand: all action is void",
        lambda: ruled(defect=Defect.FOREIGN_BACK),
        "DECK-1: all action is void and every bet goes back",
    ),
    Case(
        "DECK-1",
        "001",
        "in the stub: action stands",
        lambda: ruled(defect=Defect.FOREIGN_BACK, where=Where.STUB),
        "DECK-1: action stands",
    ),
    Case(
        "DECK-2",
        "001",
        "two cards of one rank and suit: all action is void",
        lambda: ruled(defect=Defect.DUPLICATE),
        "DECK-2: all action is void and every bet goes back",
    ),
    Case(
        "DECK-3",
        "001",
        "a card face up in the deck is a scrap, the next card below replaces it",
        lambda: ruled(defect=Defect.BOXED, where=Where.STUB),
        "DECK-3: it is a scrap of paper: the next card below replaces it",
    ),
    Case(
        "DECK-3",
        "001",
        "one that is dealt and mixed in already: after all other cards of that round",
        lambda: ruled(defect=Defect.BOXED, is_mixed_in=True),
        "DECK-3: the next card is mixed with another's: it is replaced after all other cards of that dealing round",
    ),
    Case(
        "DECK-3",
        "001",
        "two or more may be a misdeal",
        lambda: ruled(defect=Defect.BOXED, count=2),
        "MISDEAL-1: two or more of them: it may be a misdeal",
    ),
    Case(
        "DECK-4",
        "001",
        "a joker before its player acts is a scrap, and no misdeal",
        lambda: ruled(defect=Defect.JOKER),
        "DECK-4: it is a scrap of paper: the next card below replaces it; no misdeal",
    ),
    Case(
        "DECK-4",
        "001",
        "he acts without pointing it out: his hand is dead",
        lambda: ruled(defect=Defect.JOKER, has_owner_acted=True),
        "DECK-4: the hand is dead",
    ),
    Case(
        "DECK-5",
        "001",
        "missing cards do not void a result",
        lambda: ruled(defect=Defect.MISSING),
        "DECK-5: the result of the hand is not void",
    ),
    Case(
        "DECK-6",
        "001",
        "one extra card before the first bets goes back and is burnt",
        lambda: ruled(defect=Defect.EXTRA),
        "DECK-6: one extra card goes back and is the burn card",
    ),
    Case(
        "DECK-6",
        "001",
        "two or more may be a misdeal",
        lambda: ruled(defect=Defect.EXTRA, count=2),
        "MISDEAL-1: two or more of them: it may be a misdeal",
    ),
    Case(
        "DECK-7",
        "001",
        "a face-down card dealt off the table counts as exposed",
        lambda: ruled(defect=Defect.OFF_TABLE),
        "DECK-7: a card dealt off the table counts as exposed",
    ),
    Case(
        "DECK-7",
        "001",
        "who drops cards of his hand must still play them",
        lambda: ruled(defect=Defect.DROPPED),
        "DECK-7: who drops a card of his hand must still play it",
    ),
    Case(
        "DECK-8",
        "001",
        "who knew and tried to win may lose the right to his money",
        lambda: ruled(defect=Defect.DUPLICATE, is_known=True),
        "DECK-8: who knew and tried to win may lose the right to his money; "
        "chips may stay in the pot for the next deal",
    ),
    Case(
        "DECK-9",
        "001",
        "flashed by the dealer it counts as exposed",
        lambda: ruled(defect=Defect.FLASHED, game=Game.STUD),
        "STUD-5: it counts as exposed (DECK-9): a key card revealed while dealing: the hand is dead",
    ),
    Case(
        "DECK-9",
        "001",
        "flashed by a player it plays",
        lambda: ruled(defect=Defect.FLASHED_BY_PLAYER),
        "DECK-9: it plays",
    ),
    Case(
        "DECK-9",
        "001",
        "the ruling must be asked for before looking",
        lambda: defects.claim(has_looked=True).ruling,
        "he has looked at it first: the claim comes too late, the card plays",
    ),
    Case(
        "DECK-10",
        "001",
        "the game's rule decides, not the player: hold'em",
        lambda: ruled(defect=Defect.FLASHED, game=Game.HOLD_EM),
        "HOLD-1: it counts as exposed (DECK-9): it may not be kept; a first hole card: misdeal",
    ),
    Case(
        "DECK-10",
        "002",
        "the bank's second card turned at blackjack goes to the tray",
        lambda: ruled(defect=Defect.FLASHED),
        "BJ-3: it counts as exposed (DECK-9): it goes to the discard tray and another is drawn",
    ),
    Case(
        "DECK-11",
        "001",
        "who plays without looking bears the risk",
        lambda: ruled(defect=Defect.JOKER, is_unlooked=True),
        "DECK-11: who plays without looking bears the risk",
    ),
    Case(
        "DECK-1",
        "004",
        "at hold'em too: another back on the board",
        lambda: ruled(defect=Defect.FOREIGN_BACK, where=Where.BOARD, game=Game.HOLD_EM),
        "DECK-1: all action is void and every bet goes back",
    ),
)


def _opened() -> HandTable:
    table = HandTable()
    table.do(OpenTable, by="S1", dealer="D1")
    return table


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule} {case.source} {case.sentence}" for case in CASES])
def test_a_sentence_is_ruled_so(case: Case) -> None:
    assert case.happens() == case.ruling


def test_every_rule_of_shoe_and_deck_has_a_case() -> None:
    # DECK-12 is held by a list that a table keeps: tests/unit/test_defects.py
    wanted = {f"SHOE-{n}" for n in range(1, 9)} | {f"DECK-{n}" for n in range(1, 12)}
    assert wanted == {case.rule for case in CASES}
