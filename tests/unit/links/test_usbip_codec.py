"""USB/IP's bytes, against the layout in the kernel's own document, and cut into any pieces."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.links.usbip_codec import (
    DEVICES_MAX,
    IN,
    OUT,
    UNLINKED,
    AnswerReader,
    BadUsbip,
    CommandReader,
    ExportedDevice,
    ListReader,
    Speed,
    Submit,
    Submitted,
    Unlink,
    Unlinked,
    import_reply,
    import_request,
    list_reply,
    list_request,
    read_device,
)

DEVICE = ExportedDevice("1-1", 1, 7, 0x1209, 1, interfaces=((255, 0, 0), (3, 1, 1)), device_class=(2, 0, 0))


def test_requests_as_the_kernels_document_lays_them_out() -> None:
    """Documentation/usb/usbip_protocol.rst: version 0111, code, status; then 32 bytes of bus id."""
    assert list_request() == bytes.fromhex("0111 8005 00000000")
    assert import_request("1-1") == bytes.fromhex("0111 8003 00000000") + b"1-1" + bytes(29)
    assert import_reply(None) == bytes.fromhex("0111 0003 00000001")


def test_an_urb_as_the_kernels_document_lays_it_out() -> None:
    """The document's capture of a bulk IN request, and of its answer with 20 bytes."""
    asked = Submit(0x0D05, 0x0001000F, IN, 1, 0x200, setup=bytes(8))
    laid_out = "00000001 00000d05 0001000f 00000001 00000001 00000000 00000200 00000000 ffffffff 00000000" + "00" * 8
    assert asked.encode() == bytes.fromhex(laid_out)
    answer = Submitted(0x0D05, 0, 20, bytes(range(20)))
    assert answer.encode()[:24] == bytes.fromhex("00000003 00000d05 00000000 00000000 00000000 00000000")
    assert answer.encode()[24:28] == (20).to_bytes(4, "big")
    assert len(answer.encode()) == 48 + 20


def test_a_device_reads_back_as_it_was_told() -> None:
    body = DEVICE.encode()
    assert len(body) == 312
    assert body[296:300] == bytes([0, 0, 0, Speed.FULL])
    told = read_device(body)
    assert (told.busid, told.bus, told.address, told.vendor, told.product) == ("1-1", 1, 7, 0x1209, 1)
    assert len(told.interfaces) == 2


@pytest.mark.parametrize("seed", range(5))
def test_a_conversation_in_any_pieces(seed: int) -> None:
    """BR-001: a read is not a message."""
    source = random.Random(seed)
    commands = [Submit(1, 65543, OUT, 1, 5, data=b"hello"), Submit(2, 65543, IN, 2, 64), Unlink(3, 65543, 2)]
    answers = [Submitted(1, 0, 5), Submitted(2, 0, 4, b"okay"), Unlinked(3, UNLINKED)]
    heard, said, listed = CommandReader(), AnswerReader(), ListReader()
    for command in commands:
        if isinstance(command, Submit):
            said.asked(command)
    devices = None
    assert [each for piece in cut(source, encoded(commands)) for each in heard.feed(piece)] == commands
    assert [each for piece in cut(source, encoded(answers)) for each in said.feed(piece)] == answers
    for piece in cut(source, list_reply([DEVICE, DEVICE])):
        devices = listed.feed(piece)
    assert devices is not None
    assert [device.busid for device in devices] == ["1-1", "1-1"]


@pytest.mark.parametrize("reader", [CommandReader, AnswerReader])
@pytest.mark.parametrize("code", [0, 9, 0x80000001])
def test_what_is_no_message_ends_the_stream(reader: type[CommandReader | AnswerReader], code: int) -> None:
    with pytest.raises(BadUsbip):
        list(reader().feed(code.to_bytes(4, "big") + bytes(44)))


def test_a_length_that_no_transfer_has_is_no_memory() -> None:
    broken = bytearray(Submit(1, 1, OUT, 1, 0).encode())
    broken[24:28] = (1 << 30).to_bytes(4, "big")
    with pytest.raises(BadUsbip):
        list(CommandReader().feed(bytes(broken)))


def test_a_list_of_more_devices_than_a_bus_has_addresses_is_no_memory() -> None:
    """A list has no length of its own: whoever counts to four billion would fill the memory."""
    with pytest.raises(BadUsbip):
        ListReader().feed(list_reply([])[:8] + (DEVICES_MAX + 1).to_bytes(4, "big"))


def encoded(messages: list[Submit | Unlink] | list[Submitted | Unlinked]) -> bytes:
    return b"".join(message.encode() for message in messages)


def cut(source: random.Random, data: bytes) -> list[bytes]:
    pieces = []
    while data:
        size = source.randint(1, 60)
        pieces.append(data[:size])
        data = data[size:]
    return pieces
