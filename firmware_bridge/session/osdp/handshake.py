"""Making a secure channel: challenge, two proofs, the first MAC. Pure; one object an attempt."""

from __future__ import annotations

from firmware_bridge.wire.osdp.codes import BlockType, KeySelector
from firmware_bridge.wire.osdp.commands import Challenge, ServerCryptogram
from firmware_bridge.wire.osdp.frame import SecurityBlock
from firmware_bridge.wire.osdp.replies import ClientCryptogram, InitialMac
from firmware_bridge.wire.osdp.secure import (
    BaseKey,
    SecureChannel,
    SessionKeys,
    client_cryptogram,
    initial_mac,
    is_same,
    server_cryptogram,
    session_keys,
)

_ACCEPTED = 1  # third byte of RMAC_I's block: the peripheral believes our proof


class KeyWrong(ValueError):
    """The two sides have different keys; the text says which side noticed, and what to do."""


class Handshake:
    """One attempt with one base key and one random number of eight bytes."""

    def __init__(self, key: BaseKey, random: bytes) -> None:
        self._key = key
        self._random = random
        self._keys: SessionKeys | None = None
        self._proof = b""
        self.client_uid = b""  # known after the client's proof

    def challenge(self) -> tuple[Challenge, SecurityBlock]:
        """The first command."""
        return Challenge(self._random), self._block(BlockType.CHALLENGE)

    def prove(self, reply: ClientCryptogram, block: SecurityBlock | None) -> tuple[ServerCryptogram, SecurityBlock]:
        """Check the client's proof, give ours. Raises `KeyWrong`.

        The proof decides, not the key selector in the block: some panels and peripherals always send the same.
        """
        keys = session_keys(self._key.for_station(reply.client_uid), self._random)
        if not is_same(reply.cryptogram, client_cryptogram(keys, self._random, reply.random)):
            has_default = block is not None and block.data == bytes((KeySelector.DEFAULT,))
            raise KeyWrong(
                "the reader says that it has only the default key: install its own key"
                if has_default
                else "the reader has another key: check the key file, or install the key anew"
            )
        self._keys = keys
        self.client_uid = reply.client_uid
        self._proof = server_cryptogram(keys, self._random, reply.random)
        return ServerCryptogram(self._proof), self._block(BlockType.SERVER_CRYPTOGRAM)

    def conclude(self, reply: InitialMac, block: SecurityBlock | None) -> SecureChannel:
        """Check that the peripheral believes us and starts the same chain. Raises `KeyWrong`."""
        is_accepted = block is not None and block.data == bytes((_ACCEPTED,))
        if self._keys is None or not is_accepted or not is_same(reply.mac, initial_mac(self._keys, self._proof)):
            raise KeyWrong("the reader did not believe our proof of the key: check the key file")
        return SecureChannel(self._keys, reply.mac)

    def _block(self, kind: BlockType) -> SecurityBlock:
        return SecurityBlock(kind, bytes((self._key.selector,)))
