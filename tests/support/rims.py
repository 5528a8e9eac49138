"""The rim of a hub under test: one badge that is known, and a key that seals cards."""

from __future__ import annotations

from tableside.badges import Badges
from tableside.rim import Rim
from tableside.sealing import Seal

BADGES = Badges({"26:000000A1": "S1"}, b"key of a test")
SEAL = Seal(bytes(32), "BJ 3")


def new_rim() -> Rim:
    """With counts of its own."""
    return Rim(BADGES, SEAL)
