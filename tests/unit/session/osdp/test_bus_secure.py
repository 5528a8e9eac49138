"""The secure channel of a station: made, lost, made again; what is refused. Virtual time."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from firmware_bridge.session.osdp import (
    CardShown,
    ChannelLost,
    CommandRefused,
    KeyInstalled,
    Loss,
    StationLost,
    StationProfile,
    StationReady,
)
from firmware_bridge.wire.osdp.codes import BlockType, CommandCode
from firmware_bridge.wire.osdp.commands import LedRecord, SetKey, SetLed
from firmware_bridge.wire.osdp.frame import Frame, decode_frame, encode_frame
from firmware_bridge.wire.osdp.secure import BaseKey, DefaultKeyRefused
from simulator.faces.osdp import ReaderModel
from tests.support.osdp_line import CARD, TEST_KEY, Panel, Wires, as_it_is, reader, until

pytestmark = pytest.mark.virtual_time

OTHER_KEY = bytes(range(0x20, 0x30))
_WRONG_LAMP = SetLed((LedRecord(led=9),))
SECURE = StationProfile(1, key=BaseKey(TEST_KEY))


def challenges(wires: Wires) -> list[float]:
    """When a handshake began."""
    return [heard.at_s for heard in wires.commands if heard.frame.code == CommandCode.CHLNG]


def is_clear(heard: Frame) -> bool:
    return heard.block is None


async def ready(panel: Panel, count: int = 1) -> None:
    await until(lambda: len(panel.of(StationReady)) >= count)
    await asyncio.sleep(0.5)


async def test_nothing_but_who_and_what_is_asked_in_clear() -> None:
    face = reader(key=TEST_KEY, model=ReaderModel(serial=1, needs_security=True))
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await ready(panel)
        face.head.tap(CARD, wires.now_ns())
        await until(lambda: bool(panel.of(CardShown)))
        assert panel.of(StationReady)[0].is_secure
        assert {heard.frame.code for heard in wires.commands if is_clear(heard.frame)} == {0x61, 0x62}
        assert panel.of(CardShown)[0].card.data == CARD.data  # type: ignore[union-attr]


async def test_a_flipped_bit_of_a_mac_drops_the_channel_and_it_is_made_again_at_once() -> None:
    face = reader(key=TEST_KEY)
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await ready(panel)
        await asyncio.sleep(10)
        wires.on_reply = _spoiling_one_mac(wires)
        began_s = asyncio.get_running_loop().time()
        assert await until(lambda: len(panel.of(StationReady)) == 2) - began_s < 1
        assert len(panel.of(ChannelLost)) == 1
        assert not panel.of(StationLost)
        face.head.tap(CARD, wires.now_ns())
        await until(lambda: bool(panel.of(CardShown)))


def _spoiling_one_mac(wires: Wires):  # type: ignore[no-untyped-def]
    def passage(data: bytes) -> list[tuple[float, bytes]]:
        frame = decode_frame(data)
        assert isinstance(frame, Frame)
        wires.on_reply = as_it_is
        spoilt = Frame(frame.address, True, frame.sequence, frame.code, frame.data, frame.block, bytes(4), frame.check)
        return [(0.0, encode_frame(spoilt))]  # with a good CRC: somebody meant it

    return passage


async def test_the_reader_that_lost_its_channel_is_taken_back_at_once() -> None:
    face = reader(key=TEST_KEY)
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await ready(panel)
        await asyncio.sleep(10)
        face.security.drop()
        began_s = asyncio.get_running_loop().time()
        assert await until(lambda: len(panel.of(StationReady)) == 2) - began_s < 1
        assert not panel.of(StationLost)


async def test_a_channel_that_keeps_breaking_is_made_at_once_then_after_1_2_4_to_60_s() -> None:
    face = reader(key=TEST_KEY)
    wires = Wires(face)
    panel = Panel(wires, SECURE)

    def spoil_every_mac(data: bytes) -> list[tuple[float, bytes]]:
        frame = decode_frame(data)
        assert isinstance(frame, Frame)
        if frame.block and frame.block.type in (BlockType.PERIPHERAL_MAC, BlockType.PERIPHERAL_ENCRYPTED):
            data = encode_frame(
                Frame(frame.address, True, frame.sequence, frame.code, frame.data, frame.block, bytes(4))
            )
        return [(0.0, data)]

    async with panel.running():
        await ready(panel)
        await asyncio.sleep(10)
        began = len(challenges(wires))
        wires.on_reply = spoil_every_mac
        await asyncio.sleep(400)
        waits = [round(later - earlier) for earlier, later in pairwise(challenges(wires)[began:])]
        assert waits[:9] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        assert panel.of(StationLost)[0].loss is Loss.CHANNEL_BROKEN
        assert max(panel.when(StationReady)) < panel.when(StationLost)[0]
        wires.on_reply = as_it_is
        await until(lambda: len(panel.of(StationReady)) == 2)


async def test_a_wrong_key_is_told_as_such_and_no_card_is_read() -> None:
    face = reader(key=OTHER_KEY)
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        face.head.tap(CARD, wires.now_ns())
        assert await until(lambda: bool(panel.of(StationLost))) < 2
        assert panel.of(StationLost)[0].loss is Loss.WRONG_KEY
        assert "key" in panel.of(StationLost)[0].text
        await asyncio.sleep(60)
        assert len(panel.of(StationLost)) == 1
        assert not panel.of(StationReady)
        assert not panel.of(CardShown)
        face.security.key = TEST_KEY
        await until(lambda: bool(panel.of(StationReady)), within_s=70)


async def test_a_reader_without_secure_channel_is_refused_never_used_in_clear() -> None:
    face = reader(key=TEST_KEY)
    face.security.is_capable = False
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await until(lambda: bool(panel.of(StationLost)))
        assert panel.of(StationLost)[0].loss is Loss.NOT_SECURABLE
        await asyncio.sleep(100)
        assert {heard.frame.code for heard in wires.commands} == {0x61, 0x62, 0x76}


async def test_a_reader_that_demands_a_key_is_told_when_none_is_configured() -> None:
    face = reader(key=TEST_KEY, model=ReaderModel(serial=1, needs_security=True))
    panel = Panel(Wires(face), StationProfile(1))
    async with panel.running():
        await until(lambda: bool(panel.of(StationLost)))
        assert panel.of(StationLost)[0].loss is Loss.NEEDS_KEY
        assert "configure its key" in panel.of(StationLost)[0].text


async def test_a_reader_fresh_from_the_maker_is_refused_outside_install_mode() -> None:
    face = reader(key=None)
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await until(lambda: bool(panel.of(StationLost)))
        assert panel.of(StationLost)[0].loss in (Loss.WRONG_KEY, Loss.NOT_SECURABLE)
        await asyncio.sleep(60)
        assert not panel.of(StationReady)
        assert face.security.key is None
    with pytest.raises(DefaultKeyRefused):
        StationProfile(1, key=BaseKey(bytes(range(0x30, 0x40))))


async def test_install_mode_gives_a_fresh_reader_its_own_key_and_then_uses_that() -> None:
    face = reader(key=None)
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1, key=BaseKey(TEST_KEY), is_install_mode=True))
    async with panel.running():
        await until(lambda: bool(panel.of(StationReady)))
        assert len(panel.of(KeyInstalled)) == 1
        assert face.security.key == TEST_KEY
        assert panel.of(StationReady)[0].is_secure
        sent = b"".join(encode_frame(heard.frame) for heard in wires.commands)
        assert TEST_KEY not in sent  # the key itself goes encrypted


async def test_install_mode_with_a_master_key_derives_the_stations_key_from_its_own_id() -> None:
    face = reader(key=None)
    panel = Panel(Wires(face), StationProfile(1, key=BaseKey(TEST_KEY, is_master=True), is_install_mode=True))
    async with panel.running():
        await until(lambda: bool(panel.of(StationReady)))
        assert face.security.key == BaseKey(TEST_KEY, is_master=True).for_station(b"SIMUL-PD")
        assert face.security.key != TEST_KEY


async def test_replies_in_clear_inside_a_channel_are_never_believed() -> None:
    """Somebody on the wires answers for the reader, with good CRC and number, but without the key."""
    face = reader(key=TEST_KEY)
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await ready(panel)

        def forged(data: bytes) -> list[tuple[float, bytes]]:
            frame = decode_frame(data)
            assert isinstance(frame, Frame)
            if frame.block is None:
                return [(0.0, data)]
            card = b"\x00\x01\x1a\x00" + CARD.data
            return [(0.0, encode_frame(Frame(frame.address, True, frame.sequence, 0x50, card)))]

        wires.on_reply = forged
        await asyncio.sleep(60)
        assert not panel.of(CardShown)
        assert panel.of(StationLost)


async def test_another_serial_number_inside_the_channel_than_configured_is_the_wrong_device() -> None:
    face = reader(key=TEST_KEY, model=ReaderModel(serial=7))
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1, key=BaseKey(TEST_KEY), serial=8))
    async with panel.running():
        assert await until(lambda: bool(panel.of(StationLost))) < 1
        lost = panel.of(StationLost)[0]
        assert lost.loss is Loss.WRONG_DEVICE
        assert "00000007 answers, 00000008 is configured" in lost.text
        asked = len(wires.commands)
        await asyncio.sleep(55)
        assert len(wires.commands) == asked  # looked at once a minute, no more
        face.model = ReaderModel(serial=8)
        await until(lambda: bool(panel.of(StationReady)), within_s=120)


async def test_a_command_that_the_reader_refuses_in_the_channel_leaves_the_channel_alone() -> None:
    face = reader(key=TEST_KEY)
    panel = Panel(Wires(face), SECURE)
    async with panel.running():
        await ready(panel)
        panel.bus.wish(1, _WRONG_LAMP)
        await until(lambda: bool(panel.of(CommandRefused)))
        await asyncio.sleep(2)
        assert panel.of(CommandRefused)[0].why == "record"
        assert not panel.of(ChannelLost)


async def test_8_s_without_polls_drop_the_readers_channel_and_that_is_mended_too() -> None:
    """A hub that was full for long: the reader forgot the channel, the panel notices and makes it again."""
    face = reader(key=TEST_KEY)
    wires = Wires(face)
    panel = Panel(wires, SECURE)
    async with panel.running():
        await ready(panel)
        panel.gate.clear()
        face.head.tap(CARD, wires.now_ns())
        await asyncio.sleep(30)
        panel.gate.set()
        await until(lambda: len(panel.of(StationReady)) == 2)
        assert len(panel.of(CardShown)) == 1
        assert not panel.of(StationLost)


def test_a_key_never_shows_in_a_notice_of_a_wish() -> None:
    assert TEST_KEY.hex() not in repr(CommandRefused(1, SetKey(TEST_KEY), "refused"))
