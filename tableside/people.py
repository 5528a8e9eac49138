"""The staff that a house names in its configuration."""

from __future__ import annotations

import datetime
from typing import Annotated

import msgspec

from tableside.house import Role

# Fixed-width text, never a number: leading zeros count (BR-032). `26:00C0FFEE` is 26 bits, upper-case hex.
BADGE_PATTERN = r"\A[1-9][0-9]{0,2}:[0-9A-F]{2,64}\Z"
STAFF_ID_PATTERN = r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,15}\Z"

StaffId = Annotated[str, msgspec.Meta(pattern=STAFF_ID_PATTERN, description="1 to 16 letters, digits, . _ -")]
Badge = Annotated[
    str, msgspec.Meta(pattern=BADGE_PATTERN, description='"<bits>:<UPPER-CASE HEX>", such as "26:00C0FFEE"')
]


class StaffMember(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person whom badges, alerts and records name. The journal holds `staff_id`, never the badge."""

    staff_id: StaffId
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    roles: Annotated[tuple[Role, ...], msgspec.Meta(min_length=1)]
    badge: Badge | None = None
    valid_from: datetime.date | None = None
    valid_until: datetime.date | None = None
    is_revoked: bool = False  # taken away or lost: the record then says *revoked*, and whose, not *unknown*
    pin_hash: (
        Annotated[str, msgspec.Meta(pattern=r"\Ascrypt\$", description="a PIN's hash, scrypt$…, never a PIN itself")]
        | None
    ) = None
