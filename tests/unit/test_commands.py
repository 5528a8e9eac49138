"""The recovery table, row by row (semantics §1.2, §1.3; BR-007, BR-015, BR-051)."""

import pytest

from drivers import events
from drivers.events import Ability, Holding, Outcome, Verb
from tableside import commands
from tableside.commands import OUTCOMES, Stage
from tableside.decisions import AlertRaised, CommandIntended, CommandNotDone, IncidentOpened, LampSet, OutcomeAsked
from tableside.happenings import CountEnded
from tableside.inputs import Input
from tableside.locks import Scope, standing
from tableside.requests import CountAll, HandCount, SettleUnknown
from tableside.tables import Turn
from tests.support.session import levels, open_table
from tests.support.table import HOUSE, Table

LAMP_ONLY = dict.fromkeys(Ability, Holding.CANNOT) | {Ability.LAMP: Holding.ENFORCES}


def table_with(stage: Stage) -> Table:
    table = Table()
    table.ready()
    turn = Turn(table.state, Input(table.now_ns, 0, "simulated", table.given[0].what))
    commands.intend(turn, "shuffler", Verb.EJECT_ALL, step="unload.eject", is_resumable=True)
    table.state = turn.state
    if stage is not Stage.INTENDED:
        tell(table, Outcome.STARTED)
    if stage is Stage.UNKNOWN:
        tell(table, Outcome.INTERRUPTED)
    return table


def tell(table: Table, outcome: Outcome, *, is_found: bool = True) -> None:
    table.give(events.CommandAnswered(device="shuffler", command=1, outcome=outcome, moved=0, is_found=is_found))


EXPECTED: dict[tuple[Stage, Outcome], str] = {
    (Stage.INTENDED, Outcome.NEVER): "closed",
    (Stage.INTENDED, Outcome.STARTED): "accepted",
    (Stage.INTENDED, Outcome.DONE): "closed",
    (Stage.INTENDED, Outcome.FAILED): "closed",
    (Stage.INTENDED, Outcome.REFUSED): "closed",
    (Stage.INTENDED, Outcome.INTERRUPTED): "unknown",
    (Stage.INTENDED, Outcome.OLD): "unknown",
    (Stage.ACCEPTED, Outcome.NEVER): "unknown",
    (Stage.ACCEPTED, Outcome.STARTED): "accepted",
    (Stage.ACCEPTED, Outcome.DONE): "closed",
    (Stage.ACCEPTED, Outcome.FAILED): "closed",
    (Stage.ACCEPTED, Outcome.REFUSED): "closed",
    (Stage.ACCEPTED, Outcome.INTERRUPTED): "unknown",
    (Stage.ACCEPTED, Outcome.OLD): "unknown",
    (Stage.UNKNOWN, Outcome.DONE): "closed",
    (Stage.UNKNOWN, Outcome.NEVER): "closed",
    (Stage.UNKNOWN, Outcome.REFUSED): "closed",
    (Stage.UNKNOWN, Outcome.INTERRUPTED): "unknown",
}


@pytest.mark.parametrize(("stage", "outcome"), EXPECTED)
def test_recovery_table(stage: Stage, outcome: Outcome) -> None:
    table = table_with(stage)
    tell(table, outcome)
    command = table.state.commands.open.get("shuffler:1")
    assert (command.stage.value if command is not None else "closed") == EXPECTED[stage, outcome]


def test_every_stage_has_a_row_for_every_word() -> None:
    for stage in Stage:
        assert set(OUTCOMES[stage]) == set(Outcome)


def test_an_unknown_outcome_locks_deal_and_feed_until_a_named_act() -> None:
    table = table_with(Stage.UNKNOWN)
    assert standing(table.state, Scope.DEAL)
    tell(table, Outcome.DONE)
    assert standing(table.state, Scope.DEAL), "a later word settles the command, not the lock"
    assert [raised.text for raised in table.all_of(AlertRaised)] == ["OUTCOME-UNKNOWN"]


def test_a_person_settles_what_is_unknown() -> None:
    table = table_with(Stage.UNKNOWN)
    assert not table.ask(SettleUnknown, by="D1", device="shuffler", command=1, moved=0).is_accepted
    assert table.ask(SettleUnknown, device="shuffler", command=1, moved=0).is_accepted
    assert not [lock for lock in standing(table.state, Scope.DEAL) if "unknown" in lock.reason]


def test_a_hand_count_of_the_machine_settles_what_is_unknown() -> None:
    """semantics §1.3: COUNT_ALL or a hand count settles it."""
    table = table_with(Stage.UNKNOWN)
    assert table.ask(HandCount, place="machine", cards=0).is_accepted
    assert not [lock for lock in standing(table.state, Scope.DEAL) if "unknown" in lock.reason]


def test_br007_no_command_is_sent_again_after_silence() -> None:
    table = table_with(Stage.INTENDED)
    table.wait(60)
    assert len(table.all_of(CommandIntended)) == 0
    assert {asked.number for asked in table.all_of(OutcomeAsked)} == {1}


def test_reconnect_asks_for_every_open_command_before_anything_else() -> None:
    table = table_with(Stage.ACCEPTED)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    decided = table.ready(highest_number=1)
    orders = [type(decision).__name__ for decision in decided]
    assert "OutcomeAsked" in orders
    assert "CommandIntended" not in orders


def test_a_device_whose_memory_was_replaced_makes_it_unknown() -> None:
    table = table_with(Stage.ACCEPTED)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready(highest_number=0)
    assert table.state.commands.open["shuffler:1"].stage is Stage.UNKNOWN


def test_another_epoch_locks_and_is_never_repeated() -> None:
    table = table_with(Stage.INTENDED)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready(epoch=0xDEADBEEF)
    assert table.state.commands.open["shuffler:1"].stage is Stage.UNKNOWN
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["other epoch"]


def test_a_journal_older_than_the_device_locks() -> None:
    table = Table()
    table.ready(highest_number=40)
    assert "journal older than the device" in [opened.kind for opened in table.all_of(IncidentOpened)]
    assert standing(table.state, Scope.DEAL)


def test_a_contradiction_is_an_incident() -> None:
    table = table_with(Stage.ACCEPTED)
    tell(table, Outcome.DONE)
    tell(table, Outcome.DONE)
    assert not [opened for opened in table.all_of(IncidentOpened) if "was done" in opened.text]
    tell(table, Outcome.FAILED)
    assert [opened for opened in table.all_of(IncidentOpened) if "was done, now failed" in opened.text]


def test_an_adoption_that_got_lost_is_asked_for_again_and_distrusts_nobody() -> None:
    """The cable broke between ADOPT and its answer: the device still obeys nobody when it is back."""
    table = Table()
    table.ready(epoch=0)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready(epoch=0)
    adopts = [intended.number for intended in table.all_of(CommandIntended) if intended.verb is Verb.ADOPT]
    assert adopts == [1, 2]
    assert [done.why for done in table.all_of(CommandNotDone)] == ["never"]
    assert not table.all_of(IncidentOpened)


def test_only_an_adoption_that_is_done_makes_the_device_ours() -> None:
    table = Table()
    table.ready(epoch=0)
    assert table.state.devices.known["shuffler"].epoch == 0
    assert not table.all_of(CommandNotDone)
    table.give(events.CommandAnswered(device="shuffler", command=1, outcome=Outcome.DONE))
    assert table.state.devices.known["shuffler"].epoch == HOUSE.epoch


def test_a_device_that_has_forgotten_our_epoch_is_not_adopted_by_itself() -> None:
    table = Table()
    table.ready(epoch=HOUSE.epoch)
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.ready(epoch=0)
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["other epoch"]
    assert not [intended for intended in table.all_of(CommandIntended) if intended.verb is Verb.ADOPT]


def test_what_a_device_tells_after_its_memory_was_wiped_is_news_though_the_boot_has_the_same_number() -> None:
    table = open_table()
    assert table.state.devices.known["shuffler"].boot == 1
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=1, epoch=0, content=312)
    table.notice(events.DeviceBooted, cause="power", content=312)
    table.notice(events.CardJammed, place=events.Place.EXIT)
    assert "deal:jam exit" in table.state.locks.standing


def test_a_switch_box_is_adopted_too_or_its_lamp_would_be_refused() -> None:
    table = Table()
    table.ready("switches", epoch=0, abilities=LAMP_ONLY)
    assert [intended.device for intended in table.all_of(CommandIntended)] == ["switches"]
    assert not table.all_of(LampSet)
    table.give(events.CommandAnswered(device="switches", command=1, outcome=Outcome.DONE))
    assert [lamp.device for lamp in table.all_of(LampSet)] == ["switches"]


def test_a_new_device_is_adopted_once() -> None:
    table = Table()
    table.ready(epoch=0)
    adopts = [intended for intended in table.all_of(CommandIntended) if intended.verb is Verb.ADOPT]
    assert len(adopts) == 1
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready(epoch=HOUSE.epoch, highest_number=1)
    assert not table.state.commands.open
    assert len([intended for intended in table.all_of(CommandIntended) if intended.verb is Verb.ADOPT]) == 1


def unknown_locks(table: Table) -> list[str]:
    return [lock.reason for lock in standing(table.state, Scope.DEAL) if "unknown" in lock.reason]


def test_a_later_word_leaves_the_lock_to_a_person() -> None:
    """The command is closed, its lock is not: without a named act for it the table would stay locked for ever."""
    table = table_with(Stage.UNKNOWN)
    tell(table, Outcome.DONE)
    assert unknown_locks(table)
    assert not table.ask(SettleUnknown, by="D1", device="shuffler", command=1, moved=0).is_accepted
    assert table.ask(SettleUnknown, device="shuffler", command=1, moved=0).is_accepted
    assert not unknown_locks(table)
    assert "OUTCOME-UNKNOWN" not in {alert.text for alert in table.state.alerts.standing.values()}


def test_a_later_word_leaves_the_lock_to_a_count() -> None:
    table = table_with(Stage.UNKNOWN)
    tell(table, Outcome.DONE)
    number = next(command.number for command in table.state.commands.open.values())
    table.notice(events.CommandEnded, command=number, outcome=Outcome.DONE, moved=0)
    levels(table, content=0)
    assert not unknown_locks(table)
    assert "OUTCOME-UNKNOWN" not in {alert.text for alert in table.state.alerts.standing.values()}


def test_a_count_that_ended_before_a_restart_says_nothing_of_what_the_machine_holds_since() -> None:
    """The device knows it as done; but its new boot has made the content unverified, and it will deal nothing."""
    table = open_table()
    table.ask(CountAll)
    first = table.all_of(CommandIntended)[-1].number
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=2, highest_number=first, is_content_unverified=True, content=312)
    answer = events.CommandAnswered(device="shuffler", command=first, outcome=Outcome.DONE, is_found=True)
    table.give(answer)
    levels(table, content=312)
    assert "deal:count" in table.state.locks.standing
    table.wait(16)
    assert table.all_of(CommandIntended)[-1].number > first


def test_a_count_that_a_restart_cut_off_is_made_anew_and_the_lost_one_is_no_result() -> None:
    """The lost command is settled while the next one runs already: its end is not the running one's end."""
    table = Table()
    table.ready(content=312, is_content_unverified=True)
    lost = next(iter(table.state.commands.open.values())).number
    table.give(events.CommandAnswered(device="shuffler", command=lost, outcome=Outcome.STARTED))
    table.give(events.DeviceLost(device="shuffler", why="watchdog"))
    table.restarted("shuffler", boot=2, content=312, is_content_unverified=True, highest_number=lost)
    table.give(events.CommandAnswered(device="shuffler", command=lost, outcome=Outcome.INTERRUPTED, is_found=True))
    table.give(events.LevelsRead(device="shuffler", boot=2, content=312, is_path_clear=True))
    assert not table.all_of(CountEnded), "nobody has counted yet"
    assert "OUTCOME-UNKNOWN" not in {raised.text for raised in table.all_of(AlertRaised)}, "settled in the same turn"
    assert table.state.devices.known["shuffler"].is_content_unverified
    assert [command.number for command in table.state.commands.open.values()] == [lost + 1]
    table.notice(events.CommandEnded, command=lost + 1, outcome=Outcome.DONE, moved=312)
    table.give(events.LevelsRead(device="shuffler", boot=2, content=312, is_path_clear=True))
    assert [ended.counted for ended in table.all_of(CountEnded)] == [312]
