"""The secure channel against Annex E's numbers and a captured session; what breaks it; what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.osdp.codes import KeySelector
from firmware_bridge.wire.osdp.frame import Frame, SecurityBlock, decode_frame, encode_frame
from firmware_bridge.wire.osdp.secure import (
    DEFAULT_KEY,
    BaseKey,
    ChannelBroken,
    DefaultKeyRefused,
    SecureChannel,
    SessionKeys,
    client_cryptogram,
    initial_mac,
    server_cryptogram,
    session_keys,
)
from tests.vectors.osdp import ANNEX_E, MASTER_KEY, SECURE_SESSION

KEYS = SessionKeys(*(bytes.fromhex(SECURE_SESSION[name]) for name in ("encryption", "mac_first", "mac_last")))


def hexed(text: str) -> bytes:
    return bytes.fromhex(text)


def captured() -> list[Frame]:
    frames = [decode_frame(hexed(text)) for text in SECURE_SESSION["frames"]]
    assert all(isinstance(frame, Frame) for frame in frames)
    return [frame for frame in frames if isinstance(frame, Frame)]


def test_annex_e() -> None:
    panel, peripheral = hexed(ANNEX_E["panel_random"]), hexed(ANNEX_E["peripheral_random"])
    keys = session_keys(hexed(ANNEX_E["base_key"]), panel)
    assert keys == SessionKeys(*(hexed(ANNEX_E[name]) for name in ("encryption", "mac_first", "mac_last")))
    assert server_cryptogram(keys, panel, peripheral) == hexed(ANNEX_E["server_cryptogram"])
    assert client_cryptogram(keys, panel, peripheral) == hexed(ANNEX_E["client_cryptogram"])
    assert initial_mac(keys, hexed(ANNEX_E["server_cryptogram"])) == hexed(ANNEX_E["initial_mac"])


def test_the_captured_handshake() -> None:
    challenge, client, server, first, *_ = captured()
    keys = session_keys(hexed(SECURE_SESSION["base_key"]), challenge.data)
    assert keys == KEYS
    assert client.data[16:] == client_cryptogram(keys, challenge.data, client.data[8:16])
    assert server.data == server_cryptogram(keys, challenge.data, client.data[8:16])
    assert first.data == initial_mac(keys, server.data)


def test_the_captured_session_opened_as_a_witness() -> None:
    first, *session = captured()[3:]
    channel = SecureChannel(KEYS, first.data)
    for frame, clear in zip(session, SECURE_SESSION["in_clear"], strict=True):
        opened = channel.open(frame)
        assert (opened.code, opened.data) == (clear["code"], hexed(clear["data"]))
        assert opened.block is None


def test_the_captured_session_sealed_again_byte_by_byte() -> None:
    first, *session = captured()[3:]
    witness, maker = SecureChannel(KEYS, first.data), SecureChannel(KEYS, first.data)
    for frame in session:
        assert encode_frame(maker.seal(witness.open(frame))) == encode_frame(frame)


def test_every_flipped_bit_breaks_and_leaves_the_chain_where_it_was() -> None:
    first, poll, raw, *_ = captured()[3:]
    channel = SecureChannel(KEYS, first.data)
    channel.open(poll)
    for bit in range(8 * len(raw.data)):
        damaged = bytearray(raw.data)
        damaged[bit // 8] ^= 1 << (bit % 8)
        with pytest.raises(ChannelBroken, match="MAC"):
            channel.open(replace(raw, data=bytes(damaged)))
    for bit in range(32):
        mac = bytearray(raw.mac)
        mac[bit // 8] ^= 1 << (bit % 8)
        with pytest.raises(ChannelBroken, match="MAC"):
            channel.open(replace(raw, mac=bytes(mac)))
    assert channel.open(raw).code == 0x50


def test_a_repeated_or_left_out_frame_breaks() -> None:
    first, poll, raw, poll_2, ack, _ = captured()[3:]
    channel = SecureChannel(KEYS, first.data)
    for frame in (poll, raw, poll_2, ack):
        channel.open(frame)
    with pytest.raises(ChannelBroken):
        channel.open(raw)
    fresh = SecureChannel(KEYS, first.data)
    with pytest.raises(ChannelBroken):
        fresh.open(poll_2)


@pytest.mark.parametrize(
    "block", [None, SecurityBlock(0x11, b"\x01"), SecurityBlock(0x15), SecurityBlock(0x17)], ids=str
)
def test_a_reply_without_its_own_kind_of_mac_is_a_downgrade(block: SecurityBlock | None) -> None:
    first, poll, *_ = captured()[3:]
    channel = SecureChannel(KEYS, first.data)
    channel.open(poll)
    mac = bytes(4) if block and block.has_mac else b""
    with pytest.raises(ChannelBroken, match="without a MAC"):
        channel.open(Frame(address=0x65, is_reply=True, sequence=1, code=0x40, block=block, mac=mac))


def test_data_in_clear_under_a_mac_is_refused() -> None:
    here, there = (SecureChannel(KEYS, bytes(16)) for _ in range(2))
    bare = there.seal(Frame(address=1, is_reply=True, sequence=1, code=0x50))
    forged = replace(bare, data=b"\x00\x01")
    mac = there._mac(forged, bytes(16))  # made by one who has the keys
    with pytest.raises(ChannelBroken, match="in clear"):
        here.open(replace(forged, mac=mac[:4]))


def test_encrypted_data_with_wrong_padding_is_refused() -> None:
    here, there = (SecureChannel(KEYS, bytes(16)) for _ in range(2))
    for data, complaint in ((bytes(16), "padding"), (bytes(15), "whole number")):
        start = bytes(16)
        if len(data) == 16:
            encryptor = there._cipher(start).encryptor()
            data = encryptor.update(data) + encryptor.finalize()
        block = SecurityBlock(0x18)
        frame = Frame(address=1, is_reply=True, sequence=1, code=0x50, data=data, block=block, mac=bytes(4))
        with pytest.raises(ChannelBroken, match=complaint):
            here.open(replace(frame, mac=there._mac(frame, start)[:4]))


def test_the_default_key_is_refused_outside_install_mode() -> None:
    with pytest.raises(DefaultKeyRefused, match="install mode"):
        BaseKey(DEFAULT_KEY)
    assert BaseKey(DEFAULT_KEY, is_install_mode=True).selector is KeySelector.DEFAULT
    assert BaseKey(bytes(16)).selector is KeySelector.OWN
    with pytest.raises(ValueError, match="16 bytes"):
        BaseKey(b"short")


def test_a_master_key_makes_one_key_a_station() -> None:
    master = BaseKey(hexed(MASTER_KEY["master"]), is_master=True)
    assert master.for_station(hexed(MASTER_KEY["client_uid"])) == hexed(MASTER_KEY["station_key"])
    own = BaseKey(hexed(MASTER_KEY["master"]))
    assert own.for_station(hexed(MASTER_KEY["client_uid"])) == hexed(MASTER_KEY["master"])


def test_keys_never_show() -> None:
    key = BaseKey(bytes(range(16)))
    for shown in (repr(key), str(key), repr(session_keys(key.key, bytes(8)))):
        assert "\\x" not in shown
        assert "0f" not in shown.lower()


def test_a_challenge_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="8 bytes"):
        session_keys(bytes(16), bytes(7))


@given(st.lists(st.tuples(st.binary(max_size=40), st.binary(max_size=40)), min_size=1, max_size=6))
def test_two_ends_understand_each_other(exchanges: list[tuple[bytes, bytes]]) -> None:
    keys = session_keys(bytes(range(16)), b"12345678")
    panel, peripheral = (SecureChannel(keys, bytes(16)) for _ in range(2))
    for number, pair in enumerate(exchanges):
        for (near, far), is_reply, data in zip(
            ((panel, peripheral), (peripheral, panel)), (False, True), pair, strict=True
        ):
            frame = Frame(address=9, is_reply=is_reply, sequence=number % 4, code=0x50, data=data)
            sealed = decode_frame(encode_frame(near.seal(frame)))
            assert isinstance(sealed, Frame)
            assert far.open(sealed) == frame
