"""What people record of a machine by its serial number, wherever it stands. `tableside.requests` has all requests."""

from __future__ import annotations

from enum import StrEnum

from tableside.request_shapes import Request


class Standing(StrEnum):
    """Where a machine is in its life."""

    IN_SERVICE = "in service"
    OUT = "out"  # of use, and nobody works on it
    WORKSHOP = "workshop"
    READY = "ready"  # whole, to be used next


class RecordMachine(Request, frozen=True, kw_only=True):
    """Where a machine is now, by its serial number, which parts of it were exchanged, and what for."""

    serial: str
    standing: Standing
    parts: tuple[str, ...] = ()  # each as the technician names it, with the part's own number
    note: str = ""
