"""What people ask about badges and sections. `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request


class EnrolBadge(Request, frozen=True, kw_only=True):
    """A new badge becomes somebody's: it is tapped twice at the named reader within a minute."""

    staff: str
    reader: str


class WithdrawBadge(Request, frozen=True, kw_only=True):
    """Somebody's badges are lost, or taken away: from now on none of them counts, at any table of the host."""

    staff: str


class HandOverSection(Request, frozen=True, kw_only=True):
    """From now on another floor supervisor answers for the section; the list of open items goes with it."""

    staff: str


AnyPeopleRequest = EnrolBadge | WithdrawBadge | HandOverSection
