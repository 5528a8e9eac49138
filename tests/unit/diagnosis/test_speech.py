"""What goes over a cable in words: every message of the specifications, and nothing that proves a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.recording import Direction
from firmware_bridge.wire.osdp.codes import BlockType, CommandCode, ReplyCode
from firmware_bridge.wire.osdp.commands import Poll, SetKey
from firmware_bridge.wire.osdp.frame import Frame, SecurityBlock, encode_frame
from firmware_bridge.wire.osdp.replies import FormattedCard, KeysPressed, RawCard
from firmware_bridge.wire.tdl.stream import encode_cobs
from tableside.diagnosis.speech import MODBUS_RTU, MODBUS_TCP, OsdpSpeech, Spoken, TdlSpeech, speech_of
from tableside.diagnosis.traces import MOST_WAITING, Cable
from tests.unit.outputs.test_log import StillClock
from tests.vectors import modbus

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "tdl.json").read_text("utf-8"))


def said(chunk: str, direction: Direction = Direction.IN) -> list[Spoken]:
    return list(TdlSpeech(is_message_based=False).feed(direction, bytes.fromhex(chunk)))


# Bytes of the specification's examples (docs/protocols/tdl.md), words by hand.
@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        (
            "00 04 D1 05 10 04 34 12 0E 02 A4 07 03 01 18 29 02 1A 0A 01 E2 40 03 02 72 26 B6 EB 00",
            "NOTICE JAM: boot=3 number=41 ms=123456 place=EXIT",
        ),
        (
            "00 08 D1 03 04 07 34 12 0A 02 A3 0D 02 01 19 07 D0 02 18 68 8F B5 D6 F6 00",
            "REQUEST PERMIT seq 7: what=FEED ms=2000 cards=104",
        ),
        (
            "00 08 D1 03 40 08 34 12 09 02 A2 0C 1A A1 B2 C3 D4 01 11 1B 2B 7E 1E 00",
            "REQUEST COUNT_ALL seq 8: epoch=A1B2C3D4 number=17",
        ),
        ("00 08 D1 04 40 08 34 12 03 02 A1 06 01 9F 61 E5 5B 00", "REPLY COUNT_ALL seq 8: status=STARTED"),
        ("00 03 D1 06 01 04 34 12 06 02 A2 09 03 01 18 29 28 57 62 EA 00", "NOTICE_ACK: boot=3 number=41"),
    ],
)
def test_tdl_messages_in_words(chunk: str, words: str) -> None:
    assert [one.text for one in said(chunk)] == [words]


def test_what_a_recording_keeps_of_tdl_is_what_went_over_the_wire() -> None:
    chunk = bytes.fromhex("00 08 D1 04 40 08 34 12 03 02 A1 06 01 9F 61 E5 5B 00")
    assert [one.data for one in TdlSpeech(is_message_based=False).feed(Direction.IN, chunk)] == [chunk]


def test_garbage_is_told_as_such() -> None:
    assert said("00 01 02 03 00")[0].text.startswith("3 bytes thrown away: ")


def test_numbers_without_a_name_stay_numbers() -> None:
    frame = bytes.fromhex("D1 03 FE 07 34 12 04 00") + bytes.fromhex("A1 17 19 03") + b"\0" * 0
    assert list(TdlSpeech(is_message_based=True).feed(Direction.OUT, frame))  # whatever it is, it is told
    assert list(TdlSpeech(is_message_based=False).feed(Direction.OUT, b"\0" + encode_cobs(frame) + b"\0"))


def osdp(frame: Frame) -> Spoken:
    direction = Direction.IN if frame.is_reply else Direction.OUT
    (one,) = OsdpSpeech().feed(direction, encode_frame(frame))
    return one


@pytest.mark.parametrize(
    "frame",
    [
        Frame(1, True, 2, ReplyCode.RAW, RawCard(0, 1, 26, bytes.fromhex("DEADBEC0")).encode()),
        Frame(1, True, 2, ReplyCode.FMT, FormattedCard(0, False, b"\xde\xad\xbe\xef").encode()),
        Frame(1, True, 2, ReplyCode.KEYPAD, KeysPressed(0, b"\xde\xad\xbe\xef").encode()),
        Frame(1, False, 2, CommandCode.KEYSET, SetKey(bytes.fromhex("DEADBEEF" * 4)).encode()),
        Frame(
            1,
            True,
            2,
            ReplyCode.RAW,
            bytes.fromhex("DEADBEEF" * 4),
            SecurityBlock(BlockType.PERIPHERAL_ENCRYPTED),
            b"\1\2\3\4",
        ),
    ],
    ids=["raw card", "formatted card", "keys", "key", "encrypted"],
)
def test_osdp_never_shows_what_proves_a_person_or_carries_a_key(frame: Frame) -> None:
    one = osdp(frame)
    assert "…" in one.text
    assert one.data == b""
    assert "dead" not in (one.text + one.data.hex()).lower()


def test_osdp_polls_are_told_whole() -> None:
    one = osdp(Frame(1, False, 2, CommandCode.POLL, Poll().encode()))
    assert one.text == "station 1 POLL seq 2"
    assert one.data[:1] == b"\x53"


@given(st.lists(st.tuples(st.sampled_from((Direction.IN, Direction.OUT)), st.binary(max_size=80)), max_size=20))
def test_no_bytes_break_the_ear(chunks: list[tuple[Direction, bytes]]) -> None:
    for speech in (
        TdlSpeech(is_message_based=False),
        TdlSpeech(is_message_based=True),
        OsdpSpeech(),
        speech_of("angel eye", is_message_based=False),
    ):
        for direction, chunk in chunks:
            assert all(one.text for one in speech.feed(direction, chunk))


def test_every_vector_of_tdl_can_be_told() -> None:
    told = 0
    for vector in VECTORS if isinstance(VECTORS, list) else VECTORS["vectors"]:
        stream = bytes.fromhex(vector["stream"])
        for one in TdlSpeech(is_message_based=False).feed(Direction.IN, stream):
            is_card = "CARD_READ" in one.text  # which card it was is in no recording (semantics §6)
            assert one.data == (b"" if is_card else stream) or "thrown away" in one.text
            told += 1
    assert told > 20


@pytest.mark.parametrize("profile", [MODBUS_RTU, MODBUS_TCP])
def test_every_vector_of_modbus_can_be_told(profile: str) -> None:
    for direction, vectors in ((Direction.OUT, modbus.QUESTIONS), (Direction.IN, modbus.ANSWERS)):
        for vector in vectors:
            raw = vector.tcp if profile == MODBUS_TCP else vector.rtu
            (told,) = speech_of(profile, is_message_based=False).feed(direction, raw)
            assert told.data == raw
            assert type(vector.says).__name__ in told.text


def test_another_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing here understands 'modbus'"):
        speech_of("modbus", is_message_based=False)


CHUNK = bytes.fromhex("00 08 D1 04 40 08 34 12 03 02 A1 06 01 9F 61 E5 5B 00")


async def test_a_slow_listener_misses_and_knows_how_much() -> None:
    clock = StillClock()
    cable = Cable("tdl", clock)
    cable.note(Direction.IN, CHUNK)  # nobody listens: nothing is kept
    with cable.listening() as ear:
        for _ in range(MOST_WAITING + 5):
            clock.at_ns += NS_PER_S
            cable.note(Direction.IN, CHUNK)
        assert ear.take_missed() == 5
        assert ear.take_missed() == 0
        first = await ear.next()
        assert (first.at_ns, first.spoken.text) == (NS_PER_S, "REPLY COUNT_ALL seq 8: status=STARTED")


async def test_a_fault_of_the_listening_side_does_not_reach_the_cable(monkeypatch: pytest.MonkeyPatch) -> None:
    cable = Cable("tdl", StillClock())
    with cable.listening() as ear:
        monkeypatch.setattr("tableside.diagnosis.speech.in_words", lambda _frame: 1 / 0)
        cable.note(Direction.IN, CHUNK)
        assert "cannot be put in words" in (await ear.next()).spoken.text
        cable.note_end("unplugged")
        assert (await ear.next()).spoken.text == "unplugged"
