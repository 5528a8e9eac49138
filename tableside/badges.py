"""The rim's translation of badges: from the number that a reader read to whose badge it is (semantics §5, §6).

Badge numbers can be copied onto another card, so they stay in the configuration: the journal, the pages and the
table's state know staff ids. An unknown badge becomes a digest under a key that never leaves the daemon's account:
the same badge gives the same digest, and nobody can try out all 26-bit numbers on a copy of the journal.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from drivers.events import BadgeSeen
from tableside.badge_happenings import BadgeEnrolled, BadgeWithdrawn
from tableside.inputs import BadgeSighted

# 16 bytes of SHA-256: two badges of one house will not meet in it.
DIGEST_BYTES = 16


class Badge(msgspec.Struct, frozen=True):
    """A badge by enrolment: whose it is, or was until it was withdrawn, since when (UTC ns)."""

    staff: str
    since_ns: int
    is_withdrawn: bool = False


class Enrolled:
    """What all tables of the host know of badges beside their files, by digest; of two words the younger counts."""

    def __init__(self) -> None:
        self._known: dict[str, Badge] = {}

    def learn(self, badges: Mapping[str, Badge]) -> None:
        """What a table's record says."""
        for digest, badge in badges.items():
            known = self._known.get(digest)
            if known is None or known.since_ns <= badge.since_ns:
                self._known[digest] = badge

    def hear(self, whats: Iterable[object]) -> None:
        """What a table has just written."""
        for what in whats:
            if isinstance(what, BadgeEnrolled):
                self.learn({what.badge: Badge(what.staff, what.since_ns)})
            elif isinstance(what, BadgeWithdrawn):
                self.learn({digest: Badge(what.staff, what.since_ns, is_withdrawn=True) for digest in what.badges})

    def staff_of(self, digest: str, staff: str) -> str:
        """Whose badge this is now: `staff` as the file says, or by enrolment; nobody's once it was withdrawn."""
        known = self._known.get(digest)
        if known is None:
            return staff
        return "" if known.is_withdrawn else staff or known.staff


@dataclass(frozen=True, slots=True)
class Badges:
    """Whose badge is which: `<bits>:<UPPER HEX>` to staff id, compared as text (BR-032). `key` makes the digests."""

    staff: Mapping[str, str]
    key: bytes = field(repr=False)
    enrolled: Enrolled = field(default_factory=Enrolled)

    def sighted(self, fact: BadgeSeen) -> BadgeSighted:
        """Whose badge was seen, or a digest of it."""
        digest = digest_of(self.key, fact.badge)
        staff = self.enrolled.staff_of(digest, self.staff.get(fact.badge, ""))
        return BadgeSighted(reader=fact.device, kind=fact.kind, staff=staff, digest="" if staff else digest)


def digest_of(key: bytes, badge: str) -> str:
    """A badge's number as the journal may hold it."""
    return hmac.digest(key, badge.encode(), hashlib.sha256)[:DIGEST_BYTES].hex()
