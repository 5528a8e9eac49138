"""Facts that antennas tell beside those of cards (`drivers.card_events`): chips, and tags that nobody knows."""

from __future__ import annotations

from drivers.fact import Fact


class ChipRead(Fact, frozen=True, kw_only=True):
    """A chip lies on an antenna; `value` in the smallest unit of the table's currency. Told once."""

    value: int
    place: str


class ChipRemoved(Fact, frozen=True, kw_only=True):
    """A chip that was read at `place` lies there no more."""

    value: int
    place: str


class TagUnknown(Fact, frozen=True, kw_only=True):
    """A tag lies on an antenna that the register does not know: it is taken for nothing. `tag` as `<bits>:<HEX>`."""

    tag: str
    place: str


class UnknownTagGone(Fact, frozen=True, kw_only=True):
    """A tag that nobody knew lies at `place` no more."""

    tag: str
    place: str


AnyAntennaFact = ChipRead | ChipRemoved | TagUnknown | UnknownTagGone
