"""Counters behind a machine's meters that go on while nobody listens."""

from __future__ import annotations

import msgspec


class CounterReadings(msgspec.Struct, frozen=True, kw_only=True):
    """What the counters showed when this boot's meters stood at 0; they wrap at `modulus`."""

    cards_in: int
    cards_out: int
    modulus: int
