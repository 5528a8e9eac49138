"""The fault catalogue: each fault has a cause in the world, a way to provoke it, and a proof that it fired.

A fault is provoked by its cause (a creased card, dust, a failing part) and takes effect when the machine meets it:
the proof turns true then, not before. What happens by itself, and how often, is in `world/hazards.py`.
"""

from __future__ import annotations

from . import cables, cards, parts, power
from .scene import CannotProvoke, Fault, Proof, Scene

CATALOGUE: dict[str, Fault] = {
    fault.name: fault for fault in (*cards.FAULTS, *parts.FAULTS, *power.FAULTS, *cables.FAULTS)
}

__all__ = ["CATALOGUE", "CannotProvoke", "Fault", "Proof", "Scene"]
