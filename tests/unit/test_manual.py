"""Manual operation: a numbered form, late entries under each person's own name, a full count (semantics §4)."""

from __future__ import annotations

import pytest

from tableside.decisions import AlertCleared, RequestAnswered
from tableside.happenings import CountWanted
from tableside.journal.record import Genesis
from tableside.locks import Scope, standing
from tableside.manual_happenings import FormIssued, LateEntered, ManualEnded, ManualOrdered
from tableside.manual_requests import EndManual, EnterLate, IssueForm, LateKind, OrderManual
from tableside.procedures.manual import LINES
from tableside.reports.manual_form import manual_form
from tableside.reports.story import NoStory, Story, Told
from tests.support.table import HOUSE, Table


def by_hand(lines: int = 0) -> Table:
    table = Table()
    table.ready()
    assert table.ask(IssueForm, by="S1").is_accepted
    assert order(table).is_accepted
    for line in range(1, lines + 1):
        assert enter(table, line).is_accepted
    return table


def order(table: Table, by: str = "M1", **fields: object) -> RequestAnswered:
    return table.ask(OrderManual, by=by, **{"form": 1, "why": "no power at the table", "since": "21:40", **fields})


def enter(table: Table, line: int, by: str = "D1", **fields: object) -> RequestAnswered:
    given = {"line": line, "at": "21:45", "text": "round 41, 22 cards", **fields}
    decided = table.give(EnterLate(id=f"late {len(table.given)}", by=by, kind=LateKind.ROUND, **given))
    return next(decision for decision in decided if isinstance(decision, RequestAnswered))


def test_from_the_form_to_the_count() -> None:
    table = by_hand(lines=3)
    assert standing(table.state, Scope.DEAL, is_round_open=False), "no machine deals while hands do"
    (ordered,) = table.all_of(ManualOrdered)
    assert (ordered.form, ordered.since, ordered.by) == (1, "21:40", "M1")
    assert table.ask(EndManual, by="M1", lines=3).is_accepted
    assert [entry.line for entry in table.all_of(LateEntered)] == [1, 2, 3]
    assert {entry.by for entry in table.all_of(LateEntered)} == {"D1"}
    assert table.all_of(ManualEnded)[0].lines == 3
    assert [wanted.why for wanted in table.all_of(CountWanted)] == ["manual operation"]
    assert table.all_of(AlertCleared)
    assert not any("manual" in lock.reason for lock in standing(table.state, Scope.DEAL, is_round_open=False))


def test_only_room_management_orders_and_ends_it() -> None:
    table = Table()
    table.ready()
    table.ask(IssueForm, by="S1")
    assert not order(table, by="S1").is_accepted
    assert order(table).is_accepted
    assert not table.ask(EndManual, by="S1", lines=0).is_accepted


@pytest.mark.parametrize(
    ("fields", "rule_text"),
    [({"form": 2}, "form 2"), ({"why": " "}, "no reason"), ({"since": "9:40"}, "9:40"), ({"since": "24:00"}, "24:00")],
)
def test_an_order_that_cannot_be_held_to_a_form(fields: dict[str, object], rule_text: str) -> None:
    table = Table()
    table.ready()
    table.ask(IssueForm, by="S1")
    answer = order(table, **fields)
    assert not answer.is_accepted
    assert rule_text in answer.text


def test_a_form_is_used_once() -> None:
    table = by_hand()
    table.ask(EndManual, by="M1", lines=0)
    assert "form 1" in order(table).text
    assert table.ask(IssueForm, by="S1").is_accepted
    assert table.all_of(FormIssued)[-1].form == 2
    assert order(table, form=2).is_accepted


@pytest.mark.parametrize(
    ("line", "fields"), [(0, {}), (LINES + 1, {}), (1, {}), (2, {"text": ""}), (2, {"at": "noon"})]
)
def test_a_line_that_is_none(line: int, fields: dict[str, object]) -> None:
    assert not enter(by_hand(lines=1), line, **fields).is_accepted


def test_every_line_that_is_written_is_entered_before_the_end() -> None:
    table = by_hand(lines=2)
    answer = table.ask(EndManual, by="M1", lines=4)
    assert "3, 4" in answer.text
    assert "beyond the last: 2" in table.ask(EndManual, by="M1", lines=1).text
    assert table.ask(EndManual, by="M1", lines=2).is_accepted


def test_a_stranger_writes_nothing() -> None:
    assert not enter(by_hand(), 1, by="X").is_accepted


def story(*told: FormIssued) -> Story:
    genesis = Genesis(table=HOUSE.table, epoch=1, format=1, created_wall_ns=0)
    return Story(genesis, HOUSE, [Told(seq, 0, what) for seq, what in enumerate(told)])


def test_the_form_is_printed_with_its_number_and_a_line_for_each_entry() -> None:
    text = manual_form(story(FormIssued(form=1, by="S1"), FormIssued(form=2, by="S1")))
    assert "form 2" in text.splitlines()[0]
    assert f"\n{LINES}   ___" in text
    assert max(map(len, text.splitlines())) <= 78
    assert "form 1" in manual_form(story(FormIssued(form=1, by="S1")), number=1).splitlines()[0]


def test_a_form_that_nobody_issued_is_not_printed() -> None:
    with pytest.raises(NoStory, match="none: `tableside manual issue`"):
        manual_form(story())
