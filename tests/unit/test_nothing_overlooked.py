"""What used to pass unseen: cards put in under a hold, meters that run ahead, origins that nobody knows."""

import pytest

from drivers import events
from drivers.events import Ability, Holding, Outcome, Place
from tableside.decisions import AlertRaised, IncidentOpened, LevelsAsked
from tableside.happenings import CountWanted
from tableside.locks import Scope, standing
from tableside.requests import CardsTakenOut, CountAll, EndRound, OpenLid, RaiseComplaint, SettleIncident
from tests.support.table import ENFORCING, Table
from tests.unit.test_rounds import deal, insert, open_table


@pytest.fixture
def table() -> Table:
    table = open_table()
    deal(table, 5)
    return table


def levels(table: Table, **changes: int) -> events.LevelsRead:
    known = table.state.devices.known["shuffler"]
    fields = {"meter_in": known.meter_in, "meter_out": known.meter_out, "content": 307, **changes}
    return events.LevelsRead(device="shuffler", boot=1, is_path_clear=True, **fields)


def test_csm12_cards_that_go_in_while_a_complaint_holds_them_out_are_an_incident(table: Table) -> None:
    table.ready(
        "shuffler",
        abilities={**ENFORCING, Ability.FEED: Holding.OBSERVES},
        content=307,
        areas=(0, 18, 289),
        meter_out=5,
        newest_notice=5,
    )
    table.ask(RaiseComplaint, by="")
    table.ask(EndRound)
    insert(table, 1)
    assert "CSM-12" in [opened.rule for opened in table.all_of(IncidentOpened)]
    assert standing(table.state, Scope.DEAL)


def test_an_enforcing_machine_may_finish_the_card_that_moves(table: Table) -> None:
    table.ask(RaiseComplaint, by="")
    table.ask(EndRound)
    insert(table, 1)
    assert "CSM-12" not in [opened.rule for opened in table.all_of(IncidentOpened)]


def test_levels_that_run_ahead_of_their_notices_are_read_again_and_open_nothing(table: Table) -> None:
    table.ask(EndRound)
    table.give(levels(table, meter_out=6, content=306))
    assert not table.all_of(IncidentOpened)
    before = len(table.all_of(LevelsAsked))
    table.wait(1)
    assert len(table.all_of(LevelsAsked)) == before + 1


def test_meters_that_no_notice_ever_told_are_an_incident(table: Table) -> None:
    table.ask(EndRound)
    for _ in range(6):
        table.give(levels(table, meter_out=6, content=306))
        table.wait(1)
    assert "unexpected" in [opened.kind for opened in table.all_of(IncidentOpened)]


def test_a_card_whose_origin_nobody_knows_makes_a_full_count_due(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.EXIT)
    table.tap("S1")
    table.ask(OpenLid)
    table.notice(events.LidOpened)
    table.ask(CardsTakenOut, cards=1, now="table", is_origin_unknown=True)
    assert "origin of a card unknown" in [wanted.why for wanted in table.all_of(CountWanted)]


def test_a_broken_meter_stops_the_table_until_somebody_says_what_it_was(table: Table) -> None:
    table.notice(events.CardsOut, meter=4_000_000)
    assert standing(table.state, Scope.DEAL)
    assert "UNEXPECTED" in [raised.text for raised in table.all_of(AlertRaised)]
    number = table.all_of(IncidentOpened)[-1].number
    assert table.ask(SettleIncident, incident=number, finding="counter exchanged").is_accepted
    assert "unexpected" in [wanted.why for wanted in table.all_of(CountWanted)]


def test_a_command_open_at_a_device_that_went_away_locks_until_its_outcome_is_known(table: Table) -> None:
    table.ask(EndRound)
    insert(table, 5)
    assert table.ask(CountAll).is_accepted
    number = next(iter(table.state.commands.open.values())).number
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    assert "open command shuffler" in [lock.reason for lock in standing(table.state, Scope.DEAL)]
    table.ready(highest_number=number, content=312, areas=(0, 18, 294), meter_in=5, meter_out=5, newest_notice=10)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.DONE, is_found=True))
    assert "open command shuffler" not in [lock.reason for lock in standing(table.state, Scope.DEAL)]
