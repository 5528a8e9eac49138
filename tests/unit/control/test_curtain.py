"""Nothing that leaves the daemon names a card that is still secret, or proves a person."""

from __future__ import annotations

import json

import msgspec
import pytest

from drivers import events
from tableside.cards import Card
from tableside.control.curtain import A_CARD, SECRETS, Curtain, shown
from tableside.control.views import entry_view
from tableside.decisions import Decision
from tableside.happenings import CardReplaced, RoundEnded, RoundStarted
from tableside.inputs import Input, NeighbourSighting
from tableside.journal.record import Record, RecordKind
from tableside.requests import EnterSort, ReplaceCard, SortedDecks
from tableside.rows import draft_decision, draft_input

SEVEN, KING = Card("7", "♣", "red"), Card("K", "♠", "blue")
REPLACED = CardReplaced(incident=1, damaged=SEVEN, envelope="12", replacement=KING, by="S-1")


def record(seq: int, what: msgspec.Struct) -> Record:
    given = Input(0, 0, "simulated", ReplaceCard(id="1", by="S-1", damaged=SEVEN, envelope="12", replacement=KING))
    if isinstance(what, Decision):
        draft = draft_decision(given, what)
    else:
        draft = draft_input(Input(0, 0, "simulated", what))  # type: ignore[arg-type]  # tests name inputs only
    return Record(seq, 1, draft.kind, draft.type, draft.body, 0, 0, "simulated", "b", None, b"", b"")


def text(record_: Record, curtain: Curtain) -> str:
    return json.dumps(entry_view(record_, "BJ-1", curtain), ensure_ascii=False)


def test_cards_of_the_round_in_progress_leave_as_a_card_and_are_named_when_it_has_ended() -> None:
    curtain = Curtain()
    asked = ReplaceCard(id="1", by="S-1", damaged=SEVEN, envelope="12", replacement=KING)
    curtain.follow(10, RoundStarted(round=4))
    for row in (record(11, asked), record(12, REPLACED)):
        said = text(row, curtain)
        assert A_CARD in said
        for secret in ("7♣", "K♠", '"♣"', '"♠"', '"7"', '"K"'):
            assert secret not in said
    curtain.follow(13, RoundEnded(round=4, how="told", cards=20))
    assert "7♣ red" in text(record(12, REPLACED), curtain)


def test_a_ten_is_hidden_however_somebody_writes_it() -> None:
    for said in ("a spot on 10♥ blue", "a spot on T♥"):
        assert shown(said, hides_cards=True) == "a spot on a card"


def test_rows_before_the_open_round_are_shown() -> None:
    curtain = Curtain()
    curtain.follow(10, RoundStarted(round=4))
    assert "7♣ red" in text(record(9, REPLACED), curtain)


def test_lists_of_cards_within_a_request_are_hidden_too() -> None:
    sort = EnterSort(id="1", by="D-1", groups=(SortedDecks("red", 2, missing=(SEVEN,), foreign=(KING,)),))

    said = json.dumps(shown(sort, hides_cards=True), ensure_ascii=False)
    assert "♣" not in said
    assert "♠" not in said
    assert "7♣ red" in json.dumps(shown(sort, hides_cards=False), ensure_ascii=False)


def test_a_daemon_that_starts_within_a_round_knows_since_when() -> None:
    curtain = Curtain(open_since=10)
    assert curtain.is_down
    assert curtain.hides(10)
    assert not curtain.hides(9)


@pytest.mark.parametrize("hides_cards", [True, False])
def test_what_proves_a_person_never_leaves(*, hides_cards: bool) -> None:
    badge = events.BadgeSeen(device="badges", badge="26:00C0FFEE", kind=events.SightingKind.TAP)
    code = events.CodeKeyed(device="badges", code="200001")
    for what in (badge, code):
        said = json.dumps(shown(what, hides_cards=hides_cards))
        assert "C0FFEE" not in said
        assert "200001" not in said


def test_every_secret_named_is_a_field_that_exists() -> None:
    known = {(kind.__name__, name) for kind in _structs() for name in kind.__struct_fields__}
    assert known >= SECRETS


def _structs() -> list[type[msgspec.Struct]]:
    return [events.BadgeSeen, events.CodeKeyed, NeighbourSighting]


def test_a_row_that_this_version_cannot_read_is_said_to_be_so() -> None:
    row = Record(5, 1, RecordKind.INPUT, "Later", b'{"type":"Later"}', 0, 0, "simulated", "b", None, b"", b"")
    assert "unreadable" in text(row, Curtain())
