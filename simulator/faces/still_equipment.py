"""Equipment that moves nothing: it has no permits and no moving commands, and says so when it is asked (TDL 6, 5)."""

from __future__ import annotations

from firmware_bridge.wire.tdl.codes import Permit, Reason

from .equipment import Reporter


class StillEquipment:
    """The half of an `Equipment` that is the same for a display and a switch box."""

    def is_still(self, what: Permit) -> bool:
        return True

    def permit_changed(self, what: Permit, *, stands: bool, remaining: int | None) -> None:
        raise AssertionError(f"no permit {what.name} here")

    def limit_reached(self, what: Permit, reporter: Reporter) -> None:
        raise AssertionError(f"no permit {what.name} here")

    def permit_hindrance(self, what: Permit) -> Reason | None:
        return Reason.NOT_OFFERED

    def argument_hindrance(self, operation: int, argument: int | None) -> Reason | None:
        return Reason.NOT_OFFERED

    def guard(self, operation: int, argument: int | None, *, has_deal_permit: bool) -> Reason | None:
        return Reason.NOT_OFFERED

    def begin(self, operation: int, argument: int | None) -> None:
        raise AssertionError(f"nothing moves here (operation {operation:02X})")

    def progress(self) -> tuple[int, int]:
        return 0, 0
