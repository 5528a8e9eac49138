"""Antennas in a row under the felt, and tags that lie above them. No bytes, no clock.

How well a tag is read depends on how far off the antenna's middle it lies: surely well inside, now and then at the
edge, never outside. Where two fields stand close together, each puts tags of the other out. A tag that is read badly
may come out as another number: shifted, with zeros in front (miguelbalboa/rfid 589).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

# A coil of 70 mm, as breakout boards have; a card of its size is read within it (assumed).
RADIUS_MM = 35.0
SURE, NEVER = 0.8, 1.2  # of the radius
# Two coils nearer than this feel each other's field (assumed: three radii).
COUPLED_MM = 3 * RADIUS_MM
# So far apart they do not.
CLEAR_MM = 2 * COUPLED_MM
# How often a tag still answers in such a field.
DISTURBED = 0.3


@dataclass(slots=True)
class Antenna:
    """One coil; `is_fed`: its field stands. `miss_one_in`: how often a look fails by itself, 0 never."""

    at_mm: float
    is_fed: bool = False
    miss_one_in: int = 0


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag. `sel_res` says what it is: 08 a MIFARE Classic 1K, 00 an Ultralight or NTAG."""

    uid: bytes
    sel_res: int = 0x08
    sens_res: int = 0x0004


class RfField:
    """The antennas of one table. `shift_one_in`: how often a read at the edge comes out shifted, 0 never."""

    def __init__(self, seed: int, *, shift_one_in: int = 0) -> None:
        self.antennas: dict[str, Antenna] = {}
        self._lying: dict[Tag, float] = {}
        self._shift_one_in = shift_one_in
        self._chance = random.Random(f"rf field {seed}")

    # What people do

    def lay(self, tag: Tag, at_mm: float) -> None:
        """Put a tag down there, or push it there."""
        self._lying[tag] = at_mm

    def take(self, uid: bytes) -> bool:
        """Take a tag away. False: it lies nowhere."""
        found = [tag for tag in self._lying if tag.uid == uid]
        for tag in found:
            del self._lying[tag]
        return bool(found)

    @property
    def lying(self) -> dict[str, float]:
        """What eyes see: number and place of each tag."""
        return {tag.uid.hex().upper(): at_mm for tag, at_mm in self._lying.items()}

    # What an antenna's electronics see

    def look(self, name: str, most: int) -> list[Tag]:
        """The tags that answer now, so many at most; looking feeds the antenna."""
        antenna = self.antennas[name]
        antenna.is_fed = True
        if antenna.miss_one_in and self._chance.randrange(antenna.miss_one_in) == 0:
            return []
        disturbance = DISTURBED if self._is_disturbed(antenna) else 1.0
        found = []
        for tag, at_mm in self._lying.items():
            coupling = _coupling(abs(at_mm - antenna.at_mm))
            if coupling and self._chance.random() < coupling * disturbance:
                found.append(self._read(tag, coupling))
        return found[:most]

    def _is_disturbed(self, antenna: Antenna) -> bool:
        others = (other for other in self.antennas.values() if other is not antenna and other.is_fed)
        return any(abs(other.at_mm - antenna.at_mm) < COUPLED_MM for other in others)

    def _read(self, tag: Tag, coupling: float) -> Tag:
        is_shifted = coupling < 1.0 and self._shift_one_in and self._chance.randrange(self._shift_one_in) == 0
        if not is_shifted:
            return tag
        zeros = self._chance.randint(1, 3)
        return Tag((bytes(zeros) + tag.uid)[: len(tag.uid)], tag.sel_res, tag.sens_res)


def _coupling(off_mm: float) -> float:
    """1 well inside, 0 outside, falling in between."""
    off = off_mm / RADIUS_MM
    return min(1.0, max(0.0, (NEVER - off) / (NEVER - SURE)))
