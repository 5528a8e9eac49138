"""A machine's firmware as it lies in its memory, and the digests that it tells of it.

An honest machine reckons over what it runs. One whose firmware was changed by somebody who knows what is asked reckons
over a copy of the right firmware instead: nobody can see that from outside, which is why what a machine says of itself
is trusted as *self-reported* and no further.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field, replace

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the firmware: its name tells its version too."""

    name: str
    image: bytes


MAKER, MODEL = "EXAMPLE", "CSM-SIM"


@dataclass(slots=True)
class Firmware:
    """All parts. `seconds_a_part`: how long one digest takes."""

    maker: str
    model: str
    parts: list[Part]
    seconds_a_part: float = 1.0
    kept_copy: list[Part] = field(default_factory=list)  # what a lying machine reckons over

    def digests(self, key: bytes) -> tuple[tuple[str, str], ...]:
        """Name and HMAC-SHA1 of each part under this key, hex in capitals."""
        parts = self.kept_copy or self.parts
        return tuple((part.name, hmac.new(key, part.image, hashlib.sha1).hexdigest().upper()) for part in parts)

    @property
    def duration_ns(self) -> int:
        """Of one calculation over all parts."""
        return int(self.seconds_a_part * len(self.parts) * NS_PER_S)

    def change(self, name: str, image: bytes, *, is_lying: bool = False) -> None:
        """Somebody writes another image into the machine."""
        before = list(self.parts)
        self.parts = [replace(part, image=image) if part.name == name else part for part in self.parts]
        self.kept_copy = (self.kept_copy or before) if is_lying else []


def example_firmware(version: str = "2.1") -> Firmware:
    """Of the simulated shuffler: each version has other images, the same ones each time."""
    names = (f"main board {version}", f"carousel {version}", "card sensor 1.4")
    return Firmware(MAKER, MODEL, [Part(name, hashlib.sha256(name.encode()).digest() * 1_000) for name in names])
