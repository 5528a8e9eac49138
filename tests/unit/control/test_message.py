"""Lines of the control socket: understood, or every mistake in them named."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableside.cards import Card
from tableside.control.acts import ACTS, NAMES, NO_BADGE
from tableside.control.conversation import LineSplitter
from tableside.control.message import MAX_LINE_BYTES, Act, Mistaken, Read, parse_line
from tableside.requests import EnterSort, LoadPacket, ReplaceCard, Request, ShowPresence, SortedDecks, StopPlay


def act(**keys: object) -> Act:
    message = parse_line(msgspec.json.encode(keys))
    assert isinstance(message, Act), message
    return message


def mistakes(line: bytes | dict[str, object]) -> tuple[str, ...]:
    message = parse_line(line if isinstance(line, bytes) else msgspec.json.encode(line))
    assert isinstance(message, Mistaken), message
    return message.mistakes


def test_an_act_becomes_the_request_of_its_name() -> None:
    message = act(id="p-17", act="load-packet", table="BJ-07", staff="S-201", fields={"cards": 104})
    assert message.table == "BJ-07"
    assert message.request() == LoadPacket(id="p-17", by="S-201", cards=104)


def test_pins_are_not_part_of_the_request_nor_of_what_is_printed() -> None:
    message = act(id="1", act="stop-play", pins={"S-201": "200001"})
    assert message.request(("S-201",)) == StopPlay(id="1", second_way=("S-201",))
    assert "200001" not in repr(message)
    assert b"200001" not in msgspec.json.encode(message.request(("S-201",)))


def test_cards_are_text_as_people_write_them() -> None:
    fields = {"damaged": "7C red", "envelope": "12", "replacement": "7♣ red"}
    request = act(id="1", act="replace-card", staff="S-1", fields=fields).request()
    assert isinstance(request, ReplaceCard)
    assert request.damaged == request.replacement == Card("7", "♣", "red")


def test_the_sort_names_cards_per_back_colour() -> None:
    groups = [{"back": "red", "complete": 2, "missing": ["7♣ red"]}, {"back": "blue", "complete": 3}]
    request = act(id="1", act="enter-sort", staff="D-1", fields={"groups": groups}).request()
    assert isinstance(request, EnterSort)
    assert request.groups == (SortedDecks("red", 2, (Card("7", "♣", "red"),)), SortedDecks("blue", 3))


def test_a_role_is_one_of_the_known_words() -> None:
    request = act(id="1", act="show-presence", staff="S-1", fields={"role": "floor supervisor"}).request()
    assert isinstance(request, ShowPresence)
    said = mistakes({"id": "1", "act": "show-presence", "staff": "S-1", "fields": {"role": "floor supervisr"}})
    assert len(said) == 1
    assert 'did you mean "floor supervisor"' in said[0]


def test_every_mistake_of_a_message_is_named_at_once() -> None:
    said = mistakes(
        {
            "id": "a b",
            "act": "load-packet",
            "tabel": "BJ-07",
            "via": "letter",
            "fields": {"card": 104, "why": 1},
        }
    )
    assert len(said) == 7
    for word in ('did you mean "table"', "id:", "via:", "staff: is missing", "fields.card:", "fields.why:"):
        assert any(word in one for one in said), word
    assert any(one.startswith("fields.cards: is missing") for one in said)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"17",
        b'"stop-play"',
        b"{",
        b'{"id": NaN}',
        b"[" * 5_000,
        b'{"id":"1","act":"stop-pla"}',
        b'{"id":"1","act":7}',
        b'{"id":"1"}',
        b'{"act":"stop-play"}',
        b'{"id":"1","act":"stop-play","pins":[1]}',
        b'{"id":"1","act":"stop-play","fields":7}',
        b'{"id":"1","act":"load-packet","staff":"S","fields":{"cards":true}}',
        b'{"id":"1","act":"load-packet","staff":"S","fields":{"cards":-1}}',
        b'{"id":"1","act":"load-packet","staff":"S","fields":{"cards":1.5}}',
        b'{"id":"1","act":"load-packet","staff":"S","fields":{"cards":4294967296}}',
        b'{"id":"1","act":"stop-play","fields":{"why":"a\\u0000b"}}',
        b'{"id":"1","act":"subscribe","after":-1}',
        b'{"id":"1","act":"state","staff":"S"}',
        b'{"id":"000777:3:41","act":"stop-play"}',
        b'{"id":"1","act":"replace-card","staff":"S","fields":{"damaged":"1C red","envelope":"1","replacement":"K"}}',
        b'{"id":"1","act":"enter-sort","staff":"S","fields":{"groups":[{"back":"red","complete":"3"}]}}',
    ],
)
def test_bad_lines_are_told_apart_and_never_half_understood(line: bytes) -> None:
    assert mistakes(line)
    assert all(mistakes(line))


def test_no_message_takes_the_id_of_a_dealers_key_in_advance() -> None:
    assert "id:" in mistakes({"id": "000777:3:41", "act": "stop-play"})[0]


def test_a_pin_given_wrongly_is_not_repeated() -> None:
    said = mistakes({"id": "1", "act": "stop-play", "pins": {"S-201": 200001}})
    assert "200001" not in " ".join(said)


def test_a_mistaken_message_keeps_its_id_where_it_is_one() -> None:
    message = parse_line(b'{"id":"p-1","act":"none"}')
    assert isinstance(message, Mistaken)
    assert message.id == "p-1"


@given(st.binary(max_size=300))
def test_no_line_of_bytes_raises(line: bytes) -> None:
    assert isinstance(parse_line(line), Act | Read | Mistaken)


@given(st.dictionaries(st.sampled_from(("id", "act", "table", "staff", "fields", "pins", "via", "after")), st.none()))
def test_no_object_raises(keys: dict[str, object]) -> None:
    for name in (*ACTS, "subscribe", "x"):
        assert isinstance(parse_line(msgspec.json.encode({**keys, "act": name})), Act | Read | Mistaken)


def test_every_request_is_an_act_and_only_safer_ones_need_no_badge() -> None:
    assert len(ACTS) == len(NAMES)
    assert {NAMES[kind] for kind in NO_BADGE} == {"stop-play", "call-supervisor", "raise-complaint"}
    assert all(issubclass(kind, Request) for kind in ACTS.values())


def test_lines_come_whole_however_they_are_cut() -> None:
    whole = b'{"a":1}\n{"b":2}\n'
    for cut in range(1, len(whole)):
        splitter = LineSplitter()
        lines = [*splitter.feed(whole[:cut]), *splitter.feed(whole[cut:])]
        assert lines == [b'{"a":1}', b'{"b":2}']


def test_a_line_without_end_costs_bounded_memory_and_the_next_one_counts() -> None:
    splitter = LineSplitter()
    chunk = b"x" * 50_000
    said = [line for _ in range(100) for line in splitter.feed(chunk)]
    assert said == []
    assert splitter.held_bytes <= MAX_LINE_BYTES + len(chunk)
    assert list(splitter.feed(b'tail\n{"next":1}\n')) == [None, b'{"next":1}']
