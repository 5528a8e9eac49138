"""Which tags lie on which antenna of one table: what may be told as a fact, what is gone, what is ambiguous.

Pure: fed with answers and time (s). The rules, for one tag (BR-033, BR-035):

- An answer without it is a *clean miss*; three in a row, and it is gone. An answer that cannot be read, or that names a
  number which no tag has, is neither presence nor absence.
- It is told once it was read ten times alike with no miss between, and every other antenna that answers has looked
  since without seeing it.
- Seen on two antennas at once it is ambiguous, and nothing is told of it until only one of them has it.
- A reading that was not repeated, and another in its place within 0.3 s: ambiguous.
- One that comes and goes lies at the edge of the antenna: ambiguous, until it has been read thirty times in a row,
  and for a second.

So one tag is told on at most one antenna at a time: two antennas never make two cards of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

CLEAN_MISSES_TO_GONE = 3
# A card at the edge, read every other time, is read twice in a row at once, and ten times by one chance in a thousand.
# One that lies well waits for 0.6 s on a table of four antennas, for 1.7 s on one of twelve.
EQUAL_READS = 10
# Other ids within this time on one antenna are a disagreement (BR-035).
DISAGREEMENT_S = 0.3
# Back so soon after it was gone, or missed so often before it was told: it never left, it lies at the edge.
BACK_AT_EDGE_S = 1.0
MISSES_AT_EDGE = 3
STEADY_READS, STEADY_S = 30, 1.0
# An antenna that has not answered for so long is not waited for: its neighbours' cards would never be told.
WAITED_FOR_S = 2.0


class Why(StrEnum):
    """Why nothing can be told."""

    TWO_ANTENNAS = "read at two antennas"
    NOT_ALIKE = "not read twice alike"
    EDGE = "at the edge of the antenna"


@dataclass(frozen=True, slots=True)
class Placed:
    """The tag lies on that antenna."""

    antenna: str
    tag: str


@dataclass(frozen=True, slots=True)
class Removed:
    """The tag, told before, lies on that antenna no more."""

    antenna: str
    tag: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Something lies on these antennas from which no card can be told."""

    antennas: tuple[str, ...]
    why: Why


Change = Placed | Removed | Ambiguous


@dataclass(slots=True)
class _Seen:
    """A tag on an antenna. `run`: reads in a row; `since`: looks of all antennas when that run began."""

    last_s: float
    run: int = 0
    run_began_s: float = 0.0
    misses: int = 0
    interruptions: int = 0
    is_at_edge: bool = False
    since: dict[str, int] = field(default_factory=dict)
    is_told: bool = False

    @property
    def is_steady(self) -> bool:
        """Read often enough in a row, for where it lies."""
        if self.is_at_edge:
            return self.run >= STEADY_READS and self.last_s - self.run_began_s >= STEADY_S
        return self.run >= EQUAL_READS


@dataclass(slots=True)
class _Antenna:
    """`looks`: answers that could be read; `left`: tags that went from here, and when."""

    looks: int = 0
    answered_s: float | None = None
    seen: dict[str, _Seen] = field(default_factory=dict)
    left: dict[str, float] = field(default_factory=dict)


class LyingTags:
    """The antennas of one table; each is known from its first answer on."""

    def __init__(self) -> None:
        self._antennas: dict[str, _Antenna] = {}
        self._flagged: set[tuple[str, tuple[str, ...], Why]] = set()  # told as ambiguous in this presence

    def answered(self, name: str, tags: Sequence[str], now_s: float) -> list[Change]:
        """An answer that could be read: these tags, and no others, answered."""
        antenna = self._antennas.setdefault(name, _Antenna())
        antenna.looks += 1
        antenna.answered_s = now_s
        changes = list(self._missed(name, antenna, tags, now_s))
        for tag in tags:
            self._read(name, antenna, tag, now_s)
        if not antenna.seen:
            self._flagged -= {flag for flag in self._flagged if flag[1:] == ((name,), Why.NOT_ALIKE)}
        changes += self._on_two(name, tags)
        for other, there in self._antennas.items():
            changes += self._settled(other, there, now_s)
        return changes

    def away(self, name: str) -> None:
        """The antenna answers no more. What it had told stays told, and unknown; nobody waits for it."""
        antenna = self._antennas.get(name)
        if antenna is None:
            return
        antenna.answered_s = None
        antenna.seen = {tag: seen for tag, seen in antenna.seen.items() if seen.is_told}
        for seen in antenna.seen.values():
            seen.misses = 0

    def told(self, name: str) -> list[str]:
        """The tags that have been told to lie on this antenna."""
        antenna = self._antennas.get(name, _Antenna())
        return [tag for tag, seen in antenna.seen.items() if seen.is_told]

    def _missed(self, name: str, antenna: _Antenna, tags: Sequence[str], now_s: float) -> Iterator[Change]:
        for tag, seen in list(antenna.seen.items()):
            if tag in tags:
                continue
            is_replaced = bool(tags) and seen.run == 1 and not seen.is_told
            if is_replaced and now_s - seen.last_s <= DISAGREEMENT_S:
                del antenna.seen[tag]
                yield from self._flag("", (name,), Why.NOT_ALIKE)
                continue
            seen.misses += 1
            seen.interruptions += seen.run > 0
            seen.run = 0
            if not seen.is_told and seen.interruptions >= MISSES_AT_EDGE:
                seen.is_at_edge = True
                yield from self._flag(tag, (name,), Why.EDGE)
            if seen.misses >= CLEAN_MISSES_TO_GONE:
                yield from self._gone(name, antenna, tag, now_s)

    def _gone(self, name: str, antenna: _Antenna, tag: str, now_s: float) -> Iterator[Change]:
        seen = antenna.seen.pop(tag)
        antenna.left = {other: at_s for other, at_s in antenna.left.items() if now_s - at_s <= BACK_AT_EDGE_S}
        antenna.left[tag] = seen.last_s
        if seen.is_told:
            yield Removed(name, tag)
        if not any(tag in other.seen for other in self._antennas.values()):
            self._flagged = {flag for flag in self._flagged if flag[0] != tag or flag[2] is Why.EDGE}

    def _read(self, name: str, antenna: _Antenna, tag: str, now_s: float) -> None:
        seen = antenna.seen.get(tag)
        if seen is None:
            seen = antenna.seen[tag] = _Seen(last_s=now_s)
            if tag in antenna.left and now_s - antenna.left[tag] < BACK_AT_EDGE_S:
                seen.is_at_edge, seen.interruptions = True, MISSES_AT_EDGE
            else:
                self._flagged.discard((tag, (name,), Why.EDGE))
        if not seen.run:
            seen.since, seen.run_began_s = self._looks(), now_s
        seen.run += 1
        seen.misses = 0
        seen.last_s = now_s

    def _on_two(self, name: str, tags: Iterable[str]) -> Iterator[Change]:
        for tag in tags:
            holders = self._holders(tag)
            if len(holders) > 1 and name in holders:
                yield from self._flag(tag, holders, Why.TWO_ANTENNAS)

    def _settled(self, name: str, antenna: _Antenna, now_s: float) -> Iterator[Change]:
        for tag, seen in antenna.seen.items():
            if seen.is_told or not seen.is_steady:
                continue
            if len(self._holders(tag)) > 1:
                # Once the other has it no more, all look anew.
                seen.since, seen.run, seen.run_began_s = self._looks(), 1, now_s
            elif self._all_have_looked(name, seen, now_s):
                seen.is_told = True
                self._flagged = {flag for flag in self._flagged if flag[0] not in (tag, "") or flag[1] != (name,)}
                yield Placed(name, tag)

    def _all_have_looked(self, name: str, seen: _Seen, now_s: float) -> bool:
        return all(
            there.looks > seen.since.get(other, 0)
            for other, there in self._antennas.items()
            if other != name and there.answered_s is not None and now_s - there.answered_s <= WAITED_FOR_S
        )

    def _holders(self, tag: str) -> tuple[str, ...]:
        """The antennas that have it and are not sure to have lost it."""
        return tuple(sorted(name for name, antenna in self._antennas.items() if tag in antenna.seen))

    def _looks(self) -> dict[str, int]:
        return {name: antenna.looks for name, antenna in self._antennas.items()}

    def _flag(self, tag: str, antennas: tuple[str, ...], why: Why) -> Iterator[Change]:
        """Told once a presence."""
        if (tag, antennas, why) not in self._flagged:
            self._flagged.add((tag, antennas, why))
            yield Ambiguous(antennas, why)
