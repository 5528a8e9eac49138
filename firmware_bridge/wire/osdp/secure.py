"""The secure channel of OSDP v2: keys, proofs, the chain of MACs, encryption of data (AES-128).

Both ends use the same chain: a command's MAC starts from the MAC of the reply before it, a reply's from the MAC
of its command. Only four bytes travel; the whole sixteen go on.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from firmware_bridge.wire.osdp.codes import BlockType, KeySelector
from firmware_bridge.wire.osdp.commands import KEY_SIZE, RANDOM_SIZE
from firmware_bridge.wire.osdp.frame import MAC_SIZE, Frame, SecurityBlock, authenticated

BLOCK_SIZE = 16
DEFAULT_KEY = bytes(range(0x30, 0x40))  # SCBK-D: printed in the standard, so it protects nothing
_CHALLENGE_PART = 6  # bytes of the panel's random number that go into the session keys
_PADDING_START = 0x80
_TAGS = {"encryption": b"\x01\x82", "mac_first": b"\x01\x01", "mac_last": b"\x01\x02"}
_PLAIN_BLOCKS = {False: BlockType.PANEL_MAC, True: BlockType.PERIPHERAL_MAC}
_ENCRYPTED_BLOCKS = {False: BlockType.PANEL_ENCRYPTED, True: BlockType.PERIPHERAL_ENCRYPTED}


class DefaultKeyRefused(ValueError):
    """The key that everybody knows was to be used outside of installing a reader."""


class ChannelBroken(ValueError):
    """A frame does not belong to this channel: MAC, padding or security block is wrong."""


@dataclass(frozen=True, slots=True, repr=False)
class BaseKey:
    """A station's SCBK, or the master key from which each station's is derived. Its repr hides it."""

    key: bytes
    is_master: bool = False
    is_install_mode: bool = False

    def __post_init__(self) -> None:
        if len(self.key) != KEY_SIZE:
            raise ValueError(f"a base key has {KEY_SIZE} bytes, not {len(self.key)}")
        if self.key == DEFAULT_KEY and not self.is_install_mode:
            raise DefaultKeyRefused(
                "the default key SCBK-D is public and protects nothing: use it in install mode only, "
                "then set the station's own key"
            )

    @property
    def selector(self) -> KeySelector:
        return KeySelector.DEFAULT if self.key == DEFAULT_KEY else KeySelector.OWN

    def for_station(self, client_uid: bytes) -> bytes:
        """The SCBK of the station that calls itself `client_uid` (eight bytes of CCRYPT)."""
        if not self.is_master:
            return self.key
        return encrypt_block(self.key, client_uid + bytes(byte ^ 0xFF for byte in client_uid))

    def __repr__(self) -> str:
        return f"BaseKey(<key>, is_master={self.is_master}, is_install_mode={self.is_install_mode})"


@dataclass(frozen=True, slots=True, repr=False)
class SessionKeys:
    """S-ENC, S-MAC1 and S-MAC2 of one session."""

    encryption: bytes
    mac_first: bytes
    mac_last: bytes

    def __repr__(self) -> str:
        return "SessionKeys(<keys>)"


def encrypt_block(key: bytes, block: bytes) -> bytes:
    """AES-128 of one block."""
    encryptor = Cipher(algorithms.AES128(key), modes.ECB()).encryptor()  # one block: no mode is involved
    return encryptor.update(block) + encryptor.finalize()


def session_keys(base_key: bytes, panel_random: bytes) -> SessionKeys:
    """The keys of the session that the panel opens with its eight random bytes."""
    if len(panel_random) != RANDOM_SIZE:
        raise ValueError(f"the panel's random number has {RANDOM_SIZE} bytes, not {len(panel_random)}")
    tail = panel_random[:_CHALLENGE_PART]
    blocks = {name: (tag + tail).ljust(BLOCK_SIZE, b"\x00") for name, tag in _TAGS.items()}
    return SessionKeys(**{name: encrypt_block(base_key, block) for name, block in blocks.items()})


def client_cryptogram(keys: SessionKeys, panel_random: bytes, peripheral_random: bytes) -> bytes:
    """The peripheral's proof that it has the key."""
    return encrypt_block(keys.encryption, panel_random + peripheral_random)


def server_cryptogram(keys: SessionKeys, panel_random: bytes, peripheral_random: bytes) -> bytes:
    """The panel's proof that it has the key."""
    return encrypt_block(keys.encryption, peripheral_random + panel_random)


def initial_mac(keys: SessionKeys, cryptogram: bytes) -> bytes:
    """R-MAC-I, from the panel's proof: where the chain begins."""
    return encrypt_block(keys.mac_last, encrypt_block(keys.mac_first, cryptogram))


def is_same(left: bytes, right: bytes) -> bool:
    """Compare proofs and MACs in a time that does not depend on where they differ."""
    return hmac.compare_digest(left, right)


class SecureChannel:
    """One session's chain of MACs; the same class at both ends."""

    def __init__(self, keys: SessionKeys, first_mac: bytes) -> None:
        self._keys = keys
        self._command_mac = bytes(BLOCK_SIZE)
        self._reply_mac = first_mac

    def seal(self, frame: Frame) -> Frame:
        """Encrypt what `frame` carries, put the MAC on it, and move the chain on by one."""
        start = self._start(frame)
        types = _ENCRYPTED_BLOCKS if frame.data else _PLAIN_BLOCKS
        data = self._encrypt(frame.data, start) if frame.data else b""
        shape = replace(frame, data=data, block=SecurityBlock(types[frame.is_reply]), mac=bytes(MAC_SIZE))
        mac = self._mac(shape, start)
        self._move_on(frame, mac)
        return replace(shape, mac=mac[:MAC_SIZE])

    def open(self, frame: Frame) -> Frame:
        """Check a frame's MAC, move the chain on, give it back in clear and without its block.

        Raises `ChannelBroken`, with the chain unmoved.
        """
        block = frame.block.type if frame.block else None
        if block not in (_PLAIN_BLOCKS[frame.is_reply], _ENCRYPTED_BLOCKS[frame.is_reply]):
            raise ChannelBroken("a frame without a MAC in a secure channel")
        start = self._start(frame)
        mac = self._mac(frame, start)
        if not is_same(mac[:MAC_SIZE], frame.mac):
            raise ChannelBroken("the MAC is wrong")
        data = frame.data
        if block == _ENCRYPTED_BLOCKS[frame.is_reply]:
            data = self._decrypt(data, start)
        elif data:
            raise ChannelBroken("data in clear in a secure channel")
        self._move_on(frame, mac)
        return replace(frame, data=data, block=None, mac=b"")

    def _start(self, frame: Frame) -> bytes:
        return self._command_mac if frame.is_reply else self._reply_mac

    def _move_on(self, frame: Frame, mac: bytes) -> None:
        if frame.is_reply:
            self._reply_mac = mac
        else:
            self._command_mac = mac

    def _mac(self, frame: Frame, start: bytes) -> bytes:
        covered = authenticated(frame)
        if len(covered) % BLOCK_SIZE:
            covered = _pad(covered)
        mac = start
        if len(covered) > BLOCK_SIZE:
            encryptor = Cipher(algorithms.AES128(self._keys.mac_first), modes.CBC(start)).encryptor()
            mac = (encryptor.update(covered[:-BLOCK_SIZE]) + encryptor.finalize())[-BLOCK_SIZE:]
        last = bytes(a ^ b for a, b in zip(mac, covered[-BLOCK_SIZE:], strict=True))
        return encrypt_block(self._keys.mac_last, last)

    def _cipher(self, start: bytes) -> Cipher[modes.CBC]:
        return Cipher(algorithms.AES128(self._keys.encryption), modes.CBC(bytes(byte ^ 0xFF for byte in start)))

    def _encrypt(self, data: bytes, start: bytes) -> bytes:
        encryptor = self._cipher(start).encryptor()
        return encryptor.update(_pad(data)) + encryptor.finalize()

    def _decrypt(self, data: bytes, start: bytes) -> bytes:
        if len(data) % BLOCK_SIZE:
            raise ChannelBroken(f"{len(data)} encrypted bytes are no whole number of blocks")
        decryptor = self._cipher(start).decryptor()
        padded = (decryptor.update(data) + decryptor.finalize()).rstrip(b"\x00")
        if data and padded[-1:] != bytes((_PADDING_START,)):
            raise ChannelBroken("the padding of encrypted data is wrong")
        return padded[:-1]


def _pad(data: bytes) -> bytes:
    size = (len(data) // BLOCK_SIZE + 1) * BLOCK_SIZE
    return (data + bytes((_PADDING_START,))).ljust(size, b"\x00")
