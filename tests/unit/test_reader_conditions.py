"""A badge reader that tells of itself, or speaks where anybody may listen: presence rests on it (CSM-5)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from tableside.catalogue import render
from tableside.requests import ClearAlert
from tests.support.session import open_table
from tests.support.table import HOUSE, Table


@pytest.mark.parametrize("what", ["cover opened", "supply failing"])
def test_csm5_a_reader_that_tells_of_itself_is_looked_at_by_a_person(what: str) -> None:
    table = open_table()
    table.give(events.ReaderTroubled(device="reader", what=what))
    table.give(events.ReaderTroubled(device="reader", what=what))
    (alert,) = table.state.alerts.standing.values()
    assert (alert.text, alert.level, alert.times) == ("READER-TROUBLED", 2, 2)
    assert what not in render(alert.text, "pt_PT", alert.fields)[0], "told in the reader's language"
    assert not table.ask(ClearAlert, by="D1", alert=alert.number).is_accepted
    assert table.ask(ClearAlert, by="S1", alert=alert.number).is_accepted


@pytest.mark.parametrize(("profile", "is_stopped"), [("production", True), ("lab", False)])
def test_a_reader_without_its_secure_channel_is_none_in_production(profile: str, is_stopped: bool) -> None:
    table = Table(replace(HOUSE, profile=profile, readers=()))
    told = {"vendor": "Test", "model": "R", "serial": "R1", "firmware": "1"}
    table.give(events.ReaderReady(device="reader", is_secure=False, **told))
    assert bool(table.state.locks.standing) is is_stopped
    table.give(events.ReaderLost(device="reader", why="no answer"))
    table.give(events.ReaderReady(device="reader", is_secure=True, **told))
    assert not table.state.locks.standing
