"""What people say of cards that were read. `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request


class OpenCards(Request, frozen=True, kw_only=True):
    """These cards lie face up, for everybody to see: no reader can tell that.

    `numbers` count from 1 in the order in which `reader` read this round's cards; none: all that it has read so far.
    No `reader` means the only one that has read any.
    """

    numbers: tuple[int, ...] = ()
    reader: str = ""
