"""The link layer with one station: numbers, repeats, and what counts as an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_bridge.session.osdp.conversation import Answer, Conversation, Misheard, NoAnswer, next_number
from firmware_bridge.wire.osdp.codes import NakCode
from firmware_bridge.wire.osdp.commands import CommandMessage, Poll, ReportIdentity, SetKey
from firmware_bridge.wire.osdp.frame import Check, Frame, SecurityBlock, decode_frame
from firmware_bridge.wire.osdp.replies import Acknowledged, Busy, Refused, ReplyMessage
from firmware_bridge.wire.osdp.secure import SecureChannel, session_keys

KEYS = session_keys(bytes(range(16)), b"12345678")
ACK = Acknowledged()


def reply(sequence: int, message: ReplyMessage = ACK, address: int = 5) -> Frame:
    return Frame(address, True, sequence, message.code, message.encode())


def asked(conversation: Conversation, command: CommandMessage | None = None) -> Frame:
    frame = decode_frame(conversation.ask(command or Poll())[1:])
    assert isinstance(frame, Frame)
    return frame


def in_channel() -> tuple[Conversation, SecureChannel]:
    conversation = Conversation(5)
    conversation.channel = SecureChannel(KEYS, bytes(16))
    return conversation, SecureChannel(KEYS, bytes(16))


def test_numbers_begin_at_0_and_go_round_1_to_3_br_014() -> None:
    conversation, numbers = Conversation(5), []
    for _ in range(9):
        frame = asked(conversation)
        numbers.append(frame.sequence)
        assert isinstance(conversation.hear(reply(frame.sequence)), Answer)
    assert numbers == [0, 1, 2, 3, 1, 2, 3, 1, 2]
    assert [next_number(n) for n in range(4)] == [1, 2, 3, 1]


def test_a_copy_has_the_same_number_and_the_same_bytes_br_012() -> None:
    for conversation in (Conversation(5), in_channel()[0]):
        first = conversation.ask(Poll())
        assert [conversation.copy() for _ in range(3)] == [first] * 3


def test_a_copy_of_nothing_is_a_fault_of_ours() -> None:
    with pytest.raises(RuntimeError, match="outstanding"):
        Conversation(5).copy()


@pytest.mark.parametrize("steps", range(6))
def test_duplicates_and_late_replies_around_the_wrap_are_known_as_old_br_014(steps: int) -> None:
    """A second copy of each answer, and the answer before that, never count for the command that is out."""
    conversation, last = Conversation(5), 0
    for _ in range(steps + 1):
        last = asked(conversation).sequence
        conversation.hear(reply(last))
    duplicate = conversation.hear(reply(last))
    assert isinstance(duplicate, NoAnswer)
    assert duplicate.why is Misheard.LATE
    now = asked(conversation).sequence
    for old in {1, 2, 3} - {now}:
        late = conversation.hear(reply(old))
        assert isinstance(late, NoAnswer)
        assert late.why is Misheard.LATE
    assert isinstance(conversation.hear(reply(now)), Answer)


@pytest.mark.parametrize("number", [0, 2])
def test_busy_leaves_the_command_outstanding(number: int) -> None:
    conversation = Conversation(5)
    for n in (0, 1):
        asked(conversation)
        conversation.hear(reply(n))
    before = conversation.ask(Poll())
    heard = conversation.hear(reply(number, Busy()))
    assert isinstance(heard, Answer)
    assert heard.reply == Busy()
    assert conversation.copy() == before


def test_a_command_whose_check_was_damaged_is_sent_again_under_its_number() -> None:
    conversation = Conversation(5)
    before = conversation.ask(Poll())
    heard = conversation.hear(reply(0, Refused(NakCode.CHECK)))
    assert isinstance(heard, Answer)
    assert conversation.copy() == before


def test_a_refusal_with_number_0_says_that_the_station_starts_anew() -> None:
    """A peripheral that lost count answers 0 (OSDP.Net 95): never mind for what it refused."""
    conversation = Conversation(5)
    asked(conversation)
    conversation.hear(reply(0))
    assert asked(conversation).sequence == 1
    heard = conversation.hear(reply(0, Refused(NakCode.LENGTH)))
    assert isinstance(heard, Answer)
    assert heard.reply == Refused(NakCode.SEQUENCE)


def test_an_answer_checked_in_another_way_is_none() -> None:
    """One flipped bit makes an 8-bit checksum of a CRC: we ask with the CRC, and believe nothing less."""
    conversation = Conversation(5)
    asked(conversation)
    heard = conversation.hear(replace(reply(0), check=Check.CHECKSUM))
    assert isinstance(heard, NoAnswer)
    assert heard.why is Misheard.OTHER_CHECK
    assert isinstance(conversation.hear(reply(0)), Answer)


def test_nonsense_moves_on_because_its_copy_would_be_no_better() -> None:
    conversation = Conversation(5)
    asked(conversation, ReportIdentity())
    heard = conversation.hear(Frame(5, True, 0, 0x45, b"short"))
    assert isinstance(heard, NoAnswer)
    assert heard.why is Misheard.NONSENSE
    assert asked(conversation).sequence == 1


def test_in_the_channel_a_sealed_reply_counts_and_the_chain_goes_on() -> None:
    conversation, far = in_channel()
    for number in (0, 1, 2, 3, 1):
        far.open(asked(conversation))
        assert isinstance(conversation.hear(far.seal(reply(number))), Answer)


@pytest.mark.parametrize(
    "forged",
    [
        reply(0),
        reply(0, Refused(NakCode.SECURITY_CONDITIONS)),
        Frame(5, True, 0, 0x40, b"", SecurityBlock(0x16), b"\x01\x02\x03\x04"),
        Frame(5, True, 0, 0x76, bytes(32), SecurityBlock(0x12, b"\x01")),
    ],
    ids=["in clear", "refused in clear", "wrong MAC", "a handshake's block"],
)
def test_in_the_channel_anything_else_breaks_it(forged: Frame) -> None:
    conversation, _ = in_channel()
    asked(conversation)
    heard = conversation.hear(forged)
    assert isinstance(heard, NoAnswer)
    assert heard.why is Misheard.BROKEN


def test_a_new_key_may_be_acknowledged_in_clear() -> None:
    """Some drop the channel before they answer KEYSET (libosdp expects it); both drop it behind that in any case."""
    conversation, _ = in_channel()
    asked(conversation, SetKey(bytes(16)))
    assert isinstance(conversation.hear(reply(0)), Answer)


def test_a_sealed_reply_without_a_channel_is_none() -> None:
    conversation = Conversation(5)
    asked(conversation)
    heard = conversation.hear(Frame(5, True, 0, 0x40, b"", SecurityBlock(0x16), bytes(4)))
    assert isinstance(heard, NoAnswer)
    assert heard.why is Misheard.BROKEN
