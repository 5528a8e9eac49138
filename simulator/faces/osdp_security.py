"""The reader's side of OSDP's secure channel: which key, both proofs, the new key. Written from the specification."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.wire.osdp.codes import BlockType, KeySelector, NakCode
from firmware_bridge.wire.osdp.commands import RANDOM_SIZE, Challenge, ServerCryptogram, SetKey
from firmware_bridge.wire.osdp.frame import SecurityBlock
from firmware_bridge.wire.osdp.replies import (
    Acknowledged,
    ClientCryptogram,
    InitialMac,
    Refused,
    ReplyMessage,
)
from firmware_bridge.wire.osdp.secure import (
    DEFAULT_KEY,
    SecureChannel,
    SessionKeys,
    client_cryptogram,
    initial_mac,
    is_same,
    server_cryptogram,
    session_keys,
)

_BELIEVED = 0x01
_NOT_BELIEVED = 0xFF

Answer = tuple[ReplyMessage, SecurityBlock | None]


class Security:
    """One reader's key and channel. `key` None: fresh from the maker, only the default key is there.

    `is_capable` False: a reader without a secure channel. `random` gives so many bytes.
    """

    def __init__(
        self,
        random: Callable[[int], bytes],
        *,
        key: bytes | None = None,
        is_capable: bool = True,
        client_uid: bytes = b"SIMUL-PD",
    ) -> None:
        self.key = key
        self.is_capable = is_capable
        self.channel: SecureChannel | None = None
        self._random = random
        self._client_uid = client_uid
        self._keys: SessionKeys | None = None
        self._proof_expected = b""
        self._new_key: bytes | None = None

    def drop(self) -> None:
        """No channel, and none in the making."""
        self.channel = self._keys = self._new_key = None

    def challenged(self, challenge: Challenge, selector: bytes) -> Answer:
        """CHLNG. A reader with a key of its own answers with that, whatever the panel's selector says (seen)."""
        self.drop()
        is_default = self.key is None
        if is_default and selector != bytes((KeySelector.DEFAULT,)):
            return Refused(NakCode.SECURITY_CONDITIONS), None
        base = DEFAULT_KEY if self.key is None else self.key
        own = self._random(RANDOM_SIZE)
        self._keys = session_keys(base, challenge.random)
        self._proof_expected = server_cryptogram(self._keys, challenge.random, own)
        proof = client_cryptogram(self._keys, challenge.random, own)
        used = KeySelector.DEFAULT if is_default else KeySelector.OWN
        block = SecurityBlock(BlockType.CLIENT_CRYPTOGRAM, bytes((used,)))
        return ClientCryptogram(self._client_uid, own, proof), block

    def proved(self, proof: ServerCryptogram) -> Answer:
        """SCRYPT."""
        keys = self._keys
        if keys is None:
            return Refused(NakCode.SECURITY_CONDITIONS), None
        is_believed = is_same(proof.cryptogram, self._proof_expected)
        mac = initial_mac(keys, proof.cryptogram)
        self._keys = None
        if is_believed:
            self.channel = SecureChannel(keys, mac)
        state = _BELIEVED if is_believed else _NOT_BELIEVED
        return InitialMac(mac), SecurityBlock(BlockType.INITIAL_MAC, bytes((state,)))

    def take_key(self, command: SetKey) -> ReplyMessage:
        """KEYSET: only inside a channel; the channel ends behind the answer."""
        if self.channel is None:
            return Refused(NakCode.SECURITY_CONDITIONS)
        self._new_key = command.key
        return Acknowledged()

    def use_new_key(self) -> None:
        """The answer to KEYSET is sealed: from here on the new key holds."""
        if self._new_key is not None:
            self.key = self._new_key
            self.drop()
