"""What the page offers: what the table takes now, about what and from whom; nothing to who only reads."""

from __future__ import annotations

import re
import typing
from pathlib import Path

from drivers import events
from drivers.events import Place
from firmware_bridge.clock import Instant, WallQuality
from tableside.control.acts import ACTS, act_name
from tableside.happenings import PresenceMissed
from tableside.house import Role
from tableside.page.forms import forms
from tableside.page.offered import NOT_OFFERED, OFFERED
from tableside.page.offers import Offer, offers, seen
from tableside.requests import (
    AnyRequest,
    CallSupervisor,
    RaiseComplaint,
    SettleComplaint,
    StopPlay,
    TakeAlert,
)
from tests.support.session import connected, open_table, proved_empty
from tests.support.table import WALL_START_NS, Table

SITE = Path(__file__).parents[3] / "tableside" / "page" / "site"


def offered(table: Table) -> dict[str, list[Offer]]:
    now = Instant(table.now_ns, WALL_START_NS + table.now_ns, WallQuality.SIMULATED)
    found: dict[str, list[Offer]] = {}
    for offer in offers(table.state, now):
        found.setdefault(offer.act, []).append(offer)
    return found


def test_every_act_is_offered_or_has_a_reason_why_not() -> None:
    assert set(OFFERED) | set(NOT_OFFERED) == set(typing.get_args(AnyRequest))
    assert not set(OFFERED) & set(NOT_OFFERED)


def test_who_only_reads_is_offered_nothing() -> None:
    readers = {Role.SURVEILLANCE, Role.INSPECTION_SERVICE}
    assert not [kind for kind, one in OFFERED.items() if readers & set(one.roles)]


def test_every_field_of_a_form_has_a_way_of_entry_in_the_script() -> None:
    entries = {field["entry"] for fields in forms().values() for field in fields}
    assert entries <= set(re.findall(r"enter_(\w+)\(field", (SITE / "forms.js").read_text()))
    assert set(forms()) <= set(ACTS)


def test_a_closed_table_can_be_opened_and_an_open_one_cannot() -> None:
    assert "open-table" in offered(connected())
    assert "open-table" not in offered(open_table())


def test_an_alert_is_offered_to_who_may_come_until_somebody_goes() -> None:
    table = open_table()
    assert "take-alert" not in offered(table)
    assert table.ask(CallSupervisor, by="").is_accepted
    (take,) = offered(table)["take-alert"]
    assert take.fixed == {"alert": 1}
    assert table.ask(TakeAlert, by="S1", alert=1).is_accepted
    assert "take-alert" not in offered(table)
    assert seen(table.state, TakeAlert, take.fixed) != take.seen, "whoever still sees it sees what is over"


def test_what_has_not_changed_is_not_stale_whatever_else_happens() -> None:
    table = open_table()
    assert table.ask(CallSupervisor, by="").is_accepted
    (take,) = offered(table)["take-alert"]
    assert table.ask(StopPlay, by="").is_accepted
    assert seen(table.state, TakeAlert, take.fixed) == take.seen


def test_each_open_complaint_is_offered_by_its_number() -> None:
    table = open_table()
    table.notice(events.CardsOut, meter=4)
    for _ in range(2):
        assert table.ask(RaiseComplaint, by="D1").is_accepted
    numbers = [offer.fixed["complaint"] for offer in offered(table)["settle-complaint"]]
    assert numbers == [1, 2]
    assert table.ask(SettleComplaint, by="S1", complaint=1, decision="deal stands").is_accepted
    assert [offer.fixed["complaint"] for offer in offered(table)["settle-complaint"]] == [2]


def test_an_act_that_waits_for_a_badge_says_whose() -> None:
    table = proved_empty()
    (load,) = offered(table)["begin-load"]
    assert load.missing == (Role.FLOOR_SUPERVISOR,)
    table.tap("S1")
    (load,) = offered(table)["begin-load"]
    assert load.missing == ()


def test_an_act_of_two_persons_says_who_of_them_is_still_missing() -> None:
    table = open_table()
    table.ready("spare")
    table.notice(events.NoticesLost, how_many=1)  # an incident to name
    assert set(swap_of(table).missing) == {Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT}
    for _ in range(2):  # at a stuck card the first tap frees the lid, and is spent with that
        table.wait(2)
        table.tap("S1")
    assert swap_of(table).missing == (Role.ROOM_MANAGEMENT,)
    table.wait(2)
    table.tap("M1")
    assert swap_of(table).missing == ()


def swap_of(table: Table) -> Offer:
    return offered(table)["begin-swap"][0]


def test_a_jam_brings_the_lid_to_the_front() -> None:
    table = open_table()
    (lid,) = offered(table)["open-lid"]
    assert lid.is_usual
    table.notice(events.CardJammed, place=Place.EXIT)
    (lid,) = offered(table)["open-lid"]
    assert not lid.is_usual
    assert lid.missing == (Role.FLOOR_SUPERVISOR,)


def test_looking_at_what_is_offered_changes_nothing() -> None:
    table = open_table()
    before = table.state
    assert offered(table)
    assert table.state is before
    assert PresenceMissed.__name__ not in {type(one).__name__ for one in table.decided}
    assert act_name(TakeAlert) == "take-alert"
