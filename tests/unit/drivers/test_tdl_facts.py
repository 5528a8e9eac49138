"""Every notice of the two profiles as the fact that it becomes, and what cannot be understood kept raw."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import events
from drivers.card_events import UNREAD, CardPassed
from drivers.events import LampColour, LampPattern, Outcome, PermitEnding, PermitKind, Place, Reason
from drivers.readers import tdl_card_reader
from drivers.shufflers import tdl_shuffler
from drivers.slots import tdl_slots
from drivers.switchboxes import tdl_switch_box
from drivers.tdl import facts, words
from firmware_bridge.session.tdl import Noticed
from firmware_bridge.wire.tdl import codes
from firmware_bridge.wire.tdl.cbor import Value, decode_map
from firmware_bridge.wire.tdl.codes import NoticeKind

AT = {"device": "shuffler", "boot": 3, "number": 41, "device_ms": 123_456}
ALL = frozenset(facts.NOTICES)


def noticed(kind: int, keys: dict[int, Value]) -> Noticed:
    return Noticed(kind, 3, 41, 123_456, {0: 3, 1: 41, 2: 123_456, **keys})


def fact_of(kind: int, keys: dict[int, Value], kinds: frozenset[int] = ALL) -> events.Notice:
    return facts.notice_fact("shuffler", noticed(kind, keys), kinds)


TABLE: list[tuple[int, dict[int, Value], events.Notice]] = [
    (0x01, {3: 4}, events.DeviceBooted(**AT, cause="brown-out")),
    (
        0x01,
        {3: 1, 4: 9, 5: 7, 6: 5},
        events.DeviceBooted(**AT, cause="power", content=9, last_meter_in=7, last_meter_out=5),
    ),
    (0x02, {3: 1_207}, events.CardsOut(**AT, meter=1_207)),
    (0x03, {3: 2**32 - 1}, events.CardsIn(**AT, meter=2**32 - 1)),
    (0x04, {3: 40}, events.TrayLevel(**AT, cards=40)),
    (0x04, {4: 55}, events.TrayLevel(**AT, fill_percent=55)),
    (0x10, {3: 2}, events.CardJammed(**AT, place=Place.EXIT)),
    (0x10, {3: 77}, events.CardJammed(**AT, place=Place.UNKNOWN)),
    (0x11, {3: 3}, events.JamGone(**AT, place=Place.CAROUSEL)),
    (0x12, {}, events.LidOpened(**AT)),
    (0x13, {}, events.LidClosed(**AT)),
    (0x14, {3: 7, 4: 1}, events.DeviceFaulted(**AT, fault=7, place=Place.FEED)),
    (0x14, {3: 200, 4: 0}, events.DeviceFaulted(**AT, fault=200, place=Place.UNKNOWN)),
    (0x15, {3: 7, 4: 1}, events.DeviceFaultGone(**AT, fault=7, place=Place.FEED)),
    (0x16, {3: 1, 4: 1}, events.LampChanged(**AT, colour=LampColour.RED, pattern=LampPattern.BLINKING)),
    (0x17, {3: 2}, events.BufferLow(**AT, cards=2)),
    (0x18, {3: 9}, events.BufferNormal(**AT, cards=9)),
    (0x19, {3: 104}, events.PacketEnded(**AT, cards=104)),
    (0x1A, {3: 2, 4: 1, 5: 61}, events.PermitEnded(**AT, what=PermitKind.FEED, why=PermitEnding.TIME, counted=61)),
    (0x1A, {3: 1, 4: 9, 5: 0}, events.PermitEnded(**AT, what=PermitKind.DEAL, why=PermitEnding.UNKNOWN, counted=0)),
    (0x1B, {3: 2, 4: 1}, events.CardSuspected(**AT, why="bent", place=Place.FEED)),
    (0x1C, {3: 17, 4: 2, 6: 312}, events.CommandEnded(**AT, command=17, outcome=Outcome.DONE, moved=312)),
    (
        0x1C,
        {3: 17, 4: 4, 5: 3, 6: 8},
        events.CommandEnded(**AT, command=17, outcome=Outcome.FAILED, reason=Reason.PERMIT, moved=8),
    ),
    (0x1D, {3: 1}, events.Tampered(**AT, what="cover")),
    (0x1E, {}, events.NoticesLost(**AT)),
    (0x1E, {3: 5}, events.NoticesLost(**AT, how_many=5)),
    (0x05, {3: 1_207, 4: 3}, events.ChipsIn(**AT, seat=3, meter=1_207)),
    (0x22, {3: 7, 4: 1}, events.ChipReturned(**AT, seat=7, why=events.ChipReturn.LATE)),
    (0x22, {3: 7, 4: 9}, events.ChipReturned(**AT, seat=7, why=events.ChipReturn.UNKNOWN)),
    (0x21, {3: 11, 4: 0x4D, 5: 1}, CardPassed(**AT, count=11, card="K♠", back=1)),
    (0x21, {3: 12, 4: 0}, CardPassed(**AT, count=12, card=UNREAD)),
    (0x20, {3: 1}, events.KeyPressed(**AT, key=events.KeyName.HOLD)),
    (0x20, {3: 5}, events.KeyPressed(**AT, key=events.KeyName.DAMAGED_CARD)),
]


@pytest.mark.parametrize(("kind", "keys", "fact"), TABLE)
def test_a_notice_becomes_its_fact(kind: int, keys: dict[int, Value], fact: events.Notice) -> None:
    assert fact_of(kind, keys) == fact


def test_every_kind_that_a_driver_knows_is_in_the_table_above() -> None:
    drivers = (tdl_shuffler, tdl_switch_box, tdl_slots, tdl_card_reader)
    known = frozenset[int]().union(*(driver.NOTICE_KINDS for driver in drivers))
    assert known == set(facts.NOTICES) == {kind for kind, _, _ in TABLE}


def test_unknown_keys_are_skipped() -> None:
    assert fact_of(NoticeKind.JAM, {3: 2, 19: "later"}) == events.CardJammed(**AT, place=Place.EXIT)


def test_a_kind_of_another_profile_is_kept_raw() -> None:
    fact = fact_of(0x05, {3: 10, 4: 2}, tdl_switch_box.NOTICE_KINDS)
    assert isinstance(fact, events.NoticeUnknown)


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        (0x99, {3: 1}),  # of a later version
        (0x05, {3: 10}),  # its seat is missing
        (0x02, {}),  # its meter is missing
        (0x02, {3: "many"}),
        (0x16, {3: 9, 4: 0}),  # a colour without a word
        (0x20, {3: 6}),  # a key without a name
        (0x1C, {3: 17, 4: 99}),
        (0x1A, {3: 8, 4: 1, 5: 0}),
    ],
)
def test_what_cannot_be_understood_is_kept_raw(kind: int, keys: dict[int, Value]) -> None:
    """H-7: journalled as it came; refusing it would make the device send it for ever."""
    fact = fact_of(kind, keys)
    assert isinstance(fact, events.NoticeUnknown)
    assert (fact.kind, fact.boot, fact.number) == (kind, 3, 41)
    raw = bytes.fromhex(fact.body)
    assert raw[0] == 0xA0 + 3 + len(keys)


def test_a_kind_of_another_profile_is_not_believed() -> None:
    """A shuffler that claims that a key was pressed has no keys: the fact would be a request of the dealer."""
    assert isinstance(fact_of(NoticeKind.KEY, {3: 4}, tdl_shuffler.NOTICE_KINDS), events.NoticeUnknown)
    assert isinstance(fact_of(NoticeKind.CARDS_OUT, {3: 4}, tdl_switch_box.NOTICE_KINDS), events.NoticeUnknown)


@pytest.mark.parametrize(
    ("numbers", "table"),
    [
        (codes.Place, words.PLACES),
        (codes.Permit, words.PERMITS),
        (codes.PermitEnd, words.PERMIT_ENDINGS),
        (codes.Status, words.OUTCOMES),
        (codes.Reason, words.REASONS),
        (codes.Key, words.KEYS),
        (codes.LampColour, words.COLOURS),
        (codes.LampPattern, words.PATTERNS),
        (codes.BootCause, words.BOOT_CAUSES),
        (codes.SuspectReason, words.SUSPICIONS),
        (codes.TamperKind, words.TAMPERINGS),
        (codes.Ability, words.ABILITIES),
        (codes.Holding, words.HOLDINGS),
    ],
)
def test_every_number_of_the_protocol_has_a_word(numbers: type, table: dict[int, object]) -> None:
    missing = [number for number in numbers if number not in table]  # type: ignore[attr-defined]
    assert missing == []
    assert len(set(table.values())) == len(table)


def test_every_verb_has_a_code() -> None:
    assert set(words.VERBS) == set(events.Verb)


def test_permit_bits_and_lamps_of_state() -> None:
    assert words.permit_words(0b0101) == (PermitKind.DEAL, PermitKind.LID)
    assert words.permit_words(0) == ()
    assert words.lamp_words(16 * 1 + 1) == (LampColour.RED, LampPattern.BLINKING)
    assert words.lamp_words(16 * 9) is None


@given(
    st.integers(1, 254),
    st.dictionaries(
        st.integers(3, 23),
        st.one_of(st.integers(0, 2**32 - 1), st.booleans(), st.binary(max_size=8), st.text(max_size=8)),
        max_size=6,
    ),
)
def test_any_notice_is_a_fact_of_some_kind(kind: int, keys: dict[int, Value]) -> None:
    fact = fact_of(kind, keys)
    assert (fact.boot, fact.number) == (3, 41)
    if isinstance(fact, events.NoticeUnknown):
        assert decode_map(bytes.fromhex(fact.body)) == noticed(kind, keys).body
