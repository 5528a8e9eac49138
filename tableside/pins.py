"""PINs, the second way when a badge reader is away: kept as slow hashes, never as such.

The stored text is `scrypt$<log2 n>$<r>$<p>$<salt>$<hash>`, salt and hash in hex.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

# OWASP's figure for interactive log-ins (2023): 2^15, 8, 3; about 0.1 s and 32 MiB on a table host.
LOG2_N, R, P = 15, 8, 3
SALT_BYTES = 16
HASH_BYTES = 32
# OpenSSL counts 128 × n × r plus its own tables.
MAX_MEMORY_BYTES = 128 * 1024 * 1024
MIN_DIGITS, MAX_DIGITS = 6, 12


class PinRefused(ValueError):
    """A PIN that must not be stored, or a stored text that is none."""


def hash_pin(pin: str, salt: bytes | None = None) -> str:
    """What the configuration keeps of `pin`. Raises `PinRefused` for anything but 6 to 12 digits."""
    if not (pin.isascii() and pin.isdigit() and MIN_DIGITS <= len(pin) <= MAX_DIGITS):
        raise PinRefused(f"a PIN has {MIN_DIGITS} to {MAX_DIGITS} digits; choose another")
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    return f"scrypt${LOG2_N}${R}${P}${salt.hex()}${_derive(pin, salt, LOG2_N, R, P).hex()}"


def is_pin(pin: str, stored: str) -> bool:
    """Whether `pin` is the one behind `stored`; slow on purpose, so not for the event loop's thread."""
    log2_n, r, p, salt, expected = _parts(stored)
    return hmac.compare_digest(_derive(pin, salt, log2_n, r, p), expected)


def is_pin_hash(stored: str) -> bool:
    """Whether `stored` is a text that `is_pin` can compare with."""
    try:
        _parts(stored)
    except PinRefused:
        return False
    return True


def _parts(stored: str) -> tuple[int, int, int, bytes, bytes]:
    kind, *numbers, salt, expected = (stored.split("$") + [""] * 6)[:6]
    try:
        log2_n, r, p = (int(number) for number in numbers)
        parts = log2_n, r, p, bytes.fromhex(salt), bytes.fromhex(expected)
    except ValueError:
        raise PinRefused("not a stored PIN: scrypt$<log2 n>$<r>$<p>$<salt>$<hash>") from None
    # Fewer rounds than our own would be a hash that is quick to guess.
    if (
        kind != "scrypt"
        or log2_n < LOG2_N
        or log2_n > 17
        or r != R
        or not P <= p <= 2 * P
        or len(parts[4]) != HASH_BYTES
    ):
        raise PinRefused(f"not a stored PIN: scrypt with at least 2^{LOG2_N}, {R}, {P} and {HASH_BYTES} bytes")
    return parts


def _derive(pin: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=1 << log2_n, r=r, p=p, maxmem=MAX_MEMORY_BYTES, dklen=HASH_BYTES)
