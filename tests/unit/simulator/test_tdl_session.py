"""Device side of sessions and seqs against docs/protocols/tdl.md 4 and 5 (conformance D-1 to D-8, B-4 to B-6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.tdl.codes import (
    BootCause,
    HelloFlag,
    LampColour,
    MessageType,
    NoticeKind,
    Operation,
    Permit,
    Reason,
    Status,
)
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import StreamDecoder
from simulator.faces.session import Hello, Session, Turn

from .bench import EPOCH, NONCE, Bench, status

READS = (
    Operation.IDENTITY,
    Operation.STATE,
    Operation.FAULTS,
    Operation.METERS,
    Operation.PING,
)
# The bytes of section 15, written there by independent CBOR, COBS and CRC implementations.
HELLO_BYTES = bytes.fromhex(
    "00 03 D1 01 05 01 34 12 19 02 A5 1C 48 01 02 03 04 05 06 07 08 01 01 02 01 03 19 03 E8 04 1A A1 B2 C3 D4"
    "63 1B 1B 45 00"
)
PERMIT_BYTES = bytes.fromhex("00 08 D1 03 04 07 34 12 0A 02 A3 0D 02 01 19 07 D0 02 18 68 8F B5 D6 F6 00")
COUNT_17_BYTES = bytes.fromhex("00 08 D1 03 40 08 34 12 09 02 A2 0C 1A A1 B2 C3 D4 01 11 1B 2B 7E 1E 00")
STARTED_BYTES = bytes.fromhex("00 08 D1 04 40 08 34 12 03 02 A1 06 01 9F 61 E5 5B 00")
OUTCOME_17_BYTES = bytes.fromhex("00 08 D1 03 02 09 34 12 09 02 A2 09 1A A1 B2 C3 D4 01 11 81 03 0C E1 00")
NEVER_BYTES = bytes.fromhex("00 08 D1 04 02 09 34 12 03 02 A1 06 07 B5 EF 48 8E 00")


def small() -> Bench:
    return Bench(decks=0)


def test_the_examples_of_the_text_byte_for_byte() -> None:
    bench = small()
    bench.memory.commands = type(bench.memory.commands)(EPOCH, 16)
    bench.face.receive(HELLO_BYTES, 0)
    (reply,) = bench.face.take_output()
    (hello,) = StreamDecoder().feed(reply)
    assert isinstance(hello, Frame)
    assert (hello.body[4], hello.body[5], hello.body[6]) == ("CSM-SIM", "000123", 96)
    assert (hello.body[8], hello.body[9]) == (EPOCH, 16)
    bench.acknowledge(0)
    bench.face.receive(PERMIT_BYTES, 0)
    assert bench.face.permits[Permit.FEED].limit == 104
    bench.face.take_output()
    bench.face.receive(COUNT_17_BYTES, 0)
    assert STARTED_BYTES in bench.face.take_output()


def test_never_byte_for_byte() -> None:
    bench = small()
    bench.face.receive(HELLO_BYTES, 0)
    bench.face.take_output()
    bench.face.receive(OUTCOME_17_BYTES, 0)
    assert bench.face.take_output() == [NEVER_BYTES]


def test_d1_closed_answers_hello_only_and_says_nothing() -> None:
    bench = small()
    for kind, code, seq in (
        (MessageType.REQUEST, Operation.PING, 2),
        (MessageType.REQUEST, Operation.COUNT_ALL, 2),
        (MessageType.NOTICE_ACK, 0, 0),
    ):
        assert bench.send(kind, code, seq, {0: EPOCH, 1: 1}) == []
    bench.run(30)
    assert bench.heard == []
    assert bench.face.dropped == 3
    assert bench.face.outcomes.highest == 0


@pytest.mark.parametrize("operation", READS)
def test_d2_adopted_answers_reads(operation: Operation) -> None:
    bench = small()
    bench.hello()
    assert status(bench.ask(operation)) is Status.OK


def test_d2_adopted_other_goals_are_busy_and_moves_are_refused_and_stored() -> None:
    bench = small()
    bench.hello()
    assert status(bench.permit(Permit.FEED, 1_000)) is Status.BUSY
    assert status(bench.permit(Permit.FEED, 0)) is Status.OK
    assert status(bench.ask(Operation.LAMP, {0: LampColour.RED, 1: 0})) is Status.BUSY
    assert status(bench.ask(Operation.CLEAR_FAULT, {0: 8, 1: 3})) is Status.BUSY
    refusal = bench.command(Operation.COUNT_ALL)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.NOT_OPEN)
    bench.acknowledge(0)
    refusal = bench.command(Operation.COUNT_ALL, number=1)
    assert (status(refusal), refusal.body[1]) == (Status.REFUSED, Reason.NOT_OPEN)
    assert not bench.machine.is_busy


def test_d2_adopted_sends_no_notice_and_open_sends_the_first_at_once() -> None:
    bench = small()
    bench.hello()
    bench.run(10)
    assert bench.kinds() == []
    bench.acknowledge(0)
    assert bench.kinds()[0] is NoticeKind.BOOTED


def test_an_acknowledgement_of_another_boot_opens_nothing() -> None:
    bench = small()
    bench.hello()
    bench.acknowledge(0, boot=7)
    assert bench.kinds() == []


def test_d3_a_copy_of_hello_is_answered_and_changes_nothing() -> None:
    bench = small()
    bench.open()
    session = bench.face.session
    bench.ask(Operation.PING)
    assert session is not None
    nonce = session.hello.nonce
    bench.send(MessageType.HELLO, 0, 1, {0: nonce, 1: 1, 2: 1, 3: 1000, 4: EPOCH})
    assert bench.heard[-1].type is MessageType.HELLO_REPLY
    assert bench.face.session is session
    assert session.is_open
    assert session.last_seq == 2


def test_d3_a_copy_of_the_hello_before_is_dropped() -> None:
    bench = small()
    old = {0: NONCE, 1: 1, 2: 1, 3: 1000, 4: EPOCH}
    bench.hello()
    old_session = bench.session
    bench.open()
    assert bench.send(MessageType.HELLO, 0, 1, old, session=old_session) == []
    assert status(bench.ask(Operation.PING)) is Status.OK


@pytest.mark.parametrize(("silence_s", "is_held"), [(4.9, True), (5.1, False)])
def test_d4_another_host_gets_the_device_only_after_five_seconds(silence_s: float, is_held: bool) -> None:
    bench = small()
    bench.acknowledges = False
    bench.open()
    bench.run(silence_s)
    reply = bench.hello(epoch=99, nonce=b"stranger", session=77)
    flags = reply.body[12]
    assert isinstance(flags, int)
    assert bool(flags & HelloFlag.OTHER_HOST) is is_held
    session = bench.face.session
    assert session is not None
    assert (session.hello.epoch == EPOCH) is is_held


def test_a_host_that_is_not_obeyed_reads_and_changes_nothing_but_stops() -> None:
    bench = small()
    bench.open(epoch=99)
    assert all(status(bench.ask(operation)) is Status.OK for operation in READS)
    for reply in (
        bench.permit(Permit.FEED, 1_000),
        bench.ask(Operation.LAMP, {0: LampColour.RED, 1: 0}),
        bench.ask(Operation.CLEAR_FAULT, {0: 8, 1: 3}),
        bench.command(Operation.COUNT_ALL),
        bench.ask(Operation.OUTCOME, {0: EPOCH, 1: 9}),
    ):
        assert (status(reply), reply.body[1]) == (Status.REFUSED, Reason.EPOCH)
    assert status(bench.permit(Permit.FEED, 0)) is Status.OK
    assert bench.face.outcomes.highest == 0


def test_d5_hello_stops_no_motion_ends_no_permit_drops_no_notice() -> None:
    bench = small()
    bench.acknowledges = False
    bench.open()
    bench.permit(Permit.FEED, 60_000)
    bench.command(Operation.COUNT_ALL)
    kept = len(bench.face.notices)
    bench.hello(nonce=b"11111111", session=90)
    assert bench.face.permits.stands(Permit.FEED)
    assert bench.machine.is_busy
    assert len(bench.face.notices) == kept


def expected_turn(last: int, seq: int, is_copy: bool) -> Turn:
    """Table of section 5, in its own words."""
    ahead = (seq - last + 255) % 255
    if ahead == 0:
        return Turn.COPY if is_copy else Turn.DROP
    return Turn.NEW if 1 <= ahead <= 127 else Turn.DROP


def test_d6_every_pair_of_seqs() -> None:
    """BR-014: 65,025 pairs, both sides of 255 → 1."""
    hello = Hello(1, 1, NONCE, 1, 1, 1000, EPOCH)
    for last in range(1, 256):
        session = Session(hello, 0, last, last_code=8)
        for seq in range(1, 256):
            assert session.judge(seq, 8) is expected_turn(last, seq, is_copy=False)


@pytest.mark.parametrize(("last", "new", "old"), [(255, 1, 254), (3, 130, 131), (3, 4, 250), (1, 2, 255)])
def test_d6_the_examples_of_the_text(last: int, new: int, old: int) -> None:
    session = Session(Hello(1, 1, NONCE, 1, 1, 1000, EPOCH), 0, last)
    assert session.judge(new, 8) is Turn.NEW
    assert session.judge(old, 8) is Turn.DROP


def test_d6_over_the_wrap_in_frames() -> None:
    """BR-014: 600 requests, each with a late copy of the one before."""
    bench = small()
    bench.open()
    for _ in range(600):
        before = bench.seq
        assert status(bench.ask(Operation.PING)) is Status.OK
        dropped = bench.face.dropped
        assert bench.send(MessageType.REQUEST, Operation.PING, before, {}) == []
        assert bench.face.dropped == dropped + 1


def test_d7_a_copy_of_a_goal_acts_once_and_gets_the_first_answer() -> None:
    """BR-012."""
    bench = small()
    bench.open()
    first = bench.permit(Permit.FEED, 2_000)
    bench.run(1.5)
    copy = bench.ask(Operation.PERMIT, {0: Permit.FEED, 1: 2_000}, seq=bench.seq)
    assert copy.body == first.body
    bench.run(1)
    assert not bench.face.permits.stands(Permit.FEED)


def test_d7_a_copy_of_a_read_is_answered_afresh() -> None:
    bench = small()
    bench.open()
    bench.command(Operation.COUNT_ALL)
    question = {0: EPOCH, 1: 1}
    assert status(bench.ask(Operation.OUTCOME, question)) is Status.STARTED
    bench.run(60)
    assert status(bench.ask(Operation.OUTCOME, question, seq=bench.seq)) is Status.DONE


def test_d7_the_same_seq_with_another_code_is_dropped() -> None:
    bench = small()
    bench.open()
    bench.ask(Operation.PING)
    assert bench.send(MessageType.REQUEST, Operation.STATE, bench.seq, {}) == []


def test_d8_a_late_permit_does_not_undo_a_revoke() -> None:
    bench = small()
    bench.open()
    bench.permit(Permit.FEED, 60_000)
    seq = bench.seq
    bench.permit(Permit.FEED, 0)
    assert bench.send(MessageType.REQUEST, Operation.PERMIT, seq, {0: Permit.FEED, 1: 60_000}) == []
    assert not bench.face.permits.stands(Permit.FEED)


@pytest.mark.parametrize(
    ("body", "is_answered"),
    [
        ({0: NONCE, 1: 1, 2: 1, 3: 1000, 4: EPOCH}, True),
        ({0: NONCE, 1: 1, 2: 1, 3: 1000, 4: EPOCH, 19: "new"}, True),
        ({0: NONCE[:7], 1: 1, 2: 1, 3: 1000, 4: EPOCH}, False),
        ({0: NONCE, 1: 1, 2: 1, 3: 95, 4: EPOCH}, False),
        ({0: NONCE, 1: 1, 2: 1, 3: 1000, 4: 0}, False),
        ({0: NONCE, 1: 1, 2: 1, 3: 1000}, False),
        ({0: NONCE, 1: 1, 2: 1, 3: True, 4: EPOCH}, False),
    ],
)
def test_a_hello_that_makes_no_sense_is_dropped(body: dict[int, int | bytes | str], is_answered: bool) -> None:
    bench = small()
    assert bool(bench.send(MessageType.HELLO, 0, 1, body)) is is_answered
    assert bench.face.dropped == (not is_answered)


def test_no_common_version_is_told_and_changes_nothing() -> None:
    bench = small()
    bench.send(MessageType.HELLO, 0, 1, {0: NONCE, 1: 2, 2: 9, 3: 1000, 4: EPOCH})
    assert bench.heard[-1].body[1] == 0
    assert bench.face.session is None


def test_the_end_of_a_connection_closes_the_session_and_nothing_else() -> None:
    bench = small()
    bench.open()
    bench.permit(Permit.FEED, 60_000)
    bench.face.disconnected()
    assert bench.send(MessageType.REQUEST, Operation.PING, 9, {}) == []
    assert bench.face.permits.stands(Permit.FEED)


@pytest.mark.parametrize("cause", list(BootCause))
def test_a_boot_is_told_with_its_cause_and_number(cause: BootCause) -> None:
    """BR-015."""
    bench = small()
    bench.open()
    bench.face.reset(bench.now_ns, cause)
    reply = bench.hello(nonce=b"22222222", session=91)
    assert (reply.body[2], reply.body[3]) == (2, cause)
    bench.acknowledge(0)
    assert bench.told(NoticeKind.BOOTED)[-1][3] == cause


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_b4_b6_noise_is_counted_never_answered_and_the_next_frame_is_taken(chunks: list[bytes]) -> None:
    """BR-006: chatter at another speed, then a healthy host."""
    bench = small()
    for chunk in chunks:
        bench.face.receive(chunk, 0)
    assert bench.face.take_output() == []
    bench.face.receive(b"\0", 0)
    assert bench.hello().body[0] == NONCE


@pytest.mark.parametrize("foreign", [b"AT\r", b"ATZ\r\n", b"\x1b[6n", bytes(range(256))])
def test_b6_what_another_program_writes_into_the_port_does_nothing_and_is_counted(foreign: bytes) -> None:
    """BR-020: a modem service that tries every new port, in the middle of a session."""
    bench = small()
    bench.open()
    dropped = bench.face.dropped
    assert bench.face.take_output() == []
    bench.face.receive(foreign, bench.now_ns)
    bench.face.receive(b"\0", bench.now_ns)
    assert bench.face.take_output() == []
    assert bench.face.dropped > dropped
    assert bench.ask(Operation.PING).body[0] == 0


@pytest.mark.parametrize("kind", [MessageType.HELLO_REPLY, MessageType.REPLY, MessageType.NOTICE, MessageType.PROGRESS])
def test_b6_messages_in_the_wrong_direction_are_counted(kind: MessageType) -> None:
    """BR-005: the device hears its own kind of message."""
    bench = small()
    bench.open()
    dropped = bench.face.dropped
    seq = 3 if kind in (MessageType.HELLO_REPLY, MessageType.REPLY) else 0
    code = 0 if kind is MessageType.HELLO_REPLY else 8
    assert bench.send(kind, code, seq, {0: 0}) == []
    assert bench.face.dropped == dropped + 1
    assert bench.ask(Operation.METERS).body[6] == dropped + 1


def test_b7_nothing_larger_than_ninety_six_bytes_is_sent() -> None:
    """A host with the smallest buffer understands all of a shuffler's day."""
    bench = Bench(decks=2)
    bench.open()
    bench.count_all()
    bench.load(104)
    for operation in READS:
        bench.ask(operation)
    small_decoder = StreamDecoder(96)
    from firmware_bridge.wire.tdl.frame import encode_frame

    assert all(len(encode_frame(frame)) <= 96 + 12 for frame in bench.heard)
    assert small_decoder.pending == 0
