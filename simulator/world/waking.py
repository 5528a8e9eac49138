"""When a world or a face wants to be called again: the earliest of several times, None being never."""

from __future__ import annotations


def earliest(*wakes: int | None) -> int | None:
    """A plain loop: this runs for every byte and every motion of a day."""
    first = None
    for wake in wakes:
        if wake is not None and (first is None or wake < first):
            first = wake
    return first
