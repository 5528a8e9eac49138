"""The simulated reader against the specification's rules and the oddities of real panels, without our own panel."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.wire.osdp.codes import BlockType, Capability, NakCode, TextMode
from firmware_bridge.wire.osdp.commands import (
    Challenge,
    CommandMessage,
    LedPattern,
    LedRecord,
    Poll,
    ReportCapabilities,
    ReportIdentity,
    ReportLocalStatus,
    ServerCryptogram,
    SetCommunication,
    SetKey,
    SetLed,
    ShowText,
    SoundBuzzer,
    UnknownCommand,
)
from firmware_bridge.wire.osdp.frame import Check, Frame, SecurityBlock, decode_frame, encode_frame
from firmware_bridge.wire.osdp.replies import (
    Acknowledged,
    Busy,
    Capabilities,
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
    decode_reply,
)
from firmware_bridge.wire.osdp.secure import (
    DEFAULT_KEY,
    SecureChannel,
    client_cryptogram,
    server_cryptogram,
    session_keys,
)
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.faces.osdp_bus import OsdpReaders
from simulator.faces.osdp_security import Security
from simulator.world.badges import Badge, BadgeHead, Colour

KEY = bytes(range(0x10, 0x20))
CARD = Badge.printed("26:00B4288A")
NS = 1_000_000_000


class Asker:
    """Sends frames of its own making and reads what comes back; keeps no rule by itself."""

    def __init__(self, reader: OsdpReader) -> None:
        self.reader = reader
        self.now_ns = 0
        reader.boot(0)

    def raw(self, frame: Frame) -> list[bytes]:
        self.reader.receive(encode_frame(frame), self.now_ns)
        wake_ns = self.reader.update(self.now_ns)
        self.now_ns = max(self.now_ns, wake_ns or 0)
        self.reader.update(self.now_ns)
        return self.reader.take_output()

    def frame(self, frame: Frame) -> Frame:
        (data,) = self.raw(frame)
        reply = decode_frame(data)
        assert isinstance(reply, Frame)
        return reply

    def ask(
        self, sequence: int, command: CommandMessage, block: SecurityBlock | None = None, address: int = 1
    ) -> ReplyMessage:
        reply = self.frame(Frame(address, False, sequence, command.code, command.encode(), block))
        assert (reply.address, reply.sequence) == (address, sequence)
        return decode_reply(reply.code, reply.data)


def reader(*, key: bytes | None = KEY, needs_security: bool = False, model: ReaderModel | None = None) -> OsdpReader:
    security = Security(random.Random(1).randbytes, key=key)
    return OsdpReader(BadgeHead(1), 1, model or ReaderModel(needs_security=needs_security), security)


def make_channel(asker: Asker, key: bytes = KEY, selector: int = 1, first: int = 1) -> SecureChannel:
    ours = b"12345678"
    client = asker.frame(
        Frame(1, False, first, 0x76, Challenge(ours).encode(), SecurityBlock(BlockType.CHALLENGE, bytes((selector,))))
    )
    proof = decode_reply(client.code, client.data)
    assert isinstance(proof, ClientCryptogram)
    keys = session_keys(key, ours)
    assert proof.cryptogram == client_cryptogram(keys, ours, proof.random)
    server = ServerCryptogram(server_cryptogram(keys, ours, proof.random))
    block = SecurityBlock(BlockType.SERVER_CRYPTOGRAM, bytes((selector,)))
    last = asker.frame(Frame(1, False, first % 3 + 1, 0x77, server.encode(), block))
    assert last.block is not None
    assert last.block.data == b"\x01"
    mac = decode_reply(last.code, last.data)
    assert isinstance(mac, InitialMac)
    return SecureChannel(keys, mac.mac)


def test_sequence_numbers() -> None:
    """0 begins, then 1, 2, 3, 1; a repeat gets the same reply; anything else NAK 4 and changes nothing."""
    asker = Asker(reader())
    assert asker.ask(2, Poll()) == Refused(NakCode.SEQUENCE)  # nothing began yet
    assert isinstance(asker.ask(0, ReportIdentity()), Identity)
    for number in (1, 2, 3, 1, 2):
        assert asker.ask(number, Poll()) == Acknowledged()
    assert asker.ask(1, Poll()) == Refused(NakCode.SEQUENCE)
    assert asker.ask(3, Poll()) == Acknowledged()
    assert isinstance(asker.ask(0, ReportIdentity()), Identity)
    assert asker.ask(1, Poll()) == Acknowledged()


def test_a_repeat_brings_the_stored_reply_and_carries_nothing_out_again() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportIdentity())
    asker.reader.head.tap(CARD, asker.now_ns)
    first = asker.raw(Frame(1, False, 1, 0x60))
    assert asker.raw(Frame(1, False, 1, 0x60)) == first
    assert isinstance(decode_reply(0x50, decode_frame(first[0]).data), RawCard)  # type: ignore[union-attr]
    beep = SoundBuzzer(0, 2, 1, 1, 3)  # type: ignore[arg-type]
    for _ in range(3):
        asker.ask(2, beep)
    assert asker.reader.head.beeps == 3
    assert asker.ask(3, Poll()) == Acknowledged()


def test_others_frames_replies_and_noise_are_nobodys_business() -> None:
    asker = Asker(reader())
    assert asker.raw(Frame(2, False, 0, 0x60)) == []
    assert asker.raw(Frame(1, True, 0, 0x40)) == []
    asker.reader.receive(b"\x53\x01noise", asker.now_ns)
    assert asker.raw(Frame(1, False, 0, 0x60)) != []


def test_the_configuration_address_is_answered_with_itself() -> None:
    asker = Asker(reader())
    reply = asker.ask(0, SetCommunication(5, 115_200), address=0x7F)
    assert reply == Communication(5, 115_200)
    assert asker.raw(Frame(1, False, 0, 0x60)) == []
    assert asker.ask(0, ReportIdentity(), address=5)


def test_the_check_of_the_command_is_the_check_of_the_reply() -> None:
    asker = Asker(reader())
    for check in Check:
        assert asker.frame(Frame(1, False, 0, 0x60, check=check)).check is check


def test_busy_comes_with_number_0_and_consumes_nothing() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportIdentity())
    asker.reader.busy_answers = 1
    busy = asker.frame(Frame(1, False, 1, 0x60))
    assert (busy.sequence, busy.code) == (0, Busy.code)
    assert asker.ask(1, Poll()) == Acknowledged()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (UnknownCommand(0xA7, b""), NakCode.UNKNOWN_COMMAND),
        (UnknownCommand(0x6A, b"\x00"), NakCode.LENGTH),
        (SetLed((LedRecord(led=4),)), NakCode.RECORD),
        (SetCommunication(0x7F, 9_600), NakCode.RECORD),
        (SetKey(KEY), NakCode.SECURITY_CONDITIONS),
    ],
)
def test_refusals(command: CommandMessage, reason: NakCode) -> None:
    asker = Asker(reader())
    assert asker.ask(0, command) == Refused(reason)


def test_what_people_do_is_told_by_polls_in_order() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportLocalStatus())
    asker.reader.head.tap(CARD, asker.now_ns)
    asker.reader.head.press("12*#", asker.now_ns)
    asker.reader.head.is_cover_open = True
    assert asker.ask(1, Poll()) == LocalStatus(is_tampered=True, is_power_failing=False)
    assert asker.ask(2, Poll()) == RawCard(0, 1, 26, CARD.data)
    assert asker.ask(3, Poll()) == KeysPressed(0, b"12\x7f\x0d")
    assert asker.ask(1, Poll()) == Acknowledged()


def test_light_sound_and_text() -> None:
    asker = Asker(reader())
    head = asker.reader.head
    amber = LedPattern(1, 0, 3, 3)  # type: ignore[arg-type]
    asker.ask(0, SetLed((LedRecord(0, 0, 2, amber, 10, 0, LedPattern()),)))  # type: ignore[arg-type]
    assert head.visible_colour(asker.now_ns) is Colour.AMBER
    assert head.visible_colour(asker.now_ns + 2 * NS) is Colour.DARK
    asker.ask(1, SetLed((LedRecord(0, 0, 0, LedPattern(), 0, 1, amber),)))  # type: ignore[arg-type]
    assert head.visible_colour(asker.now_ns + 99 * NS) is Colour.AMBER
    asker.ask(2, ShowText(0, TextMode.PERMANENT, 0, 1, 1, "TABLE 7"))
    asker.ask(3, ShowText(0, TextMode.TEMPORARY, 5, 1, 1, "TAP BADGE"))
    assert head.display.visible_text(asker.now_ns + 4 * NS) == "TAP BADGE"
    assert head.display.visible_text(asker.now_ns + 6 * NS) == "TABLE 7"


def test_a_reader_without_a_display_refuses_text_and_does_not_offer_it() -> None:
    asker = Asker(reader(model=ReaderModel(has_display=False)))
    offered = asker.ask(0, ReportCapabilities())
    assert isinstance(offered, Capabilities)
    assert (offered.level(Capability.TEXT), offered.level(Capability.LED)) == (0, 4)
    text = ShowText(0, TextMode.TEMPORARY, 5, 1, 1, "TAP BADGE")
    assert asker.ask(1, text) == Refused(NakCode.UNKNOWN_COMMAND)


def test_an_older_reader_sends_characters() -> None:
    asker = Asker(reader(model=ReaderModel(sends_characters=True)))
    asker.reader.head.tap(Badge(32, b"4711"), asker.now_ns)
    assert asker.ask(0, Poll()) == FormattedCard(0, is_backward=False, characters=b"4711")


def test_the_channel_carries_a_card() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportIdentity())
    channel = make_channel(asker)
    asker.reader.head.tap(CARD, asker.now_ns)
    sealed = asker.frame(channel.seal(Frame(1, False, 3, 0x60)))
    assert CARD.data not in sealed.data
    assert channel.open(sealed).data == b"\x00\x01\x1a\x00" + CARD.data


def test_a_panel_whose_first_poll_already_has_a_block_of_type_15_is_told_nak_6_and_may_begin() -> None:
    """Seen of `osdp` 1.6: the poll has neither channel nor MAC; its key selector is 00 with its own key too."""
    asker = Asker(reader())
    poll = Frame(1, False, 0, 0x60, b"", SecurityBlock(0x15))
    reply = asker.frame(poll)
    assert decode_reply(reply.code, reply.data) == Refused(NakCode.SECURITY_CONDITIONS)
    make_channel(asker, selector=0)


def test_wrong_macs_and_clear_commands_end_the_channel() -> None:
    for spoil in (
        Frame(1, False, 3, 0x60, b"", SecurityBlock(0x15), bytes(4)),
        Frame(1, False, 3, 0x60),
        Frame(1, False, 3, 0x60, b"", SecurityBlock(0x19)),
    ):
        asker = Asker(reader())
        asker.ask(0, ReportIdentity())
        make_channel(asker)
        reply = asker.frame(spoil)
        assert decode_reply(reply.code, reply.data) == Refused(NakCode.SECURITY_CONDITIONS)
        assert asker.reader.security.channel is None


def test_a_wrong_proof_is_told_in_the_block_of_the_answer() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportIdentity())
    asker.ask(1, Challenge(b"12345678"), SecurityBlock(BlockType.CHALLENGE, b"\x01"))
    block = SecurityBlock(BlockType.SERVER_CRYPTOGRAM, b"\x01")
    reply = asker.frame(Frame(1, False, 2, 0x77, bytes(16), block))
    assert reply.block == SecurityBlock(BlockType.INITIAL_MAC, b"\xff")
    assert asker.reader.security.channel is None


def test_a_proof_without_a_challenge_is_refused() -> None:
    asker = Asker(reader())
    block = SecurityBlock(BlockType.SERVER_CRYPTOGRAM, b"\x01")
    assert asker.ask(0, ServerCryptogram(bytes(16)), block) == Refused(NakCode.SECURITY_CONDITIONS)


def test_number_0_and_8_s_of_silence_end_the_channel() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportIdentity())
    make_channel(asker)
    assert isinstance(asker.ask(0, ReportIdentity()), Identity)
    assert asker.reader.security.channel is None
    channel = make_channel(asker)
    asker.now_ns += 9 * NS
    reply = asker.frame(channel.seal(Frame(1, False, 3, 0x60)))
    assert decode_reply(reply.code, reply.data) == Refused(NakCode.SECURITY_CONDITIONS)


def test_a_new_key_is_taken_inside_a_channel_and_ends_it() -> None:
    asker = Asker(reader(key=None))
    asker.ask(0, ReportIdentity())
    assert asker.ask(1, Challenge(b"12345678"), SecurityBlock(0x11, b"\x01")) == Refused(NakCode.SECURITY_CONDITIONS)
    channel = make_channel(asker, key=DEFAULT_KEY, selector=0, first=2)
    command = SetKey(KEY)
    sealed = asker.frame(channel.seal(Frame(1, False, 1, command.code, command.encode())))
    assert channel.open(sealed).code == Acknowledged.code
    assert asker.reader.security.key == KEY
    assert asker.reader.security.channel is None
    asker.ask(0, ReportIdentity())
    make_channel(asker)


def test_a_reader_that_needs_security_says_only_who_it_is_in_clear() -> None:
    asker = Asker(reader(needs_security=True))
    assert isinstance(asker.ask(0, ReportIdentity()), Identity)
    assert asker.ask(1, Poll()) == Refused(NakCode.SECURITY_CONDITIONS)


def test_a_reader_without_secure_channel_says_so() -> None:
    asker = Asker(reader())
    asker.reader.security.is_capable = False
    for block in (0x11, 0x13, 0x15, 0x17):
        mac = bytes(4) if block > 0x14 else b""
        reply = asker.frame(Frame(1, False, 0, 0x60, b"", SecurityBlock(block), mac))
        assert decode_reply(reply.code, reply.data) == Refused(NakCode.SECURE_CHANNEL_UNSUPPORTED)


def test_without_power_nothing_is_answered_and_nothing_is_kept() -> None:
    asker = Asker(reader())
    asker.ask(0, ReportIdentity())
    make_channel(asker)
    asker.reader.head.tap(CARD, asker.now_ns)
    asker.reader.power_off()
    assert asker.raw(Frame(1, False, 0, 0x60)) == []
    asker.reader.boot(asker.now_ns)
    assert asker.reader.security.channel is None
    assert asker.ask(0, Poll()) == Acknowledged()
    assert asker.reader.security.key == KEY


def test_readers_on_one_pair_of_wires_answer_one_at_a_time() -> None:
    readers = [OsdpReader(BadgeHead(n), n, ReaderModel(serial=n), Security(random.Random(n).randbytes)) for n in (1, 2)]
    bus = OsdpReaders(readers)
    bus.boot(0)
    bus.receive(encode_frame(Frame(2, False, 0, 0x61, b"\x00")), 0)
    wake_ns = bus.update(0)
    assert wake_ns
    bus.update(wake_ns)
    (data,) = bus.take_output()
    assert data[1] == 0x82


def test_message_links_are_refused() -> None:
    with pytest.raises(ValueError, match="byte streams"):
        reader().connected(is_message_based=True)
