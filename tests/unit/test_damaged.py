"""The damaged card (CSM-1)."""

import pytest

from drivers import events
from drivers.events import KeyName, Place
from tableside.batch_requests import CollectDeck, CountDeck, ReplaceDeck
from tableside.card_account import DAMAGED, RESERVE, TABLE
from tableside.cards import Card, parse_card
from tableside.decisions import AlertRaised, IncidentClosed, IncidentNoted
from tableside.happenings import CardReplaced
from tableside.locks import Scope, standing
from tableside.requests import AcknowledgeReport, DismissSuspicion, ReplaceCard, ReportDamaged
from tests.support.table import Table
from tests.unit.test_batch import Bench
from tests.unit.test_rounds import deal, open_table

KING = Card("K", "♠", "red")


@pytest.fixture
def table() -> Table:
    table = open_table()
    deal(table, 5)
    return table


def replace_card(table: Table, **changes: object) -> bool:
    table.tap("S1")
    fields: dict[str, object] = {"damaged": KING, "envelope": "E-7", "replacement": KING}
    return table.ask(ReplaceCard, **{**fields, **changes}).is_accepted


def test_csm1_the_whole_way_from_key_to_report(table: Table) -> None:
    table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    assert standing(table.state, Scope.DEAL)
    assert not table.ask(ReplaceCard, damaged=KING, envelope="E-7", replacement=KING).is_accepted, "nobody present"
    assert replace_card(table)
    assert not standing(table.state, Scope.DEAL)
    assert (table.state.account.at(DAMAGED), table.state.account.at(RESERVE)) == (1, 51)
    assert table.state.account.at(TABLE) == 5
    incident = table.all_of(CardReplaced)[0].incident
    assert not table.all_of(IncidentClosed), "the incident stays open until it is reported"
    assert not table.ask(AcknowledgeReport, by="S1", incident=incident, reference="2026/1").is_accepted
    assert table.ask(AcknowledgeReport, by="M1", incident=incident, reference="2026/1").is_accepted
    assert [closed.number for closed in table.all_of(IncidentClosed)] == [incident]


@pytest.mark.parametrize(
    "changes",
    [
        {"replacement": Card("Q", "♠", "red")},
        {"replacement": Card("K", "♥", "red")},
        {"replacement": Card("K", "♠", "blue")},
        {"damaged": Card("K", "♠", "green"), "replacement": Card("K", "♠", "green")},
        {"envelope": " "},
        {"found_in": "floor"},
        {"found_in": "tray"},
    ],
)
def test_csm1_only_the_same_card_replaces_it(table: Table, changes: dict[str, object]) -> None:
    table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    assert not replace_card(table, **changes)
    assert standing(table.state, Scope.DEAL)


def test_csm1_a_card_that_the_machine_suspects_may_be_sound(table: Table) -> None:
    table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    assert table.all_of(AlertRaised)[-1].text == "CARD-SUSPECT"
    assert standing(table.state, Scope.DEAL)
    assert table.ask(DismissSuspicion).is_accepted
    assert not standing(table.state, Scope.DEAL)


def test_the_damaged_card_key_pressed_in_error_ends_with_a_supervisors_word() -> None:
    """Nobody has a card on the table then that could be replaced, and none comes while dealing is locked."""
    table = open_table()
    table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    assert not replace_card(table)
    assert not table.ask(DismissSuspicion, by="D1").is_accepted
    assert table.ask(DismissSuspicion).is_accepted
    assert not standing(table.state, Scope.DEAL)
    assert not any(alert.text.startswith("CARD") for alert in table.state.alerts.standing.values())
    assert not table.state.incidents.open


def test_the_damaged_card_key_pressed_twice_is_one_incident(table: Table) -> None:
    for _ in range(2):
        table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    assert replace_card(table)
    assert not standing(table.state, Scope.DEAL)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("7♣ red", Card("7", "♣", "red")),
        ("10h blue", Card("10", "♥", "blue")),
        ("T♥ blue", Card("10", "♥", "blue")),
    ],
)
def test_cards_are_read_as_people_write_them(text: str, card: Card) -> None:
    assert parse_card(text) == card


@pytest.mark.parametrize("text", ["joker red", "JOKER", "Joker ★ red", "J★ red", "JK red", "🃏 red", "*♣ red"])
def test_shoe1_a_joker_is_no_card_however_it_is_written(text: str) -> None:
    with pytest.raises(ValueError, match="is no card: write rank"):
        parse_card(text)


@pytest.mark.parametrize("text", ["", "7", "7♣", "1♣ red", "7X red"])
def test_what_is_no_card_says_what_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match="write rank"):
        parse_card(text)


def test_a_card_that_left_after_a_suspicion_is_said_where_it_may_lie_and_in_the_record(table: Table) -> None:
    """CSM-1: the machine finishes the card that it has begun, and nobody looks at the felt unless somebody says so."""
    table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    deal(table, 1)
    assert table.all_of(AlertRaised)[-1].text == "CARD-SUSPECT-OUT"
    assert "1 card left it after that" in table.all_of(IncidentNoted)[-1].text
    table.tap("S1")
    assert table.ask(DismissSuspicion).is_accepted
    closed = table.all_of(IncidentClosed)[-1].text
    assert closed == "looked at: the card is sound; 1 card had left the machine since it was suspected"
    assert not [alert for alert in table.state.alerts.standing.values() if alert.text.startswith("CARD-SUSPECT")]


def test_where_none_left_nothing_is_said_of_it(table: Table) -> None:
    table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    assert table.ask(DismissSuspicion).is_accepted
    assert table.all_of(IncidentClosed)[-1].text == "looked at: the card is sound"
    deal(table, 1)
    assert "CARD-SUSPECT-OUT" not in [raised.text for raised in table.all_of(AlertRaised)]


@pytest.mark.parametrize("by", ["replaced", "confirmed and replaced"])
def test_what_left_is_no_matter_any_more_once_the_card_is_replaced(table: Table, by: str) -> None:
    table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    deal(table, 1)
    if by != "replaced":
        table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    assert replace_card(table)
    standing_now = [alert.text for alert in table.state.alerts.standing.values()]
    assert "CARD-SUSPECT-OUT" not in standing_now
    assert table.state.procedures.damaged.left == 0


def test_a_batch_tables_suspicion_can_be_settled_too() -> None:
    """Dealing is locked by it: a lock that no act of this kind of table could free would stand for ever."""
    table = Bench()
    table.mixed()
    table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    assert standing(table.state, Scope.DEAL)
    assert table.ask(DismissSuspicion, by="S1").is_accepted
    assert not standing(table.state, Scope.DEAL)
    table.comes_out()
    table.wait(20)
    assert table.ask(ReportDamaged, by="D1").is_accepted
    table.tap("S1")
    seven = parse_card("7♣ red")
    assert table.ask(ReplaceCard, by="S1", damaged=seven, envelope="E-1", replacement=seven).is_accepted
    incident = table.all_of(CardReplaced)[0].incident
    assert table.ask(AcknowledgeReport, by="M1", incident=incident, reference="2026/1").is_accepted
    assert table.ask(CollectDeck, by="D1").is_accepted
    assert table.ask(CountDeck, by="S1", back="red", cards=51).is_accepted
    assert not table.ask(ReplaceDeck, by="S1", back="red").is_accepted, "a card of that reserve deck is in play"
