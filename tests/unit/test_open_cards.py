"""Cards that lie face up are opened at once, exactly these, on somebody's word; all others with their round's end."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers import card_events
from drivers.card_events import CardRead
from tableside.card_happenings import CardsTurnedUp
from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.control.curtain import A_CARD, shown
from tableside.decisions import CardsToOpen, IncidentOpened
from tableside.house import TableKind
from tableside.inputs import CardsOpened, DaemonStarted, OpenedCard
from tableside.procedures import card_identities
from tableside.procedures.card_identities import UNOPENED, IdentityState, cards_read, open_cards
from tableside.requests import EndRound, OpenCards, SetDealer
from tableside.state import decode_state, encode_state
from tableside.tables import Turn
from tests.support.samples import SEALED
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table
from tests.unit.test_antennas import antenna, written

FACES = ("8♠", "K♦", "5♣", "A♥", "2♠")


def dealt(cards: int = 4) -> Table:
    """An open table where so many cards of round 1 went past the reader."""
    table = open_table(replace(HOUSE, card_readers=("eye",)))
    table.ready("eye", content=None, areas=None)
    deal(table, range(1, cards + 1))
    return table


def deal(table: Table, counts: range) -> None:
    for count in counts:
        give_out(table, 1)
        table.notice(card_events.CardPassed, "eye", card=SEALED, count=count, back=1)


def answer(table: Table) -> CardsOpened:
    """The rim answers the last wish: the n-th card of the reader is the n-th of FACES."""
    wish = table.all_of(CardsToOpen)[-1]
    cards = tuple(
        OpenedCard(device=one.device, place=one.place, card=FACES[int(one.place.split()[1].strip(",")) - 1])
        for one in wish.cards
    )
    opened = CardsOpened(round=wish.round, cards=cards, is_face_up=wish.is_face_up)
    table.give(opened)
    return opened


def places(table: Table) -> list[list[str]]:
    """What was to be opened so far, wish by wish."""
    return [[card.place.split(",")[0] for card in wish.cards] for wish in table.all_of(CardsToOpen)]


def read(table: Table) -> IdentityState:
    return card_identities.read(table.state, None)


def test_exactly_the_cards_that_lie_open_are_opened_and_the_end_opens_the_rest_once() -> None:
    table = dealt()
    said = table.ask(OpenCards, by="D1", numbers=(1, 2, 3))
    assert (said.is_accepted, said.rule) == (True, "DECK-1")
    (wish,) = table.all_of(CardsToOpen)
    assert (wish.round, wish.is_face_up) == (1, True)
    assert open_cards(table.state) == (), "said is not read yet"
    answer(table)
    assert [(card.card, card.back) for card in open_cards(table.state)] == [(face, "red") for face in FACES[:3]]
    assert [card.card for card in cards_read(table.state, "eye")] == [*FACES[:3], ""], "the bank's second lies shut"
    assert read(table) is IdentityState.SEALED
    table.ask(EndRound, by="D1")
    assert places(table) == [["card 1", "card 2", "card 3"], ["card 4"]]
    assert not table.all_of(CardsToOpen)[-1].is_face_up
    assert read(table) is IdentityState.NONE
    answer(table)
    assert table.state.procedures.card_identities.opening == {}


def test_without_numbers_it_is_all_so_far_and_later_cards_are_sealed_again() -> None:
    table = dealt(2)
    assert table.ask(OpenCards, by="S1").is_accepted
    answer(table)
    assert read(table) is IdentityState.OPEN
    assert not table.ask(OpenCards, by="S1").is_accepted, "nothing is left to open"
    deal(table, range(3, 5))
    assert read(table) is IdentityState.SEALED
    assert table.ask(OpenCards, by="S1").is_accepted
    assert places(table) == [["card 1", "card 2"], ["card 3", "card 4"]]


def test_the_journal_says_who_said_which() -> None:
    table = dealt()
    table.ask(OpenCards, by="D1", numbers=(3, 1, 3))
    assert table.all_of(CardsTurnedUp) == [CardsTurnedUp(device="eye", numbers=(1, 3), by="D1")]


@pytest.mark.parametrize(
    ("by", "fields", "words"),
    [
        ("", {}, "nobody may not do this"),
        ("T1", {}, "T1 may not do this"),
        ("D1", {"numbers": (0,)}, "no number 0"),
        ("D1", {"numbers": (1, 5)}, "has read 4 cards of this round, no number 5"),
        ("D1", {"reader": "ear"}, "ear has read no card"),
    ],
)
def test_refusals_say_which_rule_and_what_there_is(by: str, fields: dict[str, object], words: str) -> None:
    table = dealt()
    said = table.ask(OpenCards, by=by, **fields)
    assert not said.is_accepted
    assert said.rule == "DECK-1"
    assert words in said.text
    assert said.next_step
    assert table.all_of(CardsToOpen) == []


def test_before_a_card_was_read_and_twice_the_same_is_refused() -> None:
    table = dealt(0)
    assert table.ask(OpenCards, by="D1").text == "not while card identities is none read"
    deal(table, range(1, 3))
    assert table.ask(OpenCards, by="D1", numbers=(1,)).is_accepted
    assert table.ask(OpenCards, by="D1", numbers=(1,)).text == "these lie open already"
    assert len(table.all_of(CardsToOpen)) == 1


def test_with_two_readers_it_is_said_whose_cards_are_meant() -> None:
    table = dealt(2)
    table.give(CardRead(device="mat", card=SEALED, place="seat 1"))
    assert table.ask(OpenCards, by="D1").next_step == "name one with --reader: eye, mat"
    assert table.ask(OpenCards, by="D1", reader="mat").is_accepted
    assert places(table) == [["seat 1"]]


def test_above_an_antenna_that_the_house_has_marked_so_a_card_lies_open_at_once() -> None:
    table = open_table(replace(HOUSE, face_up_antennas=("mat",)))
    table.give(CardRead(device="mat", card=SEALED, place="seat 1"))
    table.give(CardRead(device="other", card=SEALED, place="seat 2"))
    assert places(table) == [["seat 1"]]
    assert table.all_of(CardsTurnedUp) == [CardsTurnedUp(device="mat", numbers=(1,))]
    opened = OpenedCard(device="mat", place="seat 1", card="9♦")
    table.give(CardsOpened(round=1, cards=(opened,), is_face_up=True))
    assert [(card.place, card.card) for card in open_cards(table.state)] == [("seat 1", "9♦")]


def test_another_procedure_that_knows_how_the_game_is_dealt_may_say_so() -> None:
    table = dealt()
    turn = Turn(table.state, table.given[-1])
    assert card_identities.PROCEDURE.take(turn, CardsTurnedUp(device="eye", numbers=(2, 9)))
    (wish,) = (what for what in turn.decisions if isinstance(what, CardsToOpen))
    assert [card.place for card in wish.cards] == ["card 2, back red"], "a number that nobody has read opens nothing"


def test_what_was_said_open_and_not_answered_is_asked_again_after_a_restart() -> None:
    table = dealt()
    table.ask(OpenCards, by="D1", numbers=(2,))
    table.state = decode_state(encode_state(table.state))
    table.give(DaemonStarted(version="test", clock_boot="boot-1", house=table.state.house))
    assert places(table) == [["card 2"], ["card 2"]]
    answer(table)
    table.give(DaemonStarted(version="test", clock_boot="boot-1", house=table.state.house))
    assert places(table) == [["card 2"], ["card 2"]]


def test_an_answer_that_the_rounds_end_overtook_is_told_with_the_end() -> None:
    table = dealt(2)
    table.ask(OpenCards, by="D1", numbers=(1,))
    table.ask(EndRound, by="D1")
    assert places(table) == [["card 1"], ["card 1", "card 2"]]
    late = OpenedCard(device="eye", place="card 1, back red", card="8♠")
    table.give(CardsOpened(round=1, cards=(late,), is_face_up=True))
    assert "1" in table.state.procedures.card_identities.opening, "the end's own answer is still to come"
    answer(table)
    assert table.state.procedures.card_identities.opening == {}


def test_a_card_that_cannot_be_opened_is_an_incident_and_stays_shut() -> None:
    table = dealt(1)
    table.ask(OpenCards, by="D1")
    shut = OpenedCard(device="eye", place="card 1, back red", card="")
    table.give(CardsOpened(round=1, cards=(shut,), is_face_up=True))
    assert table.all_of(IncidentOpened)[-1].kind == UNOPENED
    assert open_cards(table.state) == ()


def test_only_what_lies_open_leaves_the_daemon_while_the_round_goes_on() -> None:
    """semantics §6: *a card* until it lies face up."""
    table = dealt()
    table.ask(OpenCards, by="D1", numbers=(1,))
    opened = answer(table)
    state = shown(table.state.procedures, hides_cards=True)
    assert isinstance(state, dict)
    cards = state["card_identities"]["read"]
    assert [(card["card"], card["sealed"]) for card in cards[:2]] == [("8♠", A_CARD), ("", A_CARD)]
    row = shown(opened, hides_cards=True)
    assert isinstance(row, dict)
    assert row["cards"] == [{"device": "eye", "place": "card 1, back red", "card": "8♠"}]


def test_a_watched_shoe_s_cards_may_be_said_open_too() -> None:
    table = Table(replace(HOUSE, kind=TableKind.SHOE, shoe="shoe", shuffler="", readers=()))
    table.give(card_events.CardDrawn(device="shoe", card=SEALED, target=card_events.Target.PLAYER, index=1))
    table.ask(SetDealer, by="S1", dealer="D1")
    assert table.ask(OpenCards, by="S1").is_accepted
    (wish,) = table.all_of(CardsToOpen)
    assert (wish.round, wish.is_face_up, wish.cards[0].place) == (1, True, "player 1")


def test_the_tables_file_marks_an_antenna(tmp_path: Path) -> None:
    path = written(tmp_path, antenna("a1", "seat 1", more="lies_face_up = true"), antenna("a2", "seat 2"))
    assert check(path) == []
    host = load_host(path)
    assert house_of(host, host.tables[0], 1).face_up_antennas == ("a1",)


def test_nothing_but_an_antenna_can_be_marked(tmp_path: Path) -> None:
    extra = antenna("a1", "seat 1").replace('role = "antenna"', 'role = "card_reader"\nlies_face_up = true')
    found = {mistake.key: mistake.problem for mistake in check(written(tmp_path, extra))}
    assert "devices[3].lies_face_up" in found, found
