"""Permits: leases that the device ends by itself (TDL 9)."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.tdl.codes import Permit, PermitEnd
from simulator.world.waking import earliest


@dataclass(slots=True)
class Lease:
    """One permit. `ending` is set from its end until the machine stands still and the notice is queued."""

    what: Permit
    stands: bool = False
    deadline_ns: int = 0
    limit: int | None = None
    counted: int = 0
    is_fresh: bool = True
    ending: PermitEnd | None = None

    @property
    def remaining(self) -> int | None:
        """Cards that may still pass; None: any number."""
        return None if self.limit is None else max(0, self.limit - self.counted)

    def grant(self, deadline_ns: int, limit: int | None) -> None:
        """Grant or renew: replaces time and limit, not the count."""
        if self.is_fresh:
            self.counted, self.is_fresh = 0, False
        self.deadline_ns, self.limit = deadline_ns, limit
        if self.remaining == 0:
            self.end(PermitEnd.NUMBER)
        else:
            self.stands = True

    def revoke(self) -> None:
        """End it, and let the count begin anew with the next grant."""
        self.end(PermitEnd.REVOKED)
        self.is_fresh = True

    def end(self, why: PermitEnd) -> None:
        """The first reason wins; one that does not stand ends without a word."""
        if self.stands:
            self.stands, self.ending = False, why

    def count(self, cards: int) -> None:
        """Cards passed; also the last one, that was moving when the permit ended."""
        if not self.stands and self.ending is None:
            return
        self.counted += cards
        if self.remaining == 0:
            self.end(PermitEnd.NUMBER)


class Permits:
    """The leases of one boot."""

    def __init__(self, offered: frozenset[Permit]) -> None:
        self.leases = {what: Lease(what) for what in sorted(offered)}

    def __getitem__(self, what: Permit) -> Lease:
        return self.leases[what]

    def stands(self, what: Permit) -> bool:
        lease = self.leases.get(what)
        return lease is not None and lease.stands

    @property
    def bits(self) -> int:
        """As in STATE: bit 0 deal, 1 feed, 2 lid, 3 slots."""
        return sum(1 << (lease.what - 1) for lease in self.leases.values() if lease.stands)

    def end(self, why: PermitEnd, *whats: Permit) -> None:
        for what in whats:
            if what in self.leases:
                self.leases[what].end(why)

    def expire(self, now_ns: int) -> None:
        """End those whose time has run out."""
        for lease in self.leases.values():
            if lease.stands and lease.deadline_ns <= now_ns:
                lease.end(PermitEnd.TIME)

    def next_deadline_ns(self) -> int | None:
        return earliest(*[lease.deadline_ns for lease in self.leases.values() if lease.stands])
