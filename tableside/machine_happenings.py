"""What is recorded of a machine by its serial number: a row of the journal, which its history reads."""

from __future__ import annotations

from tableside.happenings import Happening
from tableside.machine_requests import Standing


class MachineRecorded(Happening, frozen=True, kw_only=True):
    """A person says where this machine is, and which of its parts are new."""

    serial: str
    standing: Standing
    parts: tuple[str, ...]
    note: str
    by: str
