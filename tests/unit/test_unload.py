"""The unload (CSM-6, CSM-8): after closing is announced, a supervisor present, empty proved after it."""

import pytest

from drivers import events
from drivers.events import Outcome, PermitKind, Reason, Verb
from tableside.card_account import MACHINE, UNEXPLAINED
from tableside.decisions import (
    AlertRaised,
    CommandIntended,
    IncidentOpened,
    PermitGranted,
    PermitRevoked,
)
from tableside.happenings import ClosingAnnounced, QuietPointReached
from tableside.requests import (
    AnnounceClosing,
    BeginUnload,
    CardsTakenOut,
    EndRound,
    HoldOver,
    OpenLid,
    ProveEmpty,
    StopPlay,
)
from tableside.session_happenings import EmptyProved, UnloadCompleted, UnloadStopped
from tests.support.session import (
    aside,
    eject_number,
    end_eject,
    give_out,
    levels,
    open_table,
    unload,
    unloaded,
)
from tests.support.table import Table


def state(table: Table) -> str:
    return table.state.procedures.unload.state.value


def ejects(table: Table) -> list[CommandIntended]:
    return [intended for intended in table.all_of(CommandIntended) if intended.verb is Verb.EJECT_ALL]


def closing() -> Table:
    table = open_table()
    assert table.ask(AnnounceClosing, by="D1").is_accepted
    return table


def ejecting() -> Table:
    table = closing()
    table.tap("S1")
    assert table.ask(BeginUnload, by="D1").is_accepted
    return table


# --- when ------------------------------------------------------------------------------------------------------


def test_csm6_no_unload_before_closing_is_announced() -> None:
    table = open_table()
    table.tap("S1")
    answer = table.ask(BeginUnload, by="D1")
    assert (answer.is_accepted, answer.rule, answer.next_step) == (False, "CSM-6", "announce closing first")


def test_csm6_no_unload_without_a_supervisor() -> None:
    table = closing()
    table.tap("M1")
    assert not table.ask(BeginUnload, by="D1").is_accepted
    assert table.all_of(AlertRaised)[-1].text == "UNLOAD-NO-SUPERVISOR"
    table.tap("S1")
    assert table.ask(BeginUnload, by="D1").is_accepted


def test_closing_is_refused_while_a_round_is_open_or_its_cards_are_out() -> None:
    table = open_table()
    give_out(table, 4)
    assert not table.ask(AnnounceClosing, by="D1").is_accepted
    table.ask(EndRound)
    answer = table.ask(AnnounceClosing, by="D1")
    assert (answer.is_accepted, answer.next_step) == (False, "insert the cards, or hold them over")
    table.ask(HoldOver)
    assert table.ask(AnnounceClosing, by="D1").is_accepted
    assert [announced.by for announced in table.all_of(ClosingAnnounced)] == ["D1"]


def test_no_card_is_dealt_once_closing_is_announced() -> None:
    table = closing()
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.DEAL
    give_out(table, 1)
    assert [incident.kind for incident in table.all_of(IncidentOpened)] == ["card out of round"], "CSM-8"


def test_no_unload_while_dealing_is_locked() -> None:
    table = closing()
    table.ask(StopPlay, by="")
    table.tap("S1")
    answer = table.ask(BeginUnload, by="D1")
    assert (answer.is_accepted, "deal is locked" in answer.text) == (False, True)


# --- how ----------------------------------------------------------------------------------------------------------


def test_csm6_every_card_is_counted_out_and_empty_is_proved() -> None:
    table = unloaded()
    assert [(completed.kind, completed.cards) for completed in table.all_of(UnloadCompleted)] == [("session", 312)]
    assert table.all_of(EmptyProved)[-1].purpose == "unload"
    assert (table.state.account.at(MACHINE), aside(table)) == (0, 312)
    assert table.state.procedures.session.state == "sorting"
    assert table.state.presence.kept == {}
    assert table.all_of(QuietPointReached)[-1].point == "unload ended"


def test_the_permit_stands_before_the_command_goes() -> None:
    """TDL: EJECT_ALL moves only under a deal permit, else it is refused."""
    table = ejecting()
    orders = [d for d in table.decided if isinstance(d, (PermitGranted, CommandIntended))]
    assert [type(order).__name__ for order in orders[-2:]] == ["PermitGranted", "CommandIntended"]
    permit = orders[-2]
    assert isinstance(permit, PermitGranted)
    assert (permit.what, permit.not_after_ns) == (PermitKind.DEAL, table.now_ns + 60 * 10**9)
    assert (ejects(table)[-1].step, ejects(table)[-1].is_resumable) == ("unload.eject", True)


def test_csm6_a_lapse_stops_the_unload_and_a_tap_resumes_it_under_a_new_number() -> None:
    table = ejecting()
    first = eject_number(table)
    give_out(table, 100)
    table.wait(60)
    assert (state(table), table.all_of(PermitRevoked)[-1].what) == ("paused: presence", PermitKind.DEAL)
    give_out(table, 1)
    end_eject(table, Outcome.FAILED, Reason.PERMIT, moved=101)
    assert len(ejects(table)) == 1
    table.tap("S1")
    assert state(table) == "cards come out"
    assert eject_number(table) == first + 1
    give_out(table, 211)
    end_eject(table, moved=211)
    levels(table, content=0)
    assert table.all_of(UnloadCompleted)[-1].cards == 312


def test_a_tap_before_the_machine_has_told_the_end_waits_for_it() -> None:
    table = ejecting()
    give_out(table, 100)
    table.wait(60)
    table.tap("S1")
    assert (state(table), len(ejects(table))) == ("permit awaited", 1)
    end_eject(table, Outcome.FAILED, Reason.PERMIT, moved=100)
    assert (state(table), len(ejects(table))) == ("cards come out", 2)


def test_cards_that_finish_after_the_lapse_may_end_it() -> None:
    table = ejecting()
    give_out(table, 311)
    table.wait(60)
    give_out(table, 1)
    end_eject(table, moved=312)
    levels(table, content=0)
    assert table.all_of(UnloadCompleted)


def test_an_empty_machine_is_only_proved() -> None:
    table = ejecting()
    end_eject(table, Outcome.REFUSED, Reason.NO_CARDS)
    assert state(table) == "empty to be proved"


def test_a_command_that_never_ran_is_given_anew() -> None:
    table = ejecting()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready("shuffler", content=312)
    table.give(events.CommandAnswered(device="shuffler", command=eject_number(table), outcome=Outcome.NEVER))
    assert (state(table), len(ejects(table))) == ("cards come out", 2)


def test_a_machine_that_will_not_is_asked_three_times_and_then_a_person() -> None:
    table = ejecting()
    for _ in range(3):
        end_eject(table, Outcome.REFUSED, Reason.PERMIT)
    assert (state(table), len(ejects(table))) == ("stopped", 3)
    assert [stopped.why for stopped in table.all_of(UnloadStopped)] == ["refused: permit"]
    assert table.ask(BeginUnload, by="D1").is_accepted
    assert (state(table), len(ejects(table))) == ("cards come out", 4)


@pytest.mark.parametrize("reason", [Reason.NOT_OFFERED, Reason.EPOCH, Reason.CONTENT_UNVERIFIED])
def test_a_refusal_that_does_not_pass_is_for_a_person(reason: Reason) -> None:
    table = ejecting()
    end_eject(table, Outcome.REFUSED, reason)
    assert (state(table), len(ejects(table))) == ("stopped", 1)


def test_an_outcome_that_nobody_knows_is_never_repeated_by_itself() -> None:
    """The device restarted in mid-unload: the count that settles it comes first, then a person."""
    table = ejecting()
    number = eject_number(table)
    give_out(table, 50)
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.INTERRUPTED))
    assert (state(table), len(ejects(table))) == ("stopped", 1)
    count = next(c.number for c in table.state.commands.open.values() if c.verb is Verb.COUNT_ALL)
    table.notice(events.CommandEnded, command=count, outcome=Outcome.DONE, moved=262)
    levels(table, content=262)
    assert (state(table), len(ejects(table))) == ("stopped", 1)
    assert table.ask(BeginUnload, by="D1").is_accepted
    assert eject_number(table) > number


def test_a_jam_in_mid_unload_stops_it_and_the_rest_comes_out_after_it() -> None:
    table = ejecting()
    give_out(table, 100)
    table.notice(events.CardJammed, place=events.Place.EXIT)
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.DEAL
    table.notice(events.PermitEnded, what=PermitKind.DEAL, why=events.PermitEnding.FAULT, counted=100)
    end_eject(table, Outcome.FAILED, Reason.FAULT, moved=100)
    assert (state(table), len(ejects(table))) == ("permit awaited", 1)
    table.wait(2)
    table.tap("S1")
    table.ask(OpenLid, by="S1")
    table.notice(events.LidOpened)
    table.ask(CardsTakenOut, by="S1", cards=1, now="table")
    table.notice(events.JamGone, place=events.Place.EXIT)
    table.notice(events.LidClosed)
    assert (state(table), len(ejects(table))) == ("cards come out", 2)
    give_out(table, 211)
    end_eject(table, moved=211)
    levels(table, content=0)
    levels(table, content=0)
    assert table.all_of(UnloadCompleted)[-1].cards == 311
    assert table.state.account.at(UNEXPLAINED) == 0


# --- empty ----------------------------------------------------------------------------------------------------------


def test_csm6_a_machine_that_is_not_empty_is_not_unloaded() -> None:
    table = ejecting()
    give_out(table, 310)
    end_eject(table, moved=310)
    levels(table, content=2)
    assert (state(table), table.all_of(UnloadCompleted)) == ("stopped", [])
    assert table.all_of(AlertRaised)[-1].text == "NOT-EMPTY"
    assert table.ask(BeginUnload, by="D1").is_accepted
    give_out(table, 2)
    end_eject(table, moved=2)
    levels(table, content=0)
    assert table.all_of(UnloadCompleted)[-1].cards == 312


def test_a_machine_that_was_emptied_by_hand_is_proved_by_asking() -> None:
    table = ejecting()
    give_out(table, 312)
    end_eject(table, Outcome.REFUSED, Reason.NOT_OFFERED)
    assert table.ask(ProveEmpty, by="S1").is_accepted
    levels(table, content=0)
    assert table.all_of(UnloadCompleted)


@pytest.mark.parametrize(("cards", "text", "k"), [(311, "COUNT-SHORT", "1"), (314, "COUNT-LONG", "2")])
def test_csm6_what_the_count_lacks_is_an_incident_and_stands_unexplained(cards: int, text: str, k: str) -> None:
    table = unloaded(cards)
    assert (table.state.account.at(MACHINE), table.state.account.at(UNEXPLAINED)) == (0, 312 - cards)
    raised = table.all_of(AlertRaised)[-1]
    assert (raised.text, raised.fields["k"]) == (text, k)
    assert [incident.kind for incident in table.all_of(IncidentOpened)] == ["unload count"]


def test_csm8_a_card_that_leaves_after_the_unload_is_an_incident() -> None:
    table = unloaded()
    give_out(table, 1)
    assert [incident.kind for incident in table.all_of(IncidentOpened)] == ["card out of round"]


def test_a_second_unload_of_the_session_is_refused() -> None:
    table = unloaded()
    table.tap("S1")
    assert not table.ask(BeginUnload, by="D1").is_accepted


def test_the_next_session_unloads_too() -> None:
    table = closing()
    unload(table, 312)
    assert state(table) == "over"


def test_few_cards_call_nobody_while_they_are_taken_out() -> None:
    table = open_table()
    table.notice(events.BufferLow, cards=3)
    assert [alert.text for alert in table.state.alerts.standing.values()] == ["MACHINE-LOW"]
    table.ask(AnnounceClosing, by="D1")
    assert not table.state.alerts.standing
    unload(table, 312)
    table.notice(events.BufferLow, cards=0)
    assert not table.state.alerts.standing
