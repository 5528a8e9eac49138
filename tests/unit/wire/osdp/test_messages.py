"""Commands and replies: golden messages, refusals, and anything at all as data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.osdp.body import BadBody
from firmware_bridge.wire.osdp.codes import CommandCode, ReplyCode, TextMode, Tone
from firmware_bridge.wire.osdp.commands import (
    Challenge,
    CommandMessage,
    LedRecord,
    ServerCryptogram,
    SetCommunication,
    SetKey,
    SetLed,
    ShowText,
    SoundBuzzer,
    UnknownCommand,
    decode_command,
)
from firmware_bridge.wire.osdp.replies import (
    Busy,
    Capabilities,
    CapabilityRecord,
    ClientCryptogram,
    Communication,
    FormattedCard,
    Identity,
    InitialMac,
    KeysPressed,
    LocalStatus,
    RawCard,
    Refused,
    ReplyMessage,
    UnknownReply,
    decode_reply,
)
from tests.vectors.osdp import FRAMES


def plain(value: Any) -> Any:
    """A message as the vector file writes it."""
    if isinstance(value, bytes):
        return value.hex(" ").upper()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, LedRecord):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if hasattr(value, "__slots__"):
        return [plain(getattr(value, name)) for name in value.__slots__]
    return value


@pytest.mark.parametrize("vector", FRAMES, ids=lambda v: v["name"])
def test_golden_messages_both_ways(vector: dict[str, Any]) -> None:
    frame, expected = vector["frame"], vector["message"]
    data = bytes.fromhex(frame["data"])
    message = (decode_reply if frame["is_reply"] else decode_command)(frame["code"], data)
    found = {name: plain(getattr(message, name)) for name in message.__slots__}
    assert {"type": type(message).__name__, **found} == expected
    assert message.code == frame["code"]
    assert message.encode() == data


COMMANDS: list[CommandMessage] = [
    ShowText(0, TextMode.TEMPORARY, 5, 1, 1, "TAP BADGE"),
    SoundBuzzer(0, Tone.DEFAULT, 1, 2, 3),
    SetCommunication(3, 115_200),
    SetKey(bytes(range(16))),
    Challenge(b"12345678"),
    ServerCryptogram(bytes(16)),
    SetLed((LedRecord(), LedRecord(led=1))),
    UnknownCommand(0xA7, b"\x10\x27"),
]
REPLIES: list[ReplyMessage] = [
    Busy(),
    Communication(3, 115_200),
    FormattedCard(0, True, b"1234"),
    KeysPressed(0, b"12\x0d"),
    LocalStatus(is_tampered=True, is_power_failing=False),
    Refused(3, b"\x01"),
    RawCard(0, 0, 80, bytes(10)),
    Identity(b"\x01\x02\x03", 4, 5, 6, (7, 8, 9)),
    Capabilities((CapabilityRecord(4, 1, 1),)),
    ClientCryptogram(b"12345678", b"abcdefgh", bytes(16)),
    InitialMac(bytes(16)),
    UnknownReply(0x90, b"maker's own"),
]


@pytest.mark.parametrize("message", COMMANDS, ids=lambda m: type(m).__name__)
def test_commands_come_back(message: CommandMessage) -> None:
    assert decode_command(message.code, message.encode()) == message


@pytest.mark.parametrize("message", REPLIES, ids=lambda m: type(m).__name__)
def test_replies_come_back(message: ReplyMessage) -> None:
    assert decode_reply(message.code, message.encode()) == message


@pytest.mark.parametrize(
    ("code", "data"),
    [
        (CommandCode.POLL, "00"),
        (CommandCode.ID, ""),
        (CommandCode.ID, "01"),
        (CommandCode.LED, ""),
        (CommandCode.LED, "00 00 01 05 05 02 00 14 00 00 00 00 00"),
        (CommandCode.LED, "00 00 03 05 05 02 00 14 00 00 00 00 00 00"),  # an unknown temporary code
        (CommandCode.BUZ, "00 09 01 00 02"),  # an unknown tone
        (CommandCode.TEXT, "00 01 00 01 01 05 41"),  # four characters missing
        (CommandCode.TEXT, "00 01 00 01 01 01 C3"),  # not ASCII
        (CommandCode.KEYSET, "02 10" + "00" * 16),
        (CommandCode.KEYSET, "01 10" + "00" * 15),
        (CommandCode.CHLNG, "00"),
        (CommandCode.COMSET, "00 80 25 00"),
    ],
)
def test_command_data_outside_the_layout_is_refused(code: CommandCode, data: str) -> None:
    with pytest.raises(BadBody):
        decode_command(code, bytes.fromhex(data))


@pytest.mark.parametrize(
    ("code", "data"),
    [
        (ReplyCode.ACK, "00"),
        (ReplyCode.NAK, ""),
        (ReplyCode.PDID, "BE BA FE 01 01 AF BE AD DE AD DE"),
        (ReplyCode.PDCAP, "02 01"),
        (ReplyCode.LSTATR, "00"),
        (ReplyCode.RAW, "00 01 1A 00 2D 0A 22"),  # one byte missing
        (ReplyCode.RAW, "00 01 1A 00 2D 0A 22 80 00"),  # one byte too many
        (ReplyCode.RAW, "00 01 00 00"),  # a card without bits
        (ReplyCode.FMT, "00 00 00"),
        (ReplyCode.FMT, "00 00 02 31"),
        (ReplyCode.KEYPAD, "00 04 31 32 33"),
        (ReplyCode.CCRYPT, "00" * 31),
        (ReplyCode.RMAC_I, "00" * 15),
        (ReplyCode.BUSY, "00"),
    ],
)
def test_reply_data_outside_the_layout_is_refused(code: ReplyCode, data: str) -> None:
    with pytest.raises(BadBody):
        decode_reply(code, bytes.fromhex(data))


@pytest.mark.parametrize("text", ["", "x" * 33, "cartão", "a\nb", "\x00"])
def test_a_text_that_a_reader_cannot_show_is_refused_and_never_trimmed(text: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII"):
        ShowText(0, TextMode.PERMANENT, 0, 1, 1, text).encode()


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="256"):
        SoundBuzzer(256, Tone.DEFAULT, 1, 1, 1).encode()
    with pytest.raises(ValueError, match="16 bytes"):
        SetKey(b"short").encode()


def test_a_key_never_shows_in_a_message() -> None:
    assert "0f" not in repr(SetKey(bytes(range(16)))).lower()


def test_refusals_in_words() -> None:
    assert Refused(6).words == "security conditions"
    assert Refused(99).words == "code 99"


def test_a_capability_that_is_not_listed_is_level_0() -> None:
    capabilities = Capabilities((CapabilityRecord(4, 1, 1),))
    assert [capabilities.level(n) for n in (4, 5)] == [1, 0]


@given(st.integers(0, 255), st.binary(max_size=64))
def test_any_data_is_read_or_refused(code: int, data: bytes) -> None:
    for decode in (decode_command, decode_reply):
        try:
            message = decode(code, data)
        except BadBody:
            continue
        assert message.code == code
