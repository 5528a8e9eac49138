"""The rim's translation of badges: from the number that a reader read to whose badge it is (semantics §5, §6).

Badge numbers can be copied onto another card, so they stay in the configuration: the journal, the pages and the
table's state know staff ids. An unknown badge becomes a digest under a key that never leaves the daemon's account:
the same badge gives the same digest, and nobody can try out all 26-bit numbers on a copy of the journal.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from drivers.events import BadgeSeen
from tableside.inputs import BadgeSighted

# 16 bytes of SHA-256: two badges of one house will not meet in it.
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Badges:
    """Whose badge is which: `<bits>:<UPPER HEX>` to staff id, compared as text (BR-032). `key` makes the digests."""

    staff: Mapping[str, str]
    key: bytes = field(repr=False)

    def sighted(self, fact: BadgeSeen) -> BadgeSighted:
        """Whose badge was seen, or a digest of it."""
        staff = self.staff.get(fact.badge, "")
        digest = "" if staff else hmac.digest(self.key, fact.badge.encode(), hashlib.sha256)[:DIGEST_BYTES].hex()
        return BadgeSighted(reader=fact.device, kind=fact.kind, staff=staff, digest=digest)
