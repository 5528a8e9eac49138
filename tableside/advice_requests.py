"""What people ask for about advice. `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request


class DecideAdvice(Request, frozen=True, kw_only=True):
    """The decision on an open advice, by its number; `is_against` where it is not the ruling that was advised."""

    number: int
    decision: str
    is_against: bool = False
