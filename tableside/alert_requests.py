"""What people ask about alerts. `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request


class TakeAlert(Request, frozen=True, kw_only=True):
    """Going."""

    alert: int


class AcknowledgeAlert(Request, frozen=True, kw_only=True):
    """The alert was seen; nobody goes yet, it escalates and stands as before (design rule 7)."""

    alert: int


class DeclineAlert(Request, frozen=True, kw_only=True):
    """Cannot: the next in line is asked at once."""

    alert: int


class ClearAlert(Request, frozen=True, kw_only=True):
    """What the alert asked for is done (where nothing clears it by itself)."""

    alert: int


AnyAlertRequest = TakeAlert | AcknowledgeAlert | DeclineAlert | ClearAlert
