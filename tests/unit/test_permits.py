"""Permits are derived: what is wished and no lock forbids stands, for the rest of its count (TDL 9)."""

from __future__ import annotations

from drivers import events
from drivers.events import Outcome, PermitEnding, PermitKind, Reason
from tableside.decisions import PermitGranted, PermitRevoked
from tableside.permits import Wish
from tableside.requests import CountAll, EndRound, ResumePlay, StopPlay
from tests.support.session import feed, give_out, levels, open_table
from tests.support.table import Table


def grants(table: Table, what: PermitKind) -> list[PermitGranted]:
    return [granted for granted in table.all_of(PermitGranted) if granted.what is what]


def returning() -> Table:
    table = open_table()
    give_out(table, 10)
    table.ask(EndRound)
    return table


def test_what_was_counted_makes_no_other_wish() -> None:
    wish = Wish("shuffler", PermitKind.FEED, 2_000, 104, None, "packet 1", 3)
    assert wish.is_same(Wish("shuffler", PermitKind.FEED, 2_000, 104, None, "packet 1", 60))
    assert not wish.is_same(Wish("shuffler", PermitKind.FEED, 2_000, 105, None, "packet 1", 3))
    assert wish.rest == 101


def test_a_grant_that_begins_anew_is_for_the_rest_of_the_count() -> None:
    table = returning()
    feed(table, 4)
    table.notice(events.PermitEnded, what=PermitKind.FEED, why=PermitEnding.TIME, counted=4)
    assert [(g.limit_cards, g.is_fresh) for g in grants(table, PermitKind.FEED)][-2:] == [(10, True), (6, True)]


def test_a_permit_is_not_given_before_the_device_has_told_what_it_kept() -> None:
    table = returning()
    feed(table, 4)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    before = len(grants(table, PermitKind.FEED))
    number = table.state.devices.known["shuffler"].notice + 1
    table.ready("shuffler", oldest_notice=number, newest_notice=number)
    assert len(grants(table, PermitKind.FEED)) == before
    feed(table, 5)
    assert grants(table, PermitKind.FEED)[-1].limit_cards == 1


def test_a_permit_of_the_session_before_does_not_outlive_a_lock_that_came_meanwhile() -> None:
    """The device counts its minute by itself: cable back, or we back, what is not granted is revoked."""
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ask(StopPlay, by="")
    came = table.ready("shuffler", content=312)
    assert {d.what for d in came if isinstance(d, PermitRevoked)} == {PermitKind.DEAL, PermitKind.FEED, PermitKind.LID}
    assert not [d for d in came if isinstance(d, PermitGranted)]


def test_a_boot_has_ended_every_permit_by_itself() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="power"))
    came = table.restarted("shuffler", boot=2, content=312)
    assert not [d for d in came if isinstance(d, PermitRevoked)]


def test_a_lock_revokes_and_its_removal_gives_again() -> None:
    table = open_table()
    table.ask(StopPlay, by="")
    assert table.all_of(PermitRevoked)[-1].why.startswith("stop")
    before = len(grants(table, PermitKind.DEAL))
    assert table.ask(ResumePlay, by="S1").is_accepted
    assert len(grants(table, PermitKind.DEAL)) == before + 1


def test_a_permit_refused_for_unverified_content_waits_for_the_count() -> None:
    table = open_table()
    table.give(events.PermitAnswered(device="shuffler", what=PermitKind.DEAL, reason=Reason.CONTENT_UNVERIFIED))
    held = len(grants(table, PermitKind.DEAL))
    assert table.ask(CountAll, by="S1").is_accepted
    number = next(iter(table.state.commands.open.values())).number
    table.notice(events.CommandEnded, command=number, outcome=Outcome.DONE, moved=312)
    levels(table, content=312)
    assert len(grants(table, PermitKind.DEAL)) == held + 1


def test_the_notice_of_a_revoke_ends_no_permit_that_was_given_since() -> None:
    """It arrives after the next grant: taken for that one's end it would be given anew, with a revoke, for ever."""
    table = open_table()
    table.ask(StopPlay, by="")
    table.ask(ResumePlay, by="S1")
    before = len(grants(table, PermitKind.DEAL))
    table.notice(events.PermitEnded, what=PermitKind.DEAL, why=PermitEnding.REVOKED)
    assert len(grants(table, PermitKind.DEAL)) == before
    assert "shuffler:deal" in table.state.permits.granted


def test_a_revocation_says_why() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    assert table.all_of(PermitRevoked)[-1].why == "device away"
