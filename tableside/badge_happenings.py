"""What became of badges: enrolled, given up, withdrawn. A badge is told by its keyed digest, never by its number."""

from __future__ import annotations

from tableside.happenings import Happening


class EnrolmentBegun(Happening, frozen=True, kw_only=True):
    """A new badge for `staff` is waited for at a reader."""

    staff: str
    reader: str
    by: str


class BadgeEnrolled(Happening, frozen=True, kw_only=True):
    """The same unknown badge was tapped twice: it is `staff`'s from now (UTC ns) on."""

    staff: str
    badge: str
    since_ns: int
    reader: str
    by: str


class EnrolmentEnded(Happening, frozen=True, kw_only=True):
    """No badge was enrolled, and why."""

    staff: str
    why: str


class BadgeWithdrawn(Happening, frozen=True, kw_only=True):
    """None of these badges counts any more."""

    staff: str
    badges: tuple[str, ...]
    since_ns: int
    by: str
