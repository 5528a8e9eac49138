"""Nothing that the table accepts of its people was hidden by the page a moment before; whole days are its witnesses."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from drivers import events
from firmware_bridge.clock import Instant, WallQuality
from tableside.control.acts import act_name, fields_of
from tableside.decisions import RequestAnswered
from tableside.page.offered import OFFERED
from tableside.page.offers import SUBJECTS, Offer, offers
from tableside.requests import (
    CardsTakenOut,
    CountedOut,
    EndRound,
    OpenLid,
    RaiseComplaint,
    ReplaceCard,
    ReportDamaged,
    SettleComplaint,
)
from tests.support.samples import RED_7
from tests.support.session import closed, give_out, open_table
from tests.support.swaps import between_rounds
from tests.support.table import WALL_START_NS, Table
from tests.unit.test_jackpot import FOUR_ACES, won

ask = Table.ask


def hidden(table: Table, kind: type, by: str, fields: dict[str, object]) -> str:
    """Why the page would not have let this person ask; empty where it would."""
    now = Instant(table.now_ns, WALL_START_NS + table.now_ns, WallQuality.SIMULATED)
    here = [offer for offer in offers(table.state, now) if offer.act == act_name(kind)]
    fitting = [offer for offer in here if kind not in SUBJECTS or _is_about(offer, kind, fields)]
    person = table.state.house.person(by)
    if not fitting:
        return f"{act_name(kind)} {fields} was not offered"
    if person is None or any(set(offer.roles) & set(person.roles) for offer in fitting):
        return ""
    return f"{act_name(kind)} was not offered to {by}"


def _is_about(offer: Offer, kind: type, fields: dict[str, object]) -> bool:
    given = {field.name: fields.get(field.name, field.default) for field in fields_of(kind)}
    return all(given[name] in (value, 0) for name, value in msgspec.to_builtins(offer.fixed).items() if name in given)


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every request of the table is looked for among the offers first; gives the acts that were accepted."""
    accepted: list[str] = []

    def watching(self: Table, kind: type, by: str = "S1", **fields: object) -> RequestAnswered:
        why = hidden(self, kind, by, fields) if kind in OFFERED and by else ""
        answer = ask(self, kind, by, **fields)
        assert not (answer.is_accepted and why), why
        if answer.is_accepted:
            accepted.append(act_name(kind))
        return answer

    monkeypatch.setattr(Table, "ask", watching)
    return accepted


def _round() -> Table:
    table = open_table()
    give_out(table, 5)
    assert table.ask(RaiseComplaint, by="D1").is_accepted
    assert table.ask(SettleComplaint, by="S1", decision="the deal stands").is_accepted
    assert table.ask(ReportDamaged, by="D1").is_accepted
    table.wait(2)
    table.tap("S1")
    replaced = {"damaged": RED_7, "envelope": "E-1", "replacement": RED_7}
    assert table.ask(ReplaceCard, by="S1", **replaced).is_accepted
    assert table.ask(EndRound, by="D1").is_accepted
    return table


def _swap() -> Table:
    table = between_rounds()
    answer = table.ask(CountedOut, by="S1", cards=300)
    assert answer.is_accepted, answer
    return table


def _jam() -> Table:
    table = open_table()
    give_out(table, 5)
    table.notice(events.CardJammed, place=events.Place.EXIT)
    table.tap("S1")
    assert table.ask(OpenLid, by="S1").is_accepted
    table.notice(events.LidOpened)
    assert table.ask(CardsTakenOut, by="S1", cards=1, now="table").is_accepted
    return table


@pytest.mark.parametrize(
    "day",
    [closed, _swap, _round, _jam, lambda: won((5, FOUR_ACES))],
    ids=["session", "swap", "round", "jam", "jackpot"],
)
def test_what_is_accepted_was_offered(day: Callable[[], Table], watched: list[str]) -> None:
    assert day().state
    assert len(set(watched)) >= 5
