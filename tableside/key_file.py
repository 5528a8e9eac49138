"""Keys that the daemon makes for itself: a file that only its own account may read."""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from tableside.journal.disk import FILE_MODE, sync_directory

KEY_BYTES = 32
# Badges that nobody knows are recorded under a digest with this key.
DIGEST_KEY = "badge-digest.key"
# Identities of cards stand in the journal under this key until their round is over; without it they stay shut.
SEAL_KEY = "card-seal.key"


@dataclass(frozen=True, slots=True)
class Keys:
    """What this host keeps to itself: `digest` of badges that nobody knows, `seal` of cards."""

    digest: bytes = field(repr=False)
    seal: bytes = field(repr=False)


class KeyRefused(Exception):
    """A key file that must not be used: says why and what to do."""


def keys_in(folder: Path) -> Keys:
    """The keys of a host, in its journals' folder; made at the first start. Raises `KeyRefused`."""
    return Keys(key_from(folder / DIGEST_KEY), key_from(folder / SEAL_KEY))


def key_from(path: Path) -> bytes:
    """The key in a file; made at the first start. Raises `KeyRefused`."""
    try:
        return _read(path)
    except FileNotFoundError:
        return _make(path)
    except OSError as error:
        raise KeyRefused(f"{path} cannot be read: {error.strerror}") from error


def _read(path: Path) -> bytes:
    mode = path.stat().st_mode
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyRefused(f"{path} can be read by others (mode {stat.S_IMODE(mode):04o}); run chmod 600 on it")
    try:
        key = bytes.fromhex(path.read_text("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyRefused(f"{path} holds no key of {KEY_BYTES * 2} hex digits; move it away, a new one is made")
    return key


def _make(path: Path) -> bytes:
    key = secrets.token_bytes(KEY_BYTES)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        with os.fdopen(file, "w", encoding="ascii") as writing:
            writing.write(key.hex() + "\n")
            writing.flush()
            os.fsync(writing.fileno())
        sync_directory(path.parent)
    except OSError as error:
        raise KeyRefused(f"{path} cannot be made: {error.strerror}") from error
    return key
