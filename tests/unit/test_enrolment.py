"""Badges by enrolment: two taps of one badge, under the badge of somebody above; a lost one counts no more at once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.events import BadgeSeen, SightingKind
from tableside.badge_happenings import BadgeEnrolled, BadgeWithdrawn, EnrolmentEnded
from tableside.badges import Badge, Badges, Enrolled, digest_of
from tableside.decisions import AlertRaised
from tableside.happenings import BadgeRefused, PresenceLapsed, SectionHandedOver
from tableside.inputs import BadgeSighted
from tableside.people_requests import EnrolBadge, HandOverSection, WithdrawBadge
from tableside.procedures.enrolment import TAPS_WITHIN_S
from tableside.procedures.enrolment_slice import EnrolmentState, of
from tableside.requests import TakeSection
from tests.support.session import loading
from tests.support.table import HOUSE, Table

NEW, OTHER = "5f" * 16, "6a" * 16
NUMBER, KEY = "26:00ABCDEF", b"key of a test"


def table_with_reader() -> Table:
    table = Table()
    table.reader_ready()
    return table


def waiting(by: str = "S1", staff: str = "D2") -> Table:
    """Somebody has tapped and asked for a new badge."""
    table = table_with_reader()
    table.tap(by)
    table.wait(2)
    answer = table.ask(EnrolBadge, by=by, staff=staff, reader="reader")
    assert answer.is_accepted, answer.text
    return table


def sight(table: Table, digest: str, staff: str = "") -> None:
    table.give(BadgeSighted(reader="reader", kind=SightingKind.TAP, staff=staff, digest=digest))


def test_the_same_badge_tapped_twice_is_somebodys_from_then_on() -> None:
    table = waiting()
    sight(table, NEW)
    assert of(table.state).state is EnrolmentState.SECOND
    table.wait(3)
    sight(table, NEW)
    (enrolled,) = table.all_of(BadgeEnrolled)
    assert (enrolled.staff, enrolled.badge, enrolled.by) == ("D2", NEW, "S1")
    assert of(table.state).badges[NEW] == Badge("D2", enrolled.since_ns)
    assert of(table.state).state is EnrolmentState.NONE
    assert table.all_of(BadgeRefused) == [], "a badge that is waited for is no stranger's"


def test_a_tap_told_twice_is_no_second_tap() -> None:
    table = waiting()
    sight(table, NEW)
    table.wait(1)
    sight(table, NEW)
    assert table.all_of(BadgeEnrolled) == []
    assert of(table.state).state is EnrolmentState.SECOND


def test_two_different_badges_enrol_none() -> None:
    table = waiting()
    sight(table, NEW)
    table.wait(3)
    sight(table, OTHER)
    assert [what.why for what in table.all_of(EnrolmentEnded)] == ["two different badges were tapped"]
    assert of(table.state).badges == {}


def test_somebodys_badge_is_not_enrolled_again_and_the_own_one_does_not_disturb() -> None:
    table = waiting()
    table.tap("S1")  # who enrols may show himself again
    assert of(table.state).state is EnrolmentState.FIRST
    table.tap("S2")
    assert [what.why for what in table.all_of(EnrolmentEnded)] == ["it is the badge of S2 already"]


def test_after_a_minute_nothing_is_waited_for() -> None:
    table = waiting()
    table.wait(TAPS_WITHIN_S + 1)
    assert len(table.all_of(EnrolmentEnded)) == 1
    sight(table, NEW)
    assert table.all_of(BadgeRefused)[-1].badge == NEW


@pytest.mark.parametrize(
    ("by", "staff", "code"),
    [
        ("D1", "D2", "ROLE-NEEDED"),
        ("S1", "X", "BADGE-FOR-NOBODY"),
        ("S1", "S2", "BADGE-ABOVE-OWN"),
        ("S1", "P1", "BADGE-ABOVE-OWN"),
        ("P1", "M1", "BADGE-ABOVE-OWN"),
        ("M1", "M1", "BADGE-ABOVE-OWN"),
        ("S1", "D2", "ENROLLER-NOT-SEEN"),
    ],
)
def test_who_may_not_enrol_is_told_why(by: str, staff: str, code: str) -> None:
    """Nobody makes himself a badge, nor one above his own role; and a staff id alone is no badge at the table."""
    answer = table_with_reader().ask(EnrolBadge, by=by, staff=staff, reader="reader")
    assert (answer.is_accepted, answer.code) == (False, code)


@pytest.mark.parametrize(("by", "staff"), [("P1", "S2"), ("P1", "T1"), ("M1", "P1"), ("S1", "I1")])
def test_those_above_enrol_for_those_below(by: str, staff: str) -> None:
    waiting(by, staff)


def test_who_is_present_for_a_load_may_enrol_without_another_tap() -> None:
    """The tap that began the load is used up by it, and still proves who stands there."""
    table = loading()
    assert table.ask(EnrolBadge, by="S1", staff="D2", reader="reader").is_accepted


def test_a_reader_of_another_table_enrols_nothing() -> None:
    table = table_with_reader()
    table.tap("S1")
    answer = table.ask(EnrolBadge, by="S1", staff="D2", reader="far away")
    assert answer.code == "ENROL-NO-READER"
    assert "reader" in answer.next_step


def test_a_withdrawn_badge_calls_somebody_and_what_rested_on_it_lapses() -> None:
    """A badge of the file too: by its digest, which the rim has put beside the person."""
    persons = tuple(replace(one, badge=OTHER if one.staff == "S2" else "") for one in HOUSE.persons)
    table = Table(replace(HOUSE, persons=persons))
    table.reader_ready()
    answer = table.ask(WithdrawBadge, by="P1", staff="S2")
    assert answer.is_accepted
    assert table.all_of(BadgeWithdrawn)[0].badges == (OTHER,)
    sight(table, OTHER)
    assert [(alert.text, alert.fields["name"]) for alert in table.all_of(AlertRaised)] == [("BADGE-LOST-SEEN", "S2")]


def test_withdrawing_ends_a_presence_at_once() -> None:
    table = loading()
    table.ask(WithdrawBadge, by="P1", staff="S1")
    assert [what.staff for what in table.all_of(PresenceLapsed)] == ["S1"]
    assert "S1" not in table.state.presence.recent


def test_an_enrolled_badge_that_is_lost_is_withdrawn_with_the_others() -> None:
    table = waiting()
    sight(table, NEW)
    table.wait(3)
    sight(table, NEW)
    table.ask(WithdrawBadge, by="S1", staff="D2")
    assert of(table.state).lost_by(NEW) == "D2"


def test_a_dealer_withdraws_nobodys_badge() -> None:
    assert table_with_reader().ask(WithdrawBadge, by="D1", staff="S1").code == "ROLE-NEEDED"


# --- the rim ------------------------------------------------------------------------------------------------


def seen(badges: Badges) -> BadgeSighted:
    return badges.sighted(BadgeSeen(device="reader", badge=NUMBER, kind=SightingKind.TAP))


def test_the_rim_knows_an_enrolled_badge_at_every_table_and_forgets_a_withdrawn_one() -> None:
    enrolled, digest = Enrolled(), digest_of(KEY, NUMBER)
    here, there = (Badges({}, KEY, enrolled) for _ in range(2))
    assert (seen(here).staff, seen(here).digest) == ("", digest)
    enrolled.hear([BadgeEnrolled(staff="D2", badge=digest, since_ns=5, reader="reader", by="S1")])
    assert (seen(there).staff, seen(there).digest) == ("D2", "")
    enrolled.hear([BadgeWithdrawn(staff="D2", badges=(digest,), since_ns=9, by="S1")])
    assert (seen(here).staff, seen(here).digest) == ("", digest)


def test_a_badge_of_the_file_that_was_withdrawn_is_nobodys() -> None:
    enrolled = Enrolled()
    badges = Badges({NUMBER: "S1"}, KEY, enrolled)
    assert seen(badges).staff == "S1"
    enrolled.learn({digest_of(KEY, NUMBER): Badge("S1", 3, is_withdrawn=True)})
    assert seen(badges).staff == ""


def test_of_two_words_on_a_badge_the_younger_counts_whoever_is_read_first() -> None:
    digest = digest_of(KEY, NUMBER)
    words = ({digest: Badge("D2", 3)}, {digest: Badge("D2", 7, is_withdrawn=True)})
    for order in (words, words[::-1]):
        enrolled = Enrolled()
        for known in order:
            enrolled.learn(known)
        assert enrolled.staff_of(digest, "") == ""


# --- sections -----------------------------------------------------------------------------------------------


def test_a_pit_manager_hands_a_section_to_another_supervisor() -> None:
    table = table_with_reader()
    answer = table.ask(HandOverSection, by="P1", staff="S2")
    assert answer.is_accepted
    assert table.state.house.section.supervisor == "S2"
    assert table.all_of(SectionHandedOver)[-1].staff == "S2"


@pytest.mark.parametrize(
    ("by", "staff", "code"),
    [("S2", "S2", "SECTION-NOT-YOURS"), ("D1", "S2", "SECTION-NOT-YOURS"), ("S1", "D1", "SUPERVISOR-UNKNOWN")],
)
def test_a_section_goes_to_a_floor_supervisor_from_whoever_has_it(by: str, staff: str, code: str) -> None:
    assert table_with_reader().ask(HandOverSection, by=by, staff=staff).code == code


def test_who_has_the_section_gives_it_and_who_has_it_then_gives_it_back() -> None:
    table = table_with_reader()
    assert table.ask(HandOverSection, by="S1", staff="S2").is_accepted
    assert not table.ask(HandOverSection, by="S1", staff="S1").is_accepted
    assert table.ask(HandOverSection, by="S2", staff="S1").is_accepted
    assert table.ask(TakeSection, by="S2").is_accepted
