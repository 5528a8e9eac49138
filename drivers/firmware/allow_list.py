"""The list of allowed firmware: for each version, by whose word, and the digests that it must tell under a key. Pure.

    [[firmware]]
    maker = "EXAMPLE"
    model = "CSM-SIM"
    version = "2.1"
    approved_by = "inspection service, letter of 3 May 2026"
    key = "00112233445566778899AABBCCDDEEFF00112233"
    components = { "main board 2.1" = "32A6…", "card reader 1.4" = "2EA4…" }

A version may stand there several times, each time under another key: the more there are, the less a machine can know in
advance what it will be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta

from firmware_bridge.wire.gat.digests import Digests

Hex = Annotated[str, Meta(pattern=r"\A([0-9A-Fa-f]{2}){16,64}\Z", description="16 to 64 bytes in hex")]
Sha1 = Annotated[str, Meta(pattern=r"\A[0-9A-Fa-f]{40}\Z", description="40 hex digits")]
Words = Annotated[str, Meta(min_length=1, max_length=80)]


class ListRefused(ValueError):
    """A list that cannot be used: says where and why."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One version under one key."""

    maker: Words
    model: Words
    version: Words
    approved_by: Words
    key: Hex
    components: Annotated[dict[Words, Sha1], Meta(min_length=1)]

    @property
    def key_bytes(self) -> bytes:
        return bytes.fromhex(self.key)


class AllowList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    firmware: Annotated[tuple[Entry, ...], Meta(min_length=1)]

    def keys_for(self, model: str) -> tuple[bytes, ...]:
        """The keys under which something of this model is listed; none: nothing is."""
        return tuple(dict.fromkeys(entry.key_bytes for entry in self.firmware if entry.model == model))


@dataclass(frozen=True, slots=True)
class Judgement:
    """`version` is empty and `differences` say why where it is not listed."""

    is_listed: bool
    version: str
    differences: tuple[str, ...]


def read_allow_list(text: str) -> AllowList:
    """Raises ListRefused."""
    try:
        return msgspec.toml.decode(text, type=AllowList)
    except msgspec.MsgspecError as error:
        raise ListRefused(str(error)) from None


def judge(allowed: Sequence[Entry], told: Digests, model: str, key: bytes) -> Judgement:
    """What the list says of digests that a machine told under `key`; `model` is the configured one."""
    if told.model != model:
        why = f'it says that it is a "{told.model}", and "{model}" is configured'
        return Judgement(is_listed=False, version="", differences=(why,))
    candidates = [
        entry for entry in allowed if (entry.maker, entry.model, entry.key_bytes) == (told.maker, told.model, key)
    ]
    if not candidates:
        why = f'nothing is listed of "{told.model}" by "{told.maker}" under this key'
        return Judgement(is_listed=False, version="", differences=(why,))
    found = [(tuple(_differences(entry, told)), entry) for entry in candidates]
    differences, nearest = min(found, key=lambda each: len(each[0]))
    if not differences:
        return Judgement(is_listed=True, version=nearest.version, differences=())
    against = f"against version {nearest.version}, the nearest on the list:"
    return Judgement(is_listed=False, version="", differences=tuple(f"{against} {each}" for each in differences))


def _differences(entry: Entry, told: Digests) -> Iterator[str]:
    listed, said = {name: digest.upper() for name, digest in entry.components.items()}, dict(told.components)
    yield from (f'"{name}" is missing' for name in listed if name not in said)
    yield from (f'"{name}" is not listed' for name in said if name not in listed)
    yield from (f'"{name}" has another digest' for name in listed if name in said and said[name] != listed[name])
