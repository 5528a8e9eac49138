"""Identities of cards on their way into the journal: sealed under a key that only the daemon's account reads.

A card that was read is secret until it lies face up or its round is over (semantics §6). The rim seals its identity
before anything keeps it, and opens it when the table says so; whoever has only the journal reads *a card*. All sealed
texts of one kind of identity have the same length, and the same card never looks the same twice.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import TypeGuard

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec.structs import replace

from drivers.card_events import CARD_TOLD, CardTold

PREFIX = "sealed:"
NONCE_BYTES = 12  # what AES-GCM asks for; a shoe has 416 cards, so chance never gives one twice
# Identities are filled up to a multiple of this: a face has 4 bytes, the number of a tag up to 23.
FILL_BYTES = 32


def is_card_told(what: object) -> TypeGuard[CardTold]:
    """A fact that has an identity to seal."""
    return isinstance(what, CARD_TOLD)


class Seal:
    """Of one table. `key` is the host's; `nonce` gives bytes that never come again."""

    def __init__(self, key: bytes, table: str, nonce: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._cipher = AESGCM(hmac.digest(key, b"cards of " + table.encode(), hashlib.sha256))
        self._table = table.encode()
        self._nonce = nonce

    def sealed(self, fact: CardTold) -> CardTold:
        """The same fact, its identity closed."""
        return replace(fact, card=self.close(fact.card))

    def close(self, identity: str) -> str:
        """An identity as the journal keeps it."""
        plain = identity.encode()
        filled = plain.ljust(-(-len(plain) // FILL_BYTES) * FILL_BYTES, b"\0")
        nonce = self._nonce(NONCE_BYTES)
        return PREFIX + (nonce + self._cipher.encrypt(nonce, filled, self._table)).hex()

    def open(self, sealed: str) -> str | None:
        """The identity; None: it was closed with another key, or is none."""
        try:
            raw = bytes.fromhex(sealed.removeprefix(PREFIX))
            return self._cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], self._table).rstrip(b"\0").decode()
        except (ValueError, InvalidTag):
            return None
