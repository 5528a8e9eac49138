"""Manual operation on record: forms, beginning and end, what was written down meanwhile. Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening


class FormIssued(Happening, frozen=True, kw_only=True):
    """Form number `form` of this table may be printed and used, once."""

    form: int
    by: str


class ManualOrdered(Happening, frozen=True, kw_only=True):
    """Room management has the table run by hand. `since` is the time that people say, local."""

    form: int
    since: str
    why: str
    by: str


class LateEntered(Happening, frozen=True, kw_only=True):
    """What somebody wrote on the form at `at` (local), entered now: a late entry, never a fact of a device."""

    form: int
    line: int
    at: str
    kind: str
    text: str
    by: str


class ManualEnded(Happening, frozen=True, kw_only=True):
    """The system runs the table again, after a full count."""

    form: int
    lines: int
    by: str
