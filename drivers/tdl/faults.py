"""Which faults stand at a device, by number and place: CLEAR_FAULT names both, a person names the fault. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.session.tdl import Noticed
from firmware_bridge.wire.tdl import keys, read
from firmware_bridge.wire.tdl.codes import FaultCode, NoticeKind


class StandingFaults:
    """Kept from the handshake's FAULTS and the notices after it."""

    def __init__(self) -> None:
        self._standing: set[tuple[int, int]] = set()

    def begin(self, standing: Iterable[tuple[int, int]]) -> None:
        """FAULTS was read: these stand and no others."""
        self._standing = set(standing)

    def places(self, fault: int) -> list[int]:
        """Where a fault stands, as TDL's place numbers."""
        return sorted(place for standing, place in self._standing if standing == fault)

    def take(self, noticed: Noticed) -> None:
        """A notice may begin or end one. Raises BadBody."""
        body = noticed.body
        if noticed.kind in (NoticeKind.JAM, NoticeKind.JAM_GONE):
            fault, place = int(FaultCode.JAM), read.uint(body, keys.PlaceKey.PLACE)
        elif noticed.kind in (NoticeKind.FAULT, NoticeKind.FAULT_GONE):
            fault, place = read.uint(body, keys.FaultKey.FAULT), read.uint(body, keys.FaultKey.PLACE)
        else:
            return
        if noticed.kind in (NoticeKind.JAM, NoticeKind.FAULT):
            self._standing.add((fault, place))
        else:
            self._standing.discard((fault, place))
